import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inHalves } from '../db/halves.ts'
import { inJson } from '../db/rows.ts'
import { distinctIds, eventNames, events, persons, sessions } from '../db/schema.ts'
import { idOfPerson, type PersonId, type PersonName } from '../persons/store.ts'
import type { EventKey, EventOrder, EventPosition } from './key.ts'
import type { Continued } from './merge.ts'

/** Filters that limit which events have to be read. */
export type SourceFilters = {
  events: string[] | undefined
  person: PersonId | undefined
  distinctId: string | undefined
  session: string | undefined
}

/**
 * What each filter finds: an empty list if nothing has the name that the filter gives; undefined
 * without the filter, except for `names`.
 */
export type NamedIds = {
  /** Without the filter, the ids of all event names, up to the limit. */
  names: number[]
  ofPerson: number[] | undefined
  ofDistinctId: number[] | undefined
  /** ms UTC: at or after `from`, before `until`. Undefined also for an unknown session. */
  session: { identities: number[]; from: number; until: number } | undefined
}

/**
 * Finds what the filters name, in one round trip: the event names and the person's identities, at
 * most `limit` of each, the identity with the distinct id, and the session.
 */
export async function findNamed(
  { db, project }: Scope,
  { events: wanted, person, distinctId, session }: SourceFilters,
  limit: number
): Promise<NamedIds> {
  const isNamed = wanted === undefined ? sql`1` : sql`${eventNames.name} in ${inJson(wanted)}`
  // Without a distinct id, `coalesce` keeps all identities of the person.
  const identitiesOf = (name: PersonName) => sql`
    select ${distinctIds.key} from ${distinctIds}
    where ${distinctIds.personId} = ${idOfPerson(project.id, name)} and +${distinctIds.projectId} = ${project.id}
      and coalesce(${distinctIds.distinctId} = ${distinctId ?? null}, 1) limit ${limit}`
  const [names, ofPerson, ofDistinctId, found] = await readBatch(
    db,
    query<{ id: number }>(sql`
      select ${eventNames.id} from ${eventNames}
      where ${eventNames.projectId} = ${project.id} and ${isNamed} limit ${limit}`),
    query<{ key: number }>(person ? identitiesOf(person) : sql`select 0 as key where 0`),
    query<{ key: number }>(sql`
      select ${distinctIds.key} from ${distinctIds}
      where ${distinctIds.projectId} = ${project.id} and ${distinctIds.distinctId} = ${distinctId ?? null}`),
    query<{ identities: string; start_time: number; end_time: number }>(sql`
      select ${sessions.identities}, ${sessions.startTime}, ${sessions.endTime} from ${sessions}
      where ${sessions.projectId} = ${project.id} and ${sessions.sessionId} = ${session ?? null}`)
  )
  const [row] = found
  return {
    names: names.map(({ id }) => id),
    ofPerson: person && ofPerson.map(({ key }) => key),
    ofDistinctId: distinctId === undefined ? undefined : ofDistinctId.map(({ key }) => key),
    session: row && {
      identities: JSON.parse(row.identities),
      from: row.start_time,
      until: row.end_time + 1
    }
  }
}

/**
 * A part of a list: the events that come after the place `after`. In descending order, they are not
 * older than `end`, ms UTC; in ascending order, they are older than `end`.
 */
export type ListStretch = { order: EventOrder; after: EventPosition; end: number }

/**
 * Returns the ids of the `limit` names whose first event in a part of a list comes first. No event
 * of all other names comes before one of these.
 */
export async function findFirstNames(
  { db, project }: Scope,
  { order, after, end }: ListStretch,
  limit: number
): Promise<number[]> {
  const isInside = sql`${isBefore({ order, end })}
    and (${events.timestamp}, ${events.uuid}) ${FOLLOWS[order]} (${after.at}, unhex(${after.uuid}))`
  const first = (column: SQL) => sql`
    select ${column} from ${events} not indexed
    where ${events.projectId} = ${eventNames.projectId} and ${events.eventId} = ${eventNames.id} and ${isInside}
    order by ${events.timestamp} ${DIRECTION[order]}, ${events.uuid} ${DIRECTION[order]} limit 1`
  const [rows] = await readBatch(
    db,
    query<{ id: number }>(sql`
      select id from (
        select ${eventNames.id}, (${first(sql`${events.timestamp}`)}) as at, (${first(sql`${events.uuid}`)}) as uuid
        from ${eventNames} where ${eventNames.projectId} = ${project.id} limit -1)
      where at is not null order by at ${DIRECTION[order]}, uuid ${DIRECTION[order]} limit ${limit}`)
  )
  return rows.map(({ id }) => id)
}

const DIRECTION: Record<EventOrder, SQL> = { desc: sql`desc`, asc: sql`asc` }
/** How a place that comes after another compares with it. */
const FOLLOWS: Record<EventOrder, SQL> = { desc: sql`<`, asc: sql`>` }

