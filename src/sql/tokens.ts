import { StatementError } from './statement-error.ts'

/**
 * A word of a statement. `text` is how the statement has it, and `value` what it means: the name
 * without quotes, or the text of a literal.
 */
export type SqlToken = {
  kind: 'name' | 'quoted' | 'text' | 'number' | 'symbol' | 'end'
  text: string
  value: string
  /** The offset in the statement. */
  at: number
}

const SPACE = /(?:\s+|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y
const NAME = /[A-Za-z_$][\w$]*/y
const NUMBER = /0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy
const INDEX = /\d+/y
const SYMBOL = /\?\.|\?\?|=~\*|!~\*|=~|!~|~\*|~|==|!=|<>|<=|>=|\|\||->|::|[()[\]{},.+\-*/%=<>?:;]/y

/** What a letter after a backslash stands for. */
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  r: '\r',
  n: '\n',
  t: '\t',
  '0': '\0',
  a: '\x07',
  v: '\v'
}

/** Divides a statement into tokens; the last one has the kind `end`. @throws StatementError */
export function tokenize(statement: string): SqlToken[] {
  const tokens: SqlToken[] = []
  let at = 0
  for (;;) {
    at += match(SPACE, statement, at)?.length ?? 0
    if (at >= statement.length) {
      tokens.push({ kind: 'end', text: '', value: '', at: statement.length })
      return tokens
    }
    const token = readToken(statement, at, tokens.at(-1))
    tokens.push(token)
    at += token.text.length
  }
}

function readToken(statement: string, at: number, before: SqlToken | undefined): SqlToken {
  const name = match(NAME, statement, at)
  if (name !== undefined) {
    return { kind: 'name', text: name, value: name, at }
  }
  const character = statement[at] ?? ''
  if (character === "'") {
    return { kind: 'text', ...readQuoted(statement, at), at }
  }
  if (character === '`' || character === '"') {
    return { kind: 'quoted', ...readQuoted(statement, at), at }
  }
  const number = readNumber(statement, at, before)
  if (number !== undefined) {
    return { kind: 'number', text: number, value: number, at }
  }
  const symbol = match(SYMBOL, statement, at)
  if (symbol !== undefined) {
    return { kind: 'symbol', text: symbol, value: symbol, at }
  }
  if (statement.startsWith('/*', at)) {
    throw new StatementError(at, 'This comment has no end: close it with */.')
  }
  throw new StatementError(at, `Unexpected character ${JSON.stringify(character)}.`)
}

/** Reads a number. In a path, as in `tags.1.name`, it is an index, and the dots are symbols. */
function readNumber(
  statement: string,
  at: number,
  before: SqlToken | undefined
): string | undefined {
  if (before?.text === '.' || before?.text === '?.') {
    return match(INDEX, statement, at)
  }
  const isPath =
    before?.kind === 'name' || before?.kind === 'quoted' || /^[)\]}]$/.test(before?.text ?? '')
  if (isPath && statement[at] === '.') {
    return undefined
  }
  const number = match(NUMBER, statement, at)
  if (number === undefined) {
    return undefined
  }
  if (/^0\d/.test(number)) {
    throw new StatementError(at, `${number} begins with 0: write it without the leading zero.`)
  }
  const next = statement[at + number.length] ?? ''
  if (/[\w$]/.test(next)) {
    throw new StatementError(at, `${number}${next} is not a number.`)
  }
  return number
}

/**
 * Reads a text or a quoted name. The quote is doubled or follows a backslash inside: `'it''s'` →
 * `it's`
 */
function readQuoted(statement: string, at: number): { text: string; value: string } {
  const quote = statement[at] ?? ''
  let value = ''
  for (let i = at + 1; i < statement.length; i += 1) {
    const character = statement[i] ?? ''
    const next = statement[i + 1] ?? ''
    if (character === quote && next !== quote) {
      return { text: statement.slice(at, i + 1), value }
    }
    if (character === '\\') {
      value += readEscape(next, quote, i)
      i += 1
    } else {
      value += character
      i += character === quote ? 1 : 0
    }
  }
  const what = quote === "'" ? 'text' : 'name'
  throw new StatementError(at, `This ${what} has no end: close it with ${quote}.`)
}

function readEscape(letter: string, quote: string, at: number): string {
  const meant = letter === quote || letter === '\\' ? letter : ESCAPES[letter]
  if (meant === undefined) {
    throw new StatementError(
      at,
      `\\${letter} is not an escape: write a backslash as \\\\, so \\\\${letter}.`
    )
  }
  return meant
}

function match(pattern: RegExp, statement: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(statement)?.[0]
}
