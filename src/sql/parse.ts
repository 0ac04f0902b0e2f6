import { Cursor } from './cursor.ts'
import { ExpressionParser } from './parse-expression.ts'
import { StatementError } from './statement-error.ts'
import type { Alias, Item, Node, OrderItem, Select, SqlStatement, TableSource } from './tree.ts'

/*
 * statement  = select { UNION ALL select } [ ";" ]
 * select     = [ WITH name AS "(" statement ")" { "," … } ]
 *              SELECT [ DISTINCT ] item { "," item } [ FROM source ] [ WHERE expression ]
 *              [ GROUP BY expression { "," expression } ] [ HAVING expression ]
 *              [ ORDER BY expression [ ASC | DESC ] [ NULLS FIRST | NULLS LAST ] { "," … } ]
 *              [ LIMIT expression BY expression { "," expression } ]
 *              [ LIMIT expression ] [ OFFSET expression ]
 * source     = name [ [ AS ] name ] | "(" statement ")" [ [ AS ] name ]
 * item       = expression [ AS name ] | "*"
 */

/** What to say instead of clauses that are not supported, by their first words. */
const UNSUPPORTED: readonly [words: string, advice: string][] = [
  [
    'join inner left right full cross any asof global',
    'Joins are not supported: use person.properties.x, session.x, or IN (SELECT …).'
  ],
  ['sample', 'SAMPLE is not supported: remove it, since all numbers are exact.'],
  ['final prewhere settings format', 'This clause is not supported: remove it.'],
  ['window qualify', 'Window functions are not supported: use a subquery with min, max or argMin.'],
  ['array', 'ARRAY JOIN is not supported.'],
  ['intersect except', 'Only UNION ALL joins statements here: use IN or NOT IN (SELECT …).']
]

/** Parses a statement. @throws StatementError */
export function parseStatement(text: string): SqlStatement {
  const parser = new StatementParser(text)
  return parser.readWhole()
}

/** What stands alone in a list: a column, a condition, or an order. */
type Parts = { item: Item; condition: Node; order: OrderItem }

/**
 * Parses an expression that stands alone. @param start its offset in the text that errors are about
 * @throws StatementError
 */
export const parseFragment = <Name extends keyof Parts>(
  { text, start }: { text: string; start: number },
  name: Name
): Parts[Name] => new StatementParser(' '.repeat(start) + text).readPart(name)

class StatementParser {
  readonly #cursor: Cursor
  readonly #expressions: ExpressionParser
  /** The named subqueries of WITH. */
  readonly #named = new Map<string, SqlStatement>()

  constructor(text: string) {
    this.#cursor = new Cursor(text)
    this.#expressions = new ExpressionParser(this.#cursor, () => this.#readParenthesized())
  }

  readWhole(): SqlStatement {
    const cursor = this.#cursor
    const { kind, text, at } = cursor.peek()
    if (kind === 'end') {
      throw new StatementError(at, 'The statement is empty: send a SELECT.')
    }
    if (!cursor.isWord('select with') && !cursor.isSymbol('(')) {
      throw new StatementError(at, `Expected SELECT before ${text}: only SELECT is supported.`)
    }
    const statement = this.#readUnion()
    cursor.takeSymbol(';')
    if (cursor.peek().kind !== 'end') {
      throw this.#unexpected()
    }
    return statement
  }

  readPart<Name extends keyof Parts>(name: Name): Parts[Name] {
    const parts: { [Part in keyof Parts]: () => Parts[Part] } = {
      item: () => this.#readItem(),
      condition: () => this.#expressions.read(),
      order: () => this.#readOrder()
    }
    const part = parts[name]()
    if (this.#cursor.peek().kind !== 'end') {
      throw this.#cursor.expected('the end of this expression')
    }
    return part
  }

  #readUnion(): SqlStatement {
    const cursor = this.#cursor
    const { at } = cursor.peek()
    const selects = this.#readArm()
    while (cursor.isWord('union')) {
      const union = cursor.next()
      if (!cursor.takeWords('all')) {
        throw new StatementError(
          union.at,
          'Only UNION ALL is supported: for different rows, write SELECT DISTINCT over it.'
        )
      }
      selects.push(...this.#readArm())
    }
    return { at, selects }
  }

  #readArm(): Select[] {
    if (this.#cursor.takeSymbol('(')) {
      return this.#readParenthesized().selects
    }
    return [this.#readSelect()]
  }

