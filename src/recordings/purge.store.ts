import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'

/*
 * A deleted recording is a tombstone at once, and what it consisted of is removed piece by piece. The tombstone refuses
 * what comes late, until that would be too old to be kept anyway.
 */

/**
 * Makes tombstones of a project's recordings, with nothing in them but the session, and takes them out of the count.
 * @param which a condition on columns of `recordings`
 */
export const buryRecordings = (
  projectId: number,
  which: SQL,
  now: number,
  erasureId: SQL = sql`null`
): SQL[] => [
  sql`update recordings set deleted = 1, deleted_at = ${now}, erasure_id = ${erasureId}, identity = 0, first_part = '',
        start_url = null, urls = '[]', access_token = '', shared_hash = null, revision = revision + 1
      where project_id = ${projectId} and not deleted and ${which} returning session_id`,
  sql`update counters set value = value - changes() where project_id = ${projectId} and name = 'recordings'`
]

/** @returns whether there was one */
export async function deleteRecording(
  db: Db,
  projectId: number,
  sessionId: string,
  now: number
): Promise<boolean> {
  const [buried] = await writeBatch(
    db,
    buryRecordings(projectId, sql`session_id = ${sessionId}`, now)
  )
  return buried?.results.length === 1
}

/** The projects of the database that have had recordings. */
export async function listProjects(db: Db): Promise<number[]> {
  const projects = query<{ project_id: number }>(
    sql`select project_id from counters where name = 'recordings'`
  )
  return (await readBatch(db, projects))[0].map(({ project_id }) => project_id)
}

/**
 * Deletes recordings that began before `until`, and forgets the tombstones of those whose removal came to its end.
 * @param limit at most so many of each. @returns how many were deleted
 */
export async function expireRecordings(
  db: Db,
  projectId: number,
  until: number,
  limit: number,
  now: number
): Promise<number> {
  const old = (condition: SQL) => sql`session_id in (
    select session_id from recordings
    where project_id = ${projectId} and start_time < ${until} and ${condition} order by start_time limit ${limit})`
  const [, buried] = await writeBatch(db, [
    sql`delete from recordings where project_id = ${projectId} and ${old(sql`purged_at is not null`)}`,
    ...buryRecordings(projectId, old(sql`not deleted`), now)
  ])
  return buried?.results.length ?? 0
}

export type Doomed = { project_id: number; session_id: string }

/** Deleted recordings of which something is left, deleted at `now` or by `before`: their message must be lost. */
export async function listDoomed(
  db: Db,
  now: number,
  before: number,
  limit: number
): Promise<Doomed[]> {
  const doomed = query<Doomed>(sql`
    select project_id, session_id from recordings
    where deleted and purged_at is null and (deleted_at >= ${now} or deleted_at <= ${before})
    order by deleted_at limit ${limit}`)
  return (await readBatch(db, doomed))[0]
}

/** Those of these sessions that have a row, if only a tombstone. */
export async function listNamed(
  db: Db,
  projectId: number,
  sessionIds: string[]
): Promise<Set<string>> {
  const named = query<{ session_id: string }>(sql`
    select session_id from recordings where project_id = ${projectId} and session_id in ${inJson(sessionIds)}`)
  return new Set((await readBatch(db, named))[0].map(({ session_id }) => session_id))
}

/** Those of these sessions whose recordings are deleted, and of which something is left. */
export async function findDoomed(
  db: Db,
  projectId: number,
  sessionIds: string[]
): Promise<Doomed[]> {
  const doomed = query<Doomed>(sql`
    select project_id, session_id from recordings
    where project_id = ${projectId} and session_id in ${inJson(sessionIds)} and deleted and purged_at is null`)
  return (await readBatch(db, doomed))[0]
}

/** Removes at most `limit` parts of a deleted recording, and counts them for the erasure that deleted it. @returns how many */
export async function removeParts(
  db: Db,
  { project_id, session_id }: Doomed,
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

/** Says that only the tombstone of a deleted recording is left; who has viewed it goes with that. */
export const finishPurge = (db: Db, { project_id, session_id }: Doomed, now: number) =>
  writeBatch(db, [
    sql`delete from recording_views where project_id = ${project_id} and session_id = ${session_id}`,
    sql`update recordings set purged_at = ${now}
        where project_id = ${project_id} and session_id = ${session_id} and deleted and purged_at is null`
  ])
