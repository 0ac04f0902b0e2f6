import { isWeekly } from '../erasures/schedule.ts'

/* `JOBS` in worker.ts lists the jobs of each trigger. */

/** Sundays at 05:00 UTC. */
export const WEEKLY = '0 5 * * SUN'
export const EVERY_15_MINUTES = '*/15 * * * *'
/** Every night at 03:30 UTC. */
export const NIGHTLY = '30 3 * * *'
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
