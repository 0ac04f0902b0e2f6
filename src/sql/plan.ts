import { type Aggregate, constantOf, type Expression, makeCall, walk } from './expression.ts'
import type { Setting } from './functions/definition.ts'
import { findFunction } from './functions/table.ts'
import { nameOf } from './print.ts'
import { Resolver, type Surroundings } from './resolve.ts'
import {
  type AnswerColumn,
  NO_TABLE,
  type PropertyKinds,
  rowsSchema,
  type Schema,
  type TableName,
  toColumn
} from './schema.ts'
import { StatementError } from './statement-error.ts'
import { eventsSchema } from './tables/events.ts'
import { personsSchema } from './tables/persons.ts'
import { sessionsSchema } from './tables/sessions.ts'
import type { Item, Node, Select, SqlStatement, TableSource } from './tree.ts'
import { FLAG, type SqlType, type SqlValue } from './types.ts'

/** Rows of an answer at most; the number is PostHog's. */
export const MAX_LIMIT = 50_000
/** SELECTs of a statement, each of which may read events. */
const MAX_SELECTS = 10

export type AnswerExpression = AnswerColumn & { expression: Expression }

export type OrderBy = { expression: Expression; isDescending: boolean; hasNullsFirst: boolean }

/** How rows are grouped. The further stages see the keys, then the results of the aggregates. */
export type GroupBy = {
  keys: readonly Expression[]
  aggregates: readonly (Expression & Aggregate)[]
}

export type SourcePlan =
  | { kind: 'none' }
  | { kind: 'table'; table: TableName }
  | { kind: 'rows'; plan: StatementPlan }

export type SelectPlan = {
  source: SourcePlan
  where: Expression | undefined
  groupBy: GroupBy | undefined
  /** What is computed of the rows of the source, besides `where`. */
  reads: readonly Expression[]
  having: Expression | undefined
  columns: readonly AnswerExpression[]
  isDistinct: boolean
  orderBy: readonly OrderBy[]
  limitBy: { count: number; keys: readonly Expression[] } | undefined
  limit: number | undefined
  offset: number
}

/** Subqueries of IN, whose rows are there once they were computed. */
export type MembersPlan = { plan: StatementPlan; rows: SqlValue[] }

export type StatementPlan = {
  selects: readonly SelectPlan[]
  columns: readonly AnswerColumn[]
  /** To be computed before the selects. */
  members: readonly MembersPlan[]
}

/** What a plan depends on besides the statement. */
export type Planning = {
  setting: Setting
  kinds: PropertyKinds
  fill: Surroundings['fill']
}

/** Plans a statement. @throws StatementError */
export function planStatement(statement: SqlStatement, planning: Planning): StatementPlan {
  const planner = new Planner(planning)
  return planner.plan(statement)
}

class Planner {
  readonly #planning: Planning
  #selects = 0

  constructor(planning: Planning) {
    this.#planning = planning
  }

  plan({ selects }: SqlStatement): StatementPlan {
    const members: MembersPlan[] = []
    const plans = selects.map((select) => this.#planSelect(select, members))
    const [first, ...others] = plans
    for (const [i, other] of others.entries()) {
      const at = selects[i + 1]?.at ?? 0
      expectSameColumns(first?.columns ?? [], other.columns, at)
    }
    return { selects: plans, columns: first?.columns ?? [], members }
  }

  #planSelect(select: Select, members: MembersPlan[]): SelectPlan {
    this.#selects += 1
    if (this.#selects > MAX_SELECTS) {
      throw new StatementError(select.at, `A statement has at most ${MAX_SELECTS} SELECTs.`)
    }
    const { setting, fill } = this.#planning
    const { schema, source } = this.#planSource(select.from)
    const resolver = new Resolver({
      setting,
      schema,
      fill,
      planMembers: (query) => this.#planMembers(query, members)
    })
    return toSelectPlan(select, { resolver, schema, source })
  }

