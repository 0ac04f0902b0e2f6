import type { OpenProject } from '../../access/open.ts'
import {
  type Bucket,
  bucketsOf,
  type Calendar,
  type Interval,
  type Range,
  startOf
} from '../../calendar/buckets.ts'
import { fromClock } from '../../calendar/clock.ts'
import { DAY } from '../../calendar/units.ts'
import type { AlertRule, CheckSchedule } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { nameOfSeries } from '../../insights/chart.ts'
import { readInsight } from '../../insights/question.ts'
import type { InsightRow } from '../../insights/store.ts'
import type { TrendSeries } from '../../trends/answer.ts'
import { MATHS } from '../../trends/maths/table.ts'
import {
  isAggregated,
  isCumulative,
  type SeriesQuery,
  type TrendQuery
} from '../../trends/query.ts'
import type { Settings } from '../../trends/request.ts'
import { computeTrend } from '../../trends/trend.ts'
import type { ClosedInterval, Sample } from './condition.ts'

/** Intervals that one check evaluates: more than a month of hours, or a day of minutes. */
const MAX_INTERVALS = 2_000

/** Which part of an insight an alert compares, and how often it checks it. */
type Checking = { rule: AlertRule; every: CheckSchedule['every'] }

/**
 * Returns the trend of the one series or formula that an alert compares.
 * @throws invalid_input, attr the field, for an insight that an alert cannot check
 */
export function readChecked(
  insight: Pick<InsightRow, 'filters' | 'query'>,
  checking: Checking,
  settings: Settings,
  now: Date
): TrendQuery {
  const query = readOverTime(insight, settings, now)
  expectFitting(query.interval, checking)
  const { series_index: index } = checking.rule.config
  const [series, formula] = [query.series[index], query.formulas[index]]
  const count = query.formulas.length || query.series.length
  if (index >= count) {
    throw new AppError(
      'invalid_input',
      `The insight has only ${count} series: count them from 0.`,
      'config__series_index'
    )
  }
  const only = formula ? { formulas: [formula] } : { series: series ? [series] : [] }
  return { ...query, ...only, compare: undefined, exact: undefined }
}

/** @throws invalid_input, attr `insight`, unless it is a trend with a number for each interval */
function readOverTime(
  insight: Pick<InsightRow, 'filters' | 'query'>,
  settings: Settings,
  now: Date
): TrendQuery {
  const refuse = (why: string) => new AppError('invalid_input', why, 'insight')
  const read = readInsight(insight, settings, now)
  if (!read) {
    throw refuse('This insight has no series yet.')
  }
  if (!('trend' in read)) {
    throw refuse('An alert compares the numbers of a trend, and this insight is of another kind.')
  }
  if (isAggregated(read.trend) || isCumulative(read.trend)) {
    throw refuse(
      'An alert needs an insight with a number for each interval: show it as a line or as bars, not added up.'
    )
  }
  return read.trend
}

/** @throws invalid_input, attr the field, for intervals that an alert cannot check in this way */
function expectFitting(interval: Interval, { rule, every }: Checking): void {
  if (interval === 'minute' && (every === 'weekly' || every === 'monthly')) {
    throw new AppError(
      'invalid_input',
      'An insight by the minute has to be checked once a day or more often.',
      'calculation_interval'
    )
  }
  const hasWeekdays = interval === 'hour' || interval === 'day'
  if (rule.condition.compare_to === 'same_weekday' && !hasWeekdays) {
    throw new AppError(
      'invalid_input',
      'Only an insight by the hour or by the day can be compared with the same weekday.',
      'condition__compare_to'
    )
  }
}

/** Returns the last interval that is over at a time, ms UTC. */
export function lastClosed(query: TrendQuery, time: number, calendar: Calendar): Range {
  const until = startOf(time, query.interval, calendar).time
  return { from: startOf(until - 1, query.interval, calendar).time, until }
}

/**
 * Computes the intervals of an insight that are over at `until`, and were not at `from`, both ms
 * UTC; at most the latest `MAX_INTERVALS`.
 */
