import type { Cursor } from './cursor.ts'
import { StatementError } from './statement-error.ts'
import {
  INTERVAL_UNITS,
  type IntervalUnit,
  type Node,
  type SqlStatement,
  toCall,
  toLiteral
} from './tree.ts'

/** Reads a statement in parentheses, whose opening one was read. */
export type ReadSubquery = (cursor: Cursor) => SqlStatement

/** Reads what is in a primary. */
type Inner = {
  read: () => Node
  readList: () => Node[]
  /** Reads the amount of an interval. */
  readAmount: () => Node
  readSubquery: ReadSubquery
}

/** Reads what operators join: literals, names, calls and parentheses. @throws StatementError */
export class PrimaryParser {
  readonly #cursor: Cursor
  readonly #inner: Inner

  constructor(cursor: Cursor, inner: Inner) {
    this.#cursor = cursor
    this.#inner = inner
  }

  read(): Node {
    const cursor = this.#cursor
    const { kind, value, at } = cursor.peek()
    switch (kind) {
      case 'text':
        cursor.next()
        return { kind: 'literal', at, value, isText: true }
      case 'number':
        cursor.next()
        return toNumber(at, value)
      case 'name':
      case 'quoted':
        return this.#readNamed()
      default:
        return this.#readBracket()
    }
  }

