import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex
} from 'drizzle-orm/sqlite-core'

export const eventNames = sqliteTable(
  'event_names',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id').notNull(),
    name: text().notNull()
  },
  (t) => [uniqueIndex('event_names_name').on(t.projectId, t.name)]
)

/**
 * Clustered (WITHOUT ROWID, added by hand in the migration), so that the rows with the same event
 * name lie side by side in order of time. `uuid` is 16 bytes, `properties` is JSONB.
 */
export const events = sqliteTable(
  'events',
  {
    projectId: integer('project_id').notNull(),
    /** The event's name: an id of `event_names`. The event itself is identified by `uuid`. */
    eventId: integer('event_id').notNull(),
    timestamp: integer().notNull(),
    uuid: blob().notNull(),
    /** A key of `distinct_ids`, or of `erased_identities`. */
    identity: integer().notNull(),
    /**
     * The row of `person_versions` in force when the event was processed; null for an event sent
     * without a person profile, and for a late event of an erased person.
     */
    version: integer(),
    sessionId: text('session_id'),
    windowId: text('window_id'),
    properties: blob().notNull()
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.eventId, t.timestamp, t.uuid] }),
    uniqueIndex('events_uuid').on(t.projectId, t.uuid),
    index('events_identity').on(t.identity, t.timestamp)
  ]
)

/**
 * The number of events by name and 15-minute slot. Updated in the batches that add or remove
 * events. The migration adds WITHOUT ROWID by hand.
 */
export const eventCounts = sqliteTable(
  'event_counts',
  {
    projectId: integer('project_id').notNull(),
    /** The events' name: an id of `event_names`. */
    eventId: integer('event_id').notNull(),
    /** The number of the slot since 1970: slot 1 begins at 00:15 UTC on 1 January 1970. */
    slot: integer().notNull(),
    count: integer().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.eventId, t.slot] })]
)
