import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The last entry of the ledger of erasures that this database has applied: one row, or none before the first. */
export const ledgerHead = sqliteTable('ledger_head', {
  id: integer().primaryKey(),
  seq: integer().notNull(),
  hash: text().notNull(),
  /**
   * When the database was last compared with the ledger, ms UTC. The bucket has the same time, so
   * that a restored database is recognised by its earlier time.
   */
  beat: integer().notNull().default(0)
})
