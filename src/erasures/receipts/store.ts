import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { erasedIdentities, erasures } from '../../db/schema.ts'
import { type ErasureRow, openErasures } from '../engine/store.ts'

/**
 * An erased identity of an erasure, and the hash of its distinct id in the receipt. `erasedAt` is
 * when the erasure of the person was requested, ms UTC: the salt of the hash is made from this
 * time. For a completion, it is the time of the original erasure.
 */
export type ErasedIdentity = { key: number; hash: string; erasedAt: number }

/** Reads an erasure again, unless it is completed, and all of its identities, in one round trip. */
export async function readOpen(
  db: Db,
  { id, projectId }: ErasureRow
): Promise<{ current: ErasureRow | undefined; identities: ErasedIdentity[] }> {
  const [[current], identities] = await db.batch([
    openErasures(db, projectId, [id]),
    db
      .select({
        key: erasedIdentities.key,
        // Never null: only identities without an erasure lack it.
        hash: sql<string>`${erasedIdentities.receiptHash}`,
        erasedAt: erasedIdentities.erasedAt
      })
      .from(erasedIdentities)
      .where(
        sql`${erasedIdentities.erasureId} = ${id} and +${erasedIdentities.projectId} = ${projectId}`
      )
  ])
  return { current, identities }
}

/** Finds a completed erasure of a project. */
export async function findCompleted(
  db: Db,
  projectId: number,
  id: number
): Promise<ErasureRow | undefined> {
  const [row] = await db
    .select()
    .from(erasures)
    .where(
      and(eq(erasures.id, id), eq(erasures.projectId, projectId), eq(erasures.status, 'completed'))
    )
  return row
}
