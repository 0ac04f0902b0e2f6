import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row per deleted person: the task of purging, and the receipt of its completion. */
export const erasures = sqliteTable(
  'erasures',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    personId: integer('person_id').notNull(),
    personUuid: text('person_uuid').notNull(),
    /** Events and recordings accepted up to this time belong to the deleted person. */
    requestedAt: integer('requested_at').notNull(),
    requestedBy: text('requested_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    deleteEvents: integer('delete_events', { mode: 'boolean' }).notNull(),
    deleteRecordings: integer('delete_recordings', { mode: 'boolean' }).notNull().default(false),
    status: text({ enum: ['queued', 'running', 'completed', 'failed'] }).notNull(),
    /**
     * The run that took the task, as in `deletion_runs`; null before its run, and always if the
     * events are kept.
     */
    run: integer(),
    /** When versions and recordings were purged, so that only events may be left. */
    clearedAt: integer('cleared_at'),
    /** The number of events when the run began the task; null before. */
    found: integer(),
    /** The number of events purged so far. */
    removed: integer().notNull().default(0),
    /**
     * The number of late events that were dropped because the person's events were purged already
     * or are kept.
     */
    dropped: integer().notNull().default(0),
    /** The rows purged from every other store, by name; each dead letter has its own member. */
    stores: text({ mode: 'json' }).$type<Record<string, number>>().notNull().default({}),
    /** What else named the person at the request, by store; null if it was not looked for. */
    mentions: text({ mode: 'json' }).$type<Record<string, unknown>[]>(),
    attempts: integer().notNull().default(0),
    error: text(),
    /**
     * The time of the last progress. After 15 minutes without progress, the task's message counts
     * as lost.
     */
    progressAt: integer('progress_at').notNull(),
    receipt: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    /**
     * Until when the tombstones link kept events and recordings to the person, so that they can
     * still be deleted, ms UTC; null once the link is removed, or a later erasure completes this
     * one.
     */
    linkedUntil: integer('linked_until'),
    /** The earlier erasure that this one completes. */
    completes: integer()
  },
  (t) => [
    index('erasures_project').on(t.projectId),
    index('erasures_person').on(t.projectId, t.personUuid),
    index('erasures_open').on(t.status).where(sql`status <> 'completed'`),
    index('erasures_linked').on(t.linkedUntil).where(sql`linked_until is not null`)
  ]
)

/**
 * Tombstones of identities whose distinct id is erased. Events of the identity point to its
 * tombstone until the events are purged; the hash identifies late events. When the link to kept
 * events is removed, the tombstone gets a new key. A row without a hash stays under the old key, to
 * which the kept events still point.
 */
export const erasedIdentities = sqliteTable(
  'erased_identities',
  {
    key: integer().primaryKey(),
    projectId: integer('project_id').notNull(),
    /** The keyed hash of the distinct id: see `barred/tombstones/tombstone.ts`. */
    hash: text().notNull(),
    /** The hash of the distinct id in the receipt: see `erasures/receipts/subject.ts`. */
    receiptHash: text('receipt_hash'),
    erasureId: integer('erasure_id').notNull(),
    /** The id of the deleted person: the person's kept events still count as one actor. */
    personId: integer('person_id').notNull(),
    erasedAt: integer('erased_at').notNull()
  },
  (t) => [
    index('erased_identities_hash').on(t.projectId, t.hash),
    index('erased_identities_erasure').on(t.erasureId)
  ]
)

/** The weekly runs that purge events, by the time for which they were scheduled. */
export const deletionRuns = sqliteTable('deletion_runs', {
  scheduledFor: integer('scheduled_for').primaryKey(),
  startedAt: integer('started_at').notNull(),
  startedBy: text('started_by', { enum: ['cron', 'sweep', 'command'] }).notNull(),
  finishedAt: integer('finished_at')
})
