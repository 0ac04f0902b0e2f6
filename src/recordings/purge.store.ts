import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'

/*
 * A deleted recording becomes a tombstone at once; its objects and rows are purged afterwards, in
 * pieces. Because of the tombstone, late parts are refused until they would be too old to be kept
 * anyway.
 */

/**
 * Turns recordings of a project into tombstones and takes them out of the count. A tombstone keeps
 * the session id, times and activity counts, but nothing that was recorded.
 * @param condition on columns of `recordings`
 */
export const tombstoneRecordings = (
  projectId: number,
  condition: SQL,
  now: number,
  erasureId: SQL = sql`null`
): SQL[] => [
  sql`update recordings set deleted = 1, deleted_at = ${now}, erasure_id = ${erasureId}, identity = 0, first_part = '',
        start_url = null, urls = '[]', access_token = '', shared_hash = null, revision = revision + 1
      where project_id = ${projectId} and not deleted and ${condition} returning session_id`,
  sql`update counters set value = value - changes() where project_id = ${projectId} and name = 'recordings'`
]

/**
 * Turns a recording into a tombstone, which must be purged later. @returns whether the recording
 * existed
 */
export async function deleteRecording(
  db: Db,
  projectId: number,
  sessionId: string,
  now: number
): Promise<boolean> {
  const [deleted] = await writeBatch(
    db,
    tombstoneRecordings(projectId, sql`session_id = ${sessionId}`, now)
  )
  return deleted?.results.length === 1
}

/** Lists the projects in the database that have or had recordings. */
export async function listProjects(db: Db): Promise<number[]> {
  const projects = query<{ project_id: number }>(
    sql`select project_id from counters where name = 'recordings'`
  )
  return (await readBatch(db, projects))[0].map(({ project_id }) => project_id)
}

/**
 * Deletes recordings that began before `until`, ms UTC, and removes the tombstones of purged
 * recordings; at most `limit` of each.
 * @returns the number of deleted recordings
 */
export async function expireRecordings(
  db: Db,
  projectId: number,
  { until, limit, now }: { until: number; limit: number; now: number }
): Promise<number> {
  const old = (condition: SQL) => sql`session_id in (
    select session_id from recordings
    where project_id = ${projectId} and start_time < ${until} and ${condition} order by start_time limit ${limit})`
  const [, deleted] = await writeBatch(db, [
    sql`delete from recordings where project_id = ${projectId} and ${old(sql`purged_at is not null`)}`,
    ...tombstoneRecordings(projectId, old(sql`not deleted`), now)
  ])
  return deleted?.results.length ?? 0
}

/** A deleted recording that is not purged yet. */
export type DeletedRecording = { project_id: number; session_id: string }

/**
 * Lists recordings to purge: those that this sweep has deleted, at `now`, and those deleted up to
 * `before`, whose message must be lost. Times are ms UTC.
 */
export async function listUnpurged(
  db: Db,
  now: number,
  before: number,
  limit: number
): Promise<DeletedRecording[]> {
  const unpurged = query<DeletedRecording>(sql`
    select project_id, session_id from recordings
    where deleted and purged_at is null and (deleted_at >= ${now} or deleted_at <= ${before})
    order by deleted_at limit ${limit}`)
  return (await readBatch(db, unpurged))[0]
}

/** Returns the given sessions that have a row in `recordings`, including tombstones. */
export async function listRecorded(
  db: Db,
  projectId: number,
  sessionIds: string[]
): Promise<Set<string>> {
  const recorded = query<{ session_id: string }>(sql`
    select session_id from recordings where project_id = ${projectId} and session_id in ${inJson(sessionIds)}`)
  return new Set((await readBatch(db, recorded))[0].map(({ session_id }) => session_id))
}

/** Returns the given sessions whose recordings are deleted but not purged. */
export async function findUnpurged(
  db: Db,
  projectId: number,
  sessionIds: string[]
): Promise<DeletedRecording[]> {
  const unpurged = query<DeletedRecording>(sql`
    select project_id, session_id from recordings
    where project_id = ${projectId} and session_id in ${inJson(sessionIds)} and deleted and purged_at is null`)
  return (await readBatch(db, unpurged))[0]
}

/**
 * Deletes at most `limit` parts of a deleted recording and counts them for the erasure that deleted
 * it. @returns the number of parts
 */
export async function purgeParts(
  db: Db,
  { project_id, session_id }: DeletedRecording,
  limit: number
): Promise<number> {
  const piece = sql`
    select part_id from recording_parts where project_id = ${project_id} and session_id = ${session_id} limit ${limit}`
  const [, removed] = await writeBatch(db, [
    sql`update erasures set stores = json_set(stores, '$.recording_parts',
          coalesce(stores ->> '$.recording_parts', 0) + (select count(*) from (${piece})))
        where id = (select erasure_id from recordings where project_id = ${project_id} and session_id = ${session_id})`,
    sql`delete from recording_parts
        where project_id = ${project_id} and session_id = ${session_id} and part_id in (${piece}) returning 1`
  ])
  return removed?.results.length ?? 0
}

/** Deletes the views of a deleted recording and marks it as purged: only its tombstone is left. */
export const finishPurge = (db: Db, { project_id, session_id }: DeletedRecording, now: number) =>
  writeBatch(db, [
    sql`delete from recording_views where project_id = ${project_id} and session_id = ${session_id}`,
    sql`update recordings set purged_at = ${now}
        where project_id = ${project_id} and session_id = ${session_id} and deleted and purged_at is null`
  ])
