import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { erasedIdentities, erasures } from '../../db/schema.ts'
import type { ErasureRow } from '../store.ts'

/** The distinct ids of a receipt. */
export type Subject = {
  /** The hashes of the distinct ids; null for an id that was erased before receipts had hashes. */
  hashes: (string | null)[]
  /**
   * When the erasure of the person was requested, ms UTC: the salt of the hashes is made from this time. For a completion, it
   * is the time of the original erasure.
   */
  erasedAt: number
}

/** Reads the distinct ids of an erasure for its receipt. */
export async function readSubject(
  db: Db,
  { id, projectId, requestedAt }: ErasureRow
): Promise<Subject> {
  const rows = await db
    .select({ hash: erasedIdentities.receiptHash, erasedAt: erasedIdentities.erasedAt })
    .from(erasedIdentities)
    .where(
      sql`${erasedIdentities.erasureId} = ${id} and +${erasedIdentities.projectId} = ${projectId}`
    )
  return {
    hashes: rows.map(({ hash }) => hash),
    erasedAt: rows[0]?.erasedAt ?? requestedAt
  }
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
