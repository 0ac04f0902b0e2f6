import { asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { expectRows, inJson, jsonChunks } from '../db/rows.ts'
import { deadLetters } from '../db/schema.ts'
import { countDropped, expectLastErasure, expectOpenErasures } from '../erasures/store.ts'
import { type StoredPerson, storePerson } from '../persons/person.ts'
import type { Changes, Known } from './plan.ts'

export type Wanted = { uuids: string[]; distinctIds: string[]; eventNames: string[] }

/** What is stored of these events, distinct ids (with their persons) and event names; one round trip. */
export async function readKnown(db: Db, projectId: number, wanted: Wanted): Promise<Omit<Known, 'tombstones'>> {
  const distinctIds = inJson(wanted.distinctIds)
  const [seen, identities, persons, eventNames, lastErasure] = await readBatch(
    db,
    query<{ uuid: string }>(sql`
      select lower(hex(uuid)) as uuid from events
      where project_id = ${projectId}
        and uuid in (select unhex(value) from json_each(${JSON.stringify(wanted.uuids.map(toHex))}))`),
    query<{ key: number; distinct_id: string; person_id: number | null }>(sql`
      select key, distinct_id, person_id from distinct_ids
      where project_id = ${projectId} and distinct_id in ${distinctIds}`),
    query<PersonRow>(sql`
      select id, uuid, created_at, is_identified, properties, writes, version, versions, revision from persons
      where +project_id = ${projectId} and id in
        (select person_id from distinct_ids where project_id = ${projectId} and distinct_id in ${distinctIds})`),
    query<{ id: number; name: string }>(sql`
      select id, name from event_names where project_id = ${projectId} and name in ${inJson(wanted.eventNames)}`),
    query<{ value: number }>(sql`
      select value from counters where project_id = ${projectId} and name = 'last_erasure'`)
  )
  return {
    seen: new Set(seen.map(({ uuid }) => fromHex(uuid))),
    identities: new Map(identities.map((row) => [row.distinct_id, { key: row.key, personId: row.person_id }])),
    persons: new Map(persons.map((row) => [row.id, toStoredPerson(row)])),
    eventNames: new Map(eventNames.map((row) => [row.name, row.id])),
    lastErasure: lastErasure[0]?.value ?? 0
  }
}

type PersonRow = {
  id: number
  uuid: string
  created_at: number
  is_identified: number
  properties: string
  writes: string
  version: number
  versions: number
  revision: number
}

const toStoredPerson = (row: PersonRow): StoredPerson => ({
  id: row.id,
  uuid: row.uuid,
  createdAt: row.created_at,
  isIdentified: row.is_identified === 1,
  properties: JSON.parse(row.properties),
  writes: JSON.parse(row.writes),
  version: row.version,
  versions: row.versions,
  revision: row.revision
})

export type SequenceName = 'identity' | 'person' | 'event_name'

/** Sets numbers aside, never to be given out again; answers the first of each kind. */
export async function reserveNumbers(
  db: Db,
  counts: Record<SequenceName, number>
): Promise<Record<SequenceName, number>> {
  const rows = await db.all<{ name: SequenceName; value: number }>(sql`
    insert into sequences (name, value) select key, value from json_each(${JSON.stringify(counts)}) where true
    on conflict (name) do update set value = sequences.value + excluded.value
    returning name, value`)
  const last = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  const first = (name: SequenceName) => (last[name] ?? 0) - counts[name] + 1
  return { identity: first('identity'), person: first('person'), event_name: first('event_name') }
}

/**
 * Writes a plan in one transaction, or nothing at all when what it was worked out from has changed since. The `+` before
 * a project keeps SQLite from going through all that it has, which it takes for ten rows, instead of by the ids.
 * @throws ConflictError
 */
export async function writeChanges(db: Db, projectId: number, changes: Changes): Promise<void> {
  const { newPersons, changedPersons, mergedPersons } = changes
  const statements = [
    ...each(
      [...changedPersons, ...mergedPersons].map(({ id, revision }) => ({ id, revision })),
      (rows, count) => [expectRows(count, asRead(projectId, rows))]
    ),
    ...each(changes.attached, (rows, count) => [
      expectRows(count, sql`${usedIdentities(projectId, rows)} and identity.person_id is null`)
    ]),
    ...each(
      changes.usedIdentities.map((key) => ({ key })),
      (rows, count) => [expectRows(count, usedIdentities(projectId, rows))]
    ),
    ...(changes.newIdentities.length > 0 ? [expectLastErasure(projectId, changes.lastErasure)] : []),
    ...expectOpenErasures(projectId, changes.usedTombstones),
    ...countDropped(projectId, changes.dropped),
    ...each(changes.eventNames, (rows) => [
      sql`insert into event_names (id, project_id, name)
          select value ->> 'id', ${projectId}, value ->> 'name' from json_each(${rows})`
    ]),
    ...each(newPersons.map(storePerson), (rows) => [
      sql`insert into persons (id, project_id, uuid, created_at, is_identified, properties, writes, search, version, versions, revision)
          select value ->> 'id', ${projectId}, value ->> 'uuid', value ->> 'created_at', value ->> 'is_identified',
                 value -> 'properties', value -> 'writes', value ->> 'search', value ->> 'version', value ->> 'versions', 0
          from json_each(${rows})`
    ]),
    ...each(changedPersons.filter(({ changed }) => changed).map(storePerson), (rows) => [
      sql`update persons set created_at = changed.value ->> 'created_at', is_identified = changed.value ->> 'is_identified',
            properties = changed.value -> 'properties', writes = changed.value -> 'writes',
            search = changed.value ->> 'search', version = changed.value ->> 'version',
            versions = changed.value ->> 'versions', revision = persons.revision + 1
          from json_each(${rows}) as changed
          where persons.id = changed.value ->> 'id' and +persons.project_id = ${projectId}`
    ]),
    ...each(changedPersons.filter(({ changed }) => !changed).map(storePerson), (rows) => [
      sql`update persons set is_identified = changed.value ->> 'is_identified', writes = changed.value -> 'writes',
            revision = persons.revision + 1
          from json_each(${rows}) as changed
          where persons.id = changed.value ->> 'id' and +persons.project_id = ${projectId}`
    ]),
    ...each(mergedPersons, (rows) => [
      sql`update distinct_ids set person_id = merged.value ->> 'into' from json_each(${rows}) as merged
          where distinct_ids.person_id = merged.value ->> 'id' and +distinct_ids.project_id = ${projectId}`,
      sql`delete from persons where +project_id = ${projectId} and id in (select value ->> 'id' from json_each(${rows}))`
    ]),
    ...each(changes.attached, (rows) => [
      sql`update distinct_ids set person_id = attached.value ->> 'person_id' from json_each(${rows}) as attached
          where distinct_ids.key = attached.value ->> 'key' and +distinct_ids.project_id = ${projectId}`
    ]),
    ...each(changes.newIdentities, (rows) => [
      sql`insert into distinct_ids (key, project_id, distinct_id, person_id)
          select value ->> 'key', ${projectId}, value ->> 'distinct_id', value ->> 'person_id' from json_each(${rows})`
    ]),
    ...each(changes.versions, (rows) => [
      sql`insert into person_versions (id, project_id, properties)
          select value ->> 'id', ${projectId}, jsonb(value -> 'properties') from json_each(${rows})`
    ]),
    ...each(
      changes.events.map((event) => ({ ...event, uuid: toHex(event.uuid) })),
      (rows) => [
        sql`insert into events (project_id, event_id, timestamp, uuid, identity, version, session_id, window_id, properties)
            select ${projectId}, value ->> 'event_id', value ->> 'timestamp', unhex(value ->> 'uuid'), value ->> 'identity',
                   value ->> 'version', value ->> 'session_id', value ->> 'window_id', jsonb(value -> 'properties')
            from json_each(${rows})`
      ]
    ),
    ...countPersons(projectId, newPersons.length - mergedPersons.length)
  ]
  await writeBatch(db, statements)
}

/** The persons among these that are as they were read. */
const asRead = (projectId: number, rows: string): SQL =>
  sql`json_each(${rows}) as read cross join persons as person
      on person.id = read.value ->> 'id' and person.revision = read.value ->> 'revision' and person.project_id = ${projectId}`

/** The identities among these that are there; open for another condition. */
const usedIdentities = (projectId: number, rows: string): SQL =>
  sql`json_each(${rows}) as used cross join distinct_ids as identity
      on identity.key = used.value ->> 'key' and identity.project_id = ${projectId}`

/** Keeps the exact number of a project's persons, in the batch that adds or removes them. */
export const countPersons = (projectId: number, by: number): SQL[] =>
  by === 0
    ? []
    : [
        sql`insert into counters (project_id, name, value) values (${projectId}, 'persons', ${by})
            on conflict (project_id, name) do update set value = counters.value + excluded.value`
      ]

/** The statements for some rows: none for none, and more than one set only when a bound value would become too large. */
function each<T>(rows: readonly T[], statements: (json: string, count: number) => SQL[]): SQL[] {
  return jsonChunks(rows).flatMap(({ json, count }) => statements(json, count))
}

const toHex = (uuid: string): string => uuid.replaceAll('-', '')
const fromHex = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Costs nothing, but D1 says with every answer how large the database is. */
export const measureDatabase = (db: Db) => db.run(sql`select 1`)

export type DeadLetterRow = typeof deadLetters.$inferSelect

export const insertDeadLetter = (db: Db, row: typeof deadLetters.$inferInsert) =>
  db.insert(deadLetters).values(row).onConflictDoNothing()

/** Those not driven again yet, oldest first. */
export const listDeadLetters = (db: Db): Promise<DeadLetterRow[]> =>
  db.select().from(deadLetters).where(isNull(deadLetters.redrivenAt)).orderBy(asc(deadLetters.createdAt))

export const markRedriven = (db: Db, id: string, now: Date) =>
  db.update(deadLetters).set({ redrivenAt: now.getTime() }).where(eq(deadLetters.id, id))