/** SQL: whether a time is not beyond the end of a list. */
const isBefore = ({ order, end }: Pick<ListStretch, 'order' | 'end'>): SQL =>
  order === 'desc' ? sql`${events.timestamp} >= ${end}` : sql`${events.timestamp} < ${end}`

type Reading = Pick<ListStretch, 'order' | 'end'> & { limit: number }

/** Reads the next keys of the events of each name. */
export const readNameKeys = (
  { db, project }: Scope,
  sources: readonly Continued[],
  { limit, ...list }: Reading
): Promise<Map<number, EventKey[]>> =>
  readKeys(
    db,
    sources.map(({ id, after }) => ({ id, ...after })),
    sql`
      select ${events.timestamp}, ${events.eventId}, ${events.uuid} from ${events} not indexed
      where ${events.projectId} = ${project.id} and ${events.eventId} = source.value ->> 'id'
        and ${isBefore(list)}
        and (${events.timestamp}, ${events.uuid}) ${FOLLOWS[list.order]} (source.value ->> 'at', unhex(source.value ->> 'uuid'))
      order by ${events.timestamp} ${DIRECTION[list.order]}, ${events.uuid} ${DIRECTION[list.order]} limit ${limit}`
  )

/** Reads the next keys of the events of each identity. */
export const readIdentityKeys = (
  { db, project }: Scope,
  sources: readonly Continued[],
  { limit, ...list }: Reading
): Promise<Map<number, EventKey[]>> => {
  const direction = DIRECTION[list.order]
  const follows = FOLLOWS[list.order]
  return readKeys(
    db,
    sources.map(({ id, after }) => ({ id, ...after })),
    sql`
      select ${events.timestamp}, ${events.eventId}, ${events.uuid} from ${events} indexed by events_identity
      where ${events.identity} = source.value ->> 'id' and ${events.projectId} = ${project.id}
        and ${isBefore(list)} and ${events.timestamp} ${follows}= source.value ->> 'at'
        and (${events.timestamp}, ${events.uuid}) ${follows} (source.value ->> 'at', unhex(source.value ->> 'uuid'))
      order by ${events.timestamp} ${direction}, ${events.uuid} ${direction}
      limit ${limit}`
  )
}

async function readKeys(
  db: Db,
  sources: readonly object[],
  next: SQL
): Promise<Map<number, EventKey[]>> {
  const [rows] = await readBatch(
    db,
    query<{ id: number; keys: string }>(sql`
      select source.value ->> 'id' as id,
        (select json_group_array(json_array(timestamp, event_id, hex(uuid))) from (${next})) as keys
      from json_each(${JSON.stringify(sources)}) source`)
  )
  return new Map(
    rows.map(({ id, keys }) => {
      const found: [number, number, string][] = JSON.parse(keys)
      return [id, found.map(([at, name, uuid]) => ({ at, name, uuid }))]
    })
  )
}

export type EventRow = {
  event: string
  timestamp: number
  event_id: number
  uuid: string
  identity: number
  distinct_id: string | null
  person_id: number | null
  person_uuid: string | null
  version: number | null
  session_id: string | null
  properties: string
}

/** The events of the first `read` keys that are still stored, in the order of the keys. */
export type EventsOfKeys<Row> = { rows: Row[]; read: number }

/** Reads the events of all keys; in halves if the answer is too large for D1. */
export async function readEvents(
  { db, project }: Scope,
  keys: readonly EventKey[]
): Promise<EventsOfKeys<EventRow>> {
  if (keys.length === 0) {
    return { rows: [], read: 0 }
  }
  const rows = await inHalves(keys, async (some) => {
    const [rows] = await readBatch(
      db,
      query<EventRow>(sql`
        select ${eventNames.name} as event, ${events.timestamp}, ${events.eventId}, hex(${events.uuid}) as uuid,
          ${events.identity}, ${distinctIds.distinctId}, ${persons.id} as person_id, ${persons.uuid} as person_uuid, ${events.version},
          ${events.sessionId}, json(${events.properties}) as properties
        from json_each(${JSON.stringify(some)}) wanted
          cross join ${events} not indexed on ${events.projectId} = ${project.id}
            and ${events.eventId} = wanted.value ->> 'name' and ${events.timestamp} = wanted.value ->> 'at'
            and ${events.uuid} = unhex(wanted.value ->> 'uuid')
          cross join ${eventNames} on ${eventNames.id} = ${events.eventId}
          left join ${distinctIds} on ${distinctIds.key} = ${events.identity}
          left join ${persons} on ${persons.id} = ${distinctIds.personId}
        order by wanted.key`)
    )
    return rows
  })
  return { rows, read: keys.length }
}
