import { type SQL, sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Recipient } from '../subscriptions/delivery.ts'
import type { Weekday } from '../subscriptions/schedule.ts'

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
  /** Random; keys the hashes by which erased distinct ids are recognised, and lies apart from them. */
  erasureSalt: text('erasure_salt').notNull().default(''),
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
    index('events_identity').on(t.identity, t.timestamp),
    // All that counting actors reads: the rows themselves are fifty times as wide.
    index('events_actors').on(t.projectId, t.eventId, t.timestamp, t.identity)
  ]
)

/**
 * How many events there are, by their name and quarter of an hour since 1970; WITHOUT ROWID, added by hand. Moved in the
 * batches that add or remove events.
 */
export const eventCounts = sqliteTable(
  'event_counts',
  {
    projectId: integer('project_id').notNull(),
    eventId: integer('event_id').notNull(),
    slot: integer().notNull(),
    count: integer().notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.eventId, t.slot] })]
)

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
  (t) => [index('activity_scope').on(t.projectId, t.scope), index('activity_owner').on(t.projectId, t.scope, t.ownerId)]
)

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
    /** Keyed hash of the distinct id: see `erasures/tombstone.ts`. */
    hash: text().notNull(),
    erasureId: integer('erasure_id').notNull(),
    /** The deleted person's number: as one actor its events stay countable. */
    personId: integer('person_id').notNull(),
    erasedAt: integer('erased_at').notNull()
  },
  (t) => [index('erased_identities_hash').on(t.projectId, t.hash), index('erased_identities_erasure').on(t.erasureId)]
)

/** The weekly batches, by the moment for which they were scheduled. */
export const deletionRuns = sqliteTable('deletion_runs', {
  scheduledFor: integer('scheduled_for').primaryKey(),
  startedAt: integer('started_at').notNull(),
  startedBy: text('started_by', { enum: ['cron', 'sweep', 'command'] }).notNull(),
  finishedAt: integer('finished_at')
})

/** Saved questions. What they ask is in `filters` or `query`, as it was sent. */
export const insights = sqliteTable(
  'insights',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    shortId: text('short_id').notNull(),
    name: text(),
    derivedName: text('derived_name'),
    description: text(),
    filters: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    query: text({ mode: 'json' }).$type<Record<string, unknown> | string>(),
    order: integer(),
    tags: text({ mode: 'json' }).$type<string[]>().notNull(),
    favorited: integer({ mode: 'boolean' }).notNull(),
    saved: integer({ mode: 'boolean' }).notNull(),
    deleted: integer({ mode: 'boolean' }).notNull(),
    /** The user as they were then. */
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    lastModifiedAt: integer('last_modified_at').notNull()
  },
  (t) => [uniqueIndex('insights_short_id').on(t.shortId), index('insights_project').on(t.projectId, t.deleted, t.id)]
)

export const dashboards = sqliteTable(
  'dashboards',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    name: text(),
    description: text().notNull(),
    pinned: integer({ mode: 'boolean' }).notNull(),
    tags: text({ mode: 'json' }).$type<string[]>().notNull(),
    deleted: integer({ mode: 'boolean' }).notNull(),
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull()
  },
  (t) => [index('dashboards_project').on(t.projectId, t.deleted, t.id)]
)

/** Which insights a dashboard shows. */
export const dashboardTiles = sqliteTable(
  'dashboard_tiles',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    dashboardId: integer('dashboard_id').notNull(),
    insightId: integer('insight_id').notNull()
  },
  (t) => [
    uniqueIndex('dashboard_tiles_pair').on(t.dashboardId, t.insightId),
    index('dashboard_tiles_insight').on(t.insightId)
  ]
)

