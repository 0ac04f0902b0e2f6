import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row per deleted person: the task that removes what the deletion itself leaves, and the proof that it is done. */
export const erasures = sqliteTable(
  'erasures',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    personId: integer('person_id').notNull(),
    personUuid: text('person_uuid').notNull(),
    /** What the server had accepted of the person until then is theirs. */
    requestedAt: integer('requested_at').notNull(),
    requestedBy: text('requested_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    deleteEvents: integer('delete_events', { mode: 'boolean' }).notNull(),
    deleteRecordings: integer('delete_recordings', { mode: 'boolean' }).notNull().default(false),
    status: text({ enum: ['queued', 'running', 'completed', 'failed'] }).notNull(),
    /** The `deletion_runs` that took the task; null until then, and for a deletion that keeps the events. */
    run: integer(),
    /** When nothing but events was left of the person. */
    clearedAt: integer('cleared_at'),
    /** Events counted when the task began; null before. */
    found: integer(),
    removed: integer().notNull().default(0),
    /** Events accepted before the request that arrived when they could no longer be kept nor removed. */
    dropped: integer().notNull().default(0),
    /** Rows removed from the other stores, by name. */
    stores: text({ mode: 'json' }).$type<Record<string, number>>().notNull().default({}),
    attempts: integer().notNull().default(0),
    error: text(),
    /** The last sign of life; a task without one for long has lost its message. */
    progressAt: integer('progress_at').notNull(),
    receipt: text({ mode: 'json' }).$type<Record<string, unknown>>()
  },
  (t) => [
    index('erasures_project').on(t.projectId, t.deleteEvents),
    index('erasures_person').on(t.projectId, t.personUuid),
    index('erasures_open').on(t.status).where(sql`status <> 'completed'`)
  ]
)

/**
 * Identities whose distinct id is erased: events still point to them, and by the hash a late event is recognised that
 * was accepted before.
 */
export const erasedIdentities = sqliteTable(
  'erased_identities',
  {
    key: integer().primaryKey(),
    projectId: integer('project_id').notNull(),
    /** Keyed hash of the distinct id: see `tombstones/tombstone.ts`. */
    hash: text().notNull(),
    erasureId: integer('erasure_id').notNull(),
    /** The deleted person's number: as one actor its events stay countable. */
    personId: integer('person_id').notNull(),
    erasedAt: integer('erased_at').notNull()
  },
  (t) => [
    index('erased_identities_hash').on(t.projectId, t.hash),
    index('erased_identities_erasure').on(t.erasureId)
  ]
)

/** The weekly batches, by the moment for which they were scheduled. */
export const deletionRuns = sqliteTable('deletion_runs', {
  scheduledFor: integer('scheduled_for').primaryKey(),
  startedAt: integer('started_at').notNull(),
  startedBy: text('started_by', { enum: ['cron', 'sweep', 'command'] }).notNull(),
  finishedAt: integer('finished_at')
})
