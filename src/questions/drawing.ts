import { labelAxis } from '../calendar/axis.ts'
import { type Bucket, bucketsOf, type Range, startOf } from '../calendar/buckets.ts'
import { describeRange } from '../calendar/words.ts'
import type { Chart } from '../charts/chart.ts'
import type { Unit } from '../charts/format.ts'
import { plainName } from '../events/names.ts'
import type { ProjectCalendar } from '../trends/periods.ts'
import { endAt, type SeriesQuery, type TrendQuery } from '../trends/query.ts'
import type { ResolvedRange } from './date-range.ts'

/** The answer to a question as a chart, and the numbers that sum it up. */
export type DrawnQuestion = {
  chart: Omit<Chart, 'warning' | 'annotations'>
  /** The buckets of the time axis; empty without one. */
  buckets: Bucket[]
  /** The range that the chart shows, ms UTC; from `all` if it is not known. */
  range: { from: number | 'all'; until: number }
  figures: QuestionFigure[]
  /** The names of the events of which nothing was counted. */
  uncounted: string[]
}

/** A number that sums a chart up. */
export type QuestionFigure = {
  label: string
  value: number
  /** The number in the period before; null if it is not known. */
  previous: number | null
  unit?: Unit
  /** Set if less is better. */
  isIncreaseBad?: true
}

/** Whose clock an answer is drawn by, and when. */
export type DrawingPlace = { project: ProjectCalendar; now: Date }

/** Returns a query whose range ends at `until`, ms UTC, if that is within the range. */
export const endRange = <Query extends { trend: TrendQuery }>(
  query: Query,
  until: number
): Query => ({ ...query, trend: endAt(query.trend, until) })

/** Returns the range of an answer, ms UTC. */
export const rangeOfAnswer = (range: ResolvedRange | null, { until }: TrendQuery): Range =>
  range
    ? { from: Date.parse(range.date_from), until: Date.parse(range.date_to) + 1 }
    : { from: until, until }

/** Returns the subtitle of a chart: `9 – 22 Nov 2026 · Europe/Berlin`. */
export const subtitleOf = ({ from, until }: Range, { timezone }: ProjectCalendar): string =>
  `${describeRange(from, until, timezone)} · ${timezone}`

/**
 * Returns the time axis of a chart whose buckets are days of an answer.
 * @param days where the first buckets of the range start, as the answer has them
 */
export function timeAxis(
  range: Range,
  days: string[],
  { interval }: TrendQuery,
  { project, now }: DrawingPlace
): { axis: Pick<Chart, 'buckets' | 'days' | 'finished'>; buckets: Bucket[] } {
  const buckets = bucketsOf(range, interval, project).slice(0, days.length)
  const begun = startOf(now.getTime(), interval, project).time
  const finished = buckets.filter(({ from }) => from < begun).length
  return { axis: { buckets: labelAxis(days, interval, finished), days, finished }, buckets }
}

/** Returns the name of a series in plain words. */
export const nameOfEvent = ({ name, customName }: SeriesQuery): string =>
  customName ?? plainName(name)

/** Returns the names of the series whose numbers are all 0. */
export const uncountedOf = (
  { series }: TrendQuery,
  numbersOf: (series: number) => readonly number[]
): string[] =>
  series.flatMap(({ event }, i) =>
    event !== null && numbersOf(i).every((value) => value === 0) ? [event] : []
  )
