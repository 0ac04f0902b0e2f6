import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The highest number given out so far, by kind. Numbers are reserved in blocks and never used twice. */
export const sequences = sqliteTable('sequences', {
  name: text().primaryKey(),
  value: integer().notNull()
})

/**
 * Numbers by project and name. `persons`, `recordings` and `activity` are exact totals, updated in the same batch as
 * the rows they count. `suppressions` grows when suppressions begin, get distinct ids, are lifted or are removed.
 * `last_erasure` is the time of the last erasure, and `retention_noted` the latest `until` of the project's retention in
 * the ledger, both in ms UTC.
 */
export const counters = sqliteTable(
  'counters',
  {
    projectId: integer('project_id').notNull(),
    name: text().notNull(),
    value: integer().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.name] })]
)

/** Always empty: inserting a null here rolls the surrounding batch back. */
export const guard = sqliteTable('guard', { ok: integer().notNull() })
