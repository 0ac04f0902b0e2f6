import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The aggregates of the events with one `$session_id`: see `sessions/session.ts`. Each `…Key` names
 * the event from which the value next to it comes, so that the right event wins in whatever order
 * events arrive. The migration adds WITHOUT ROWID by hand.
 */
export const sessions = sqliteTable(
  'sessions',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    /** The identities of the events, keys of `distinct_ids`, in ascending order. */
    identities: text({ mode: 'json' }).$type<number[]>().notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull(),
    events: integer().notNull(),
    pageviews: integer().notNull(),
    autocaptures: integer().notNull(),
    screens: integer().notNull(),
    entryKey: text('entry_key'),
    /** Properties by name of the first pageview or screen, or of the first event with a URL. */
    entry: text({ mode: 'json' }).$type<Record<string, string>>(),
    exitKey: text('exit_key'),
    exit: text({ mode: 'json' }).$type<Record<string, string>>(),
    clickKey: text('click_key'),
    /** The last external URL that was clicked. */
    click: text(),
    vitalsKey: text('vitals_key'),
    /** The first Largest Contentful Paint, ms. */
    lcp: real(),
    /** The slot since 1970 in which its last event was received; null once closed. */
    openSlot: integer('open_slot'),
    /** Whether some of its events were deleted, so that it must be rebuilt from the others. */
    isStale: integer('is_stale', { mode: 'boolean' }).notNull().default(false),
    /** The values of this session that `session_values` counts, by property. */
    counted: text({ mode: 'json' }).$type<Record<string, string>>(),
    /** The steps of the session when it was closed; null if it was not recorded. */
    steps: text({ mode: 'json' }).$type<string[]>(),
    /** The session's entries in `session_shingles`; null if it was not recorded. */
    shingles: text({ mode: 'json' }).$type<number[]>(),
    /** Raised by every update, for compare-and-swap. */
    revision: integer().notNull().default(0)
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.sessionId] }),
    index('sessions_open').on(t.openSlot).where(sql`open_slot is not null`),
    index('sessions_stale').on(t.projectId).where(sql`is_stale`)
  ]
)

/** Closed sessions by value of a property. The migration adds WITHOUT ROWID by hand. */
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

/**
 * The search index of similar recorded sessions: see `sessions/shingles.ts`. The migration adds
 * WITHOUT ROWID by hand.
 */
export const sessionShingles = sqliteTable(
  'session_shingles',
  {
    projectId: integer('project_id').notNull(),
    shingle: integer().notNull(),
    sessionId: text('session_id').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.shingle, t.sessionId] })]
)
