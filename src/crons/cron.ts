import { isWeekly } from '../erasures/schedule.ts'

/** Sundays at 05:00 UTC: the weekly run of erasures and the sweep of snapshots. */
export const WEEKLY = '0 5 * * SUN'
/** The sweeps that take up missed work and work whose message was lost. */
export const EVERY_15_MINUTES = '*/15 * * * *'
/** The nightly verification and the clean-up of the ledger. */
export const NIGHTLY = '30 3 * * *'
/** Queues the subscriptions that are due. */
export const EVERY_MINUTE = '* * * * *'

/** The Cron Triggers of wrangler.toml. */
export const CRONS = [WEEKLY, EVERY_15_MINUTES, NIGHTLY, EVERY_MINUTE] as const
export type Cron = (typeof CRONS)[number]

/**
 * Returns the trigger with this expression. The platform may spell it differently: `0 5 * * 1` for
 * `0 5 * * SUN`.
 */
export const cronOf = (expression: string): Cron | undefined =>
  isWeekly(expression) ? WEEKLY : CRONS.find((cron) => cron === expression)
