import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row per suppressed person, or distinct id without a person. Times are ms UTC. */
export const suppressions = sqliteTable(
  'suppressions',
  {
    /** A version 7 UUID, so that ids sort by time. */
    id: text().primaryKey(),
    projectId: integer('project_id').notNull(),
    /** The person at the time of the request; null for a distinct id without a person. */
    personUuid: text('person_uuid'),
    /** The id of the person, if it was not erased; null otherwise. */
    personId: integer('person_id'),
    /** Whether `$identify` can no longer fold the person into another, as in `persons`. */
    isIdentified: integer('is_identified', { mode: 'boolean' }).notNull(),
    /** Events and parts of recordings that are received from this time on are dropped. */
    since: integer().notNull(),
    requestedBy: text('requested_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    /** What is received from then on is stored again; null while in force. */
    liftedAt: integer('lifted_at'),
    liftedBy: text('lifted_by', { mode: 'json' }).$type<Record<string, unknown>>(),
    /** The number of dropped events, and of dropped parts of recordings. */
    events: integer().notNull().default(0),
    recordingParts: integer('recording_parts').notNull().default(0),
    lastDroppedAt: integer('last_dropped_at')
  },
  (t) => [index('suppressions_project').on(t.projectId, t.id)]
)

/** The distinct ids of suppressions, as keyed hashes: see `barred/tombstones/tombstone.ts`. */
export const suppressedIds = sqliteTable(
  'suppressed_ids',
  {
    projectId: integer('project_id').notNull(),
    hash: text().notNull(),
    suppressionId: text('suppression_id').notNull(),
    /** The id's hash in the receipt; null if it joined later, or was erased before. */
    receiptHash: text('receipt_hash'),
    /** The time of the suppression, or of the event by which the id joined it, ms UTC. */
    since: integer().notNull()
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.hash, t.suppressionId] }),
    index('suppressed_ids_suppression').on(t.suppressionId)
  ]
)
