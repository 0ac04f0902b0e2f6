/** The weekly deletion batch; the platform may hand it back with the number of the day. */
export const WEEKLY = '0 5 * * SUN'
/** The sweeps for what was missed or got lost. */
export const QUARTER_HOURLY = '*/15 * * * *'
/** The check of all counts. */
export const NIGHTLY = '30 3 * * *'
/** The subscriptions that are due. */
export const MINUTELY = '* * * * *'

/** The Cron Triggers of wrangler.toml. */
export const CRONS = [WEEKLY, QUARTER_HOURLY, NIGHTLY, MINUTELY] as const
