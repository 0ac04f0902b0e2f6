import { and, eq, sql } from 'drizzle-orm'
import { ConflictError, type Db } from '../../db/client.ts'
import { shares } from '../../db/schema.ts'

export type ShareRow = typeof shares.$inferSelect

/** An insight or a dashboard of a project. */
export type Shared = Pick<ShareRow, 'projectId' | 'kind' | 'objectId'>

const isOf = ({ projectId, kind, objectId }: Shared) =>
  and(eq(shares.projectId, projectId), eq(shares.kind, kind), eq(shares.objectId, objectId))

/** Reads the sharing of an object; undefined if it was never changed. */
export async function findShare(db: Db, object: Shared): Promise<ShareRow | undefined> {
  const [row] = await db.select().from(shares).where(isOf(object))
  return row
}

/** Replaces the sharing that was read as `was`. @throws ConflictError when it has changed since */
export async function writeShare(
  db: Db,
  was: ShareRow | undefined,
  becomes: ShareRow
): Promise<void> {
  const rows = was
    ? await db
        .update(shares)
        .set({ accessToken: becomes.accessToken, sharedHash: becomes.sharedHash })
        .where(
          and(
            isOf(was),
            eq(shares.accessToken, was.accessToken),
            sql`${shares.sharedHash} is ${was.sharedHash}`
          )
        )
        .returning({ id: shares.objectId })
    : await db
        .insert(shares)
        .values(becomes)
        .onConflictDoNothing()
        .returning({ id: shares.objectId })
  if (rows.length === 0) {
    throw new ConflictError('The sharing has changed since it was read.')
  }
}

/** Finds the object that is shared under a token with this hash. */
export async function findShared(
  db: Db,
  projectId: number,
  hash: string
): Promise<ShareRow | undefined> {
  const [row] = await db
    .select()
    .from(shares)
    .where(and(eq(shares.sharedHash, hash), eq(shares.projectId, projectId)))
  return row
}
