import { StatementError } from './statement-error.ts'
import { type SqlToken, tokenize } from './tokens.ts'

/** Nested parentheses, calls and subqueries of a statement. */
const MAX_DEPTH = 60

/** Words that end an expression, and so cannot be a name without quotes. */
export const RESERVED: ReadonlySet<string> = new Set(
  `select from where group having order limit offset union intersect except as and or not in like
  ilike is between case when then else end distinct asc desc ascending descending join inner left
  right full cross on using with settings sample final prewhere window qualify by`.split(/\s+/)
)

/** Goes through the tokens of a statement. */
export class Cursor {
  readonly #tokens: SqlToken[]
  #place = 0
  #depth = 0

  /** @throws StatementError */
  constructor(statement: string) {
    this.#tokens = tokenize(statement)
  }

  /** The token here, or so many tokens further on. */
  peek(ahead = 0): SqlToken {
    const last = this.#tokens.length - 1
    // The cast is safe: the list ends with the token `end`.
    return this.#tokens[Math.min(this.#place + ahead, last)] as SqlToken
  }

  next(): SqlToken {
    const token = this.peek()
    this.#place += 1
    return token
  }

  /** Whether the token here, or so many tokens further on, is one of these keywords. */
  isWord(words: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead)
    return kind === 'name' && words.split(' ').includes(text.toLowerCase())
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead)
    return kind === 'symbol' && text === symbol
  }

  /** Skips some keywords if all of them are here. */
  takeWords(...words: string[]): boolean {
    const isHere = words.every((word, i) => this.isWord(word, i))
    this.#place += isHere ? words.length : 0
    return isHere
  }

  takeSymbol(symbol: string): boolean {
    const isHere = this.isSymbol(symbol)
    this.#place += isHere ? 1 : 0
    return isHere
  }

  expectSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) {
      throw this.expected(symbol)
    }
  }

  expectWord(word: string): void {
    if (!this.takeWords(word)) {
      throw this.expected(word.toUpperCase())
    }
  }

  /** Whether a name is here: quoted, or not reserved. */
  isName(): boolean {
    const { kind, text } = this.peek()
    return kind === 'quoted' || (kind === 'name' && !RESERVED.has(text.toLowerCase()))
  }

  expectName(what: string): SqlToken {
    if (!this.isName()) {
      throw this.expected(what)
    }
    return this.next()
  }

  /** Returns the error for a token that is none of what could be here. */
  expected(what: string): StatementError {
    const { at } = this.peek()
    return new StatementError(at, `Expected ${what} ${this.#before()}.`)
  }

  #before(): string {
    const { kind, text } = this.peek()
    return kind === 'end' ? 'at the end' : `before ${text.slice(0, 60)}`
  }

  /** Reads something that can contain itself. @throws StatementError if it is nested too deeply */
  nested<Result>(read: () => Result): Result {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) {
      throw new StatementError(this.peek().at, `Nested deeper than ${MAX_DEPTH} levels.`)
    }
    const result = read()
    this.#depth -= 1
    return result
  }
}
