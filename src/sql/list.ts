import { toIso } from '../calendar/clock.ts'
import { type AppError, withAttr } from '../errors.ts'
import { MAX_PAGE } from '../events/list.ts'
import type { Json } from '../input/json.ts'
import { findAggregate } from './aggregates/table.ts'
import { checkStatement, computeStatement, type SqlScope } from './answer.ts'
import { parseFragment } from './parse.ts'
import type { SqlQuery, StatementFilters } from './request.ts'
import { expectWhole, limitRows } from './row-limit.ts'
import { locating, StatementError, toAppError } from './statement-error.ts'
import {
  type Item,
  type Node,
  type OrderItem,
  type Select,
  type SqlStatement,
  toCall
} from './tree.ts'

/** A list of events, whose columns, conditions and order are expressions of a statement. */
export type SqlList = {
  select: readonly string[]
  /** All of them have to hold. */
  where: readonly string[]
  orderBy: readonly string[]
  /** The conditions that are no expressions. */
  filters: StatementFilters
  names: readonly string[] | undefined
  /** The UUID of a person. */
  person: string | undefined
  limit: number | undefined
  offset: number
  namesPersons: boolean
}

/** An expression, where the request names it, and its offset among all of them. */
type Fragment = { text: string; attr: string; start: number }

/**
 * Computes a list as the statement that it means. With an aggregate, it has a row for each value of the
 * other columns.
 * @throws invalid_input, attr such as `select__0`, with the line and column of what is wrong
 */
export async function computeList(
  scope: SqlScope,
  list: SqlList,
  now: Date
): Promise<{
  results: Json[][]
  columns: string[]
  types: string[]
  hasMore: boolean
  limit: number
  offset: number
}> {
  const limits = limitRows(list.limit, MAX_PAGE, scope)
  const { answer, places } = await asStatement(
    list,
    limits.limit,
    async ({ query, statement, places }) => ({
      answer: await computeStatement(scope, query, statement, now),
      places
    })
  )
  expectWhole(limits, answer.hasMore)
  return {
    results: answer.results.map((row) =>
      places.map((place) => cellOf(row, place, scope.project.id))
    ),
    columns: [...list.select],
    types: places.map((place) =>
      'whole' in place ? 'Tuple' : (answer.types[place.at]?.[1] ?? '')
    ),
    hasMore: answer.hasMore,
    limit: limits.limit,
    offset: list.offset
  }
}

/** Finds what is wrong with a list, without computing it. @throws the invalid_input of `computeList` */
export const checkList = async (scope: SqlScope, list: SqlList, now: Date): Promise<void> =>
  void (await asStatement(list, MAX_PAGE, ({ query, statement }) =>
    checkStatement(scope, query, statement, now)
  ))

/** The statement that a list means, and where its answer has the columns of the list. */
type Stated = { query: SqlQuery; statement: SqlStatement; places: Place[] }

/** Works with the statement of a list. @throws StatementErrors as errors of the list's fields */
async function asStatement<Result>(
  list: SqlList,
  limit: number,
  work: (stated: Stated) => Promise<Result>
): Promise<Result> {
  const fragments = fragmentsOf(list)
  const all = [...fragments.select, ...fragments.where, ...fragments.orderBy]
  return locating(
    (error) => locate(all, error),
    async () => {
      const { select, places } = toSelect(fragments, list, limit)
      const query = {
        text: all.map(({ text }) => text).join('\n'),
        values: {},
        filters: list.filters,
        variables: new Map(),
        namesPersons: list.namesPersons,
        warnings: []
      }
      return work({ query, statement: { at: 0, selects: [select] }, places })
    }
  )
}

/** Where the answer has a selected column: one cell, or those of a whole event from here on. */
type Place = { at: number } | { whole: number }

/** The columns of a whole event. */
const WHOLE = ['uuid', 'event', 'properties', 'timestamp', 'distinct_id']

function cellOf(row: readonly Json[], place: Place, projectId: number): Json {
  if ('at' in place) {
    return row[place.at] ?? null
  }
  const [uuid, event, properties, timestamp, distinctId] = row.slice(place.whole)
  return {
    uuid: uuid ?? null,
    event: event ?? null,
    properties: JSON.parse(String(properties)),
    timestamp: toIso(Date.parse(String(timestamp))),
    team_id: projectId,
    distinct_id: distinctId ?? null
  }
}

