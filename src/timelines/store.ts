import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { onePerson, type PersonId } from '../persons/store.ts'
import type { TimelineQuery } from './query.ts'
import type { SeenEvent } from './timeline.ts'

/**
 * Returns the person's integer id, undefined if the person does not exist, and the ids of the event
 * names.
 */
export async function findScope(
  db: Db,
  projectId: number,
  person: PersonId,
  events: string[] | undefined
): Promise<{ personId: number | undefined; eventIds: ReadonlySet<number> | undefined }> {
  const [found, names] = await readBatch(
    db,
    query<{ id: number }>(sql`select id ${onePerson(projectId, person)}`),
    query<{ id: number }>(sql`
      select id from event_names where project_id = ${projectId} and name in ${inJson(events ?? [])}`)
  )
  return { personId: found[0]?.id, eventIds: events && new Set(names.map(({ id }) => id)) }
}

/** Events read in one statement; a longer statement would hold up all other statements. */
export const PAGE_EVENTS = 5_000

type EventRow = SeenEvent & { key: number; event_id: number; uuid: string }

/** Yields a person's events in the range in pages, sorted by identity, then by time. */
export async function* readEvents(
  db: Db,
  projectId: number,
  personId: number,
  { from, until }: TimelineQuery
): AsyncGenerator<EventRow[], void> {
  let after: EventRow | undefined
  do {
    const [rows] = await readBatch(
      db,
      query<EventRow>(sql`
        select d.key, e.timestamp, e.event_id, hex(e.uuid) as uuid, e.version
        from distinct_ids d cross join events e indexed by events_identity
          on e.identity = d.key and e.project_id = ${projectId}
             and e.timestamp >= ${startOf(from, after)} and e.timestamp < ${until}
        where d.person_id = ${personId} and +d.project_id = ${projectId} ${isAfter(after)}
        order by d.key, e.timestamp, e.project_id, e.event_id, e.uuid limit ${PAGE_EVENTS}`)
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
  after ? sql`case d.key when ${after.key} then ${after.timestamp} else ${from} end` : sql`${from}`

const isAfter = (after: EventRow | undefined): SQL =>
  after
    ? sql`and d.key >= ${after.key} and (d.key > ${after.key} or
        (e.timestamp, e.event_id, e.uuid) > (${after.timestamp}, ${after.event_id}, unhex(${after.uuid})))`
    : sql``

/**
 * Returns for each version the values of some keys as one text, which is equal for equal values,
 * and the size of all properties in bytes.
 */
export async function readValues(
  db: Db,
  projectId: number,
  versions: readonly number[],
  keys: readonly string[]
): Promise<Map<number, { values: string; bytes: number }>> {
  const paths = JSON.stringify(keys.map((key) => `$.${JSON.stringify(key)}`))
  const [rows] = await readBatch(
    db,
    query<{ id: number; values: string; bytes: number }>(sql`
      select v.id, length(v.properties) as bytes,
             (select json_group_array(v.properties -> path.value) from json_each(${paths}) as path) as "values"
      from person_versions v where v.id in ${inJson(versions)} and +v.project_id = ${projectId}`)
  )
  return new Map(rows.map(({ id, values, bytes }) => [id, { values, bytes }]))
}

/** Returns the properties of versions as JSON text. */
export async function readVersions(
  db: Db,
  projectId: number,
  versions: readonly number[]
): Promise<Map<number, string>> {
  const [rows] = await readBatch(
    db,
    query<{ id: number; properties: string }>(sql`
      select id, json(properties) as properties from person_versions
      where id in ${inJson(versions)} and +project_id = ${projectId}`)
  )
  return new Map(rows.map(({ id, properties }) => [id, properties]))
}
