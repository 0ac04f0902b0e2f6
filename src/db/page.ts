import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AnyDb } from './client.ts'

/** Rows of one page, and the number of rows on all pages. */
export type PageRows<Row> = { rows: Row[]; count: number }

/**
 * Reads a page of a table's rows, and counts all that match.
 * @param after limits the rows to those after a position; they are counted all the same
 */
export async function readTablePage<Table extends SQLiteTable>(
  db: AnyDb,
  table: Table,
  { where, after, orderBy }: { where: SQL | undefined; after?: SQL | undefined; orderBy: SQL[] },
  { limit, offset }: { limit: number; offset: number }
): Promise<PageRows<Table['$inferSelect']>> {
  const shown = after ? sql`(${where}) and ${after}` : where
  const [rows, count] = await Promise.all([
    db
      .select()
      .from(table)
      .where(shown)
      .orderBy(...orderBy)
      .limit(limit)
      .offset(offset),
    db.$count(table, where)
  ])
  return { rows, count }
}
