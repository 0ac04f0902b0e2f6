import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { countRows, eachChunk, expectRows, inJson } from '../db/rows.ts'
import { distinctIds } from '../db/schema.ts'
import { mergeActivity } from '../persons/activity/store.ts'
import {
  expectUnchanged,
  insertPersons,
  insertVersions,
  moveIdentities,
  type PersonRecord,
  RECORD,
  toStoredPerson,
  updatePersons
} from '../persons/write.store.ts'
import { countEvents } from '../rollups/store.ts'
import { addToSessions } from '../sessions/store.ts'
import {
  countSuppressed,
  expectSerial,
  type Joining,
  joinSuppressions,
  SERIAL
} from '../suppressions/store.ts'
import type { Drops } from '../suppressions/suppression.ts'
import { countDropped, expectLastErasure, expectOpenErasures } from '../tombstones/store.ts'
import { type Changes, type Known, MAX_FOLDED } from './changes.ts'
import { expectNoSessions, visitorSessions } from './cookieless/store.ts'

/** Bytes of persons read at once; two persons of the largest size always fit. */
const MAX_PERSONS_BYTES = 2_500_000

/** How many events suppressions drop, and the ids that join suppressions. */
export type SuppressedChanges = {
  /** `Known.suppressionSerial`. The write fails if the suppressions have changed since. */
  serial: number
  dropped: Drops[]
  joining: Joining[]
}

/** The rows to read for a batch of events. */
export type Wanted = {
  uuids: string[]
  /** Distinct ids, beginning with the first event's. */
  distinctIds: string[]
  /** Distinct ids whose persons may be merged. */
  mergedIds: string[]
  eventNames: string[]
  /** Hashes of visitors without cookies. */
  visitors: string[]
}

/**
 * Reads the stored and the removed events, distinct ids with their persons, and event names in one round trip.
 * Persons beyond `MAX_PERSONS_BYTES` are left out, from the last distinct id backwards.
 */
export async function readKnown(
  db: Db,
  projectId: number,
  wanted: Wanted
): Promise<Omit<Known, 'tombstones'>> {
  const wantedIds = inJson(wanted.distinctIds)
  const uuids = sql`(select unhex(value) from json_each(${JSON.stringify(wanted.uuids.map(toHex))}))`
  const [seen, identities, persons, identityCounts, eventNames, counters, sessions] =
    await readBatch(
      db,
      query<{ uuid: string }>(sql`
      select lower(hex(uuid)) as uuid from events where project_id = ${projectId} and uuid in ${uuids}
      union all
      select lower(hex(uuid)) from removed_events where project_id = ${projectId} and uuid in ${uuids}`),
      query<{ key: number; distinct_id: string; person_id: number | null }>(sql`
      select key, distinct_id, person_id from distinct_ids
      where project_id = ${projectId} and distinct_id in ${wantedIds}`),
      query<PersonRecord>(sql`
      select ${RECORD} from persons where +project_id = ${projectId} and id in (
        select id from (
          select person.id, sum(octet_length(person.properties) + octet_length(person.writes)) over (
                   order by asked.position rows between unbounded preceding and 1 preceding) as bytes_before
          from (select identity.person_id as id, min(list.key) as position
                from json_each(${JSON.stringify(wanted.distinctIds)}) as list
                  cross join distinct_ids as identity on identity.project_id = ${projectId} and identity.distinct_id = list.value
                where identity.person_id is not null group by identity.person_id) as asked
            cross join persons as person on person.id = asked.id)
        where coalesce(bytes_before, 0) < ${MAX_PERSONS_BYTES})`),
      query<{ person_id: number; count: number }>(sql`
      select person_id, (select count(*) from (
               select 1 from distinct_ids as own where own.person_id = distinct_ids.person_id limit ${MAX_FOLDED + 1})) as count
      from distinct_ids
      where project_id = ${projectId} and distinct_id in ${inJson(wanted.mergedIds)} and person_id is not null
      group by person_id`),
      query<{ id: number; name: string }>(sql`
      select id, name from event_names where project_id = ${projectId} and name in ${inJson(wanted.eventNames)}`),
      query<{ name: string; value: number }>(sql`
      select name, value from counters where project_id = ${projectId} and name in ('last_erasure', ${SERIAL})`),
      visitorSessions(projectId, wanted.visitors)
    )
  return {
    seen: new Set(seen.map(({ uuid }) => fromHex(uuid))),
    identities: new Map(
      identities.map((row) => [row.distinct_id, { key: row.key, personId: row.person_id }])
    ),
    persons: new Map(persons.map((row) => [row.id, toStoredPerson(row)])),
    identityCounts: new Map(identityCounts.map((row) => [row.person_id, row.count])),
    eventNames: new Map(eventNames.map((row) => [row.name, row.id])),
    lastErasure: counters.find(({ name }) => name === 'last_erasure')?.value ?? 0,
    suppressionSerial: counters.find(({ name }) => name === SERIAL)?.value ?? 0,
    sessions
  }
}

