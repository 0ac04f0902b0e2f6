import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { isOfExit } from '../properties/session.ts'
import { sessions } from './schema.ts'

/** The table `sessions` under the alias `s`. */
export const session = alias(sessions, 's')

/**
 * SQL: whether a session is a bounce: one page or screen, no autocaptured event, and less than ten
 * seconds. Null for a session without a page or screen.
 */
export const IS_BOUNCE = sql`case when ${session.pageviews} + ${session.screens} > 0 then
  ${session.pageviews} + ${session.screens} + ${session.autocaptures} <= 1 and ${session.endTime} - ${session.startTime} < 10000 end`

const isoOf = (time: SQL): SQL => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch')`

/** Properties that are computed from columns of their own; all others are in `entry` or `exit`. */
const OF_ROW: Record<string, SQL> = {
  $start_timestamp: sql`json_object('$start_timestamp', ${isoOf(sql`${session.startTime}`)})`,
  $end_timestamp: sql`json_object('$end_timestamp', ${isoOf(sql`${session.endTime}`)})`,
  $pageview_count: sql`json_object('$pageview_count', ${session.pageviews})`,
  $autocapture_count: sql`json_object('$autocapture_count', ${session.autocaptures})`,
  $screen_count: sql`json_object('$screen_count', ${session.screens})`,
  $vitals_lcp: sql`json_object('$vitals_lcp', ${session.lcp})`,
  $session_duration: sql`json_object('$session_duration', (${session.endTime} - ${session.startTime}) / 1000)`,
  $is_bounce: sql`json_object('$is_bounce', json(case ${IS_BOUNCE} when 1 then 'true' when 0 then 'false' end))`,
  $last_external_click_url: sql`json_object('$last_external_click_url', ${session.click})`
}

/** SQL: a JSON object with the property `key` of the session `s`, without bound values. */
export const sessionColumn = (key: string): SQL =>
  OF_ROW[key] ?? (isOfExit(key) ? sql`${session.exit}` : sql`${session.entry}`)
