import type { Interval } from './buckets.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Characters of a date such as `2025-06-01`. */
const DATE_LENGTH = 10

/**
 * Labels the buckets of a time axis by where they start; the day that is not over is `Today`.
 * @param days the starts, local to the time zone: `2025-06-01` or `2025-06-01 14:00:00`
 * @param finished the number of buckets that are over
 */
export const labelAxis = (days: string[], interval: Interval, finished: number): string[] =>
  days.map((day, i) =>
    i === finished && interval === 'day' ? 'Today' : labelOf(day, days, interval)
  )

/**
 * `2025-06-01` → `1 Jun`, or `Jun 2025` by the month; `2025-06-01 14:00:00` → `14:00`, or `1 Jun
 * 14:00` among several days.
 */
function labelOf(day: string, days: string[], interval: Interval): string {
  const [, year, month, date, time = ''] = /^(\d+)-(\d+)-(\d+)(?: (\d+:\d+))?/.exec(day) ?? []
  const name = MONTHS[Number(month) - 1] ?? ''
  if (interval === 'month') {
    return `${name} ${year}`
  }
  if (!time) {
    return `${Number(date)} ${name}`
  }
  const isOneDay = days[0]?.slice(0, DATE_LENGTH) === days.at(-1)?.slice(0, DATE_LENGTH)
  return isOneDay ? time : `${Number(date)} ${name} ${time}`
}