  #planSource(from: TableSource | undefined): { schema: Schema; source: SourcePlan } {
    if (!from) {
      return { schema: NO_TABLE, source: { kind: 'none' } }
    }
    const alias = from.alias?.name
    if (from.kind === 'query') {
      const plan = this.plan(from.query)
      return { schema: rowsSchema(alias, plan.columns), source: { kind: 'rows', plan } }
    }
    const { setting, kinds } = this.#planning
    const schema = schemaOf(from, setting.timezone, kinds)
    return { schema, source: { kind: 'table', table: schema.table } }
  }

  #planMembers(
    query: SqlStatement,
    members: MembersPlan[]
  ): ReturnType<Surroundings['planMembers']> {
    const plan = this.plan(query)
    const [column, ...others] = plan.columns
    if (!column || others.length > 0) {
      throw new StatementError(query.at, 'A subquery of IN has one column.')
    }
    const planned: MembersPlan = { plan, rows: [] }
    members.push(planned)
    return { type: column.type, values: () => planned.rows }
  }
}

/** @throws StatementError for an unknown table */
function schemaOf(
  { name, at, alias }: TableSource & { kind: 'table' },
  zone: string,
  kinds: PropertyKinds
): Schema & { table: TableName } {
  switch (name.toLowerCase()) {
    case 'events':
      return eventsSchema(alias?.name, zone, kinds)
    case 'persons':
      return personsSchema(alias?.name, zone, kinds.person)
    case 'sessions':
      return sessionsSchema(alias?.name, zone)
    default:
      throw new StatementError(
        at,
        `Unknown table ${name}: the tables here are events, persons and sessions.`
      )
  }
}

function expectSameColumns(
  first: readonly AnswerColumn[],
  other: readonly AnswerColumn[],
  at: number
): void {
  const isSame =
    first.length === other.length && first.every(({ type }, i) => isAlike(type, other[i]?.type))
  if (!isSame) {
    throw new StatementError(
      at,
      'The SELECTs of UNION ALL need the same number of columns, with the same types: use toString or toFloat.'
    )
  }
}

const isAlike = (a: SqlType, b: SqlType | undefined): boolean =>
  a.base === b?.base ||
  a.base === 'null' ||
  b?.base === 'null' ||
  (NUMERIC.has(a.base) && NUMERIC.has(b?.base ?? ''))

const NUMERIC = new Set<string>(['int', 'float'])

type Resolved = { resolver: Resolver; schema: Schema; source: SourcePlan }

function toSelectPlan(select: Select, { resolver, schema, source }: Resolved): SelectPlan {
  const items = select.items.flatMap((item) => resolveItem(item, resolver, schema))
  const where = select.where && resolver.resolveCondition(select.where, 'WHERE')
  if (where) {
    refuseAggregate(where)
  }
  const keys = select.groupBy.map((node) => resolveKey(node, items, resolver))
  const having = select.having && resolver.resolveCondition(select.having, 'HAVING')
  const orderBy = select.orderBy.map(({ node, ...order }) => ({
    ...order,
    expression: resolvePosition(node, items, resolver) ?? resolver.resolve(node)
  }))
  const limitKeys = (select.limitBy?.nodes ?? []).map((node) => resolver.resolve(node))
  const all = [
    ...items.map(({ expression }) => expression),
    ...(having ? [having] : []),
    ...orderBy.map(({ expression }) => expression),
    ...limitKeys
  ]
  const aggregates = aggregatesIn(all)
  const isGrouped = keys.length > 0 || aggregates.length > 0
  const groupBy = isGrouped ? { keys, aggregates } : undefined
  const lift = groupBy ? liftTo(groupBy) : (expression: Expression) => expression
  const limits = readLimits(select, resolver)
  return {
    source,
    where,
    groupBy,
    reads: groupBy ? [...keys, ...aggregates] : all,
    having: having && lift(having),
    columns: items.map(({ name, expression }) => ({
      name,
      type: expression.type,
      expression: lift(expression)
    })),
    isDistinct: select.isDistinct,
    orderBy: orderBy.map(({ expression, ...order }) => ({
      ...order,
      expression: lift(expression)
    })),
    limitBy: limits.by === undefined ? undefined : { count: limits.by, keys: limitKeys.map(lift) },
    limit: limits.limit,
    offset: limits.offset
  }
}