export async function readIntervals(
  { db, project }: OpenProject,
  query: TrendQuery,
  rule: AlertRule,
  { from, until, now }: Range & { now: Date }
): Promise<ClosedInterval[]> {
  const end = startOf(until, query.interval, project).time
  if (end <= from) {
    return []
  }
  const length = end - lastClosed(query, end, project).from
  const since = Math.max(from, end - MAX_INTERVALS * length)
  const wanted = bucketsOf({ from: since, until: end }, query.interval, project)
  const first = wanted[0] ?? { from: since, until: end, clock: since }
  const range = { ...query, from: beginningOf(first, query, rule, project), until: end }
  const isPresence = rule.condition.type === 'no_data'
  const asked = isPresence ? counting(range) : range
  const { result, periods } = await computeTrend(db, project, { query: asked, now })
  const counted =
    isPresence || range.formulas.length > 0 || range.series.every(isCount)
      ? undefined
      : (await computeTrend(db, project, { query: counting(range), now })).result
  const buckets = periods[0]?.buckets ?? []
  const lines = result.map((series) => ({
    label: nameOfSeries(asked, series),
    data: series.data,
    isThere: presenceOf(series, counted)
  }))
  const empty = { label: 'The insight', data: buckets.map(() => 0), isThere: () => true }
  return buckets.flatMap((bucket, i): ClosedInterval[] => {
    if (bucket.from < first.from) {
      return []
    }
    const before = placeBefore(buckets, i, rule)
    const samples = (lines.length > 0 ? lines : [empty]).map(
      ({ label, data, isThere }): Sample => ({
        label,
        value: isThere(i) ? (data[i] ?? null) : null,
        before: before === undefined || !isThere(before) ? null : (data[before] ?? null)
      })
    )
    return [{ from: bucket.from, until: bucket.until, samples }]
  })
}

/** Returns the beginning of the first interval that a comparison or an average needs, ms UTC. */
function beginningOf(
  first: Bucket,
  { interval, smoothing }: TrendQuery,
  { condition }: AlertRule,
  calendar: Calendar
): number {
  let from =
    condition.compare_to === 'same_weekday'
      ? startOf(fromClock(first.clock - 7 * DAY, calendar.timezone), interval, calendar).time
      : startOf(first.from - 1, interval, calendar).time
  for (let i = 1; i < smoothing; i += 1) {
    from = startOf(from - 1, interval, calendar).time
  }
  return from
}

/** Returns the index of the interval with which one is compared; undefined if there is none. */
function placeBefore(
  buckets: readonly Bucket[],
  i: number,
  { condition }: AlertRule
): number | undefined {
  if (condition.compare_to === 'previous_interval') {
    return i > 0 ? i - 1 : undefined
  }
  const clock = (buckets[i]?.clock ?? 0) - 7 * DAY
  const found = buckets.findIndex((bucket) => bucket.clock === clock)
  return found < 0 ? undefined : found
}

/** Whether nothing counts as 0, and not as no number. */
const isCount = ({ math }: SeriesQuery): boolean =>
  math === 'sum' || !(MATHS[math].over === 'numbers' || math.endsWith('_per_actor'))

/** Counts the events of a trend; where it reads a property, those that have it. */
const counting = (query: TrendQuery): TrendQuery => ({
  ...query,
  smoothing: 1,
  formulas: [],
  series: query.series.map((series) => ({
    ...series,
    math: 'total',
    property: undefined,
    filters: series.property
      ? {
          type: 'AND',
          values: [series.filters, { ...series.property, operator: 'is_set', values: [] }]
        }
      : series.filters
  }))
})

/** Returns whether a line has a number in an interval. */
function presenceOf(
  { breakdown_value: value }: TrendSeries,
  counted: TrendSeries[] | undefined
): (bucket: number) => boolean {
  if (!counted) {
    return () => true
  }
  const own = counted.find((one) => String(one.breakdown_value) === String(value))
  return (bucket) => (own?.data[bucket] ?? 0) > 0
}
