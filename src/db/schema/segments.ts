import { blob, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * A segment: a copy, in columns, of the events of one name in a range of whole 15-minute slots.
 * Segments of a name never overlap. Triggers on `events` keep it correct: an event that is stored
 * in the range later is noted in `late_events`, and removing an event removes the segment.
 */
export const segments = sqliteTable(
  'segments',
  {
    /** Never used twice, since columns refer to it. */
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    eventId: integer('event_id').notNull(),
    since: integer().notNull(),
    until: integer().notNull(),
    /** Whether all columns are written; the segment is not read before. */
    isSealed: integer('is_sealed', { mode: 'boolean' }).notNull(),
    startedAt: integer('started_at').notNull(),
    /** Unique even after a restore of the database; caches use it as a key. */
    build: text().notNull(),
    count: integer().notNull(),
    /** The number of events of each slot that has any: see `columns/codec.ts`. */
    slots: text().notNull(),
    /** JSON list of its events' properties without a column; null if they are too many. */
    cold: text()
  },
  (t) => [uniqueIndex('segments_range').on(t.projectId, t.eventId, t.since)]
)

/** Columns, encoded by `columns/codec.ts`. The migration adds WITHOUT ROWID by hand. */
export const segmentColumns = sqliteTable(
  'segment_columns',
  {
    segmentId: integer('segment_id').notNull(),
    /** `identity`, `time`, `version`, `session`, or `event:` and the name of a property. */
    name: text().notNull(),
    data: text().notNull()
  },
  (t) => [primaryKey({ columns: [t.segmentId, t.name] })]
)

/**
 * Events that were stored in the range of a segment after its build had begun. The segment does not
 * contain them. The migration adds WITHOUT ROWID by hand.
 */
export const lateEvents = sqliteTable(
  'late_events',
  {
    segmentId: integer('segment_id').notNull(),
    timestamp: integer().notNull(),
    uuid: blob().notNull()
  },
  (t) => [primaryKey({ columns: [t.segmentId, t.timestamp, t.uuid] })]
)

/**
 * The persons of a project's identities, in chunks of 4,096 consecutive keys, encoded by
 * `columns/codec.ts`. An identity that is not in its chunk, or is in `moved_identities`, is looked
 * up. The migration adds WITHOUT ROWID by hand.
 */
export const actorChunks = sqliteTable(
  'actor_chunks',
  {
    projectId: integer('project_id').notNull(),
    /** The keys from `chunk << 12` on. */
    chunk: integer().notNull(),
    /** A random token of this content, unique even after a restore of the database. */
    build: text().notNull(),
    /** Empty until the chunk is built. */
    data: text().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.chunk] })]
)

/**
 * Identities whose person has changed since their chunk was built; triggers on `distinct_ids` note
 * them. The migration adds WITHOUT ROWID by hand.
 */
export const movedIdentities = sqliteTable(
  'moved_identities',
  {
    projectId: integer('project_id').notNull(),
    key: integer().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.key] })]
)

/**
 * Copies, in columns, of the properties of person versions: one chunk for the versions of 4,096
 * consecutive identity keys. A version that is not in its chunk is looked up. A trigger removes a
 * chunk when one of its versions is removed or changed. The migration adds WITHOUT ROWID by hand.
 */
export const versionChunks = sqliteTable(
  'version_chunks',
  {
    projectId: integer('project_id').notNull(),
    /** The keys from `chunk << 12` on. */
    chunk: integer().notNull(),
    /** A random token of this content, unique even after a restore of the database. */
    build: text().notNull(),
    /** Whether all columns are written; the chunk is not read before. */
    isBuilt: integer('is_built', { mode: 'boolean' }).notNull(),
    count: integer().notNull(),
    /** The versions in the chunk, encoded by `columns/codec.ts`. */
    versions: text().notNull(),
    /** JSON list of its versions' properties without a column; null if they are too many. */
    cold: text()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.chunk] })]
)

/**
 * The columns of `version_chunks` by name of the property, encoded by `columns/codec.ts`.
 * The migration adds WITHOUT ROWID by hand.
 */
export const versionColumns = sqliteTable(
  'version_columns',
  {
    projectId: integer('project_id').notNull(),
    chunk: integer().notNull(),
    name: text().notNull(),
    data: text().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.chunk, t.name] })]
)
