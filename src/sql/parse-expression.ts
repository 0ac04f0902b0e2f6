import type { Cursor } from './cursor.ts'
import { StatementError } from './statement-error.ts'
import {
  type CallNode,
  INTERVAL_UNITS,
  type IntervalUnit,
  type Node,
  type SqlStatement,
  type Step
} from './tree.ts'

/*
 * Expressions, by precedence climbing. From loosest to tightest:
 *
 *   ? :   OR   AND   NOT   ??   IS NULL   comparisons   + - ||   * / %   unary -   x[i] x.name
 */

const LOOSEST = 0
const OR = 1
const AND = 2
const NOT = 3
const COALESCE = 4
const IS = 5
const COMPARISON = 6
const SUM = 7
const PRODUCT = 8
const SIGN = 9

/** The level and the function of each operator between two operands. */
const OPERATORS: ReadonlyMap<string, { level: number; name: string }> = new Map(
  Object.entries({
    or: { level: OR, name: 'or' },
    and: { level: AND, name: 'and' },
    '??': { level: COALESCE, name: 'ifNull' },
    '=': { level: COMPARISON, name: 'equals' },
    '==': { level: COMPARISON, name: 'equals' },
    '!=': { level: COMPARISON, name: 'notEquals' },
    '<>': { level: COMPARISON, name: 'notEquals' },
    '<': { level: COMPARISON, name: 'less' },
    '<=': { level: COMPARISON, name: 'lessOrEquals' },
    '>': { level: COMPARISON, name: 'greater' },
    '>=': { level: COMPARISON, name: 'greaterOrEquals' },
    '~': { level: COMPARISON, name: 'match' },
    '=~': { level: COMPARISON, name: 'match' },
    '!~': { level: COMPARISON, name: 'notMatch' },
    '~*': { level: COMPARISON, name: 'imatch' },
    '=~*': { level: COMPARISON, name: 'imatch' },
    '!~*': { level: COMPARISON, name: 'notIMatch' },
    like: { level: COMPARISON, name: 'like' },
    ilike: { level: COMPARISON, name: 'ilike' },
    '+': { level: SUM, name: 'plus' },
    '-': { level: SUM, name: 'minus' },
    '||': { level: SUM, name: 'concat' },
    '*': { level: PRODUCT, name: 'multiply' },
    '/': { level: PRODUCT, name: 'divide' },
    '%': { level: PRODUCT, name: 'modulo' }
  })
)

/** Operators that an expression has in a row. */
const MAX_OPERATORS = 100

/** Whether the operands of an operator are one list, however many there are. */
const isFlat = (name: string): boolean => name === 'and' || name === 'or'

/** Reads a statement in parentheses, whose opening one was read. */
export type ReadSubquery = (cursor: Cursor) => SqlStatement

export const toCall = (at: number, name: string, args: Node[]): CallNode => ({
  kind: 'call',
  at,
  name,
  parameters: undefined,
  isDistinct: false,
  args
})

/** Reads expressions. @throws StatementError */
export class ExpressionParser {
  readonly #cursor: Cursor
  readonly #readSubquery: ReadSubquery

  constructor(cursor: Cursor, readSubquery: ReadSubquery) {
    this.#cursor = cursor
    this.#readSubquery = readSubquery
  }

  read(): Node {
    return this.#cursor.nested(() => this.#readTernary())
  }

  /** Reads expressions that commas separate. */
  readList(): Node[] {
    const nodes = [this.read()]
    while (this.#cursor.takeSymbol(',')) {
      nodes.push(this.read())
    }
    return nodes
  }

