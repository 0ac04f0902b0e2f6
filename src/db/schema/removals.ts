import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row per deletion of events by filters: its task, and then its receipt. Times are ms UTC. */
export const eventRemovals = sqliteTable(
  'event_removals',
  {
    /** A version 7 UUID, so that ids sort by time. */
    id: text().primaryKey(),
    projectId: integer('project_id').notNull(),
    /** The filters of the request; null once the task is completed, and after a restore. */
    filters: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    /** The names of the properties to remove; null if the events themselves are removed. */
    properties: text({ mode: 'json' }).$type<string[]>(),
    /** The number of listed events; the list is in the bucket. */
    events: integer().notNull(),
    /** The SHA-256 of the list. */
    digest: text().notNull(),
    requestedAt: integer('requested_at').notNull(),
    requestedBy: text('requested_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** When the events are removed: in the weekly run, or in an earlier run that an operator started. */
    dueAt: integer('due_at').notNull(),
    /** The number of listed events that have been dealt with. */
    position: integer().notNull().default(0),
    /** The number of rows that were removed or changed, by store. */
    stores: text({ mode: 'json' }).$type<Record<string, number>>().notNull().default({}),
    error: text(),
    /** The time of the last progress. After 15 minutes without any, the task's message counts as lost. */
    progressAt: integer('progress_at').notNull(),
    completedAt: integer('completed_at'),
    receipt: text({ mode: 'json' }).$type<Record<string, unknown>>()
  },
  (t) => [
    index('event_removals_project').on(t.projectId, t.id),
    index('event_removals_open').on(t.dueAt).where(sql`completed_at is null`)
  ]
)

/** Events that were removed by filters, so that they are not stored again. WITHOUT ROWID, added by hand. */
export const removedEvents = sqliteTable(
  'removed_events',
  {
    projectId: integer('project_id').notNull(),
    /** 16 bytes, as in `events`. */
    uuid: blob().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.uuid] })]
)
