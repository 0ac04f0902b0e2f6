import { sql } from 'drizzle-orm'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { inJson } from '../../db/rows.ts'
import { DURATION } from '../list/store.ts'

export type StoredSession = {
  identities: number[]
  startTime: number
  endTime: number
  /** The steps when the session was closed; null while it is open, and if it had no recording when it was closed. */
  steps: string[] | null
}

/** Finds a session; undefined if only its recording is stored. */
export async function findSession(
  db: Db,
  projectId: number,
  sessionId: string
): Promise<StoredSession | undefined> {
  const [[row]] = await readBatch(
    db,
    query<{ identities: string; startTime: number; endTime: number; steps: string | null }>(sql`
      select identities, start_time as startTime, end_time as endTime, iif(open_slot is null, steps, null) as steps
      from sessions where project_id = ${projectId} and session_id = ${sessionId}`)
  )
  return (
    row && {
      ...row,
      identities: JSON.parse(row.identities),
      steps: row.steps === null ? null : JSON.parse(row.steps)
    }
  )
}

/** Newest open sessions, of all projects, that are searched for sessions of one project. */
const MAX_OPEN = 1_000

/** Whether the project has other recorded sessions that are still open, and so cannot be found yet. */
export async function hasOpenSessions(
  db: Db,
  projectId: number,
  sessionId: string
): Promise<boolean> {
  const [rows] = await readBatch(
    db,
    query<{ session_id: string }>(sql`
      select r.session_id
      from (select project_id, session_id from sessions where open_slot is not null
            order by open_slot desc limit ${MAX_OPEN}) s
      cross join recordings r on r.project_id = s.project_id and r.session_id = s.session_id
      where s.project_id = ${projectId} and s.session_id <> ${sessionId} and not r.deleted limit 1`)
  )
  return rows.length > 0
}

/** Most sessions that are compared. With the search for them, fewer than 5,000 rows are read. */
const MAX_CANDIDATES = 480

export type Candidate = { id: string; steps: string[]; startTime: number; duration: number }

/** Shingles to search by, and the number of sessions to read per shingle. */
export type Sought = { shingles: readonly number[]; sessions: number }

/**
 * Lists the recorded sessions that share the most of these shingles, without `sessionId` and
 * deleted recordings. Reads the newest sessions of each shingle, by id, and ranks them by their
 * shared shingles; a rare shingle counts more.
 */
export async function listCandidates(
  db: Db,
  projectId: number,
  sessionId: string,
  sought: readonly Sought[]
): Promise<Candidate[]> {
  const found = await readBatch(
    db,
    ...sought.map(({ shingles, sessions }) =>
      query<{ ids: string }>(sql`
        select (select json_group_array(session_id) from (
                  select session_id from session_shingles where project_id = ${projectId} and shingle = wanted.value
                  order by session_id desc limit ${sessions})) as ids
        from json_each(${JSON.stringify(shingles)}) as wanted`)
    )
  )
  const shared = new Map<string, number>()
  for (const row of found.flat()) {
    const sessions: string[] = JSON.parse(row.ids)
    for (const id of sessions) {
      shared.set(id, (shared.get(id) ?? 0) + 1 / Math.log2(2 + sessions.length))
    }
  }
  shared.delete(sessionId)
  const ids = [...shared]
    .sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1))
    .map(([id]) => id)
    .slice(0, MAX_CANDIDATES)
  const [rows] = await readBatch(
    db,
    query<{ id: string; steps: string; startTime: number; duration: number }>(sql`
      select s.session_id as id, s.steps, r.start_time as startTime, ${DURATION} as duration
      from sessions s cross join recordings r on r.project_id = s.project_id and r.session_id = s.session_id
      where s.project_id = ${projectId} and s.session_id in ${inJson(ids)} and s.steps is not null and not r.deleted`)
  )
  return rows.map((row) => ({ ...row, steps: JSON.parse(row.steps) }))
}
