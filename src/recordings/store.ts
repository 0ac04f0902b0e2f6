import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { inJson } from '../db/rows.ts'
import { recordings } from '../db/schema.ts'

export type RecordingRow = typeof recordings.$inferSelect

/** SQL: whether a row is the recording of the session and is not deleted. */
export const isLive = (projectId: number, sessionId: string): SQL =>
  sql`(${recordings.projectId} = ${projectId} and ${recordings.sessionId} = ${sessionId} and not ${recordings.deleted})`

/** Finds the recordings of the given sessions, including deleted recordings, in no order. */
export const findStored = ({ db, project }: Scope, sessionIds: string[]): Promise<RecordingRow[]> =>
  db
    .select()
    .from(recordings)
    .where(
      and(
        eq(recordings.projectId, project.id),
        sql`${recordings.sessionId} in ${inJson(sessionIds)}`
      )
    )

/** Finds the recordings of the given sessions, without deleted recordings, in no order. */
export const findRecordings = async (scope: Scope, sessionIds: string[]): Promise<RecordingRow[]> =>
  (await findStored(scope, sessionIds)).filter(({ deleted }) => !deleted)

/** Finds the recording of a session; undefined if it does not exist or is deleted. */
export const findRecording = async (
  scope: Scope,
  sessionId: string
): Promise<RecordingRow | undefined> => (await findRecordings(scope, [sessionId]))[0]
