import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A project's settings for capture that were ever changed: see `access/settings.ts`. */
type StoredSettings = Partial<{
  recording: boolean
  recording_sample: number
  recording_minimum_duration: number
  console_capture: boolean
  heatmaps: boolean
  web_vitals: boolean
  exceptions: boolean
  location: 'off' | 'country' | 'city'
}>

/*
 * Control tables, which are used only in the database bound as `DB`.
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
  /** The first day of the week: 0 is Sunday, 1 is Monday. */
  weekStart: integer('week_start').notNull().default(0),
  testAccountFilters: text('test_account_filters', { mode: 'json' })
    .$type<unknown[]>()
    .notNull()
    .default([]),
  /** The settings for capture that were ever changed; the others have defaults. */
  settings: text({ mode: 'json' }).$type<StoredSettings>().notNull().default({}),
  /**
   * Days for which the project's recordings are kept; null for the deployment's
   * `RECORDING_RETENTION_DAYS`.
   */
  recordingRetentionDays: integer('recording_retention_days'),
  /** Name of the D1 binding that holds the project's data. */
  database: text().notNull().default('DB'),
  /**
   * The random key of the hashes in tombstones. It is in another database than the tombstones,
   * unless the project's data is in `DB`.
   */
  erasureSalt: text('erasure_salt').notNull().default(''),
  /**
   * Why the project is held back: its data is not read, and captured events wait. `replay`: its
   * restored database is behind the ledger of erasures. `maintenance`: `npm run maintenance` is on.
   * Null while the project is not held back.
   */
  held: text({ enum: ['replay', 'maintenance'] }),
  createdAt: integer('created_at').notNull()
})

export const apiKeys = sqliteTable('api_keys', {
  id: integer().primaryKey({ autoIncrement: true }),
  userId: integer('user_id')
    .notNull()
    .references(() => users.id),
  label: text().notNull(),
  /** The hexadecimal SHA-256 of the key. The key itself is not stored. */
  hash: text().notNull().unique(),
  /** The first and last four characters, by which its owner recognises a key. */
  mask: text().notNull(),
  scopes: text({ mode: 'json' }).$type<string[]>().notNull(),
  projectIds: text('project_ids', { mode: 'json' }).$type<number[]>().notNull(),
  /** The user whose key made this key, or the invitation to it; null if a command made it. */
  createdBy: integer('created_by').references(() => users.id),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
  lastUsedAt: integer('last_used_at')
})

/** Links that give a browser a key of its own, once. */
export const invitations = sqliteTable('invitations', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** The user to whom the key will belong. */
  userId: integer('user_id')
    .notNull()
    .references(() => users.id),
  /** The hexadecimal SHA-256 of the code in the link. The code itself is not stored. */
  hash: text().notNull().unique(),
  scopes: text({ mode: 'json' }).$type<string[]>().notNull(),
  projectIds: text('project_ids', { mode: 'json' }).$type<number[]>().notNull(),
  /** The user whose key made the invitation; null if a command made it. */
  createdBy: integer('created_by').references(() => users.id),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  /** When the invitation's key expires at the latest: when the key expires that made it. */
  keyExpiresAt: integer('key_expires_at'),
  usedAt: integer('used_at'),
  withdrawnAt: integer('withdrawn_at')
})

/** Queue messages that failed for good. `object` is the R2 key of the message and its error. */
export const deadLetters = sqliteTable('dead_letters', {
  id: text().primaryKey(),
  object: text().notNull(),
  projectId: integer('project_id'),
  error: text().notNull(),
  attempts: integer().notNull(),
  createdAt: integer('created_at').notNull(),
  redrivenAt: integer('redriven_at'),
  /** Whether an erasure has searched it as text, because it could not be read. */
  isUnreadable: integer('is_unreadable', { mode: 'boolean' }).notNull().default(false)
})

/** Why a job failed, and in which database if it works in each. */
export type JobFailure = { database?: string; error: string }

/** The last run of each cron trigger, by its expression. */
export const cronRuns = sqliteTable('cron_runs', {
  cron: text().primaryKey(),
  startedAt: integer('started_at').notNull(),
  finishedAt: integer('finished_at').notNull(),
  /** The number of failures in the run, at most one per job and database. */
  failedJobs: integer('failed_jobs').notNull(),
  /** The jobs in the order in which they ran, with what has failed, in which database. */
  jobs: text({ mode: 'json' })
    .$type<{ job: string; failures: JobFailure[] }[]>()
    .notNull()
    .default([])
})