  /** Reads a statement up to its closing parenthesis. */
  #readParenthesized(): SqlStatement {
    const statement = this.#cursor.nested(() => this.#readUnion())
    if (!this.#cursor.isSymbol(')')) {
      throw this.#unexpected()
    }
    this.#cursor.next()
    return statement
  }

  #readSelect(): Select {
    const cursor = this.#cursor
    this.#readNamed()
    const { at } = cursor.peek()
    cursor.expectWord('select')
    const isDistinct = cursor.takeWords('distinct')
    const items = this.#readItems()
    const from = cursor.takeWords('from') ? this.#readSource() : undefined
    const where = cursor.takeWords('where') ? this.#expressions.read() : undefined
    const groupBy = cursor.takeWords('group', 'by') ? this.#expressions.readList() : []
    this.#refuseTotals()
    const having = cursor.takeWords('having') ? this.#expressions.read() : undefined
    const orderBy = cursor.takeWords('order', 'by') ? this.#readOrders() : []
    return { at, isDistinct, items, from, where, groupBy, having, orderBy, ...this.#readLimits() }
  }

  /** `WITH a AS (SELECT …), b AS (SELECT …)` */
  #readNamed(): void {
    const cursor = this.#cursor
    if (!cursor.takeWords('with')) {
      return
    }
    do {
      if (cursor.isSymbol('(') || cursor.isSymbol('(', 1)) {
        throw new StatementError(
          cursor.peek().at,
          'WITH names subqueries here: write WITH name AS (SELECT …).'
        )
      }
      const { value } = cursor.expectName('the name of a subquery')
      cursor.expectWord('as')
      cursor.expectSymbol('(')
      this.#named.set(value, this.#readParenthesized())
    } while (cursor.takeSymbol(','))
  }

  #readItems(): Item[] {
    const cursor = this.#cursor
    const items: Item[] = []
    do {
      // A comma after the last column is allowed.
      if (items.length > 0 && (cursor.isWord('from') || cursor.peek().kind === 'end')) {
        break
      }
      items.push(this.#readItem())
    } while (cursor.takeSymbol(','))
    return items
  }

  #readItem(): Item {
    const node = this.#expressions.read()
    return { node, alias: this.#readColumnAlias() }
  }

  #readColumnAlias(): Alias | undefined {
    const cursor = this.#cursor
    if (cursor.takeWords('as')) {
      const { kind, value, at } = cursor.peek()
      const isWritable = kind === 'text' || kind === 'quoted' || kind === 'name'
      if (!isWritable) {
        throw cursor.expected('a name after AS')
      }
      cursor.next()
      if (/^(?:true|false|null|team_id)$/i.test(value) || value.includes('%')) {
        throw new StatementError(at, `${value} cannot be the name of a column: choose another.`)
      }
      return { name: value, at }
    }
    if (cursor.isName() && !cursor.isWord('array final format')) {
      const { text, at } = cursor.peek()
      throw new StatementError(at, `Expected a comma before ${text}, or AS to name the column.`)
    }
    return undefined
  }

  #readSource(): TableSource {
    const cursor = this.#cursor
    const { at } = cursor.peek()
    if (cursor.takeSymbol('(')) {
      return { kind: 'query', at, query: this.#readParenthesized(), alias: this.#readTableAlias() }
    }
    if (cursor.isSymbol('{')) {
      throw new StatementError(at, 'A placeholder cannot be a table: write its name.')
    }
    let { value: name } = cursor.expectName('the name of a table')
    while (cursor.takeSymbol('.')) {
      name += `.${cursor.expectName('the name of a table').value}`
    }
    const alias = this.#readTableAlias()
    const query = this.#named.get(name)
    if (query) {
      return { kind: 'query', at, query, alias: alias ?? { name, at } }
    }
    return { kind: 'table', at, name, alias }
  }

  #readTableAlias(): Alias | undefined {
    const cursor = this.#cursor
    const isSaid = cursor.takeWords('as')
    if (cursor.isSymbol(',')) {
      throw new StatementError(cursor.peek().at, UNSUPPORTED[0]?.[1] ?? '')
    }
    if (!isSaid && (!cursor.isName() || this.#findUnsupported() !== undefined)) {
      return undefined
    }
    const { value, at } = cursor.expectName('a name after AS')
    return { name: value, at }
  }

  #readOrders(): OrderItem[] {
    const orders: OrderItem[] = []
    do {
      orders.push(this.#readOrder())
    } while (this.#cursor.takeSymbol(','))
    return orders
  }

  #readOrder(): OrderItem {
    const cursor = this.#cursor
    const node = this.#expressions.read()
    const isDescending = cursor.takeWords('desc') || cursor.takeWords('descending')
    if (!isDescending) {
      cursor.takeWords('asc') || cursor.takeWords('ascending')
    }
    const hasNullsFirst = cursor.takeWords('nulls', 'first')
    if (!hasNullsFirst) {
      cursor.takeWords('nulls', 'last')
    }
    return { node, isDescending, hasNullsFirst }
  }

  #readLimits(): Pick<Select, 'limit' | 'limitBy' | 'offset'> {
    const cursor = this.#cursor
    let limit = cursor.takeWords('limit') ? this.#expressions.read() : undefined
    let limitBy: Select['limitBy']
    if (limit && cursor.takeWords('by')) {
      limitBy = { count: limit, nodes: this.#expressions.readList() }
      limit = cursor.takeWords('limit') ? this.#expressions.read() : undefined
    }
    if (limit && cursor.isSymbol(',')) {
      throw new StatementError(
        cursor.peek().at,
        'LIMIT takes one number here: write LIMIT n OFFSET m.'
      )
    }
    if (cursor.isWord('with')) {
      throw new StatementError(cursor.peek().at, 'WITH TIES is not supported: remove it.')
    }
    const offset = cursor.takeWords('offset') ? this.#expressions.read() : undefined
    if (offset && cursor.isWord('limit')) {
      throw new StatementError(cursor.peek().at, 'LIMIT comes before OFFSET.')
    }
    return { limit, limitBy, offset }
  }

  #refuseTotals(): void {
    if (this.#cursor.isWord('with')) {
      throw new StatementError(
        this.#cursor.peek().at,
        'WITH TOTALS, ROLLUP and CUBE are not supported: remove them, or send a second statement.'
      )
    }
  }

  #findUnsupported(): string | undefined {
    return UNSUPPORTED.find(([words]) => this.#cursor.isWord(words))?.[1]
  }

  #unexpected(): StatementError {
    const { at, text } = this.#cursor.peek()
    const advice = this.#findUnsupported()
    if (advice !== undefined) {
      return new StatementError(at, `${text.toUpperCase()}: ${advice}`)
    }
    return this.#cursor.expected(
      'the next clause (FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT or OFFSET)'
    )
  }
}
