import { AppError } from '../errors.ts'
import { changeBetween, fromClock, midnight, momentOf, toClock } from './clock.ts'
import { DAY, HOUR, MINUTE } from './units.ts'

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

/** A half-open range of time in ms: `from` belongs to it, `until` does not. */
export type Range = { from: number; until: number }

/**
 * One point on the time axis: a range. `clock` is the wall-clock time of its start, encoded as if
 * it were UTC; if the clock skips that time, it is the skipped time. `{ from: Date.UTC(2025, 5, 2,
 * 22), clock: Date.UTC(2025, 5, 3) }` begins at midnight in Berlin, on June 3.
 */
export type Bucket = Range & { clock: number }

/** A project's time zone and first day of the week: 0 for Sunday, 1 for Monday. */
export type Calendar = { timezone: string; weekStart: number }

/**
 * Buckets allowed in one query: enough for a year of hours (8,784), not for a week of minutes
 * (10,080).
 */
export const MAX_BUCKETS = 10_000

/**
 * Returns the buckets that cover a range, without gaps. The first bucket begins at the start of its
 * interval, which may be before the range; the last bucket ends with the range. An hour that the
 * clock shows twice is two buckets; a day lasts from midnight to midnight, 23 to 25 hours. On Lord
 * Howe Island, where the clock moves by half an hour, an hour may last 30 or 90 minutes.
 * @throws query_too_large for more than MAX_BUCKETS
 */
export function bucketsOf(range: Range, interval: Interval, calendar: Calendar): Bucket[] {
  const buckets: Bucket[] = []
  let start = startOf(range.from, interval, calendar)
  while (start.time < range.until) {
    if (buckets.length === MAX_BUCKETS) {
      throw tooManyBuckets(interval)
    }
    const next = after(start, interval, calendar.timezone)
    const until = Math.min(next.time, range.until)
    // Leaves out a day that the time zone skipped: Samoa had no December 30, 2011.
    if (until > start.time) {
      buckets.push({ from: start.time, until, clock: start.clock })
    }
    start = next
  }
  return buckets
}

/**
 * Returns one bucket for a whole range. The bucket begins at the start of the interval that
 * contains `from`.
 */
export function bucketOf({ from, until }: Range, interval: Interval, calendar: Calendar): Bucket {
  const start = startOf(from, interval, calendar)
  return { from: start.time, until, clock: start.clock }
}

/** Returns `count` whole buckets, the first of which contains `from`. */
export function bucketsFrom(
  from: number,
  count: number,
  interval: Interval,
  calendar: Calendar
): Bucket[] {
  const buckets: Bucket[] = []
  let start = startOf(from, interval, calendar)
  while (buckets.length < count) {
    const next = after(start, interval, calendar.timezone)
    if (next.time > start.time) {
      buckets.push({ from: start.time, until: next.time, clock: start.clock })
    }
    start = next
  }
  return buckets
}

/** Returns the same number of buckets, right before the given buckets. */
export function bucketsBefore(
  buckets: readonly Bucket[],
  interval: Interval,
  calendar: Calendar
): Bucket[] {
  const [first] = buckets
  if (!first) {
    return []
  }
  const count = buckets.length
  // A day that the time zone skipped is no bucket: then the range begins a day earlier.
  for (let intervals = count; ; intervals += 1) {
    const from = startBefore(first, intervals, interval, calendar.timezone)
    const before = bucketsOf({ from, until: first.from }, interval, calendar)
    if (before.length >= count) {
      // If a clock change of half an hour puts `from` into the middle of an hour, there is one
      // bucket too many.
      return before.slice(-count)
    }
  }
}

function startBefore({ from, clock }: Bucket, count: number, interval: Interval, timezone: string) {
  if (isWithinDay(interval)) {
    return from - count * lengthOf(interval)
  }
  const start = interval === 'month' ? addMonths(clock, -count) : clock - count * lengthOf(interval)
  return fromClock(start, timezone)
}

/**
 * Returns the moment `days` before the end of a bucket, at the same wall-clock time, or the first
 * moment after it that exists. A later end never has an earlier moment.
 */
export const daysBefore = (end: number, days: number, timezone: string): number =>
  momentOf(clockAtEnd(end, timezone) - days * DAY, timezone)

/**
 * Returns the wall-clock time that a bucket has reached when it ends: 2:00 for the hour after which
 * the clock is set forward to 3:00. While the clock repeats an hour, it is the end of that hour:
 * the clock has already reached it.
 */
function clockAtEnd(end: number, timezone: string): number {
  const last = end - 1
  const clock = toClock(last, timezone)
  const first = fromClock(clock, timezone)
  const furthest =
    first === last ? clock : toClock(changeBetween(first, last, timezone) - 1, timezone)
  return furthest + 1
}

/** Returns the next local midnight after a moment. */
export const endOfDay = (time: number, timezone: string): number =>
  fromClock(floorTo(toClock(time, timezone), DAY) + DAY, timezone)

