import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { erasedIdentities, erasures } from '../../db/schema.ts'
import type { ErasureRow } from '../store.ts'

/** Lists the hashes of an erasure's distinct ids for its receipt; null for ids erased before receipts had hashes. */
export async function listReceiptHashes(
  db: Db,
  { id, projectId }: ErasureRow
): Promise<(string | null)[]> {
  const rows = await db
    .select({ hash: erasedIdentities.receiptHash })
    .from(erasedIdentities)
    .where(
      sql`${erasedIdentities.erasureId} = ${id} and +${erasedIdentities.projectId} = ${projectId}`
    )
  return rows.map(({ hash }) => hash)
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
