import {
  type Bucket,
  bucketOf,
  bucketsBefore,
  bucketsFrom,
  bucketsOf,
  type Calendar,
  endOf,
  type Interval,
  isWithinDay,
  type Range,
  startOf
} from '../calendar/buckets.ts'
import { goBack } from '../calendar/clock.ts'
import { EARLIEST } from '../calendar/dates.ts'
import { DAY } from '../calendar/units.ts'
import { findFirst } from '../columns/read.store.ts'
import type { Db } from '../db/client.ts'
import { type Period, toPeriod } from './answer.ts'
import { type Back, isAggregated, type TrendQuery } from './query.ts'

export type ProjectCalendar = { id: number } & Calendar

/** Returns the requested period and, for a comparison, an earlier period with as many buckets. */
export async function periodsOf(
  db: Db,
  project: ProjectCalendar,
  query: TrendQuery,
  now: Date
): Promise<Period[]> {
  const from = query.from === 'all' ? await beginningOf(db, project.id, query, now) : query.from
  const range = toRange(from, query.until)
  return isAggregated(query)
    ? singlePeriods(query, range, project)
    : seriesPeriods(query, range, project)
}

/** Returns where all time begins, ms UTC: at the first plausible event of the trend's series. */
async function beginningOf(
  db: Db,
  projectId: number,
  { series }: TrendQuery,
  now: Date
): Promise<number> {
  const events = series.map(({ event }) => event)
  const names = events.filter((event) => event !== null)
  const first = await findFirst(db, projectId, {
    names: names.length < events.length ? undefined : names,
    since: EARLIEST
  })
  return first ?? now.getTime()
}

/** At least 1 ms: the first event may be later than the end of the request. */
const toRange = (from: number, until: number): Range => ({ from: Math.min(from, until - 1), until })

/**
 * Returns the requested period with only its first and its last bucket. They tell which events a
 * trend counts, and are found quickly, however many buckets there are.
 */
export function outlineOf(query: TrendQuery, asked: Range, project: ProjectCalendar): Period {
  const { interval, exact } = query
  const range = toRange(asked.from, asked.until)
  if (isAggregated(query)) {
    const [whole] = singlePeriods(query, range, project)
    return whole ?? toPeriod([], interval, undefined)
  }
  const { from, until } = range
  const ends = [
    ...bucketsFrom(from, 1, interval, project),
    bucketOf({ from: until - 1, until }, interval, project)
  ].map((bucket) => ({ ...bucket, until: Math.min(bucket.until, until) }))
  return toPeriod(exact ? cut(ends, range) : ends, interval, undefined)
}

function singlePeriods(query: TrendQuery, range: Range, project: ProjectCalendar): Period[] {
  const { compare, exact } = query
  // The single bucket begins with a day, not with the week or month of that day.
  const isLong = query.interval === 'week' || query.interval === 'month'
  const interval = isLong ? 'day' : query.interval
  const periodOf = (bucket: Bucket | undefined, label: Period['label']): Period =>
    toPeriod(bucket ? [bucket] : [], query.interval, label)

  const whole = bucketOf(range, interval, project)
  const current = exact ? { ...whole, from: range.from } : whole
  if (!compare) {
    return [periodOf(current, undefined)]
  }
  if (exact) {
    const before = compare.back
      ? moved(range.from, exact.length, compare.back, project.timezone)
      : { from: range.from - exact.length, until: range.from }
    const previous = { ...bucketOf(before, interval, project), ...before }
    return [periodOf(current, 'current'), periodOf(previous, 'previous')]
  }
  const before = isWithinDay(interval)
    ? earlierHours(query, range, interval, project)
    : join(earlierBuckets(query, bucketsOf(range, interval, project), interval, project))
  return [periodOf(current, 'current'), periodOf(before, 'previous')]
}

/**
 * Returns the compared period of a range as one bucket, which lasts as many hours or minutes as the
 * range. Does not list a bucket for each of them: a month has more minutes than a trend may have
 * buckets.
 */
function earlierHours(
  { compare }: TrendQuery,
  range: Range,
  interval: 'hour' | 'minute',
  project: ProjectCalendar
): Bucket {
  const from = startOf(range.from, interval, project).time
  const length = endOf(range.until - 1, interval, project) - from
  const back = compare?.back
  const asked = back && goBack(from, back.amount, back.unit, project.timezone)
  const start = asked === undefined ? from - length : startOf(asked, interval, project).time
  const before = { from: start, until: start + length }
  return { ...bucketOf(before, interval, project), ...before }
}

function join(buckets: readonly Bucket[]): Bucket | undefined {
  const [first, last] = [buckets[0], buckets.at(-1)]
  return first && last ? { ...first, until: last.until } : undefined
}

/**
 * Moves `from` back on the clock of the time zone, and returns the range of this length, ms, that
 * begins there. The end is not moved separately, which could change the length: a month before both
 * 30 and 31 May is 30 April.
 */
function moved(from: number, length: number, { amount, unit }: Back, timezone: string): Range {
  const start = goBack(from, amount, unit, timezone)
  return { from: start, until: start + length }
}

function seriesPeriods(query: TrendQuery, range: Range, project: ProjectCalendar): Period[] {
  const { compare, exact, interval } = query
  const whole = bucketsOf(range, interval, project)
  const current = exact ? cut(whole, range) : whole
  if (!compare) {
    return [toPeriod(current, interval, undefined)]
  }
  if (exact) {
    const back = compare.back ?? lengthIn(interval, exact.length)
    const before = moved(range.from, exact.length, back, project.timezone)
    const buckets = bucketsFrom(before.from, whole.length, interval, project)
    return [
      toPeriod(current, interval, 'current'),
      toPeriod(stretch(cut(buckets, before), before.until), interval, 'previous')
    ]
  }
  const before = earlierBuckets(query, whole, interval, project)
  return [toPeriod(current, interval, 'current'), toPeriod(before, interval, 'previous')]
}

/** Shortens buckets to a range; a bucket after it becomes empty, at the range's end. */
const cut = (buckets: readonly Bucket[], range: Range): Bucket[] =>
  buckets.map(({ from, until, clock }) => ({
    from: Math.min(Math.max(from, range.from), range.until),
    until: Math.min(until, range.until),
    clock
  }))

/**
 * Stretches the last bucket to `until`, unless the bucket ends later. Both periods have the same
 * number of buckets: if 2:00 to 10:00 of one day is compared with 21:00 to 5:00, the latter is one
 * bucket too, although it touches two days.
 */
const stretch = (buckets: readonly Bucket[], until: number): Bucket[] =>
  buckets.map((bucket, i) =>
    i === buckets.length - 1 ? { ...bucket, until: Math.max(bucket.until, until) } : bucket
  )

/** Returns a length of time, ms, in days, weeks or months, rounded up. A month has 28 days here. */
function lengthIn(interval: Interval, length: number): Back {
  if (interval === 'month') {
    return { amount: Math.ceil(length / (28 * DAY)), unit: 'm' }
  }
  const days = interval === 'week' ? 7 : 1
  return { amount: Math.ceil(length / (days * DAY)), unit: interval === 'week' ? 'w' : 'd' }
}

/** Returns as many buckets at the requested distance, or right before. */
function earlierBuckets(
  { compare }: TrendQuery,
  buckets: readonly Bucket[],
  interval: Interval,
  project: ProjectCalendar
): Bucket[] {
  const back = compare?.back
  if (!back) {
    return bucketsBefore(buckets, interval, project)
  }
  const start = goBack(buckets[0]?.from ?? 0, back.amount, back.unit, project.timezone)
  return bucketsFrom(start, buckets.length, interval, project)
}
