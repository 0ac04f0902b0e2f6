import * as z from 'zod'
import type { EventOrder } from '../../events/key.ts'
import { MAX_PAGE } from '../../events/list.ts'
import { readRange } from '../../events/range.ts'
import type { EventFilters } from '../../events/scan.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { readUuid } from '../../input/uuid.ts'
import { clean } from '../../persons/distinct-id.ts'
import type { PersonId } from '../../persons/store.ts'
import { EVENT_FILTER_TYPES } from '../../properties/filter.ts'
import type { Settings } from '../../trends/request.ts'
import { OptionalFlag, Unsupported } from '../../trends/shared-fields.ts'
import { LISTED, listOf, MAX_COLUMNS, Name, readFields } from '../list-fields.ts'
import { type EventColumn, readColumn } from './columns.ts'
import { readWhere } from './where.ts'

/** Conditions of a `where`. */
const MAX_CONDITIONS = 40

const ORDERS: ReadonlyMap<string, EventOrder> = new Map([
  ['timestamp', 'asc'],
  ['timestamp asc', 'asc'],
  ['timestamp desc', 'desc']
])

const EventOrderBy = z
  .string()
  .transform((text) => ORDERS.get(text.trim().replace(/\s+/g, ' ').toLowerCase()))
  .refine(
    (order) => order !== undefined,
    'Events are ordered by `timestamp ASC` or `timestamp DESC`.'
  )

const EventsNode = z.strictObject({
  ...LISTED,
  limit: z.int().min(1).max(MAX_PAGE).nullish(),
  select: listOf(Name, MAX_COLUMNS),
  where: listOf(Name, MAX_CONDITIONS),
  orderBy: listOf(EventOrderBy, 1),
  event: Name.nullish(),
  events: listOf(Name.min(1), MAX_CONDITIONS),
  personId: z.union([z.guid(), z.int().min(1)], 'Send the UUID of a person.').nullish(),
  after: z.string().max(1_000).nullish(),
  before: z.string().max(1_000).nullish(),
  properties: z.unknown().optional(),
  fixedProperties: z.unknown().optional(),
  filterTestAccounts: OptionalFlag,
  source: Unsupported,
  actionId: Unsupported,
  actionSteps: Unsupported
})

/** An `EventsQuery`: which events are listed, which of them, and what is shown of them. */
export type EventsQuery = {
  columns: EventColumn[]
  filters: EventFilters
  order: EventOrder
  limit: number | undefined
  offset: number
}

/** Events of the future that a list without `before` shows, ms: clocks differ. */
const AHEAD = 5_000

/**
 * Reads an `EventsQuery` node.
 * @throws errors of input, attr the path in the node, for a field or value that is not supported
 */
export function readEvents(node: JsonObject, settings: Settings, now: Date): EventsQuery {
  const read = parseInput(EventsNode, node)
  const select = read.select?.length ? read.select : ['*']
  const where = readWhere(read.where ?? [], settings, now)
  const range = readRange(
    {
      after: read.after === 'all' ? undefined : (read.after ?? '-24h'),
      before: read.before ?? undefined
    },
    settings,
    now
  )
  const [distinctId, ...others] = new Set(where.distinctIds.map(clean))
  const names = [
    ...where.names,
    ...(read.event ? [[read.event]] : []),
    ...(read.events?.length ? [read.events] : []),
    // An event has one distinct id.
    ...(others.length > 0 ? [[]] : [])
  ]
  return {
    columns: select.map((item, i) => readColumn(item, `select__${i}`)),
    filters: {
      events: names.length > 0 ? intersect(names) : undefined,
      person: read.personId ? toPersonId(read.personId) : undefined,
      distinctId,
      session: undefined,
      from: latest(range.from, where.from),
      until: Math.min(range.until ?? now.getTime() + AHEAD, ...where.until),
      properties: readFields(
        {
          properties: read.properties,
          fixedProperties: read.fixedProperties,
          filterTestAccounts: read.filterTestAccounts ? settings.testAccountFilters : [],
          where: where.properties
        },
        { timezone: settings.timezone, now, types: EVENT_FILTER_TYPES }
      )
    },
    order: read.orderBy?.[0] ?? 'desc',
    limit: read.limit ?? undefined,
    offset: read.offset ?? 0
  }
}

const intersect = ([first = [], ...others]: readonly string[][]): string[] =>
  first.filter((name) => others.every((list) => list.includes(name)))

const toPersonId = (id: string | number): PersonId =>
  typeof id === 'number' ? { id } : { uuid: readUuid(id) ?? id }

/** Returns the latest of some times; undefined without any. */
const latest = (time: number | undefined, others: readonly number[]): number | undefined => {
  const times = time === undefined ? others : [time, ...others]
  return times.length > 0 ? Math.max(...times) : undefined
}
