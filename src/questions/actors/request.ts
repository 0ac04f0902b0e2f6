import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { saysSomething } from '../../input/fields.ts'
import type { JsonObject } from '../../input/json.ts'
import { SearchText } from '../../input/parameters.ts'
import { parseInput } from '../../input/parse.ts'
import { type FilterGroup, PERSON_FILTER_TYPES } from '../../properties/filter.ts'
import { inRequest, type Settings } from '../../trends/request.ts'
import { LISTED, listOf, MAX_ACTORS, MAX_COLUMNS, Name, readFields } from '../list-fields.ts'
import { inSource, rethrowing } from '../paths.ts'
import { type ActorColumn, type FoundColumn, readActorColumn } from './columns.ts'
import { type ReadSource, readSource } from './sources.ts'

const ActorsNode = z.strictObject({
  ...LISTED,
  limit: z.int().min(1).max(MAX_ACTORS).nullish(),
  select: listOf(Name, MAX_COLUMNS),
  orderBy: listOf(Name, 2),
  search: SearchText.nullish(),
  properties: z.unknown().optional(),
  fixedProperties: z.unknown().optional(),
  source: z.unknown().optional()
})

/** An `ActorsQuery`: whose rows are listed, which of them, and what is shown of them. */
export type ActorsQuery = {
  columns: ActorColumn[]
  limit: number | undefined
  offset: number
  /** The source of the actors, or which persons of the project to list. */
  from: Pick<ReadSource, 'find'> | { search: string | undefined; properties: FilterGroup }
}

const DEFAULT_COLUMNS = ['person', 'id', 'created_at']

/** Who has a column that not all actors have, and the expression that orders them by it. */
const FOUND: Record<FoundColumn, { who: string; order: string }> = {
  event_count: { who: 'the actors of a `source`', order: 'event_count' },
  appearances: { who: 'the actors of a `RetentionQuery`', order: 'length(appearances)' }
}

/**
 * Reads an `ActorsQuery` node.
 * @throws errors of input, attr the path in the node, for a field or value that is not supported
 */
export function readActors(node: JsonObject, settings: Settings, now: Date): ActorsQuery {
  const read = parseInput(ActorsNode, node)
  const source = (read.source ?? null) === null ? undefined : readAlone(read, settings, now)
  const found = source?.columns ?? []
  const select = read.select?.length
    ? read.select
    : [...DEFAULT_COLUMNS, ...found.filter((name) => name === 'appearances')]
  const columns = select.map((item, i) => readActorColumn(item, `select__${i}`))
  for (const [i, { found: name }] of columns.entries()) {
    if (name && !found.includes(name)) {
      const detail = `Only ${FOUND[name].who} have \`${name}\`.`
      throw new AppError('invalid_input', detail, `select__${i}`)
    }
  }
  expectOrder(read.orderBy ?? [], source ? found.map((name) => FOUND[name].order) : ['created_at'])
  return {
    columns,
    limit: read.limit ?? undefined,
    offset: read.offset ?? 0,
    from: source ?? {
      search: read.search || undefined,
      properties: readFields(
        { properties: read.properties, fixedProperties: read.fixedProperties },
        { timezone: settings.timezone, now, types: PERSON_FILTER_TYPES }
      )
    }
  }
}

type Read = z.output<typeof ActorsNode>

/**
 * Accepts the order that the list has, also with `actor_id` behind it, by which clients ask for an
 * order that is the same on every page.
 * @throws invalid_input, attr `orderBy__0` or `orderBy__1`, for another order
 */
function expectOrder(sent: readonly string[], orders: readonly string[]): void {
  const [first = `${orders[0]} desc`, second = 'actor_id'] = sent.map((order) =>
    order.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  )
  if (!orders.some((order) => first === `${order} desc`)) {
    const names = orders.map((order) => `\`${order} DESC\``).join(' or ')
    throw new AppError('invalid_input', `These actors are ordered by ${names}.`, 'orderBy__0')
  }
  if (!/^actor_id( asc| desc)?$/.test(second)) {
    throw new AppError('invalid_input', 'Only `actor_id` can be the second order.', 'orderBy__1')
  }
}

/** @throws invalid_input, attr the field, for filters beside a source, which filters its own */
function readAlone(read: Read, settings: Settings, now: Date): ReadSource {
  for (const name of ['search', 'properties', 'fixedProperties'] as const) {
    if (saysSomething(read[name])) {
      throw new AppError(
        'invalid_input',
        'The actors of a `source` cannot be filtered: filter in the source.',
        name
      )
    }
  }
  const { find, columns } = inRequest({ pathOf: inSource }, () =>
    readSource(read.source, settings, now)
  )
  return { columns, find: (scope) => find(scope).catch(rethrowing(inSource)) }
}
