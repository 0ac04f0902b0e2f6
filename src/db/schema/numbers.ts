import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Numbers by name. `identity`, `person`, `event_name` and `subscription` are the highest numbers
 * given out so far: numbers are reserved in blocks and never used twice. `open_actor_chunk` and
 * `counted_version_chunk` note how far `columns/` has built and counted chunks;
 * `searched_event_name` and `searched_late_name`, how far it has searched event names.
 * `damaged_columns` counts the segments and chunks that were damaged, since the last nightly
 * verification.
 */
export const sequences = sqliteTable('sequences', {
  name: text().primaryKey(),
  value: integer().notNull()
})

/**
 * Numbers by project and name. `persons`, `recordings`, `activity` and `event_names` are exact
 * totals, updated in the same batch as the rows they count. `suppressions` is a serial, not a
 * total: it grows when suppressions begin, get distinct ids, are lifted or are removed, so that a
 * write based on an older serial is rolled back. `last_erasure` is the time of the last erasure.
 * `retention_noted` is the `until` of the project's latest `retention` entry in the ledger:
 * recordings that began before this time have expired. Both times are ms UTC.
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
