import { type SQL, sql } from 'drizzle-orm'
import { type Query, query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { inJson } from '../../db/rows.ts'
import { eventNames, events } from '../../db/schema.ts'
import { byteLength, type JsonObject } from '../../input/json.ts'
import type { WholeSession } from './store.ts'

/** The events of one identity in a session. */
export type IdentityRange = Pick<
  WholeSession,
  'projectId' | 'sessionId' | 'startTime' | 'endTime'
> & {
  identity: number
}

export type StoredEvent = {
  timestamp: number
  eventId: number
  uuid: string
  name: string
  properties: JsonObject
}

/** Maximum number of characters that are read of a text property. */
const MAX_TEXT = 1_000

/** Maximum number of ranges that one statement reads. */
export const MAX_RANGES = 100
/** Maximum number of events of a range that one statement reads. */
const MAX_EVENTS = 500
/**
 * Size of the events, as JSON, after which a statement stops reading, bytes. An isolate has 128 MB,
 * and for a moment it holds several copies of an answer.
 */
const MAX_BYTES = 8_000_000
/**
 * The same for one range, bytes. The last event may exceed it by up to 200,000 bytes; D1 allows
 * 2,000,000 bytes per value.
 */
const MAX_RANGE_BYTES = 1_500_000

/** A range that may have more events than `after`; `left` is how many may still be read. */
type Unread<R extends IdentityRange> = { range: R; after: StoredEvent | undefined; left: number }

/**
 * Reads the first `limit` events of each range, with the named properties that are texts or
 * numbers. Yields a range's events in order of time, in one or more pages, so that a caller can use
 * them up before the next ones are read: the texts of a whole session may be larger than an
 * isolate's memory.
 * @param first the first pages that `firstPages` has read already, by `nameOf` their ranges
 */
export async function* readPages<R extends IdentityRange>(
  db: Db,
  ranges: readonly R[],
  properties: readonly string[],
  {
    limit = Number.POSITIVE_INFINITY,
    first = new Map()
  }: { limit?: number; first?: ReadonlyMap<string, Page> } = {}
): AsyncGenerator<{ range: R; events: StoredEvent[] }> {
  let unread: Unread<R>[] = []
  for (const range of ranges) {
    const page = first.get(nameOf(range))
    if (page) {
      yield { range, events: page.events }
    }
    if (!page?.isLast) {
      const read = page?.events ?? []
      unread.push({ range, after: read.at(-1), left: limit - read.length })
    }
  }
  while (unread.length > 0) {
    const current = unread.slice(0, MAX_RANGES)
    const pages = await readNext(db, current, properties, Math.min(limit, MAX_EVENTS))
    const unfinished: Unread<R>[] = []
    for (const [i, { range, left }] of current.entries()) {
      const { events, isLast } = pages.get(i) ?? NO_EVENTS
      const used = events.slice(0, left)
      yield { range, events: used }
      if (!isLast && used.length < left) {
        unfinished.push({ range, after: used.at(-1), left: left - used.length })
      }
    }
    unread = [...unfinished, ...unread.slice(MAX_RANGES)]
  }
}

/** Some events of a range in order of time. `isLast` is false if the range may have more events. */
export type Page = { events: StoredEvent[]; isLast: boolean }

const NO_EVENTS: Page = { events: [], isLast: true }

/** Returns a name for a range within its project. */
export const nameOf = ({
  sessionId,
  identity
}: Pick<IdentityRange, 'sessionId' | 'identity'>): string => JSON.stringify([sessionId, identity])

/** A page as it is read: `events` is JSON. */
type PageRow<Key> = { key: Key; events: string }

/**
 * Reads the next events of each range in one statement: at most `limit`, and fewer if they are
 * large, but at least one if there is one.
 * @returns the pages by the index of their range
 */
async function readNext(
  db: Db,
  unread: readonly Unread<IdentityRange>[],
  properties: readonly string[],
  limit: number
): Promise<Map<number, Page>> {
  const wanted = unread.map(
    ({ range: { projectId, sessionId, identity, startTime, endTime }, after }) => ({
      project: projectId,
      session: sessionId,
      identity,
      end: endTime,
      // The first page begins at `startTime`: the id 0 and the uuid '' sort before every event.
      timestamp: after?.timestamp ?? startTime,
      event: after?.eventId ?? 0,
      uuid: after?.uuid ?? ''
    })
  )
  const limits = { events: limit, bytes: bytesOf(unread.length) }
  const source = sql`json_each(${JSON.stringify(wanted)})`
  const [rows] = await readBatch(db, queryPages<number>(source, properties, limits))
  return new Map(rows.map(({ key, events }) => [key, toPage(events, limits)]))
}

type PageLimits = { events: number; bytes: number }

const bytesOf = (ranges: number): number =>
  Math.min(MAX_RANGE_BYTES, Math.floor(MAX_BYTES / ranges))

const FIRST_LIMITS: PageLimits = { events: MAX_EVENTS, bytes: bytesOf(MAX_RANGES) }

/**
 * Returns a query for the first page of each range, in the transaction that finds the ranges.
 * `toFirstPages` converts its rows.
 * @param ranges selects at most `MAX_RANGES` rows of `project_id`, `session_id`, `start_time`,
 * `end_time` and `identity`
 */
export function queryFirstPages(ranges: SQL, properties: readonly string[]): Query<FirstPageRow> {
  const source = sql`(
    select json_array(session_id, identity) as key,
           json_object('project', project_id, 'session', session_id, 'identity', identity, 'end', end_time,
                       'timestamp', start_time, 'event', 0, 'uuid', '') as value
    from (${ranges}) limit ${MAX_RANGES})`
  return queryPages(source, properties, FIRST_LIMITS)
}

export type FirstPageRow = PageRow<string>

/** Returns the pages of `queryFirstPages` by `nameOf` their ranges. */
export const toFirstPages = (rows: readonly FirstPageRow[]): Map<string, Page> =>
  new Map(rows.map(({ key, events }) => [key, toPage(events, FIRST_LIMITS)]))

function toPage(events: string, limits: PageLimits): Page {
  const found: StoredEvent[] = JSON.parse(events)
  // An event is left out only if the events before it have `limits.bytes` together.
  const isLast = found.length < limits.events && byteLength(events) < limits.bytes
  return { events: found, isLast }
}

/** @param source rows with a `key` and a JSON `value`: a range, and the place to continue at */
function queryPages<Key>(
  source: SQL,
  properties: readonly string[],
  limits: PageLimits
): Query<PageRow<Key>> {
  const of = (name: string) => sql`range.value ->> ${name}`
  return query(sql`
    select range.key, (
      select json_group_array(json(event))
      from (select event, sum(octet_length(event)) over (order by timestamp, event_id, uuid) - octet_length(event) as before
            from (select timestamp, event_id, uuid,
                         json_object('timestamp', timestamp, 'eventId', event_id, 'uuid', uuid, 'name', name,
                                     'properties', json(properties)) as event
                  from (select ${events.timestamp}, ${events.eventId}, hex(${events.uuid}) as uuid, ${eventNames.name}, (
                          select json_group_object(p.key, case p.type when 'text' then substr(p.value, 1, ${MAX_TEXT}) else p.value end)
                          from json_each(${events.properties}) as p
                          where p.key in ${inJson(properties)} and p.type in ('text', 'integer', 'real')) as properties
                        from ${events} indexed by events_identity cross join ${eventNames} on ${eventNames.id} = ${events.eventId}
                        where ${events.identity} = ${of('identity')}
                          and ${events.timestamp} between ${of('timestamp')} and ${of('end')}
                          and (${events.timestamp}, ${events.eventId}, ${events.uuid})
                            > (${of('timestamp')}, ${of('event')}, unhex(${of('uuid')}))
                          and ${events.sessionId} = ${of('session')} and +${events.projectId} = ${of('project')}
                        order by ${events.timestamp}, ${events.projectId}, ${events.eventId}, ${events.uuid}
                        limit ${limits.events})))
      where before < ${limits.bytes}) as events
    from ${source} as range`)
}
