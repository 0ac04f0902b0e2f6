import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { query, readBatch } from '../../db/batch.ts'
import { inJson } from '../../db/rows.ts'
import { distinctIds, eventNames, events, personVersions } from '../../db/schema.ts'
import { idOfPerson, type PersonId } from '../store.ts'
import type { TimelineQuery } from './query.ts'
import type { SeenEvent } from './timeline.ts'

/**
 * Returns the person's integer id (undefined if the person does not exist) and the ids of the event
 * names (undefined if no names are given).
 */
export async function findScope(
  { db, project }: Scope,
  person: PersonId,
  names: string[] | undefined
): Promise<{ personId: number | undefined; eventIds: ReadonlySet<number> | undefined }> {
  const [found, known] = await readBatch(
    db,
    query<{ id: number | null }>(sql`select ${idOfPerson(project.id, person)} as id`),
    query<{ id: number }>(sql`
      select ${eventNames.id} from ${eventNames}
      where ${eventNames.projectId} = ${project.id} and ${eventNames.name} in ${inJson(names ?? [])}`)
  )
  return {
    personId: found[0]?.id ?? undefined,
    eventIds: names && new Set(known.map(({ id }) => id))
  }
}

/** Events read in one statement; a longer statement would hold up all other statements. */
export const PAGE_EVENTS = 5_000

type EventRow = SeenEvent & { key: number; event_id: number; uuid: string }

/** Yields a person's events in the range in pages, sorted by identity, then by time. */
export async function* readEvents(
  { db, project }: Scope,
  personId: number,
  { from, until }: TimelineQuery
): AsyncGenerator<EventRow[], void> {
  let after: EventRow | undefined
  do {
    const [rows] = await readBatch(
      db,
      query<EventRow>(sql`
        select ${distinctIds.key}, ${events.timestamp}, ${events.eventId}, hex(${events.uuid}) as uuid, ${events.version}
        from ${distinctIds} cross join ${events} indexed by events_identity
          on ${events.identity} = ${distinctIds.key} and ${events.projectId} = ${project.id}
             and ${events.timestamp} >= ${startOf(from, after)} and ${events.timestamp} < ${until}
        where ${distinctIds.personId} = ${personId} and +${distinctIds.projectId} = ${project.id} and ${isAfter(after)}
        order by ${distinctIds.key}, ${events.timestamp}, ${events.projectId}, ${events.eventId}, ${events.uuid}
        limit ${PAGE_EVENTS}`)
    )
    yield rows
    after = rows.length < PAGE_EVENTS ? undefined : rows.at(-1)
  } while (after)
}

/**
 * SQL: the time from which to read an identity's events; for the last identity of the previous
 * page, the time where that page ended.
 */
const startOf = (from: number, after: EventRow | undefined): SQL =>
  after
    ? sql`case ${distinctIds.key} when ${after.key} then ${after.timestamp} else ${from} end`
    : sql`${from}`

/** SQL: whether an event comes after another one in the order of `readEvents`. */
const isAfter = (after: EventRow | undefined): SQL =>
  after
    ? sql`${distinctIds.key} >= ${after.key} and (${distinctIds.key} > ${after.key} or
        (${events.timestamp}, ${events.eventId}, ${events.uuid}) > (${after.timestamp}, ${after.event_id}, unhex(${after.uuid})))`
    : sql`1`

/**
 * Returns for each version the values of some keys as one text, which is equal for equal values,
 * and the size of all properties in bytes.
 */
export async function readValues(
  { db, project }: Scope,
  versions: readonly number[],
  keys: readonly string[]
): Promise<Map<number, { values: string; bytes: number }>> {
  const paths = JSON.stringify(keys.map((key) => `$.${JSON.stringify(key)}`))
  const [rows] = await readBatch(
    db,
    query<{ id: number; values: string; bytes: number }>(sql`
      select ${personVersions.id}, length(${personVersions.properties}) as bytes,
             (select json_group_array(${personVersions.properties} -> path.value)
              from json_each(${paths}) as path) as "values"
      from ${personVersions}
      where ${personVersions.id} in ${inJson(versions)} and +${personVersions.projectId} = ${project.id}`)
  )
  return new Map(rows.map(({ id, values, bytes }) => [id, { values, bytes }]))
}

/** Returns the properties of versions as JSON text. */
export async function readVersions(
  { db, project }: Scope,
  versions: readonly number[]
): Promise<Map<number, string>> {
  const [rows] = await readBatch(
    db,
    query<{ id: number; properties: string }>(sql`
      select ${personVersions.id}, json(${personVersions.properties}) as properties from ${personVersions}
      where ${personVersions.id} in ${inJson(versions)} and +${personVersions.projectId} = ${project.id}`)
  )
  return new Map(rows.map(({ id, properties }) => [id, properties]))
}
