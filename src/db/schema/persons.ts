import { type SQL, sql } from 'drizzle-orm'
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * One row per identity. Events point to it, and it alone says which person they belong to.
 * `personId` is null for an identity without a person. A distinct id that is used again after its
 * erasure gets a new row with a new key.
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
    /** The properties as the API shows them, a JSON object. */
    properties: text().notNull(),
    /**
     * When each property was last written, including removed properties: see
     * `persons/properties.ts`.
     */
    writes: text().notNull(),
    /** The lower-case text that `search` matches; triggers mirror it into the full-text index. */
    search: text().notNull(),
    email: text().generatedAlwaysAs((): SQL => sql`(properties ->> '$.email')`, {
      mode: 'virtual'
    }),
    /** The row of `person_versions` in force. */
    version: integer().notNull(),
    /** The highest version number given out to any of the person's identities. */
    versions: integer().notNull(),
    /** Bytes that further versions may take. */
    copyCredit: integer('copy_credit').notNull(),
    /**
     * Whether the version in force lacks later changes because the credit did not suffice for
     * another version.
     */
    isVersionStale: integer('is_version_stale', { mode: 'boolean' }).notNull().default(false),
    /** Raised by every update, for compare-and-swap. */
    revision: integer().notNull()
  },
  (t) => [
    uniqueIndex('persons_uuid').on(t.projectId, t.uuid),
    index('persons_newest').on(t.projectId, t.createdAt, t.id),
    index('persons_email').on(t.projectId, t.email).where(sql`email is not null`)
  ]
)

/**
 * A person's properties after each change. The id is `key << 24 | n`: `key` is the identity through
 * which the change came, `n` the version number. So versions follow their identity through merges
 * and splits. See `db/version-id.ts`.
 */
export const personVersions = sqliteTable('person_versions', {
  id: integer().primaryKey(),
  projectId: integer('project_id').notNull(),
  properties: blob().notNull()
})

/** The activity log, a row per action. Only an erasure changes rows: it removes values. */
export const activity = sqliteTable(
  'activity',
  {
    id: integer().primaryKey(),
    projectId: integer('project_id').notNull(),
    uuid: text().notNull(),
    scope: text().notNull(),
    /** The id of the object at the time of the action. */
    itemId: integer('item_id').notNull(),
    /** The id of the object that the entry belongs to now: after a merge, the remaining person. */
    ownerId: integer('owner_id').notNull(),
    activity: text().notNull(),
    /** `{user, key}` at the time of the action; null for actions of the service itself. */
    actor: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    /** The details. Distinct ids are identity keys, so that none contains an erased one. */
    detail: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull()
  },
  (t) => [
    index('activity_scope').on(t.projectId, t.scope),
    index('activity_owner').on(t.projectId, t.scope, t.ownerId)
  ]
)
