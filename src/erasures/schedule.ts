const DAY = 86_400_000
const WEEK = 7 * DAY

/** 1970-01-04, a Sunday, at 05:00 UTC. */
const FIRST = 3 * DAY + 5 * 3_600_000

/** The last Sunday 05:00 UTC that is not later than `at`; ms. */
export const lastRunBy = (at: number): number => at - ((((at - FIRST) % WEEK) + WEEK) % WEEK)

/** The first Sunday 05:00 UTC later than `at`; ms. */
export const nextRunAfter = (at: number): number => lastRunBy(at) + WEEK

/** Whether a Cron Trigger's expression is the weekly one, in any of the forms in which the platform may hand it back. */
export const isWeekly = (cron: string): boolean => /^0 5 \* \* (SUN|1)$/i.test(cron.trim())
