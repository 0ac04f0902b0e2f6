import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** One row per recorded session, a tombstone once deleted. Snapshots are in R2. */
export const recordings = sqliteTable(
  'recordings',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    /**
     * The owner, a key of `distinct_ids` as in events: the owner of the earliest part, unless a
     * user has set another.
     */
    identity: integer().notNull(),
    /** Whether a user has set the owner. */
    isRelinked: integer('is_relinked', { mode: 'boolean' }).notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull(),
    /**
     * The correction of the visitor's clock that the recording began with, ms: see
     * `recordings/clock.ts`.
     */
    skew: integer().notNull().default(0),
    /** The earliest part; of two parts that begin at the same time, the part with the lower id. */
    firstPart: text('first_part').notNull(),
    snapshotSource: text('snapshot_source').notNull(),
    activeMs: integer('active_ms').notNull(),
    clickCount: integer('click_count').notNull(),
    keypressCount: integer('keypress_count').notNull(),
    mouseActivityCount: integer('mouse_activity_count').notNull(),
    consoleLogCount: integer('console_log_count').notNull(),
    consoleWarnCount: integer('console_warn_count').notNull(),
    consoleErrorCount: integer('console_error_count').notNull(),
    startUrl: text('start_url'),
    /** The first pages, each with the time at which it was first seen: `[ms, url]`. */
    urls: text({ mode: 'json' }).$type<[number, string][]>().notNull(),
    /** See `recordings/activity.ts`. */
    activity: text({ mode: 'json' })
      .$type<{ width: number; first: number; counts: number[] }>()
      .notNull()
      .default({ width: 1000, first: 0, counts: [] }),
    parts: integer().notNull(),
    /** The stored size of all parts, compressed. */
    bytes: integer().notNull(),
    lastReceivedAt: integer('last_received_at').notNull(),
    createdAt: integer('created_at').notNull(),
    accessToken: text('access_token').notNull(),
    /** The SHA-256 of the access token while sharing is enabled, otherwise null. */
    sharedHash: text('shared_hash'),
    deleted: integer({ mode: 'boolean' }).notNull().default(false),
    deletedAt: integer('deleted_at'),
    /** When a deleted recording was purged, so that only this row is left. */
    purgedAt: integer('purged_at'),
    /** The erasure that deleted the recording with its person. */
    erasureId: integer('erasure_id'),
    /** Raised by every update, for compare-and-swap. */
    revision: integer().notNull().default(0)
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.sessionId] }),
    index('recordings_newest').on(t.projectId, t.startTime, t.sessionId),
    index('recordings_identity').on(t.identity).where(sql`not deleted`),
    index('recordings_doomed').on(t.deletedAt).where(sql`deleted and purged_at is null`),
    index('recordings_erasure').on(t.erasureId).where(sql`erasure_id is not null`),
    uniqueIndex('recordings_shared').on(t.sharedHash).where(sql`shared_hash is not null`)
  ]
)

/** The snapshots of one event, an object in R2. The migration adds WITHOUT ROWID by hand. */
export const recordingParts = sqliteTable(
  'recording_parts',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    partId: text('part_id').notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.sessionId, t.partId] })]
)

/** The users who have viewed a recording. The migration adds WITHOUT ROWID by hand. */
export const recordingViews = sqliteTable(
  'recording_views',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    userId: integer('user_id').notNull(),
    /** The user's e-mail address at the time of the view. */
    email: text().notNull(),
    viewedAt: integer('viewed_at').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.sessionId, t.userId] })]
)
