import { isWeekly } from '../erasures/schedule.ts'

/** Sundays at 05:00 UTC: the weekly deletion batch. */
export const WEEKLY = '0 5 * * SUN'
/** The sweeps for work that was missed or whose message was lost. */
export const EVERY_15_MINUTES = '*/15 * * * *'
/** The verification of all counts. */
export const NIGHTLY = '30 3 * * *'
/** The subscriptions that are due. */
export const EVERY_MINUTE = '* * * * *'

/** The Cron Triggers of wrangler.toml. */
export const CRONS = [WEEKLY, EVERY_15_MINUTES, NIGHTLY, EVERY_MINUTE] as const
export type Cron = (typeof CRONS)[number]

/** Returns the trigger with this expression, which the platform may hand back otherwise: `0 5 * * 1` is `0 5 * * SUN`. */
export const cronOf = (expression: string): Cron | undefined =>
  isWeekly(expression) ? WEEKLY : CRONS.find((cron) => cron === expression)
