import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Highest integer given out so far, by kind; numbers are reserved in blocks and never used twice. */
export const sequences = sqliteTable('sequences', {
  name: text().primaryKey(),
  value: integer().notNull()
})

/** Exact totals, moved in the same batch as the rows they count. */
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