/** One row per recorded session, kept as a tombstone when it is deleted. Snapshots lie in R2: `recordings/part.ts`. */
export const recordings = sqliteTable(
  'recordings',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    /** Whose it is: a key of `distinct_ids`, as events have it. That of the earliest part, unless somebody set it. */
    identity: integer().notNull(),
    isRelinked: integer('is_relinked', { mode: 'boolean' }).notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull(),
    /** The earliest part; of two that begin at once, the one with the lower id. */
    firstPart: text('first_part').notNull(),
    snapshotSource: text('snapshot_source').notNull(),
    activeMs: integer('active_ms').notNull(),
    clickCount: integer('click_count').notNull(),
    keypressCount: integer('keypress_count').notNull(),
    mouseActivityCount: integer('mouse_activity_count').notNull(),
    consoleLogCount: integer('console_log_count').notNull(),
    consoleWarnCount: integer('console_warn_count').notNull(),
    consoleErrorCount: integer('console_error_count').notNull(),
    startUrl: text('start_url'),
    /** The first pages, each with the time at which it was first seen: `[ms, url]`. */
    urls: text({ mode: 'json' }).$type<[number, string][]>().notNull(),
    parts: integer().notNull(),
    /** Of all parts, as they are stored. */
    bytes: integer().notNull(),
    lastReceivedAt: integer('last_received_at').notNull(),
    createdAt: integer('created_at').notNull(),
    accessToken: text('access_token').notNull(),
    /** SHA-256 of the token while sharing is enabled, else null. */
    sharedHash: text('shared_hash'),
    deleted: integer({ mode: 'boolean' }).notNull().default(false),
    deletedAt: integer('deleted_at'),
    /** When nothing but this row was left of a deleted one. */
    purgedAt: integer('purged_at'),
    /** The erasure of a person that deleted it. */
    erasureId: integer('erasure_id'),
    /** Raised by every update: the compare-and-swap of read–compute–write. */
    revision: integer().notNull().default(0)
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.sessionId] }),
    index('recordings_newest').on(t.projectId, t.startTime, t.sessionId),
    index('recordings_identity').on(t.identity).where(sql`not deleted`),
    index('recordings_doomed').on(t.deletedAt).where(sql`deleted and purged_at is null`),
    index('recordings_erasure').on(t.erasureId).where(sql`erasure_id is not null`),
    uniqueIndex('recordings_shared').on(t.sharedHash).where(sql`shared_hash is not null`)
  ]
)

/** The snapshots that an SDK sent at once: one object in R2. WITHOUT ROWID, added by hand. */
export const recordingParts = sqliteTable(
  'recording_parts',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    partId: text('part_id').notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.sessionId, t.partId] })]
)

/** Who has viewed which recording; WITHOUT ROWID, added by hand. */
export const recordingViews = sqliteTable(
  'recording_views',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    userId: integer('user_id').notNull(),
    /** Of the user, as it was then. */
    email: text().notNull(),
    viewedAt: integer('viewed_at').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.sessionId, t.userId] })]
)

/** What is sent when to whom. */
export const subscriptions = sqliteTable(
  'subscriptions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    dashboardId: integer('dashboard_id'),
    insightId: integer('insight_id'),
    targetType: text('target_type', { enum: ['email', 'slack', 'webhook'] }).notNull(),
    targetValue: text('target_value').notNull(),
    frequency: text({ enum: ['daily', 'weekly', 'monthly', 'yearly'] }).notNull(),
    interval: integer().notNull(),
    byweekday: text({ mode: 'json' }).$type<Weekday[]>(),
    bysetpos: integer(),
    count: integer(),
    startDate: integer('start_date').notNull(),
    untilDate: integer('until_date'),
    timezone: text().notNull(),
    title: text(),
    inviteMessage: text('invite_message'),
    deleted: integer({ mode: 'boolean' }).notNull(),
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    /** The first occurrence that is not in the ledger; null when there is none. */
    nextDeliveryDate: integer('next_delivery_date'),
    /** Occurrences in a row that failed. */
    failures: integer().notNull().default(0),
    /** Why nothing is delivered until somebody resumes it; null while all is well. */
    pausedReason: text('paused_reason'),
    /** Random: signs webhooks and unsubscribe links. */
    secret: text().notNull(),
    /** Where this service was reached when the subscription was made: links lead there. */
    origin: text().notNull(),
    /** Raised by every change of a user: the compare-and-swap of read–check–write. */
    revision: integer().notNull().default(0)
  },
  (t) => [
    index('subscriptions_project').on(t.projectId, t.deleted, t.id),
    index('subscriptions_due').on(t.nextDeliveryDate).where(sql`${t.nextDeliveryDate} is not null`)
  ]
)

