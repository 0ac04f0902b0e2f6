import { sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { expectRows } from '../../db/rows.ts'

export type SharingRow = { created_at: number; access_token: string; shared_hash: string | null }

/** Reads how a recording is shared; undefined when the recording does not exist or is deleted. */
export async function findSharing(
  db: Db,
  projectId: number,
  sessionId: string
): Promise<SharingRow | undefined> {
  const rows = query<SharingRow>(sql`
    select created_at, access_token, shared_hash from recordings
    where project_id = ${projectId} and session_id = ${sessionId} and not deleted`)
  return (await readBatch(db, rows))[0][0]
}

/** Changes how a recording is shared. @throws ConflictError when that has changed since it was read */
export async function updateSharing(
  db: Db,
  projectId: number,
  sessionId: string,
  was: SharingRow,
  becomes: SharingRow
): Promise<void> {
  const recording = sql`project_id = ${projectId} and session_id = ${sessionId} and not deleted`
  await writeBatch(db, [
    expectRows(
      1,
      sql`recordings where ${recording} and access_token = ${was.access_token} and shared_hash is ${was.shared_hash}`
    ),
    sql`update recordings set access_token = ${becomes.access_token}, shared_hash = ${becomes.shared_hash} where ${recording}`
  ])
}

/** Finds the recording that is shared under a token with this hash. */
export async function findShared(
  db: Db,
  projectId: number,
  hash: string
): Promise<{ session_id: string; shared_hash: string } | undefined> {
  const rows = query<{ session_id: string; shared_hash: string }>(sql`
    select session_id, shared_hash from recordings
    where shared_hash = ${hash} and project_id = ${projectId} and not deleted`)
  return (await readBatch(db, rows))[0][0]
}
