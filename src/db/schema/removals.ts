import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Deletions of events, or of some of their properties, by filters: one row per request. The row is
 * the task, and keeps the receipt. Times are ms UTC.
 */
export const eventRemovals = sqliteTable(
  'event_removals',
  {
    /** A version 7 UUID, so that ids sort by time. */
    id: text().primaryKey(),
    projectId: integer('project_id').notNull(),
    /**
     * The filters of the request; null once the task has ended, and in a task that was created
     * again from the ledger after a restore.
     */
    filters: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    /** The names of the properties to remove; null if the events themselves are removed. */
    properties: text({ mode: 'json' }).$type<string[]>(),
    /**
     * The number of events to process. The object `ledger/removals/<project>/<id>.json` in the
     * bucket lists their uuids.
     */
    events: integer().notNull(),
    /** The SHA-256 of the list. */
    digest: text().notNull(),
    requestedAt: integer('requested_at').notNull(),
    requestedBy: text('requested_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** When the task is due: at the next weekly run, or at an earlier run of the operator. */
    dueAt: integer('due_at').notNull(),
    /** The number of listed events processed so far; the next part of the list begins here. */
    position: integer().notNull().default(0),
    /** The number of rows removed or changed in each store: `{"events":120,"segments":2}`. */
    stores: text({ mode: 'json' }).$type<Record<string, number>>().notNull().default({}),
    error: text(),
    /** The last progress. 15 minutes later, the task's message counts as lost. */
    progressAt: integer('progress_at').notNull(),
    completedAt: integer('completed_at'),
    receipt: text({ mode: 'json' }).$type<Record<string, unknown>>()
  },
  (t) => [
    index('event_removals_project').on(t.projectId, t.id),
    index('event_removals_open').on(t.dueAt).where(sql`completed_at is null`)
  ]
)

/**
 * The uuids of events that were deleted by filters: capture does not store these events again. The
 * migration adds WITHOUT ROWID by hand.
 */
export const removedEvents = sqliteTable(
  'removed_events',
  {
    projectId: integer('project_id').notNull(),
    /** 16 bytes, as in `events`. */
    uuid: blob().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.uuid] })]
)
