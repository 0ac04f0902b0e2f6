import { type SQL, sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/*
 * Control tables: only in the database bound as `DB`. Times are milliseconds since 1970, UTC.
 */

export const users = sqliteTable('users', {
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull().unique(),
  distinctId: text('distinct_id').notNull(),
  firstName: text('first_name').notNull(),
  lastName: text('last_name').notNull(),
  email: text().notNull().unique(),
  isEmailVerified: integer('is_email_verified', { mode: 'boolean' }),
  hedgehogConfig: text('hedgehog_config', { mode: 'json' }).$type<Record<string, unknown>>(),
  roleAtOrganization: text('role_at_organization'),
  createdAt: integer('created_at').notNull()
})

export const projects = sqliteTable('projects', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  ownerId: integer('owner_id')
    .notNull()
    .references(() => users.id),
  captureToken: text('capture_token').notNull().unique(),
  timezone: text().notNull().default('UTC'),
  /** 0 Sunday, 1 Monday. */
  weekStart: integer('week_start').notNull().default(0),
  testAccountFilters: text('test_account_filters', { mode: 'json' }).$type<unknown[]>().notNull().default([]),
  /** Name of the D1 binding that holds the project's data. */
  database: text().notNull().default('DB'),
  createdAt: integer('created_at').notNull()
})

export const apiKeys = sqliteTable('api_keys', {
  id: integer().primaryKey({ autoIncrement: true }),
  userId: integer('user_id')
    .notNull()
    .references(() => users.id),
  label: text().notNull(),
  /** SHA-256 of the key, hexadecimal. The key itself is not kept. */
  hash: text().notNull().unique(),
  /** First and last four characters, to recognise a key by. */
  mask: text().notNull(),
  scopes: text({ mode: 'json' }).$type<string[]>().notNull(),
  projectIds: text('project_ids', { mode: 'json' }).$type<number[]>().notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
  lastUsedAt: integer('last_used_at')
})

/** Queue messages that were given up on; message and error lie in R2 under `object`. */
export const deadLetters = sqliteTable('dead_letters', {
  id: text().primaryKey(),
  object: text().notNull(),
  projectId: integer('project_id'),
  error: text().notNull(),
  attempts: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  redrivenAt: integer('redriven_at')
})

/*
 * Project data: in the database that the project's row names.
 */

/** Highest integer given out so far, by kind; numbers are reserved in blocks and never used twice. */
export const sequences = sqliteTable('sequences', {
  name: text().primaryKey(),
  value: integer().notNull()
})

/** Exact totals, moved in the same batch as the rows they count. */
export const counters = sqliteTable(
  'counters',
  {
    projectId: integer('project_id').notNull(),
    name: text().notNull(),
    value: integer().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.name] })]
)

/** Always empty: inserting a null here rolls the surrounding batch back. */
export const guard = sqliteTable('guard', { ok: integer().notNull() })

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
 * One row per identity: events point here, and only this row says whose they are. `personId` is null for an identity
 * without a person. A distinct id that is freed and used again gets a new key.
 */
export const distinctIds = sqliteTable(
  'distinct_ids',
  {
    key: integer().primaryKey(),
    projectId: integer('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    personId: integer('person_id')
  },
  (t) => [
    uniqueIndex('distinct_ids_distinct_id').on(t.projectId, t.distinctId),
    index('distinct_ids_person').on(t.personId, t.key, t.distinctId).where(sql`${t.personId} is not null`)
  ]
)

export const persons = sqliteTable(
  'persons',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id').notNull(),
    uuid: text().notNull(),
    createdAt: integer('created_at').notNull(),
    isIdentified: integer('is_identified', { mode: 'boolean' }).notNull(),
    /** What the API shows: a JSON object. */
    properties: text().notNull(),
    /** When each property was written, also removed ones: see `persons/properties.ts`. */
    writes: text().notNull(),
    /** Lower-case text that `search` looks in; mirrored into the full-text index by triggers. */
    search: text().notNull(),
    email: text().generatedAlwaysAs((): SQL => sql`(properties ->> '$.email')`, { mode: 'virtual' }),
    /** The row of `person_versions` in force. */
    version: integer().notNull(),
    /** The highest version number given out to any of the person's identities. */
    versions: integer().notNull(),
    /** Raised by every update: the compare-and-swap of read–compute–write. */
    revision: integer().notNull()
  },
  (t) => [
    uniqueIndex('persons_uuid').on(t.projectId, t.uuid),
    index('persons_newest').on(t.projectId, t.createdAt, t.id),
    index('persons_email').on(t.projectId, t.email).where(sql`email is not null`)
  ]
)

/**
 * A person's properties after each change of them. The id is `key << 24 | n`: the identity through which the change came
 * and the version number, so that an identity's versions follow it through merges and splits.
 */
export const personVersions = sqliteTable('person_versions', {
  id: integer().primaryKey(),
  projectId: integer('project_id').notNull(),
  properties: blob().notNull()
})

/**
 * Clustered (WITHOUT ROWID, added by hand in the migration) so that one event's rows of a period lie side by side.
 * `uuid` is 16 bytes, `properties` is JSONB.
 */
export const events = sqliteTable(
  'events',
  {
    projectId: integer('project_id').notNull(),
    eventId: integer('event_id').notNull(),
    timestamp: integer().notNull(),
    uuid: blob().notNull(),
    identity: integer().notNull(),
    /** The row of `person_versions` in force when the event was processed; null for a person-less event. */
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