type Fragments = Record<'select' | 'where' | 'orderBy', Fragment[]>

function fragmentsOf(list: SqlList): Fragments {
  let start = 0
  const place = (texts: readonly string[], name: string): Fragment[] =>
    texts.map((text, i) => {
      const fragment = { text, attr: `${name}__${i}`, start }
      start += text.length + 1
      return fragment
    })
  return {
    select: place(list.select, 'select'),
    where: place(list.where, 'where'),
    orderBy: place(list.orderBy, 'orderBy')
  }
}

function locate(all: readonly Fragment[], { at, message }: StatementError): AppError {
  const { text, attr, start } = all.findLast((one) => one.start <= at) ?? {
    text: '',
    attr: 'select',
    start: 0
  }
  const error = toAppError(text, new StatementError(at - start, message))
  // The cast is safe: an AppError stays one.
  return withAttr(error, () => attr) as AppError
}

function toSelect(
  fragments: Fragments,
  list: SqlList,
  limit: number
): { select: Select; places: Place[] } {
  const selected = fragments.select.map((one) => parseFragment(one, 'item'))
  const places: Place[] = []
  const items: Item[] = []
  for (const item of selected) {
    const isWhole = item.node.kind === 'star'
    places.push(isWhole ? { whole: items.length } : { at: items.length })
    items.push(...(isWhole ? WHOLE.map((name) => columnAt(name, item.node.at)) : [item]))
  }
  const areAggregates = items.map(({ node }) => hasAggregate(node))
  const orders = fragments.orderBy.map((one) => parseFragment(one, 'order'))
  const select = {
    at: 0,
    isDistinct: false,
    items,
    from: { kind: 'table' as const, name: 'events', at: 0, alias: undefined },
    where: toCall(fragments.where[0]?.start ?? 0, 'and', [
      { kind: 'placeholder', at: 0, steps: ['filters'] },
      ...conditionsOf(list),
      ...fragments.where.map((one) => parseFragment(one, 'condition'))
    ]),
    groupBy: areAggregates.includes(true)
      ? items.flatMap((_, i) => (areAggregates[i] ? [] : [placeAt(i)]))
      : [],
    having: undefined,
    orderBy: orders.length > 0 ? orders : [defaultOrder(items, areAggregates)],
    limitBy: undefined,
    limit: literal(limit),
    offset: literal(list.offset)
  }
  return { select, places }
}

const columnAt = (name: string, at: number): Item => ({
  node: { kind: 'path', at, steps: [{ name, at }] },
  alias: undefined
})

const literal = (value: string | number): Node => ({
  kind: 'literal',
  at: 0,
  value,
  isText: typeof value === 'string'
})

/** A column by its position, as `ORDER BY 1` names it. */
const placeAt = (index: number): Node => literal(index + 1)

const columnNamed = (name: string): Node => columnAt(name, 0).node

function conditionsOf({ names, person }: SqlList): Node[] {
  const isOneOf: Node[] = names
    ? [toCall(0, 'in', [columnNamed('event'), { kind: 'tuple', at: 0, items: names.map(literal) }])]
    : []
  const isOf: Node[] =
    person === undefined ? [] : [toCall(0, 'equals', [columnNamed('person_id'), literal(person)])]
  return [...isOneOf, ...isOf]
}

/** Upstream's order: by a count, another aggregate or the time, the largest first, or by the first. */
function defaultOrder(items: readonly Item[], areAggregates: readonly boolean[]): OrderItem {
  const count = items.findIndex(
    ({ node }) => node.kind === 'call' && node.name.toLowerCase() === 'count'
  )
  const time = items.findIndex(
    ({ node }) => node.kind === 'path' && node.steps.map(({ name }) => name).join() === 'timestamp'
  )
  const largest = [count, areAggregates.indexOf(true), time].find((index) => index >= 0)
  return { node: placeAt(largest ?? 0), isDescending: largest !== undefined, hasNullsFirst: false }
}

function hasAggregate(node: Node): boolean {
  switch (node.kind) {
    case 'call':
      return findAggregate(node.name) !== undefined || node.args.some(hasAggregate)
    case 'element':
      return hasAggregate(node.of) || hasAggregate(node.index)
    case 'array':
    case 'tuple':
      return node.items.some(hasAggregate)
    case 'interval':
      return hasAggregate(node.amount)
    default:
      return false
  }
}
