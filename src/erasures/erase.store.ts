import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { countRows, eachChunk, expectRows, inJson } from '../db/rows.ts'
import type { Actor } from '../persons/activity/entry.ts'
import { activityStatements, hasValues, withoutValues } from '../persons/activity/store.ts'
import { tombstoneRecordings } from '../recordings/purge.store.ts'

/** Persons by their integer ids, UUIDs and distinct ids. */
export type Selection = { ids?: number[]; uuids?: string[]; distinctIds?: string[] }

export type PersonToErase = {
  id: number
  uuid: string
  identities: { key: number; distinctId: string }[]
}

/** Finds the selected persons, each once, in one round trip. */
export async function findPersonsToErase(
  db: Db,
  projectId: number,
  { ids = [], uuids = [], distinctIds = [] }: Selection
): Promise<PersonToErase[]> {
  const selected = sql`
    select id from persons where +project_id = ${projectId} and id in ${inJson(ids)}
    union select id from persons where project_id = ${projectId} and uuid in ${inJson(uuids)}
    union select person_id from distinct_ids where project_id = ${projectId} and distinct_id in ${inJson(distinctIds)}`
  const [persons, identities] = await readBatch(
    db,
    query<{ id: number; uuid: string }>(sql`
      select id, uuid from persons where +project_id = ${projectId} and id in (${selected})`),
    query<{ key: number; distinct_id: string; person_id: number }>(sql`
      select key, distinct_id, person_id from distinct_ids
      where +project_id = ${projectId} and person_id in (${selected}) order by key`)
  )
  const byPerson = Map.groupBy(identities, ({ person_id }) => person_id)
  return persons.map(({ id, uuid }) => ({
    id,
    uuid,
    identities: (byPerson.get(id) ?? []).map(({ key, distinct_id }) => ({
      key,
      distinctId: distinct_id
    }))
  }))
}

type NewErasures = {
  persons: PersonToErase[]
  /** All identities of these persons. */
  identities: { key: number; hash: string; person_id: number; person_uuid: string }[]
  deleteEvents: boolean
  deleteRecordings: boolean
  actor: Actor
  now: number
}

/**
 * Deletes persons and creates their erasures in one transaction.
 * @returns the ids of the erasures
 * @throws ConflictError when a person or the owner of a distinct id has changed since it was read
 */
export async function writeErasures(
  db: Db,
  projectId: number,
  erasure: NewErasures
): Promise<number[]> {
  const { deleteEvents, deleteRecordings, actor, now } = erasure
  const persons = erasure.persons.map(({ id, uuid, identities }) => ({
    id,
    uuid,
    distinct_ids: identities.length
  }))
  const idsIn = (rows: string) => sql`(select value ->> 'id' from json_each(${rows}))`
  const results = await writeBatch(db, [
    ...eachChunk(persons, (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as read cross join persons as person
            on person.id = read.value ->> 'id' and person.project_id = ${projectId}`
      ),
      sql`insert into erasures
            (project_id, person_id, person_uuid, requested_at, requested_by, delete_events, delete_recordings, status,
             progress_at, stores)
          select ${projectId}, value ->> 'id', value ->> 'uuid', ${now}, ${JSON.stringify(actor)}, ${Number(deleteEvents)},
                 ${Number(deleteRecordings)}, 'queued', ${now}, json_object('persons', 1, 'distinct_ids', value ->> 'distinct_ids',
                   'search_index', (select search <> '' from persons where id = value ->> 'id'),
                   'activity_values', (select count(*) from activity
                      where project_id = ${projectId} and scope = 'Person' and owner_id = value ->> 'id' and ${hasValues}))
          from json_each(${rows}) returning id as erasure_id`,
      sql`update activity set detail = ${withoutValues}
          where project_id = ${projectId} and scope = 'Person' and owner_id in ${idsIn(rows)} and ${hasValues}`,
      sql`delete from persons where +project_id = ${projectId} and id in ${idsIn(rows)}`
    ]),
    ...eachChunk(erasure.identities, (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as read cross join distinct_ids as identity
            on identity.key = read.value ->> 'key' and identity.person_id = read.value ->> 'person_id'
              and identity.project_id = ${projectId}`
      ),
      sql`insert into erased_identities (key, project_id, hash, erasure_id, person_id, erased_at)
          select one.value ->> 'key', ${projectId}, one.value ->> 'hash', e.id, e.person_id, ${now}
          from json_each(${rows}) as one cross join erasures e
            on e.project_id = ${projectId} and e.person_uuid = one.value ->> 'person_uuid'`,
      sql`delete from distinct_ids
          where +project_id = ${projectId} and key in (select value ->> 'key' from json_each(${rows}))`
    ]),
    ...(deleteRecordings ? tombstoneRecordingsOf(projectId, erasure) : []),
    ...eachChunk(persons, (rows) => [
      expectRows(
        0,
        sql`distinct_ids where +project_id = ${projectId} and person_id in ${idsIn(rows)}`
      )
    ]),
    ...countRows(projectId, 'persons', -persons.length),
    ...activityStatements(
      projectId,
      persons.map(({ id, uuid }) => ({
        scope: 'Person',
        itemId: id,
        activity: 'deleted',
        actor,
        detail: { name: uuid, changes: [] },
        at: now
      }))
    ),
    sql`insert into counters (project_id, name, value) values (${projectId}, 'last_erasure', ${now})
        on conflict (project_id, name) do update set value = max(counters.value, excluded.value)`
  ])
  return results.flatMap(({ results: rows }) =>
    (rows as { erasure_id?: number }[]).flatMap((row) => row.erasure_id ?? [])
  )
}

/** Deletes the recordings of erased persons and counts them for their erasures. */
const tombstoneRecordingsOf = (
  projectId: number,
  { persons, identities, now }: NewErasures
): SQL[] => [
  ...eachChunk(identities, (rows) =>
    tombstoneRecordings(
      projectId,
      sql`identity in (select value ->> 'key' from json_each(${rows}))`,
      now,
      sql`(select erasure_id from erased_identities t where t.key = recordings.identity)`
    )
  ),
  ...eachChunk(
    persons.map(({ uuid }) => uuid),
    (uuids) => [
      sql`update erasures set stores = json_set(stores, '$.recordings',
            (select count(*) from recordings r where r.erasure_id = erasures.id))
          where project_id = ${projectId} and person_uuid in (select value from json_each(${uuids}))`
    ]
  )
]
