import type { SQL } from 'drizzle-orm'
import { writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import type { EncodedColumn } from './property-columns.ts'

/** Writes columns in one transaction. @returns the time that it took in the database, ms */
export async function writeColumns(
  db: Db,
  columns: readonly EncodedColumn[],
  insert: (column: EncodedColumn) => SQL
): Promise<{ ms: number }> {
  const results = await writeBatch(db, columns.map(insert))
  return { ms: results.reduce((sum, { meta }) => sum + meta.duration, 0) }
}
