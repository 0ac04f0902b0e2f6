import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The last entry of the ledger that this database has applied: one row, or none yet. */
export const ledgerHead = sqliteTable('ledger_head', {
  id: integer().primaryKey(),
  seq: integer().notNull(),
  hash: text().notNull(),
  /**
   * When the database was last compared with the ledger, ms UTC. The bucket keeps the time too: a
   * database with an earlier time than the bucket's was restored.
   */
  beat: integer().notNull().default(0),
  /** The ledger's last fingerprint of the deployment's secret; null before its first use. */
  secret: text(),
  /** From when on the deployment uses this secret, ms UTC; 0 for its first secret. */
  secretSince: integer('secret_since').notNull().default(0)
})