/** A column of the answer before it is lifted. */
type ResolvedItem = { name: string; expression: Expression }

function resolveItem({ node, alias }: Item, resolver: Resolver, schema: Schema): ResolvedItem[] {
  if (node.kind === 'star') {
    return everyColumn(node, schema)
  }
  const expression = resolver.resolve(node)
  if (alias) {
    resolver.name(alias.name, expression)
  }
  return [{ name: alias?.name ?? nameOf(node), expression }]
}

function everyColumn({ at }: Node, schema: Schema): ResolvedItem[] {
  return schema.all.map((name) => {
    const expression = schema.find([{ name, at }], name)
    if (!expression) {
      throw new Error(`The column ${name} is listed, but not found.`)
    }
    return { name, expression }
  })
}

function resolveKey(node: Node, items: readonly ResolvedItem[], resolver: Resolver): Expression {
  const key = resolvePosition(node, items, resolver) ?? resolver.resolve(node)
  refuseAggregate(key)
  return key
}

/** Returns the column that a number stands for: `GROUP BY 1`, `ORDER BY 2`. */
function resolvePosition(
  node: Node,
  items: readonly ResolvedItem[],
  resolver: Resolver
): Expression | undefined {
  if (node.kind !== 'literal' || typeof node.value !== 'number') {
    return undefined
  }
  const item = items[node.value - 1]
  if (!item) {
    throw new StatementError(
      node.at,
      `There is no column ${node.value}: there are ${items.length}.`
    )
  }
  return resolver.repeat(item.expression, node.at)
}

function refuseAggregate(expression: Expression): void {
  for (const inner of walk(expression)) {
    if (inner.kind === 'aggregate') {
      throw new StatementError(
        expression.at,
        `${inner.label} is an aggregate: conditions on aggregates belong into HAVING.`
      )
    }
  }
}

function aggregatesIn(expressions: readonly Expression[]): (Expression & Aggregate)[] {
  const found = new Map<string, Expression & Aggregate>()
  for (const expression of expressions) {
    for (const inner of walk(expression)) {
      if (inner.kind === 'aggregate') {
        found.set(inner.key, inner)
      }
    }
  }
  return [...found.values()]
}

/** Returns a function that makes expressions read grouped rows. */
function liftTo({ keys, aggregates }: GroupBy): (expression: Expression) => Expression {
  const places = new Map(
    [...keys, ...aggregates].map((expression, place) => [expression.key, place])
  )
  const lift = (expression: Expression): Expression => {
    const place = places.get(expression.key)
    const { at, label, type } = expression
    if (place !== undefined) {
      return toColumn(at, { kind: 'row', place }, type, label)
    }
    if (expression.kind === 'column') {
      throw new StatementError(
        at,
        `${label} must be in GROUP BY or inside an aggregate, such as any(${label}).`
      )
    }
    if (expression.kind !== 'call') {
      return expression
    }
    return { ...expression, args: expression.args.map(lift), key: `${expression.key} of groups` }
  }
  return lift
}

function readLimits(select: Select, resolver: Resolver) {
  const read = (node: Node | undefined, clause: string): number | undefined => {
    const value = node && constantOf(resolver.resolve(node))
    if (node && (typeof value !== 'number' || !Number.isInteger(value) || value < 0)) {
      throw new StatementError(node.at, `${clause} takes a whole number from 0 on.`)
    }
    return typeof value === 'number' ? value : undefined
  }
  return {
    by: read(select.limitBy?.count, 'LIMIT'),
    limit: read(select.limit, 'LIMIT'),
    offset: read(select.offset, 'OFFSET') ?? 0
  }
}

/** Joins conditions by AND; undefined without any. */
export function joinConditions(
  conditions: readonly Expression[],
  setting: Setting
): Expression | undefined {
  const [first, ...others] = conditions
  if (!first || others.length === 0) {
    return first
  }
  const definition = findFunction('and')
  const built = definition?.build({ at: first.at, name: 'and', args: conditions, setting })
  return makeCall(
    first.at,
    {
      name: 'and',
      args: conditions,
      type: built?.type ?? FLAG,
      apply: built?.apply ?? (() => null)
    },
    'and'
  )
}
