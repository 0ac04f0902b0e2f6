import { DAY, HOUR } from '../../calendar/units.ts'

const WEEK = 7 * DAY

/** The first Sunday, 1970-01-04, at 05:00 UTC, ms. */
const FIRST = 3 * DAY + 5 * HOUR

/** Returns the last Sunday 05:00 UTC that is not later than `at`, ms UTC. */
export const lastRunBy = (at: number): number => at - ((((at - FIRST) % WEEK) + WEEK) % WEEK)

/** Returns the first Sunday 05:00 UTC later than `at`, ms UTC. */
export const nextRunAfter = (at: number): number => lastRunBy(at) + WEEK

/** Whether a cron expression is the weekly one. Cloudflare may report `SUN` as `1`. */
export const isWeekly = (cron: string): boolean => /^0 5 \* \* (SUN|1)$/i.test(cron.trim())