/**
 * Writes a plan in one transaction, or writes nothing if the rows that the plan was made from have
 * changed since. The checks come first, because the writes change the checked rows. Merged persons
 * are deleted after their activity and distinct ids have moved.
 * @throws ConflictError
 */
export async function writeChanges(
  db: Db,
  projectId: number,
  changes: Changes,
  suppressed: SuppressedChanges
): Promise<void> {
  const { newPersons, changedPersons, mergedPersons } = changes
  const statements = [
    expectSerial(projectId, suppressed.serial),
    ...countSuppressed(projectId, 'events', suppressed.dropped),
    ...joinSuppressions(projectId, suppressed.joining),
    ...expectUnchanged(projectId, [...changedPersons, ...mergedPersons]),
    ...eachChunk(changes.attached, (rows, count) => [
      expectRows(count, sql`${usedIdentities(projectId, rows)} and identity.person_id is null`)
    ]),
    ...eachChunk(
      changes.usedIdentities.map((key) => ({ key })),
      (rows, count) => [expectRows(count, usedIdentities(projectId, rows))]
    ),
    ...(changes.newIdentities.length > 0
      ? [expectLastErasure(projectId, changes.lastErasure)]
      : []),
    ...expectNoSessions(projectId, changes.begunSessions),
    ...expectOpenErasures(projectId, changes.usedTombstones),
    ...countDropped(projectId, changes.dropped),
    ...eachChunk(changes.eventNames, (rows) => [
      sql`insert into event_names (id, project_id, name)
          select value ->> 'id', ${projectId}, value ->> 'name' from json_each(${rows})`
    ]),
    ...insertPersons(projectId, newPersons),
    ...updatePersons(projectId, changedPersons),
    ...mergeActivity(projectId, mergedPersons),
    ...eachChunk(mergedPersons, (rows) => [
      sql`update distinct_ids set person_id = merged.value ->> 'into' from json_each(${rows}) as merged
          where distinct_ids.person_id = merged.value ->> 'id' and +distinct_ids.project_id = ${projectId}`,
      sql`delete from persons where +project_id = ${projectId} and id in (select value ->> 'id' from json_each(${rows}))`
    ]),
    ...moveIdentities(projectId, changes.attached),
    ...eachChunk(changes.newIdentities, (rows) => [
      sql`insert into distinct_ids (key, project_id, distinct_id, person_id)
          select value ->> 'key', ${projectId}, value ->> 'distinct_id', value ->> 'person_id' from json_each(${rows})`
    ]),
    ...insertVersions(projectId, changes.versions),
    ...eachChunk(
      changes.events.map((event) => ({ ...event, uuid: toHex(event.uuid) })),
      (rows) => [
        sql`insert into events (project_id, event_id, timestamp, uuid, identity, version, session_id, window_id, properties)
            select ${projectId}, value ->> 'event_id', value ->> 'timestamp', unhex(value ->> 'uuid'), value ->> 'identity',
                   value ->> 'version', value ->> 'session_id', value ->> 'window_id', jsonb(value -> 'properties')
            from json_each(${rows})`
      ]
    ),
    ...countEvents(projectId, changes.events),
    ...addToSessions(projectId, changes.sessions),
    ...countRows(projectId, 'persons', newPersons.length - mergedPersons.length)
  ]
  await writeBatch(db, statements)
}

/** Lists the distinct ids of persons, with their persons. */
export const listDistinctIds = (
  db: Db,
  projectId: number,
  personIds: number[]
): Promise<{ distinctId: string; personId: number | null }[]> =>
  db
    .select({ distinctId: distinctIds.distinctId, personId: distinctIds.personId })
    .from(distinctIds)
    .where(
      sql`${distinctIds.personId} in ${inJson(personIds)} and +${distinctIds.projectId} = ${projectId}`
    )

/** Returns a `from` list of those given identities that are stored; a `where` condition may follow. */
const usedIdentities = (projectId: number, rows: string): SQL =>
  sql`json_each(${rows}) as used cross join distinct_ids as identity
      on identity.key = used.value ->> 'key' and identity.project_id = ${projectId}`

const toHex = (uuid: string): string => uuid.replaceAll('-', '')
const fromHex = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Runs a trivial statement: D1 reports the size of the database with every answer. */
export const measureDatabase = (db: Db) => db.run(sql`select 1`)
