import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../activity/entry.ts'
import { activityStatements } from '../activity/store.ts'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { countRows, eachChunk, expectRows, inJson } from '../db/rows.ts'
import { type deletionRuns, erasures } from '../db/schema.ts'
import { uncountEvents } from '../rollups/store.ts'
import type { Tombstone } from './tombstone.ts'

/*
 * Deleting persons.
 */

/** Persons by any of what names them. */
export type Selection = { ids?: number[]; uuids?: string[]; distinctIds?: string[] }

export type PersonToErase = { id: number; uuid: string; identities: { key: number; distinctId: string }[] }

/** The persons that are selected, each once; one round trip. */
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
    identities: (byPerson.get(id) ?? []).map(({ key, distinct_id }) => ({ key, distinctId: distinct_id }))
  }))
}

type NewErasures = {
  persons: PersonToErase[]
  /** Every identity of theirs. */
  identities: { key: number; hash: string; person_id: number; person_uuid: string }[]
  deleteEvents: boolean
  actor: Actor
  now: number
}

/**
 * Deletes persons as they were read, and has their erasures exist, in one transaction. Answers the erasures' ids.
 * @throws ConflictError when one of them, or whose the distinct ids are, has changed since
 */
export async function writeErasures(db: Db, projectId: number, erasure: NewErasures): Promise<number[]> {
  const { deleteEvents, actor, now } = erasure
  const persons = erasure.persons.map(({ id, uuid, identities }) => ({ id, uuid, distinct_ids: identities.length }))
  const idsIn = (rows: string) => sql`(select value ->> 'id' from json_each(${rows}))`
  const results = await writeBatch(db, [
    ...eachChunk(persons, (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as read cross join persons as person
            on person.id = read.value ->> 'id' and person.project_id = ${projectId}`
      ),
      sql`insert into erasures
            (project_id, person_id, person_uuid, requested_at, requested_by, delete_events, status, progress_at, stores)
          select ${projectId}, value ->> 'id', value ->> 'uuid', ${now}, ${JSON.stringify(actor)}, ${Number(deleteEvents)},
                 'queued', ${now}, json_object('persons', 1, 'distinct_ids', value ->> 'distinct_ids',
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
    ...eachChunk(persons, (rows) => [
      expectRows(0, sql`distinct_ids where +project_id = ${projectId} and person_id in ${idsIn(rows)}`)
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

/** Whether an entry of the activity log tells what properties were. */
const hasValues = sql`exists (
  select 1 from json_each(detail, '$.changes') as change
  where change.value ->> '$.before' is not null or change.value ->> '$.after' is not null)`

const withoutValues = sql`json_set(detail, '$.changes', (
  select json_group_array(json_set(change.value, '$.before', null, '$.after', null))
  from json_each(detail, '$.changes') as change))`

/*
 * Late events.
 */

/** The tombstones with these hashes. */
export async function findTombstones(
  db: Db,
  projectId: number,
  hashes: string[]
): Promise<(Tombstone & { hash: string })[]> {
  const [rows] = await readBatch(
    db,
    query<{ hash: string; key: number; erasure_id: number; erased_at: number; is_open: number }>(sql`
      select t.hash, t.key, t.erasure_id, t.erased_at, e.delete_events and e.status <> 'completed' as is_open
      from erased_identities t cross join erasures e on e.id = t.erasure_id
      where t.project_id = ${projectId} and t.hash in ${inJson(hashes)}`)
  )
  return rows.map(({ hash, key, erasure_id, erased_at, is_open }) => ({
    hash,
    key,
    erasureId: erasure_id,
    erasedAt: erased_at,
    isOpen: is_open === 1
  }))
}

/** Rolls the batch back, as a conflict, when somebody of the project was erased since `at`, ms UTC. */
export const expectLastErasure = (projectId: number, at: number): SQL =>
  sql`insert into guard select null where ${at} <>
        coalesce((select value from counters where project_id = ${projectId} and name = 'last_erasure'), 0)`

/** Rolls the batch back, as a conflict, when one of these erased identities is not waiting for its removal any more. */
export const expectOpenErasures = (projectId: number, keys: number[]): SQL[] =>
  eachChunk(keys, (rows, count) => [
    expectRows(
      count,
      sql`json_each(${rows}) as used
          cross join erased_identities t on t.key = used.value and t.project_id = ${projectId}
          cross join erasures e on e.id = t.erasure_id and e.delete_events and e.status <> 'completed'`
    )
  ])

/** Counts late events that went nowhere. */
export const countDropped = (projectId: number, dropped: { erasure_id: number; count: number }[]): SQL[] =>
  eachChunk(dropped, (rows) => [
    sql`update erasures set dropped = dropped + late.value ->> 'count' from json_each(${rows}) as late
        where erasures.id = late.value ->> 'erasure_id' and +erasures.project_id = ${projectId}`
  ])

/*
 * The weekly batch.
 */

export type ErasureRow = typeof erasures.$inferSelect
export type RunRow = typeof deletionRuns.$inferSelect

/** The run for this moment, which nobody can start twice. @returns whether it is new */
export async function insertRun(
  db: Db,
  run: Pick<RunRow, 'scheduledFor' | 'startedAt' | 'startedBy'>
): Promise<boolean> {
  const rows = await db.all(sql`
    insert into deletion_runs (scheduled_for, started_at, started_by)
    values (${run.scheduledFor}, ${run.startedAt}, ${run.startedBy}) on conflict do nothing returning scheduled_for`)
  return rows.length > 0
}

/** The latest run for `since` or later. */
export async function findRun(
  db: Db,
  since: number
): Promise<{ scheduledFor: number; finishedAt: number | null } | undefined> {
  const [row] = await db.all<{ scheduledFor: number; finishedAt: number | null }>(sql`
    select scheduled_for as scheduledFor, finished_at as finishedAt from deletion_runs
    where scheduled_for >= ${since} order by scheduled_for desc limit 1`)
  return row
}

type Taken = { id: number; project_id: number }

/** Puts waiting tasks that were asked for before `run` into it, oldest first, `limit` at most; each goes to one caller. */
export const takeTasks = (db: Db, run: number, isRetrying: boolean, limit: number, now: number): Promise<Taken[]> =>
  db.all<Taken>(sql`
    update erasures set run = ${run}, status = 'running', attempts = 0, error = null, progress_at = ${now}
    where id in (select id from erasures
                 where status <> 'completed' and status in ('queued', ${isRetrying ? 'failed' : 'queued'})
                   and delete_events and requested_at < ${run}
                 order by id limit ${limit})
    returning id, project_id`)

/** Those that should be worked on and have shown no sign of life since `before`; they are marked as being taken up now. */
export const takeStalled = (db: Db, before: number, limit: number, now: number): Promise<Taken[]> =>
  db.all<Taken>(sql`
    update erasures set progress_at = ${now}
    where id in (select id from erasures
                 where status <> 'completed' and (status = 'running' or status = 'queued' and cleared_at is null)
                   and progress_at < ${before}
                 order by id limit ${limit})
    returning id, project_id`)

/** Marks runs as finished in which nothing is left to do. */
export const finishRuns = (db: Db, now: number) =>
  db.run(sql`
    update deletion_runs set finished_at = ${now}
    where finished_at is null and not exists (
      select 1 from erasures where status <> 'completed' and status = 'running' and run = deletion_runs.scheduled_for)`)

/** Those among these that are not completed, in the order in which they were asked for. */
export const findOpenErasures = (db: Db, projectId: number, ids: number[]): Promise<ErasureRow[]> =>
  db
    .select()
    .from(erasures)
    .where(sql`id in ${inJson(ids)} and +project_id = ${projectId} and status <> 'completed'`)
    .orderBy(sql`id`)

export type TaskFilters = { status: 'all' | 'pending' | ErasureRow['status']; personUuid?: string | undefined }

/** Tasks that were asked to remove events, newest first, below the id `before`; with the exact number of all that match. */
export async function listTasks(
  db: Db,
  projectId: number,
  { status, personUuid }: TaskFilters,
  page: { limit: number; offset: number; before?: number | undefined }
): Promise<{ rows: ErasureRow[]; count: number }> {
  const matching = sql`project_id = ${projectId} and delete_events
    ${personUuid === undefined ? sql`` : sql`and person_uuid = ${personUuid}`}
    ${status === 'all' ? sql`` : status === 'pending' ? sql`and status <> 'completed'` : sql`and status = ${status}`}`
  const [rows, counted] = await Promise.all([
    db
      .select()
      .from(erasures)
      .where(page.before === undefined ? matching : sql`${matching} and id < ${page.before}`)
      .orderBy(sql`id desc`)
      .limit(page.limit)
      .offset(page.offset),
    db.all<{ count: number }>(sql`select count(*) as count from erasures where ${matching}`)
  ])
  return { rows, count: counted[0]?.count ?? 0 }
}

/*
 * Removal, in pieces that each are one short transaction. What a piece removed is counted in the same transaction, so
 * that the total is exact however often a piece is repeated.
 */

/** How much a piece did, and how long its longest statement took, in ms. */
export type Piece = { removed: number; ms: number }

/** Removes at most `limit` of the versions of the person's properties. */
export async function removeVersions(
  db: Db,
  { id, projectId }: ErasureRow,
  limit: number,
  now: number
): Promise<Piece> {
  const piece = sql`
    select v.id from erased_identities t
    cross join person_versions v on v.id between t.key << 24 and (t.key << 24) + 16777215 and v.project_id = ${projectId}
    where t.erasure_id = ${id} limit ${limit}`
  return removePiece(db, [
    sql`update erasures
        set stores = json_set(stores, '$.person_versions',
              coalesce(stores ->> '$.person_versions', 0) + (select count(*) from (${piece}))), progress_at = ${now}
        where id = ${id}`,
    sql`delete from person_versions where id in (${piece}) returning 1`
  ])
}

export const markCleared = (db: Db, { id }: ErasureRow, now: number) =>
  db.run(sql`update erasures set cleared_at = ${now}, progress_at = ${now} where id = ${id} and cleared_at is null`)

/** The keys of the person's identities after this one, in order. */
export const listKeys = async (db: Db, { id }: ErasureRow, after: number, limit: number): Promise<number[]> => {
  const rows = await db.all<{ key: number }>(sql`
    select key from erased_identities where erasure_id = ${id} and key > ${after} order by key limit ${limit}`)
  return rows.map(({ key }) => key)
}

/** Removes at most `limit` events of these identities. */
export async function removeEvents(
  db: Db,
  { id, projectId }: ErasureRow,
  keys: number[],
  limit: number,
  now: number
): Promise<Piece> {
  const piece = sql`
    select project_id, event_id, timestamp, uuid from events
    where identity in ${inJson(keys)} and +project_id = ${projectId} limit ${limit}`
  return removePiece(db, [
    sql`update erasures set removed = removed + (select count(*) from (${piece})), progress_at = ${now} where id = ${id}`,
    uncountEvents(projectId, piece),
    sql`delete from events where (project_id, event_id, timestamp, uuid) in (${piece}) returning 1`
  ])
}

/** Runs a piece, whose last statement answers a row for each that it removed. */
async function removePiece(db: Db, statements: SQL[]): Promise<Piece> {
  const results = await writeBatch(db, statements)
  return {
    removed: results.at(-1)?.results.length ?? 0,
    ms: Math.max(...results.map(({ meta }) => meta.duration))
  }
}

/** Counts the events of identities, reading no more than `limit` in each statement. */
export async function countEvents(db: Db, erasure: ErasureRow, keys: number[], limit: number): Promise<number> {
  const [[counted]] = await readBatch(
    db,
    query<{ count: number }>(sql`
      select count(*) as count from (select 1 from events where identity in ${inJson(keys)} limit ${limit})`)
  )
  if (counted && counted.count < limit) return counted.count
  let count = 0
  for (const key of keys) count += await countOne(db, erasure, key, limit)
  return count
}

/** An entry of the index over identities' events. */
type Place = { timestamp: number; event_id: number; uuid: string }

async function countOne(db: Db, { projectId }: ErasureRow, key: number, limit: number): Promise<number> {
  let count = 0
  for (let after: Place | undefined; ; ) {
    const from: SQL = sql`
      from events where identity = ${key} ${
        after
          ? sql`and (timestamp, project_id, event_id, uuid) > (${after.timestamp}, ${projectId}, ${after.event_id}, unhex(${after.uuid}))`
          : sql``
      } order by timestamp, project_id, event_id, uuid limit`
    const [counted, ends] = await readBatch(
      db,
      query<{ count: number }>(sql`select count(*) as count from (select 1 ${from} ${limit})`),
      query<Place>(sql`select timestamp, event_id, hex(uuid) as uuid ${from} 1 offset ${limit - 1}`)
    )
    count += counted[0]?.count ?? 0
    after = ends[0]
    if (!after) return count
  }
}

/** Counts rows that were removed for erasures from a store outside their database. */
export const countRemoved = (db: Db, projectId: number, store: string, byErasure: Map<number, number>) => {
  const path = `$.${store}`
  const rows = [...byErasure].map(([erasure_id, count]) => ({ erasure_id, count }))
  return writeBatch(
    db,
    eachChunk(rows, (json) => [
      sql`update erasures
          set stores = json_set(stores, ${path}, coalesce(stores ->> ${path}, 0) + (removed.value ->> 'count'))
          from json_each(${json}) as removed
          where erasures.id = removed.value ->> 'erasure_id' and +erasures.project_id = ${projectId}`
    ])
  )
}

export const noteFound = (db: Db, { id }: ErasureRow, found: number, now: number) =>
  db.run(sql`update erasures set found = ${found}, progress_at = ${now} where id = ${id} and found is null`)

/** @returns how often it has failed by now */
export async function noteFailure(db: Db, { id }: ErasureRow, error: string, now: number): Promise<number> {
  const [row] = await db.all<{ attempts: number }>(sql`
    update erasures set attempts = attempts + 1, error = ${error}, progress_at = ${now} where id = ${id} returning attempts`)
  return row?.attempts ?? 0
}

/** Gives a task up until the next run. */
export const markFailed = (db: Db, { id }: ErasureRow) =>
  db.run(sql`update erasures set status = 'failed' where id = ${id} and status <> 'completed'`)

/** How many rows each store still has of an erased person, as far as a thousand; one round trip and one snapshot. */
export async function countRemains(db: Db, erasure: ErasureRow): Promise<Record<string, number>> {
  const { id, projectId, personId, personUuid, deleteEvents } = erasure
  const remains = {
    persons: sql`persons where project_id = ${projectId} and uuid = ${personUuid}`,
    distinct_ids: sql`distinct_ids where person_id = ${personId} and +project_id = ${projectId}`,
    search_index: sql`persons_search where rowid = ${projectId} << 32 | ${personId}`,
    person_versions: sql`erased_identities t cross join person_versions v
      on v.id between t.key << 24 and (t.key << 24) + 16777215 where t.erasure_id = ${id}`,
    activity_values: sql`activity
      where project_id = ${projectId} and scope = 'Person' and owner_id = ${personId} and ${hasValues}`,
    ...(deleteEvents && {
      events: sql`erased_identities t cross join events e on e.identity = t.key where t.erasure_id = ${id}`
    })
  }
  const counts = await readBatch(
    db,
    ...Object.values(remains).map((from) =>
      query<{ count: number }>(sql`select count(*) as count from (select 1 from ${from} limit 1000)`)
    )
  )
  return Object.fromEntries(Object.keys(remains).map((store, i) => [store, counts[i]?.[0]?.count ?? 0]))
}

/**
 * Says that nothing is left, unless an event has come since that was looked at.
 * @returns whether it is said now
 */
export async function complete(db: Db, erasure: ErasureRow, receipt: object, now: number): Promise<boolean> {
  const { id, deleteEvents } = erasure
  const rows = await db.all(sql`
    update erasures set status = 'completed', receipt = ${JSON.stringify(receipt)}, error = null, progress_at = ${now},
      found = ${deleteEvents ? sql`removed` : null}
    where id = ${id} and status <> 'completed' ${
      deleteEvents
        ? sql`and not exists (
            select 1 from erased_identities t cross join events e on e.identity = t.key where t.erasure_id = ${id})`
        : sql``
    }
    returning id`)
  return rows.length > 0
}
