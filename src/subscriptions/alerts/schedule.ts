import { bucketsFrom, type Interval } from '../../calendar/buckets.ts'
import { toClock } from '../../calendar/clock.ts'
import { DAY, MINUTE } from '../../calendar/units.ts'
import type { CheckSchedule } from '../../db/schema.ts'

/** Time after the end of an interval before it is checked, ms: its last events are stored then. */
export const SETTLING_MS = 2 * MINUTE

const QUARTER = 15 * MINUTE

const INTERVAL_OF: Record<Exclude<CheckSchedule['every'], 'every_15_minutes'>, Interval> = {
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month'
}

/**
 * Returns the first check later than `after`, ms UTC: two minutes after a quarter of an hour, an
 * hour, a day, a week or a month of the project's clock. On a weekend that is skipped, it waits for
 * the first such moment of Monday.
 */
export function nextCheck(checks: CheckSchedule, after: number): number {
  let next = endAfter(checks.every, checks, after)
  while (checks.skipsWeekends && isWeekend(next, checks.timezone)) {
    next = endAfter('daily', checks, next)
  }
  return next
}

function endAfter(every: CheckSchedule['every'], calendar: CheckSchedule, after: number): number {
  const time = after - SETTLING_MS
  if (every === 'every_15_minutes') {
    // In every time zone, quarters of an hour begin at the same moments.
    return (Math.floor(time / QUARTER) + 1) * QUARTER + SETTLING_MS
  }
  const [interval] = bucketsFrom(time, 1, INTERVAL_OF[every], calendar)
  return (interval?.until ?? time + DAY) + SETTLING_MS
}

function isWeekend(time: number, timezone: string): boolean {
  const day = new Date(toClock(time, timezone)).getUTCDay()
  return day === 0 || day === 6
}

const WORDS: Record<CheckSchedule['every'], string> = {
  every_15_minutes: 'every 15 minutes',
  hourly: 'every hour',
  daily: 'every day',
  weekly: 'every week',
  monthly: 'every month'
}

/** Writes a schedule in words: `checked every hour, not on weekends`. */
export const describeChecks = ({ every, skipsWeekends }: CheckSchedule): string =>
  `checked ${WORDS[every]}${skipsWeekends ? ', not on weekends' : ''}`
