import { and, eq, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { query, readBatch } from '../../db/batch.ts'
import { inJson } from '../../db/rows.ts'
import { recordings, sessionShingles, sessions } from '../../db/schema.ts'
import { DURATION } from '../list/store.ts'

export type StoredSession = {
  identities: number[]
  startTime: number
  endTime: number
  /** The steps at its close; null while it is open, or if it had no recording then. */
  steps: string[] | null
}

/** Finds a session; undefined if only its recording is stored. */
export async function findSession(
  { db, project }: Scope,
  sessionId: string
): Promise<StoredSession | undefined> {
  const [row] = await db
    .select({
      identities: sessions.identities,
      startTime: sessions.startTime,
      endTime: sessions.endTime,
      openSlot: sessions.openSlot,
      steps: sessions.steps
    })
    .from(sessions)
    .where(and(eq(sessions.projectId, project.id), eq(sessions.sessionId, sessionId)))
  if (!row) {
    return undefined
  }
  const { openSlot, ...session } = row
  return { ...session, steps: openSlot === null ? session.steps : null }
}

/**
 * Open sessions of the whole database among which those of one project are searched: the newest,
 * and sessions that a late recording has reopened, which have slot 0. A search reads 1,000 rows of
 * sessions at most.
 */
const MAX_OPEN = { newest: 800, reopened: 200 }

/** Whether other recorded sessions are still open, and so cannot be found yet. */
export async function hasOpenSessions({ db, project }: Scope, sessionId: string): Promise<boolean> {
  const newest = sql`
    select ${sessions.projectId}, ${sessions.sessionId} from ${sessions} where ${sessions.openSlot} is not null
    order by ${sessions.openSlot} desc limit ${MAX_OPEN.newest}`
  const reopened = sql`
    select ${sessions.projectId}, ${sessions.sessionId} from ${sessions} where ${sessions.openSlot} = 0
    limit ${MAX_OPEN.reopened}`
  const [rows] = await readBatch(
    db,
    query<{ session_id: string }>(sql`
      select ${recordings.sessionId}
      from (select * from (${newest}) union all select * from (${reopened})) as open
      cross join ${recordings}
        on ${recordings.projectId} = open.project_id and ${recordings.sessionId} = open.session_id
      where open.project_id = ${project.id} and open.session_id <> ${sessionId} and not ${recordings.deleted} limit 1`)
  )
  return rows.length > 0
}

/** Sessions that are compared. With the search, fewer than 5,000 rows are read. */
export const MAX_CANDIDATES = 480

export type CandidateSession = { id: string; steps: string[]; startTime: number; duration: number }

/** Shingles to search by, and the number of sessions to read per shingle. */
export type Sought = { shingles: readonly number[]; sessions: number }

/**
 * Lists the recorded sessions that share the most of these shingles. Leaves out `sessionId` and
 * deleted recordings. Reads only the sessions with the highest ids per shingle: the newest, if ids
 * are UUIDv7, which SDKs generate.
 */
export async function listCandidates(
  { db, project }: Scope,
  sessionId: string,
  sought: readonly Sought[]
): Promise<CandidateSession[]> {
  const lists = await readBatch(
    db,
    ...sought.map(({ shingles, sessions: limit }) =>
      query<{ ids: string }>(sql`
        select (select json_group_array(session_id) from (
                  select ${sessionShingles.sessionId} as session_id from ${sessionShingles}
                  where ${sessionShingles.projectId} = ${project.id} and ${sessionShingles.shingle} = wanted.value
                  order by ${sessionShingles.sessionId} desc limit ${limit})) as ids
        from json_each(${JSON.stringify(shingles)}) as wanted`)
    )
  )
  const found = lists.flat().map(({ ids }): string[] => JSON.parse(ids))
  const ids = rankByShared(found)
    .filter((id) => id !== sessionId)
    .slice(0, MAX_CANDIDATES)
  const [rows] = await readBatch(
    db,
    query<{ id: string; steps: string; startTime: number; duration: number }>(sql`
      select ${sessions.sessionId} as id, ${sessions.steps}, ${recordings.startTime} as "startTime", ${DURATION} as duration
      from ${sessions} cross join ${recordings}
        on ${recordings.projectId} = ${sessions.projectId} and ${recordings.sessionId} = ${sessions.sessionId}
      where ${sessions.projectId} = ${project.id} and ${sessions.sessionId} in ${inJson(ids)}
        and ${sessions.steps} is not null and not ${recordings.deleted}`)
  )
  return rows.map((row) => ({ ...row, steps: JSON.parse(row.steps) }))
}

/**
 * Ranks sessions by the shingles that they share; a shingle that few sessions have weighs more.
 * @param found the ids of the sessions of each shingle
 */
function rankByShared(found: string[][]): string[] {
  const weights = new Map<string, number>()
  for (const ids of found) {
    const weight = 1 / Math.log2(2 + ids.length)
    for (const id of ids) {
      weights.set(id, (weights.get(id) ?? 0) + weight)
    }
  }
  return [...weights]
    .sort(([a, weightOfA], [b, weightOfB]) => weightOfB - weightOfA || (a < b ? 1 : -1))
    .map(([id]) => id)
}
