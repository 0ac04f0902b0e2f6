import type { Cursor } from './cursor.ts'
import { COMPARISON, IS, LOOSEST, NOT, OPERATORS, SIGN, SUM } from './operators.ts'
import { PrimaryParser, type ReadSubquery } from './parse-primary.ts'
import { StatementError } from './statement-error.ts'
import { type Node, type Step, toCall, toLiteral } from './tree.ts'

/** Operators that an expression has in a row. */
const MAX_OPERATORS = 100

/** Whether the operands of an operator are one list, however many there are. */
const isFlat = (name: string): boolean => name === 'and' || name === 'or'

/** Reads expressions. @throws StatementError */
export class ExpressionParser {
  readonly #cursor: Cursor
  readonly #primaries: PrimaryParser

  constructor(cursor: Cursor, readSubquery: ReadSubquery) {
    this.#cursor = cursor
    this.#primaries = new PrimaryParser(cursor, {
      read: () => this.read(),
      readList: () => this.readList(),
      readAmount: () => this.#readLevel(SUM),
      readSubquery
    })
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
    return this.#readPostfix(this.#primaries.read())
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
