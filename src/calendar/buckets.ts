import { AppError } from '../errors.ts'
import { fromClock, midnight, toClock } from './clock.ts'

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

/** A half-open range of moments, ms. */
export type Range = { from: number; until: number }

/** What belongs to one point of a trend; `clock` is what the zone's clock shows at its start, as if it were UTC. */
export type Bucket = Range & { clock: number }

/** The clock that a project's days and weeks follow; `weekStart` is 0 for Sunday, 1 for Monday. */
export type Calendar = { timezone: string; weekStart: number }

export const MINUTE = 60_000
export const HOUR = 3_600_000
export const DAY = 86_400_000

export const MAX_BUCKETS = 10_000

/**
 * The buckets that cover a range, one after the other without a gap: the first starts with its interval, the last ends
 * with the range. An hour that the clock shows twice is two buckets; a day lasts from midnight to midnight, 23 to 25 hours.
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
    // A day that the zone left out has no moment.
    if (until > start.time) {
      buckets.push({ from: start.time, until, clock: start.clock })
    }
    start = next
  }
  return buckets
}

/** One bucket for a whole range, however long; it starts with the interval around its beginning. */
export function bucketOf({ from, until }: Range, interval: Interval, calendar: Calendar): Bucket {
  const start = startOf(from, interval, calendar)
  return { from: start.time, until, clock: start.clock }
}

/** So many buckets of one size, the first of them around `from`. */
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

/** So many buckets that end where the first of `buckets` starts. */
export function bucketsBefore(
  buckets: readonly Bucket[],
  interval: Interval,
  calendar: Calendar
): Bucket[] {
  const [first] = buckets
  if (!first) {
    return []
  }
  const { timezone } = calendar
  const count = buckets.length
  if (interval === 'minute' || interval === 'hour') {
    const from = first.from - count * (interval === 'hour' ? HOUR : MINUTE)
    return bucketsOf({ from, until: first.from }, interval, calendar).slice(-count)
  }
  const clock =
    interval === 'month' ? addMonths(first.clock, -count) : first.clock - count * lengthOf(interval)
  return bucketsOf(
    { from: fromClock(clock, timezone), until: first.from },
    interval,
    calendar
  ).slice(-count)
}

/** So many days on the zone's clock before a moment. */
export const daysBefore = (time: number, days: number, timezone: string): number =>
  fromClock(toClock(time, timezone) - days * DAY, timezone)

/** The moment at which the local day of this one ends. */
export const endOfDay = (time: number, timezone: string): number =>
  fromClock(floorTo(toClock(time, timezone), DAY) + DAY, timezone)

/** The moment at which the hour or minute of this one ends. */
export const endOf = (time: number, interval: 'hour' | 'minute', calendar: Calendar): number =>
  after(startOf(time, interval, calendar), interval, calendar.timezone).time

type Start = { time: number; clock: number }

/** The start of the interval around a moment. */
export function startOf(
  time: number,
  interval: Interval,
  { timezone, weekStart }: Calendar
): Start {
  const now = toClock(time, timezone)
  if (interval === 'minute' || interval === 'hour') {
    const clock = floorTo(now, lengthOf(interval))
    return { time: time - (now - clock), clock }
  }
  const clock = firstDay(floorTo(now, DAY), interval, weekStart)
  return { time: fromClock(clock, timezone), clock }
}

/** The first day of the interval that a day belongs to. */
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
  if (interval === 'minute' || interval === 'hour') {
    return afterShort(time, lengthOf(interval), timezone)
  }
  const next = interval === 'month' ? addMonths(clock, 1) : clock + lengthOf(interval)
  return { time: fromClock(next, timezone), clock: next }
}

/** Where the clock shows the next full hour or minute, or another one than before: not each change is by full hours. */
function afterShort(time: number, length: number, timezone: string): Start {
  const hour = floorTo(toClock(time, timezone), length)
  let next = time
  let clock: number
  do {
    next += length - (toClock(next, timezone) - floorTo(toClock(next, timezone), length))
    clock = toClock(next, timezone)
  } while (clock !== floorTo(clock, length) && floorTo(clock, length) === hour)
  return { time: next, clock: floorTo(clock, length) }
}

const lengthOf = (interval: Exclude<Interval, 'month'>): number =>
  ({ minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY })[interval]

const floorTo = (clock: number, length: number): number => Math.floor(clock / length) * length

/** The start of the month so many months after that of a day. */
function addMonths(clock: number, months: number): number {
  const date = new Date(clock)
  return midnight(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

const tooManyBuckets = (interval: Interval): AppError =>
  new AppError(
    'query_too_large',
    `A trend has at most ${MAX_BUCKETS} buckets. Ask for fewer, or for longer ones than by the ${interval}.`,
    'buckets'
  )

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `3-Jun-2025`, within a day `3-Jun-2025 14:00`. */
export function labelOf({ clock }: Bucket, interval: Interval): string {
  const date = new Date(clock)
  const day = `${date.getUTCDate()}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`
  return isWithinDay(interval) ? `${day} ${date.toISOString().slice(11, 16)}` : day
}

/** `2025-06-03`, within a day `2025-06-03 14:00:00`. */
export function dayOf({ clock }: Bucket, interval: Interval): string {
  const [day = '', time = ''] = new Date(clock).toISOString().split('T')
  return isWithinDay(interval) ? `${day} ${time.slice(0, 8)}` : day
}

const isWithinDay = (interval: Interval): boolean => interval === 'hour' || interval === 'minute'
