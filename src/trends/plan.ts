import { daysBefore, type Interval, type Range } from '../calendar/buckets.ts'
import { MAX_POINTS } from '../charts/chart.ts'
import { MAX_COUNTS, MAX_SEGMENTS, type Overview } from '../columns/overview.ts'
import type { Stretch } from '../columns/sealed.ts'
import type { Dimension } from '../columns/selection.ts'
import { SLOT } from '../columns/slots/store.ts'
import { AppError } from '../errors.ts'
import { type FilterGroup, leavesOf, type Property } from '../properties/filter.ts'
import type { Period } from './answer.ts'
import { type Feed, sectionsOf } from './count.ts'
import type { Piece } from './maths/accumulator.ts'
import { BEFORE } from './maths/firsts.ts'
import { piecesOf } from './maths/sliding.ts'
import { MATHS, type MathName } from './maths/table.ts'
import type { ProjectCalendar } from './periods.ts'
import {
  type Breakdown,
  isAggregated,
  isCumulative,
  MAX_TREND_ROWS,
  type SeriesQuery,
  type TrendQuery
} from './query.ts'
import { sum } from './sum.ts'

/** A series in one period: which events are counted, how, and in which pieces of time. */
export type TrendPart = {
  math: MathName
  property: Property | undefined
  filters: FilterGroup
  period: Period
  /** In order. Maths of first events also get the piece before the period, at `BEFORE`. */
  pieces: Piece[]
  /** The windows of the buckets, which consist of whole pieces, if windows overlap. */
  windows: Range[] | undefined
  /** Whether each window contains all before it. A subject counts only for its first one. */
  isGrowing: boolean
  overview: Overview
}

/** The longest window, in days, that a bucket covers by itself. */
const COVERED_DAYS: Partial<Record<Interval, number>> = { week: 7, month: 30 }

/**
 * Returns the math that computes a series. If a bucket is at least as long as the window of weekly
 * or monthly active users, the users of the bucket are counted (`dau`), as in PostHog.
 */
function mathOf(query: TrendQuery, { math }: SeriesQuery): MathName {
  const { windowDays = Number.POSITIVE_INFINITY } = MATHS[math]
  const isCovered = windowDays <= (COVERED_DAYS[query.interval] ?? 0)
  return isCovered && !isAggregated(query) ? 'dau' : math
}

/** @throws query_too_large, attr `points` */
export function expectFewPoints(query: TrendQuery, periods: Period[]): void {
  // Besides the shown values there may be a line for "Other" and one for events without a value.
  const lines = query.breakdowns.length > 0 ? query.breakdownLimit + 2 : 1
  const points =
    sum(periods.map(({ buckets }) => buckets.length)) *
    Math.max(query.series.length, query.formulas.length) *
    lines
  if (points > MAX_POINTS) {
    throw new AppError(
      'query_too_large',
      `The answer would have up to ${points} numbers (series or formulas × periods × breakdown values × buckets), and at most ${MAX_POINTS} are allowed: choose a shorter range or a longer interval.`,
      'points'
    )
  }
}

/** Returns the range of time that each bucket's number is computed from. */
function windowsOf(
  { buckets }: Period,
  { math, isGrowing, timezone }: Pick<TrendPart, 'math' | 'isGrowing'> & { timezone: string }
): Range[] {
  const { windowDays: days } = MATHS[math]
  const windows = buckets.map(({ from, until }) => ({
    from: days ? daysBefore(until, days, timezone) : from,
    until
  }))
  const begin = windows[0]?.from ?? 0
  return isGrowing ? windows.map(({ until }) => ({ from: begin, until })) : windows
}

/** A part whose overview is still to be read. */
export type Sketch = Omit<TrendPart, 'overview'> & {
  /** The events that the part needs. */
  stretch: Stretch
}

/** The earliest time that JavaScript knows, ms: all events are later. */
const BEGINNING = -8.64e15

