import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import { AppError, naming } from '../../errors.ts'
import type { EventOrder } from '../../events/key.ts'
import { MAX_PAGE } from '../../events/list.ts'
import { readRange } from '../../events/range.ts'
import type { EventFilters } from '../../events/scan.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { readUuid } from '../../input/uuid.ts'
import { clean } from '../../persons/distinct-id.ts'
import type { PersonId } from '../../persons/store.ts'
import { EVENT_FILTER_TYPES, type FilterGroup } from '../../properties/filter.ts'
import type { SqlList } from '../../sql/list.ts'
import { namesPersons } from '../../sql/request.ts'
import type { Settings } from '../../trends/request.ts'
import { OptionalFlag, Unsupported } from '../../trends/shared-fields.ts'
import { LISTED, listOf, MAX_COLUMNS, Name, readFields } from '../list-fields.ts'
import { type EventColumn, findColumn } from './columns.ts'
import { type Conditions, readWhere } from './where.ts'

/** Conditions of a `where`. */
const MAX_CONDITIONS = 40

const ORDERS: ReadonlyMap<string, EventOrder> = new Map([
  ['timestamp', 'asc'],
  ['timestamp asc', 'asc'],
  ['timestamp desc', 'desc']
])

/** Reads the order of a list of rows, newest first by default; undefined for another order. */
const readOrder = ([first = 'timestamp desc', ...others]: readonly string[]):
  | EventOrder
  | undefined =>
  others.length > 0 ? undefined : ORDERS.get(first.trim().replace(/\s+/g, ' ').toLowerCase())

const EventsNode = z.strictObject({
  ...LISTED,
  limit: z.int().min(1).max(MAX_PAGE).nullish(),
  select: listOf(Name, MAX_COLUMNS),
  where: listOf(Name, MAX_CONDITIONS),
  orderBy: listOf(Name, MAX_COLUMNS),
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

/** A list of rows: which events are listed, in which order, and what is shown of them. */
export type EventRowsQuery = {
  columns: EventColumn[]
  filters: EventFilters
  order: EventOrder
  limit: number | undefined
  offset: number
  /** Whether the columns or the conditions say something about persons. */
  namesPersons: boolean
}

/** An `EventsQuery`: a list of rows or, with other expressions, the list that a statement computes. */
export type EventsQuery = EventRowsQuery | { list: SqlList }

/** Events of the future that a list without `before` shows, ms: clocks differ. */
const AHEAD = 5_000

/**
 * Reads an `EventsQuery` node.
 * @throws errors of input, attr the path in the node, for a field or value that is not supported
 */
export function readEvents(node: JsonObject, settings: Settings, now: Date): EventsQuery {
  const read = parseInput(EventsNode, node)
  const select = read.select?.length ? read.select : ['*']
  const columns = select.flatMap((item) => findColumn(item) ?? [])
  const where = readWhere(read.where ?? [], settings, now)
  const order = readOrder(read.orderBy ?? [])
  const isOfRows = columns.length === select.length && where && order
  const asked = readAsked(read, isOfRows ? where.properties : [], settings, now)
  return isOfRows
    ? { columns, order, namesPersons: areOfPersons(columns, where), ...toRows(read, where, asked) }
    : { list: toList({ ...read, select }, asked) }
}

type Read = z.output<typeof EventsNode>

const areOfPersons = (columns: readonly EventColumn[], { properties }: Conditions): boolean =>
  columns.some(({ isPersonal }) => isPersonal) || properties.some(({ type }) => type === 'person')

/** What every list of events has: its names, range, filters and page. */
type AskedEvents = {
  /** Lists of names, each of which has to have the event's. */
  names: string[][]
  from: number | undefined
  until: number
  properties: FilterGroup
  page: { limit: number | undefined; offset: number }
}

function readAsked(
  read: Read,
  where: readonly JsonObject[],
  settings: Settings,
  now: Date
): AskedEvents {
  const range = readRange(
    {
      after: read.after === 'all' ? undefined : (read.after ?? '-24h'),
      before: read.before ?? undefined
    },
    settings,
    now
  )
  return {
    names: [...(read.event ? [[read.event]] : []), ...(read.events?.length ? [read.events] : [])],
    from: range.from,
    until: range.until ?? now.getTime() + AHEAD,
    properties: readFields(
      {
        properties: read.properties,
        fixedProperties: read.fixedProperties,
        filterTestAccounts: read.filterTestAccounts ? settings.testAccountFilters : [],
        where
      },
      { timezone: settings.timezone, now, types: EVENT_FILTER_TYPES }
    ),
    page: { limit: read.limit ?? undefined, offset: read.offset ?? 0 }
  }
}

function toRows(read: Read, where: Conditions, asked: AskedEvents) {
  const [distinctId, ...others] = new Set(where.distinctIds.map(clean))
  // An event has one distinct id.
  const names = [...where.names, ...asked.names, ...(others.length > 0 ? [[]] : [])]
  return {
    filters: {
      events: names.length > 0 ? intersect(names) : undefined,
      person: read.personId ? toPersonId(read.personId) : undefined,
      distinctId,
      session: undefined,
      from: latest(asked.from, where.from),
      until: Math.min(asked.until, ...where.until),
      properties: asked.properties
    },
    ...asked.page
  }
}

function toList(read: Read, { names, from, until, properties, page }: AskedEvents): SqlList {
  return {
    ...readExpressions(read),
    filters: {
      from: from === undefined ? undefined : toIso(from),
      until: toIso(until),
      group: properties
    },
    names: names.length > 0 ? intersect(names) : undefined,
    person: readPerson(read.personId),
    ...page
  }
}

/** @throws invalid_input, attr such as `where__0`, for a text that cannot be divided into words */
function readExpressions({ select, where, orderBy }: Pick<Read, 'select' | 'where' | 'orderBy'>) {
  const fields = { select: select ?? [], where: where ?? [], orderBy: orderBy ?? [] }
  const persons = Object.entries(fields).flatMap(([name, texts]) =>
    texts.map((text, i) => naming(`${name}__${i}`, () => namesPersons(text)))
  )
  return { ...fields, namesPersons: persons.includes(true) }
}

/** @throws invalid_input, attr `personId`, for an id that expressions cannot be compared with */
function readPerson(id: Read['personId']): string | undefined {
  if (typeof id === 'number') {
    throw new AppError(
      'invalid_input',
      'Beside expressions, send the UUID of a person.',
      'personId'
    )
  }
  return id ?? undefined
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
