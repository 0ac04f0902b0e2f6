import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { recordings } from '../db/schema.ts'

export type RecordingRow = typeof recordings.$inferSelect

/** The recordings of these sessions, deleted ones included, in no order. */
export const findStored = (
  db: Db,
  projectId: number,
  sessionIds: string[]
): Promise<RecordingRow[]> =>
  db
    .select()
    .from(recordings)
    .where(
      and(
        eq(recordings.projectId, projectId),
        sql`${recordings.sessionId} in ${inJson(sessionIds)}`
      )
    )

/** The recordings of these sessions that are there and not deleted, in no order. */
export const findRecordings = async (
  db: Db,
  projectId: number,
  sessionIds: string[]
): Promise<RecordingRow[]> =>
  (await findStored(db, projectId, sessionIds)).filter(({ deleted }) => !deleted)

/** Undefined when there is none, or none any more. */
export const findRecording = async (
  db: Db,
  projectId: number,
  sessionId: string
): Promise<RecordingRow | undefined> => (await findRecordings(db, projectId, [sessionId]))[0]
