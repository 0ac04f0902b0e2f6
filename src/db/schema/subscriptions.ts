import { sql } from 'drizzle-orm'
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex
} from 'drizzle-orm/sqlite-core'

/** The channels of deliveries. */
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

/** One recipient of a delivery, and the outcome of its message. */
export type Recipient = {
  /** The e-mail address or URL. */
  target: string
  /**
   * `unknown`: the consumer was interrupted while sending, or got no answer; the message may have
   * arrived.
   */
  status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown'
  /** Whether the message was sent again because its outcome was unknown. */
  repeated: boolean
  error: string | null
}

export const CALCULATION_INTERVALS = [
  'every_15_minutes',
  'hourly',
  'daily',
  'weekly',
  'monthly'
] as const

/** When an alert checks its insight, on the clock of the project. */
export type CheckSchedule = {
  every: (typeof CALCULATION_INTERVALS)[number]
  skipsWeekends: boolean
  /** The project's time zone, and its first day of the week: 0 is Sunday. */
  timezone: string
  weekStart: number
}

export const ALERT_STATES = ['Firing', 'Not firing', 'Errored', 'Snoozed'] as const

/** What a check of an alert has found. */
export type Verdict = {
  state: (typeof ALERT_STATES)[number]
  /** What the check tells the recipients; null for nothing. */
  event: 'firing' | 'over' | 'error' | null
  /** The number that was compared with the bounds; null if there is none. */
  value: number | null
  /** The interval that decided, ms UTC; null if none did. */
  interval: { from: number; until: number } | null
  /** The number of intervals that this check has evaluated. */
  intervals: number
  /** The finding in words. */
  words: string
}

/** Insights or dashboards that are delivered to recipients on a schedule, and alerts. */
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
    /**
     * The wall-clock time that the start names, encoded as if it were UTC, if the clock skips it on
     * that day; otherwise null.
     */
    startClock: integer('start_clock'),
    untilDate: integer('until_date'),
    timezone: text().notNull(),
    title: text(),
    inviteMessage: text('invite_message'),
    deleted: integer({ mode: 'boolean' }).notNull(),
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    /** The first occurrence without a delivery; null when there is no further occurrence. */
    nextDeliveryDate: integer('next_delivery_date'),
    /** The number of failed occurrences in a row. */
    failures: integer().notNull().default(0),
    /** Why the subscription is paused; null while it is not. */
    pausedReason: text('paused_reason'),
    /** The random secret that signs webhooks, unsubscribe links and the addresses of charts. */
    secret: text().notNull(),
    /** This service's origin at the creation; links in messages begin with it. */
    origin: text().notNull(),
    /** Raised by every change of a user, for compare-and-swap. */
    revision: integer().notNull().default(0),
    /** When an alert checks its insight, instead of the schedule; null for a subscription. */
    checks: text({ mode: 'json' }).$type<CheckSchedule>()
  },
  (t) => [
    index('subscriptions_project').on(t.projectId, t.deleted, t.id),
    index('subscriptions_due').on(t.nextDeliveryDate).where(sql`${t.nextDeliveryDate} is not null`)
  ]
)

/** Each occurrence once, whatever its outcome; also tests, and notices to the owner. */
export const subscriptionDeliveries = sqliteTable(
  'subscription_deliveries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    subscriptionId: integer('subscription_id').notNull(),
    kind: text({ enum: ['scheduled', 'test', 'notice'] }).notNull(),
    /** When the delivery was due; for a test or a notice, when it was requested. */
    occurrence: integer().notNull(),
    /** The number of earlier occurrences that were missed and that this one replaces. */
    missed: integer().notNull().default(0),
    status: text({ enum: ['queued', 'sending', 'delivered', 'failed', 'skipped'] }).notNull(),
    /** The number of attempts. The latest attempt holds the delivery. */
    attempts: integer().notNull().default(0),
    /** When the next attempt is due, or the current one's lease ends. Null when finished. */
    dueAt: integer('due_at'),
    recipients: text({ mode: 'json' }).$type<Recipient[]>().notNull().default([]),
    error: text(),
    /** What the check of an alert has found; null before, and for subscriptions. */
    verdict: text({ mode: 'json' }).$type<Verdict>(),
    createdAt: integer('created_at').notNull(),
    finishedAt: integer('finished_at')
  },
  (t) => [
    uniqueIndex('subscription_deliveries_occurrence').on(t.subscriptionId, t.kind, t.occurrence),
    index('subscription_deliveries_due').on(t.dueAt).where(sql`${t.dueAt} is not null`)
  ]
)

/** What an alert compares with what, as clients send it. */
export type AlertRule = {
  condition: {
    type: 'absolute_value' | 'relative_increase' | 'relative_decrease' | 'no_data'
    compare_to: 'previous_interval' | 'same_weekday'
  }
  threshold: {
    id: string
    name: ''
    created_at: string
    configuration: {
      type: 'absolute' | 'percentage'
      bounds: { lower: number | null; upper: number | null }
    }
  }
  config: { type: 'TrendsAlertConfig'; series_index: number; check_ongoing_interval: false }
}

/** Alerts. The row of `subscriptions` has the insight, the recipients and the next check. */
export const alerts = sqliteTable('alerts', {
  id: text().primaryKey(),
  subscriptionId: integer('subscription_id').notNull().unique(),
  projectId: integer('project_id').notNull(),
  rule: text({ mode: 'json' }).$type<AlertRule>().notNull(),
  /** The ids of the users whose addresses are among the recipients. */
  subscribedUsers: text('subscribed_users', { mode: 'json' }).$type<number[]>().notNull(),
  isFiring: integer('is_firing', { mode: 'boolean' }).notNull(),
  /** Why the last check failed; null if it did not. */
  error: text(),
  /** The end of the last interval that was evaluated, ms UTC. */
  checkedUntil: integer('checked_until').notNull(),
  snoozedUntil: integer('snoozed_until'),
  lastNotifiedAt: integer('last_notified_at'),
  lastCheckedAt: integer('last_checked_at'),
  lastValue: real('last_value'),
  /** Raised by every change and every check, for compare-and-swap. */
  version: integer().notNull()
})

/** The responses to requests with an `Idempotency-Key`, kept for 24 hours. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    projectId: integer('project_id').notNull(),
    userId: integer('user_id').notNull(),
    key: text().notNull(),
    /** The SHA-256 of the request's body. */
    hash: text().notNull(),
    answer: text().notNull(),
    createdAt: integer('created_at').notNull()
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.userId, t.key] }),
    index('idempotency_keys_created').on(t.createdAt)
  ]
)
