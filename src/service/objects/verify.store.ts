import { and, asc, eq, gt, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../../db/batch.ts'
import type { ControlDb, Db } from '../../db/client.ts'
import { inJson } from '../../db/rows.ts'
import { deadLetters, eventRemovals, recordingParts, recordings } from '../../db/schema.ts'

export type RecordingKey = { project_id: number; session_id: string }

/** Lists the next recordings that are not deleted, by project and session. */
export async function listRecordingKeys(
  db: Db,
  after: RecordingKey,
  limit: number
): Promise<RecordingKey[]> {
  const listed = query<RecordingKey>(sql`
    select ${recordings.projectId}, ${recordings.sessionId} from ${recordings}
    where (${recordings.projectId}, ${recordings.sessionId}) > (${after.project_id}, ${after.session_id})
      and not ${recordings.deleted}
    order by ${recordings.projectId}, ${recordings.sessionId} limit ${limit}`)
  return (await readBatch(db, listed))[0]
}

/** Reads the size of a recording, bytes, and the ids of its parts; undefined if it is deleted. */
export async function readStoredParts(
  db: Db,
  { project_id, session_id }: RecordingKey
): Promise<{ bytes: number; parts: string[] } | undefined> {
  const isIts = (table: typeof recordings | typeof recordingParts): SQL =>
    sql`${table.projectId} = ${project_id} and ${table.sessionId} = ${session_id}`
  const [[recording], parts] = await readBatch(
    db,
    query<{ bytes: number }>(sql`
      select ${recordings.bytes} from ${recordings} where ${isIts(recordings)} and not ${recordings.deleted}`),
    query<{ part_id: string }>(sql`
      select ${recordingParts.partId} from ${recordingParts} where ${isIts(recordingParts)}`)
  )
  return recording && { bytes: recording.bytes, parts: parts.map(({ part_id }) => part_id) }
}

/** Returns the names, `<session>/<part>`, of those parts of these sessions that are stored. */
export async function findParts(
  db: Db,
  projectId: number,
  sessions: readonly string[]
): Promise<Set<string>> {
  const found = query<{ name: string }>(sql`
    select ${recordingParts.sessionId} || '/' || ${recordingParts.partId} as name from ${recordingParts}
    where ${recordingParts.projectId} = ${projectId} and ${recordingParts.sessionId} in ${inJson([...sessions])}`)
  return new Set((await readBatch(db, found))[0].map(({ name }) => name))
}

/** Returns those of some ids that are the ids of deletions of events. */
export async function findRemovals(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: eventRemovals.id })
    .from(eventRemovals)
    .where(sql`${eventRemovals.id} in ${inJson([...ids])}`)
  return new Set(rows.map(({ id }) => id))
}

/** Lists the next deletions of events, by id, except those that were given up. */
export const listRemovalLists = (db: Db, after: string, limit: number) =>
  db
    .select({
      id: eventRemovals.id,
      projectId: eventRemovals.projectId,
      events: eventRemovals.events,
      digest: eventRemovals.digest
    })
    .from(eventRemovals)
    .where(
      and(
        gt(eventRemovals.id, after),
        or(isNull(eventRemovals.completedAt), isNotNull(eventRemovals.receipt))
      )
    )
    .orderBy(asc(eventRemovals.id))
    .limit(limit)

/** Returns those of some keys that are the objects of dead letters, redriven or not. */
export async function findDeadObjects(
  db: ControlDb,
  keys: readonly string[]
): Promise<Set<string>> {
  const rows = await db
    .select({ object: deadLetters.object })
    .from(deadLetters)
    .where(sql`${deadLetters.object} in ${inJson([...keys])}`)
  return new Set(rows.map(({ object }) => object))
}

/** Lists dead letters to redrive, by id. The objects of the others may be expired. */
export const listWaitingDead = (db: ControlDb, after: string, limit: number) =>
  db
    .select({ id: deadLetters.id, object: deadLetters.object })
    .from(deadLetters)
    .where(and(gt(deadLetters.id, after), isNull(deadLetters.redrivenAt)))
    .orderBy(asc(deadLetters.id))
    .limit(limit)

/** Whether a dead letter is still to be redriven. */
export const isWaitingDead = async (db: ControlDb, id: string): Promise<boolean> =>
  (await db.$count(deadLetters, and(eq(deadLetters.id, id), isNull(deadLetters.redrivenAt)))) > 0
