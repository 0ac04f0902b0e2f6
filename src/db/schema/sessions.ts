import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What the events of one `$session_id` say together: see `sessions/session.ts`. Each key beside a value tells which event
 * it is taken from, so that of several the right one wins in whatever order they come. WITHOUT ROWID, added by hand.
 */
export const sessions = sqliteTable(
  'sessions',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    /** Whose events they are, ascending: keys of `distinct_ids`. */
    identities: text({ mode: 'json' }).$type<number[]>().notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull(),
    events: integer().notNull(),
    pageviews: integer().notNull(),
    autocaptures: integer().notNull(),
    screens: integer().notNull(),
    entryKey: text('entry_key'),
    /** Session properties by their names. */
    entry: text({ mode: 'json' }).$type<Record<string, string>>(),
    exitKey: text('exit_key'),
    exit: text({ mode: 'json' }).$type<Record<string, string>>(),
    clickKey: text('click_key'),
    /** The last URL elsewhere that was clicked. */
    click: text(),
    vitalsKey: text('vitals_key'),
    /** The first Largest Contentful Paint, ms. */
    lcp: real(),
    /** The quarter of an hour since 1970 in which its last event was received; null once it is closed. */
    openSlot: integer('open_slot'),
    /** Some of its events were deleted: it has to be worked out anew. */
    isStale: integer('is_stale', { mode: 'boolean' }).notNull().default(false),
    /** The values that `session_values` counts of it, by property. */
    counted: text({ mode: 'json' }).$type<Record<string, string>>(),
    /** What it was, step by step, and where the index of similar sessions has it; null if it was not recorded. */
    steps: text({ mode: 'json' }).$type<string[]>(),
    shingles: text({ mode: 'json' }).$type<number[]>(),
    /** Raised by every update: the compare-and-swap of read–compute–write. */
    revision: integer().notNull().default(0)
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.sessionId] }),
    index('sessions_open').on(t.openSlot).where(sql`open_slot is not null`),
    index('sessions_stale').on(t.projectId).where(sql`is_stale`)
  ]
)

/** How many closed sessions have which value of a session property; WITHOUT ROWID, added by hand. */
export const sessionValues = sqliteTable(
  'session_values',
  {
    projectId: integer('project_id').notNull(),
    key: text().notNull(),
    value: text().notNull(),
    count: integer().notNull()
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.key, t.value] }),
    index('session_values_frequent').on(t.projectId, t.key, sql`count desc`).where(sql`count > 1`)
  ]
)

/** Recorded sessions by what they have in common with similar ones: `sessions/shingles.ts`. WITHOUT ROWID, added by hand. */
export const sessionShingles = sqliteTable(
  'session_shingles',
  {
    projectId: integer('project_id').notNull(),
    shingle: integer().notNull(),
    sessionId: text('session_id').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.shingle, t.sessionId] })]
)
