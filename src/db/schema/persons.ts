import { type SQL, sql } from 'drizzle-orm'
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

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
    index('distinct_ids_person')
      .on(t.personId, t.key, t.distinctId)
      .where(sql`${t.personId} is not null`)
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
    email: text().generatedAlwaysAs((): SQL => sql`(properties ->> '$.email')`, {
      mode: 'virtual'
    }),
    /** The row of `person_versions` in force. */
    version: integer().notNull(),
    /** The highest version number given out to any of the person's identities. */
    versions: integer().notNull(),
    /** Bytes that further versions may take; persons from before there was a limit begin with 64 kB. */
    copyCredit: integer('copy_credit').notNull().default(65_536),
    /** The version in force is not what the properties are: the credit did not suffice for another. */
    isVersionStale: integer('is_version_stale', { mode: 'boolean' }).notNull().default(false),
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

/** Who did what to which object: one row an action, never changed but for the values that an erasure takes out. */
export const activity = sqliteTable(
  'activity',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id').notNull(),
    uuid: text().notNull(),
    scope: text().notNull(),
    /** The object's number at the time of the action. */
    itemId: integer('item_id').notNull(),
    /** Whose the entry is now: those of a merged person go to the one that it was merged into. */
    ownerId: integer('owner_id').notNull(),
    activity: text().notNull(),
    /** `{user, key}` as they were then; null for what the service did by itself. */
    actor: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    /** Distinct ids stand in it as identity keys, so that an erased one is in no entry. */
    detail: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull()
  },
  (t) => [
    index('activity_scope').on(t.projectId, t.scope),
    index('activity_owner').on(t.projectId, t.scope, t.ownerId)
  ]
)
