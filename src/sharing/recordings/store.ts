import { and, eq, sql } from 'drizzle-orm'
import { ConflictError, type Db } from '../../db/client.ts'
import { recordings } from '../../db/schema.ts'
import { isLive } from '../../recordings/store.ts'

const columns = {
  created_at: recordings.createdAt,
  access_token: recordings.accessToken,
  shared_hash: recordings.sharedHash
}

export type SharingRow = { created_at: number; access_token: string; shared_hash: string | null }

/** Reads the sharing of a recording; undefined if the recording does not exist or is deleted. */
export async function findSharing(
  db: Db,
  projectId: number,
  sessionId: string
): Promise<SharingRow | undefined> {
  const [row] = await db.select(columns).from(recordings).where(isLive(projectId, sessionId))
  return row
}

/** Changes the sharing of a recording. @throws ConflictError when it has changed since it was read */
export async function updateSharing(
  db: Db,
  projectId: number,
  sessionId: string,
  { was, becomes }: { was: SharingRow; becomes: SharingRow }
): Promise<void> {
  const rows = await db
    .update(recordings)
    .set({ accessToken: becomes.access_token, sharedHash: becomes.shared_hash })
    .where(
      and(
        isLive(projectId, sessionId),
        eq(recordings.accessToken, was.access_token),
        sql`${recordings.sharedHash} is ${was.shared_hash}`
      )
    )
    .returning({ sessionId: recordings.sessionId })
  if (rows.length === 0) {
    throw new ConflictError('The sharing of the recording has changed since it was read.')
  }
}

/** Finds the recording that is shared under a token with this hash. */
export async function findShared(
  db: Db,
  projectId: number,
  hash: string
): Promise<{ session_id: string; shared_hash: string } | undefined> {
  // Not null, because it equals the hash.
  const shared_hash = sql<string>`${recordings.sharedHash}`
  const [row] = await db
    .select({ session_id: recordings.sessionId, shared_hash })
    .from(recordings)
    .where(
      and(
        eq(recordings.sharedHash, hash),
        eq(recordings.projectId, projectId),
        sql`not ${recordings.deleted}`
      )
    )
  return row
}