/** The ledger: each occurrence once, whatever became of it. Also deliveries on trial, and notices to the owner. */
export const subscriptionDeliveries = sqliteTable(
  'subscription_deliveries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    subscriptionId: integer('subscription_id').notNull(),
    kind: text({ enum: ['scheduled', 'test', 'notice'] }).notNull(),
    /** Of what is not scheduled: when it was asked for. */
    occurrence: integer().notNull(),
    /** Earlier occurrences that had been missed and are delivered with this one. */
    missed: integer().notNull().default(0),
    status: text({ enum: ['queued', 'sending', 'delivered', 'failed', 'skipped'] }).notNull(),
    /** How often a consumer has taken it up; the number of the last one holds its lease. */
    attempts: integer().notNull().default(0),
    /** When it is to be taken up; of one under way, when its lease ends. Null when it is done. */
    dueAt: integer('due_at'),
    /** One message each: see `subscriptions/delivery.ts`. */
    recipients: text({ mode: 'json' }).$type<Recipient[]>().notNull().default([]),
    error: text(),
    createdAt: integer('created_at').notNull(),
    finishedAt: integer('finished_at')
  },
  (t) => [
    uniqueIndex('subscription_deliveries_occurrence').on(t.subscriptionId, t.kind, t.occurrence),
    index('subscription_deliveries_due').on(t.dueAt).where(sql`${t.dueAt} is not null`)
  ]
)

/** What was answered to a request with an `Idempotency-Key`, for 24 hours. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    projectId: integer('project_id').notNull(),
    userId: integer('user_id').notNull(),
    key: text().notNull(),
    /** SHA-256 of what was asked. */
    hash: text().notNull(),
    answer: text().notNull(),
    createdAt: integer('created_at').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.userId, t.key] }), index('idempotency_keys_created').on(t.createdAt)]
)

/**
 * What the events of one `$session_id` say together: see `sessions/session.ts`. Each key beside a value tells which event
 * it is taken from, so that of several the right one wins in whatever order they come. WITHOUT ROWID, added by hand.
 */
export const sessions = sqliteTable(
  'sessions',
  {
    projectId: integer('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    /** Whose events they are, ascending: keys of `distinct_ids`. */
    identities: text({ mode: 'json' }).$type<number[]>().notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull(),
    events: integer().notNull(),
    pageviews: integer().notNull(),
    autocaptures: integer().notNull(),
    screens: integer().notNull(),
    entryKey: text('entry_key'),
    /** Session properties by their names. */
    entry: text({ mode: 'json' }).$type<Record<string, string>>(),
    exitKey: text('exit_key'),
    exit: text({ mode: 'json' }).$type<Record<string, string>>(),
    clickKey: text('click_key'),
    /** The last URL elsewhere that was clicked. */
    click: text(),
    vitalsKey: text('vitals_key'),
    /** The first Largest Contentful Paint, ms. */
    lcp: real(),
    /** The quarter of an hour since 1970 in which its last event was received; null once it is closed. */
    openSlot: integer('open_slot'),
    /** Some of its events were deleted: it has to be worked out anew. */
    isStale: integer('is_stale', { mode: 'boolean' }).notNull().default(false),
    /** The values that `session_values` counts of it, by property. */
    counted: text({ mode: 'json' }).$type<Record<string, string>>(),
    /** What it was, step by step, and where the index of similar sessions has it; null if it was not recorded. */
    steps: text({ mode: 'json' }).$type<string[]>(),
    shingles: text({ mode: 'json' }).$type<number[]>(),
    /** Raised by every update: the compare-and-swap of read–compute–write. */
    revision: integer().notNull().default(0)
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.sessionId] }),
    index('sessions_open').on(t.openSlot).where(sql`open_slot is not null`),
    index('sessions_stale').on(t.projectId).where(sql`is_stale`)
  ]
)

/** How many closed sessions have which value of a session property; WITHOUT ROWID, added by hand. */
export const sessionValues = sqliteTable(
  'session_values',
  {
    projectId: integer('project_id').notNull(),
    key: text().notNull(),
    value: text().notNull(),
    count: integer().notNull()
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.key, t.value] }),
    index('session_values_frequent').on(t.projectId, t.key, sql`count desc`).where(sql`count > 1`)
  ]
)

/** Recorded sessions by what they have in common with similar ones: `sessions/shingles.ts`. WITHOUT ROWID, added by hand. */
export const sessionShingles = sqliteTable(
  'session_shingles',
  {
    projectId: integer('project_id').notNull(),
    shingle: integer().notNull(),
    sessionId: text('session_id').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.shingle, t.sessionId] })]
)