/** Returns the end of the hour or minute that contains a moment. */
export const endOf = (time: number, interval: 'hour' | 'minute', calendar: Calendar): number =>
  after(startOf(time, interval, calendar), interval, calendar.timezone).time

type Start = { time: number; clock: number }

/** Returns the start of the interval that contains a moment. */
export function startOf(
  time: number,
  interval: Interval,
  { timezone, weekStart }: Calendar
): Start {
  if (isWithinDay(interval)) {
    return startOfHourOrMinute(time, lengthOf(interval), timezone)
  }
  const clock = firstDay(floorTo(toClock(time, timezone), DAY), interval, weekStart)
  return { time: fromClock(clock, timezone), clock }
}

/**
 * Returns the first day of the interval that contains `day`; argument and result are wall-clock
 * midnights.
 */
function firstDay(day: number, interval: Interval, weekStart: number): number {
  if (interval === 'day') {
    return day
  }
  if (interval === 'week') {
    return day - ((new Date(day).getUTCDay() - weekStart + 7) % 7) * DAY
  }
  return addMonths(day, 0)
}

function after({ time, clock }: Start, interval: Interval, timezone: string): Start {
  if (isWithinDay(interval)) {
    return nextHourOrMinute(time, lengthOf(interval), timezone)
  }
  const next = interval === 'month' ? addMonths(clock, 1) : clock + lengthOf(interval)
  return { time: fromClock(next, timezone), clock: next }
}

/**
 * Returns the start of the hour or minute that contains a moment: a full hour or minute of the
 * clock or, if the clock was set from another hour or minute into the middle of this one, the
 * moment of that change.
 */
function startOfHourOrMinute(time: number, length: number, timezone: string): Start {
  const now = toClock(time, timezone)
  const clock = floorTo(now, length)
  const full = time - (now - clock)
  if (toClock(full, timezone) === clock) {
    return { time: full, clock }
  }
  const change = changeBetween(full, time, timezone)
  const isWithin = floorTo(toClock(change - 1, timezone), length) === clock
  return isWithin ? startOfHourOrMinute(change - 1, length, timezone) : { time: change, clock }
}

function nextHourOrMinute(time: number, length: number, timezone: string): Start {
  const now = toClock(time, timezone)
  const clock = floorTo(now, length) + length
  const full = time + (clock - now)
  if (toClock(full, timezone) === clock) {
    return { time: full, clock }
  }
  const change = changeBetween(time, full, timezone)
  const start = startOfHourOrMinute(change, length, timezone)
  // Goes on if the clock was set within the hour.
  return start.time === change ? start : nextHourOrMinute(change, length, timezone)
}

const lengthOf = (interval: Exclude<Interval, 'month'>): number =>
  ({ minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY })[interval]

const floorTo = (clock: number, length: number): number => Math.floor(clock / length) * length

function addMonths(clock: number, months: number): number {
  const date = new Date(clock)
  return midnight(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

const tooManyBuckets = (interval: Interval): AppError =>
  new AppError(
    'query_too_large',
    `A trend has at most 10,000 buckets. Choose a shorter range${interval === 'month' ? '' : ' or a longer interval'}; got \`${interval}\`.`,
    'buckets'
  )

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Formats the starts of buckets for `labels` in an answer: `3-Jun-2025`, or `3-Jun-2025 14:00` for
 * hours and minutes.
 */
export const labelsOf = (buckets: readonly Bucket[], interval: Interval): string[] =>
  formatEach(
    buckets,
    interval,
    (date) => `${date.getUTCDate()}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`
  )

/**
 * Formats the starts of buckets for `days` in an answer: `2025-06-03`, or `2025-06-03 14:00:00` for
 * hours and minutes.
 */
export const daysOf = (buckets: readonly Bucket[], interval: Interval): string[] =>
  formatEach(buckets, interval, (date) => date.toISOString().slice(0, -14), ':00')

/**
 * Formats the day of each bucket, and its time if the interval is shorter than a day. Formats a day
 * once for all its buckets.
 */
function formatEach(
  buckets: readonly Bucket[],
  interval: Interval,
  formatDay: (date: Date) => string,
  seconds = ''
): string[] {
  let known = Number.NaN
  let day = ''
  return buckets.map(({ clock }) => {
    const dayStart = floorTo(clock, DAY)
    if (dayStart !== known) {
      known = dayStart
      day = formatDay(new Date(dayStart))
    }
    return isWithinDay(interval) ? `${day} ${formatTime(clock - dayStart)}${seconds}` : day
  })
}

/** Formats a time of day: 50,400,000 ms → `14:00`. */
function formatTime(time: number): string {
  const hours = String(Math.floor(time / HOUR)).padStart(2, '0')
  return `${hours}:${String(Math.floor((time % HOUR) / MINUTE)).padStart(2, '0')}`
}

/** Whether a day has several buckets. */
export const isWithinDay = (interval: Interval): interval is 'hour' | 'minute' =>
  interval === 'hour' || interval === 'minute'