/** Sketches a series in a period. */
export function sketchPart(
  project: ProjectCalendar,
  query: TrendQuery,
  { series, period }: { series: SeriesQuery; period: Period }
): Sketch {
  const math = mathOf(query, series)
  const { first, isDistinct = false, windowDays } = MATHS[math]
  const isGrowing = isCumulative(query) && isDistinct
  const isSliding = isGrowing || windowDays !== undefined
  const windows = windowsOf(period, { math, isGrowing, timezone: project.timezone })
  const begin = windows[0]?.from ?? 0
  const pieces = isSliding
    ? piecesOf(windows)
    : windows.map(({ from, until }, point) => ({ since: from, until, point }))
  const since = first ? BEGINNING : (pieces[0]?.since ?? begin)
  const until = pieces.at(-1)?.until ?? begin
  return {
    math,
    property: series.property,
    filters: { type: 'AND', values: [query.filters, series.filters] },
    period,
    pieces,
    windows: isSliding ? windows : undefined,
    isGrowing,
    stretch: { projectId: project.id, event: series.event, since, until }
  }
}

/**
 * Completes a sketch with the overview of its events. A math of first events gets a piece for the
 * events before the period.
 * @throws query_too_large, attr `rows`, if the overview is not complete
 */
export function toPart({ stretch: _, ...sketch }: Sketch, overview: Overview): TrendPart {
  if (overview.isCut) {
    throw new AppError(
      'query_too_large',
      `The events in this range have more than ${MAX_COUNTS} counts by name and quarter of an hour, or more than ${MAX_SEGMENTS} segments: name an event, or ask for a shorter range.`,
      'rows'
    )
  }
  const { math, pieces } = sketch
  const begin = pieces[0]?.since ?? 0
  const first = overview.first ?? begin
  const earlier =
    MATHS[math].first && first < begin ? [{ since: first, until: begin, point: BEFORE }] : []
  return { ...sketch, pieces: [...earlier, ...pieces], overview }
}

/** Whether the counts of 15-minute slots are all that a part needs. */
export const isCountedBySlots = (
  { math, filters, pieces }: TrendPart,
  { breakdowns }: TrendQuery
): boolean =>
  math === 'total' &&
  breakdowns.length === 0 &&
  leavesOf(filters).length === 0 &&
  pieces.every(({ since, until }) => since % SLOT === 0 && until % SLOT === 0)

/** @throws query_too_large, attr `rows` */
export function expectFewRows(query: TrendQuery, parts: readonly TrendPart[]): void {
  const binned = query.breakdowns.filter(({ binCount }) => binCount !== undefined)
  // With breakdowns, events are read once per breakdown with bins, once to rank all values, and
  // once to count the shown values.
  const times = query.breakdowns.length > 0 ? 2 + binned.length : 1
  const read = parts.filter((part) => !isCountedBySlots(part, query))
  expectReadable(sum(read.map((part) => rowsToRead(part, query.breakdowns))) * times)
}

/** @throws query_too_large, attr `rows` */
export function expectReadable(rows: number): void {
  if (rows > MAX_TREND_ROWS) {
    throw new AppError(
      'query_too_large',
      `The query would read ${rows} events, counting ten events in columns as one, and at most ${MAX_TREND_ROWS} are allowed: ask for a shorter range.`,
      'rows'
    )
  }
}

/**
 * Whether the events of a part must come in the order of time and uuid. Without properties it does
 * not matter which event of a point is an actor's first.
 */
const isInOrder = (
  { math, property, filters }: TrendPart,
  breakdowns: readonly unknown[]
): boolean =>
  MATHS[math].first !== undefined &&
  (property !== undefined || breakdowns.length > 0 || leavesOf(filters).length > 0)

/** Returns what the accumulator of a part's math reads, grouped by these dimensions. */
export function feedOf(part: TrendPart, dimensions: readonly Dimension[]): Feed {
  const { overview, pieces, filters, math, property } = part
  const { over } = MATHS[math]
  const isPerSession = over === 'sessions' || property?.type === 'session'
  const bySession = isPerSession ? 'sessions' : undefined
  return {
    overview,
    pieces,
    filters,
    dimensions,
    subjects: over === 'actors' ? 'actors' : bySession,
    numbers: property,
    listsActors: false,
    inOrder: isInOrder(part, dimensions)
  }
}

/**
 * Returns the number of rows that take as long to read as a part: ten events in segments count as
 * one row, unless events of several names must come in order, as these are read from rows.
 */
export function rowsToRead(part: TrendPart, breakdowns: readonly Breakdown[]): number {
  const { overview, pieces } = part
  return isInOrder(part, breakdowns) && overview.eventIds.size > 1
    ? overview.count(pieces[0]?.since ?? 0, pieces.at(-1)?.until ?? 0)
    : overview.countReads(sectionsOf(part))
}