  #readBracket(): Node {
    const cursor = this.#cursor
    const { at } = cursor.peek()
    if (cursor.takeSymbol('(')) {
      return this.#readParentheses(at)
    }
    if (cursor.takeSymbol('[')) {
      const items = cursor.isSymbol(']') ? [] : this.#inner.readList()
      cursor.expectSymbol(']')
      return { kind: 'array', at, items }
    }
    if (cursor.takeSymbol('{')) {
      return this.#readPlaceholder(at)
    }
    if (cursor.takeSymbol('*')) {
      return { kind: 'star', at }
    }
    throw cursor.expected('an expression')
  }

  #readParentheses(at: number): Node {
    const cursor = this.#cursor
    if (cursor.isWord('select with')) {
      return { kind: 'subquery', at, query: cursor.nested(() => this.#inner.readSubquery(cursor)) }
    }
    const items = this.#inner.readList()
    cursor.expectSymbol(')')
    const [only] = items
    return only && items.length === 1 ? only : { kind: 'tuple', at, items }
  }

  /** `{name}`, `{filters.dateRange.from}` */
  #readPlaceholder(at: number): Node {
    const cursor = this.#cursor
    const steps = [cursor.expectName('the name of a placeholder').value]
    while (cursor.takeSymbol('.')) {
      const { value } = cursor.next()
      steps.push(value)
    }
    cursor.expectSymbol('}')
    return { kind: 'placeholder', at, steps }
  }

  #readNamed(): Node {
    const cursor = this.#cursor
    const { kind, at, value } = cursor.peek()
    const word = kind === 'name' ? value.toLowerCase() : ''
    if (cursor.isSymbol('(', 1) && word !== 'case' && (cursor.isName() || isFunctionWord(word))) {
      return this.#readCall()
    }
    const constant = CONSTANTS.get(word)
    if (constant !== undefined) {
      cursor.next()
      return { kind: 'literal', at, value: constant, isText: false }
    }
    if (word === 'case') {
      return this.#readCase()
    }
    if (word === 'interval' && this.#beginsInterval()) {
      return this.#readInterval()
    }
    const { value: name } = cursor.expectName('an expression')
    return { kind: 'path', at, steps: [{ name, at }] }
  }

  #readCall(): Node {
    const cursor = this.#cursor
    const { value: name, at } = cursor.next()
    const first = this.#readArguments()
    if (!cursor.isSymbol('(')) {
      return { ...toCall(at, name, first.args), isDistinct: first.isDistinct }
    }
    const second = this.#readArguments()
    const { isDistinct, args } = second
    const call: Node = { kind: 'call', at, name, parameters: first.args, isDistinct, args }
    if (cursor.isWord('over')) {
      throw new StatementError(cursor.peek().at, WINDOW)
    }
    return call
  }

  #readArguments(): { args: Node[]; isDistinct: boolean } {
    const cursor = this.#cursor
    cursor.expectSymbol('(')
    const isDistinct = cursor.takeWords('distinct')
    const args = cursor.isSymbol(')') ? [] : this.#inner.readList()
    if (cursor.isWord('as')) {
      throw new StatementError(
        cursor.peek().at,
        'AS is not supported inside a call: name a whole column, after the call.'
      )
    }
    if (cursor.isSymbol('->')) {
      throw new StatementError(cursor.peek().at, '-> is not supported: there are no lambdas here.')
    }
    cursor.expectSymbol(')')
    if (cursor.isWord('over') && cursor.isSymbol('(', 1)) {
      throw new StatementError(cursor.peek().at, WINDOW)
    }
    return { args, isDistinct }
  }

  /** `CASE WHEN a THEN b ELSE c END` is `if(a, b, c)`, with null where ELSE is missing. */
  #readCase(): Node {
    const cursor = this.#cursor
    const { at } = cursor.next()
    const subject = cursor.isWord('when') ? undefined : this.#inner.read()
    const args: Node[] = []
    while (cursor.takeWords('when')) {
      const condition = this.#inner.read()
      cursor.expectWord('then')
      args.push(
        subject ? toCall(condition.at, 'equals', [subject, condition]) : condition,
        this.#inner.read()
      )
    }
    if (args.length === 0) {
      throw cursor.expected('WHEN')
    }
    const otherwise = cursor.takeWords('else') ? this.#inner.read() : toLiteral(at, null)
    cursor.expectWord('end')
    return toCall(at, args.length === 2 ? 'if' : 'multiIf', [...args, otherwise])
  }

  #beginsInterval(): boolean {
    const { kind, text } = this.#cursor.peek(1)
    return kind === 'number' || kind === 'text' || kind === 'name' || text === '(' || text === '{'
  }

  /** `INTERVAL 7 DAY`, `INTERVAL '7 days'` */
  #readInterval(): Node {
    const cursor = this.#cursor
    const { at } = cursor.next()
    const { kind, value } = cursor.peek()
    const [, amount, written] = /^(\d{1,9}) ([A-Za-z]+)$/.exec(kind === 'text' ? value : '') ?? []
    if (amount !== undefined && written !== undefined) {
      const unit = unitOf(written)
      if (unit) {
        cursor.next()
        return { kind: 'interval', at, amount: toLiteral(at, Number(amount)), unit }
      }
    }
    const node = cursor.nested(() => this.#inner.readAmount())
    const unit = cursor.peek().kind === 'name' ? unitOf(cursor.peek().text) : undefined
    if (!unit) {
      throw cursor.expected(`a unit of time (${INTERVAL_UNITS.join(', ')})`)
    }
    cursor.next()
    return { kind: 'interval', at, amount: node, unit }
  }
}

const WINDOW =
  'OVER is not supported: there are no window functions here. Use a subquery with min, max or argMin.'

const CONSTANTS = new Map<string, number | boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY]
])

/** Keywords that are names of functions, too. */
const isFunctionWord = (word: string): boolean => word === 'left' || word === 'right'

/** @throws StatementError for a whole number that would be rounded */
function toNumber(at: number, text: string): Node {
  const value = Number(text)
  if (/^\d+$/.test(text) && !Number.isSafeInteger(value)) {
    throw new StatementError(at, `${text} is above 2^53: write it in quotes, as a text.`)
  }
  return toLiteral(at, value)
}

function unitOf(written: string): IntervalUnit | undefined {
  const singular = written.toLowerCase().replace(/s$/, '')
  return INTERVAL_UNITS.find((unit) => unit === singular)
}