  #readTernary(): Node {
    const condition = this.#readLevel(LOOSEST)
    const { at } = this.#cursor.peek()
    if (!this.#cursor.takeSymbol('?')) {
      return condition
    }
    const then = this.read()
    this.#cursor.expectSymbol(':')
    return toCall(at, 'if', [condition, then, this.read()])
  }

  /** Reads an expression whose operators bind more tightly than a level. */
  #readLevel(level: number): Node {
    let left = this.#readPrefix()
    for (let depth = 0; ; depth += 1) {
      const joined = this.#readOperator(left, level)
      if (!joined) {
        return left
      }
      if (depth > MAX_OPERATORS && joined.kind === 'call' && !isFlat(joined.name)) {
        throw new StatementError(
          joined.at,
          `More than ${MAX_OPERATORS} operators in a row: use parentheses.`
        )
      }
      left = joined
    }
  }

  #readPrefix(): Node {
    const cursor = this.#cursor
    const { at } = cursor.peek()
    if (cursor.takeWords('not')) {
      return toCall(at, 'not', [cursor.nested(() => this.#readLevel(NOT - 1))])
    }
    if (cursor.takeSymbol('-')) {
      return toNegative(
        at,
        cursor.nested(() => this.#readLevel(SIGN))
      )
    }
    if (cursor.takeSymbol('+')) {
      return cursor.nested(() => this.#readLevel(SIGN))
    }
    return this.#readPostfix(this.#readPrimary())
  }

  #readOperator(left: Node, level: number): Node | undefined {
    const cursor = this.#cursor
    const { at, kind, text } = cursor.peek()
    if (level < IS && cursor.isWord('is')) {
      return this.#readIs(left)
    }
    if (level < COMPARISON && cursor.isWord('not in between like ilike')) {
      return this.#readWordOperator(left)
    }
    const found =
      kind === 'symbol' || kind === 'name' ? OPERATORS.get(text.toLowerCase()) : undefined
    if (!found || found.level <= level) {
      return undefined
    }
    cursor.next()
    const right = cursor.nested(() => this.#readLevel(found.level))
    return isFlat(found.name) && left.kind === 'call' && left.name === found.name
      ? { ...left, args: [...left.args, right] }
      : toCall(at, found.name, [left, right])
  }

  /** `IS NULL`, `IS NOT NULL` */
  #readIs(left: Node): Node {
    const { at } = this.#cursor.next()
    const isNot = this.#cursor.takeWords('not')
    if (this.#cursor.isWord('distinct')) {
      throw new StatementError(at, 'IS DISTINCT FROM is not supported: write != or =.')
    }
    this.#cursor.expectWord('null')
    return toCall(at, isNot ? 'isNotNull' : 'isNull', [left])
  }

  /** `[NOT] IN`, `[NOT] BETWEEN`, `[NOT] LIKE`, `[NOT] ILIKE` */
  #readWordOperator(left: Node): Node {
    const cursor = this.#cursor
    const { at } = cursor.peek()
    const isNot = cursor.takeWords('not')
    if (cursor.takeWords('in')) {
      return this.#readIn(left, at, isNot)
    }
    if (cursor.takeWords('between')) {
      const from = cursor.nested(() => this.#readLevel(COMPARISON))
      cursor.expectWord('and')
      const until = cursor.nested(() => this.#readLevel(COMPARISON))
      return toCall(at, isNot ? 'notBetween' : 'between', [left, from, until])
    }
    const isExact = cursor.takeWords('like')
    if (!isExact && !cursor.takeWords('ilike')) {
      throw cursor.expected('IN, BETWEEN, LIKE or ILIKE')
    }
    const right = cursor.nested(() => this.#readLevel(COMPARISON))
    const [positive, negative] = isExact ? ['like', 'notLike'] : ['ilike', 'notILike']
    return toCall(at, isNot ? negative : positive, [left, right])
  }

  #readIn(left: Node, at: number, isNot: boolean): Node {
    if (this.#cursor.isWord('cohort')) {
      throw new StatementError(
        at,
        'IN COHORT is not supported: send the cohort as a filter in `filters.properties`, and write {filters}.'
      )
    }
    const right = this.#cursor.nested(() => this.#readLevel(COMPARISON))
    return toCall(at, isNot ? 'notIn' : 'in', [left, right])
  }

  #readPostfix(first: Node): Node {
    const cursor = this.#cursor
    let node = first
    for (let depth = 0; ; depth += 1) {
      const { at } = cursor.peek()
      if (depth > MAX_OPERATORS) {
        throw new StatementError(at, `More than ${MAX_OPERATORS} members in a row.`)
      }
      if (cursor.takeSymbol('.')) {
        node = this.#readMember(node)
      } else if (cursor.takeSymbol('?.')) {
        node = cursor.isSymbol('[') ? node : this.#readMember(node)
      } else if (cursor.takeSymbol('[')) {
        const index = this.read()
        cursor.expectSymbol(']')
        node = withIndex(node, index, at)
      } else {
        return node
      }
    }
  }

  /** Reads what follows a dot. */
  #readMember(node: Node): Node {
    const cursor = this.#cursor
    const { kind, at, value } = cursor.peek()
    if (cursor.isSymbol('*') && node.kind === 'path') {
      cursor.next()
      return { kind: 'star', at }
    }
    if (kind !== 'name' && kind !== 'quoted' && kind !== 'number') {
      throw cursor.expected('a name after the dot')
    }
    cursor.next()
    const name = kind === 'number' ? Number(value) : value
    if (node.kind === 'path') {
      return { ...node, steps: [...node.steps, { name, at }] }
    }
    if (typeof name === 'string') {
      throw new StatementError(at, `.${name} can only follow a column, such as properties.${name}.`)
    }
    return { kind: 'element', at, of: node, index: toLiteral(at, name) }
  }

  #readPrimary(): Node {
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
      const items = cursor.isSymbol(']') ? [] : this.readList()
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
      return { kind: 'subquery', at, query: cursor.nested(() => this.#readSubquery(cursor)) }
    }
    const items = this.readList()
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
    const args = cursor.isSymbol(')') ? [] : this.readList()
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
    const subject = cursor.isWord('when') ? undefined : this.read()
    const args: Node[] = []
    while (cursor.takeWords('when')) {
      const condition = this.read()
      cursor.expectWord('then')
      args.push(
        subject ? toCall(condition.at, 'equals', [subject, condition]) : condition,
        this.read()
      )
    }
    if (args.length === 0) {
      throw cursor.expected('WHEN')
    }
    const otherwise = cursor.takeWords('else') ? this.read() : toLiteral(at, null)
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
    const node = cursor.nested(() => this.#readLevel(SUM))
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

const toLiteral = (at: number, value: number | boolean | null): Node => ({
  kind: 'literal',
  at,
  value,
  isText: false
})

/** @throws StatementError for a whole number that would be rounded */
function toNumber(at: number, text: string): Node {
  const value = Number(text)
  if (/^\d+$/.test(text) && !Number.isSafeInteger(value)) {
    throw new StatementError(at, `${text} is above 2^53: write it in quotes, as a text.`)
  }
  return toLiteral(at, value)
}

/** The sign of a number is part of it; `-x` of anything else is `negate(x)`. */
const toNegative = (at: number, node: Node): Node =>
  node.kind === 'literal' && typeof node.value === 'number'
    ? toLiteral(at, -node.value)
    : toCall(at, 'negate', [node])

/** A constant index of a column is a step of its path. */
function withIndex(node: Node, index: Node, at: number): Node {
  if (node.kind !== 'path' || index.kind !== 'literal') {
    return { kind: 'element', at, of: node, index }
  }
  const { value } = index
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new StatementError(index.at, 'An index is a name in quotes, or a number from 1 on.')
  }
  const step: Step = { name: value, at: index.at }
  return { ...node, steps: [...node.steps, step] }
}

function unitOf(written: string): IntervalUnit | undefined {
  const singular = written.toLowerCase().replace(/s$/, '')
  return INTERVAL_UNITS.find((unit) => unit === singular)
}
