import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** How a subscription is delivered. */
export const TARGET_TYPES = ['email', 'slack', 'webhook'] as const

export const FREQUENCIES = ['daily', 'weekly', 'monthly', 'yearly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday'
] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** One message of a delivery, and what became of it. */
export type Recipient = {
  /** Address or URL. */
  target: string
  /** `unknown`: it was under way when its consumer was cut off, or nothing was heard of it: it may have arrived. */
  status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown'
  /** Whether it was sent once more after its outcome was unknown. */
  repeated: boolean
  error: string | null
}

/** What is sent when to whom. */
export const subscriptions = sqliteTable(
  'subscriptions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    dashboardId: integer('dashboard_id'),
    insightId: integer('insight_id'),
    targetType: text('target_type', { enum: TARGET_TYPES }).notNull(),
    targetValue: text('target_value').notNull(),
    frequency: text({ enum: FREQUENCIES }).notNull(),
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
    /** One message each: each as in `Recipient`. */
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
  (t) => [
    primaryKey({ columns: [t.projectId, t.userId, t.key] }),
    index('idempotency_keys_created').on(t.createdAt)
  ]
)
