import { DAY, MINUTE } from '../calendar/units.ts'
import { isWeekly } from '../erasures/engine/schedule.ts'

/* `JOBS` in jobs.ts lists the jobs of each trigger. */

/** Sundays at 05:00 UTC. */
export const WEEKLY = '0 5 * * SUN'
export const EVERY_15_MINUTES = '*/15 * * * *'
/** Every night at 03:30 UTC. */
export const NIGHTLY = '30 3 * * *'
export const EVERY_MINUTE = '* * * * *'

/** The Cron Triggers of wrangler.toml. */
export const CRONS = [WEEKLY, EVERY_15_MINUTES, NIGHTLY, EVERY_MINUTE] as const
export type Cron = (typeof CRONS)[number]

const PERIODS: Record<Cron, number> = {
  [WEEKLY]: 7 * DAY,
  [NIGHTLY]: DAY,
  [EVERY_15_MINUTES]: 15 * MINUTE,
  [EVERY_MINUTE]: MINUTE
}

/** How late a trigger may fire, ms: a change takes 15 minutes to reach all of Cloudflare. */
const TOLERANCE = 15 * MINUTE

/** Whether a trigger that last fired at `last` should have fired again by `now`, ms UTC. */
export const isOverdue = (cron: Cron, last: number, now: number): boolean =>
  now - last > PERIODS[cron] + TOLERANCE

/**
 * Returns the trigger with this expression. The platform may spell it differently: `0 5 * * 1` for
 * `0 5 * * SUN`.
 */
export const cronOf = (expression: string): Cron | undefined =>
  isWeekly(expression) ? WEEKLY : CRONS.find((cron) => cron === expression)
