import { daysBefore } from '../calendar/buckets.ts'
import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { isOneOf, leavesOf } from '../properties/filter.ts'
import { SLOT } from '../rollups/store.ts'
import { isAggregated, isCumulative, type Period } from './answer.ts'
import type { Cell } from './cells.ts'
import { planHistory } from './firsts.ts'
import { sum } from './lines.ts'
import type { Project } from './periods.ts'
import { FIRSTS, MAX_POINTS, MAX_ROWS, type Maths, type Series, type TrendQuery } from './query.ts'
import { isNarrow, type Scan, splitFilters } from './scan/store.ts'
import { segmentsOf } from './sliding.ts'
import { planSteps } from './steps.ts'
import { countWindows } from './store.ts'
import type { Step, Window } from './windows.ts'

/** A series in one period: what to look at, in steps, and how many events that is. */
export type Part = {
  scan: Scan
  steps: Step[]
  events: number
  period: Period
  /** What is known from counts alone. */
  counted: Cell[] | undefined
  /** For first events, the statements' windows of all time before the period. */
  history: Window[][]
  /** Windows that overlap; what is looked at are the segments into which they cut time. */
  sliding: Window[] | undefined
  /** Whether each window has all those before it, and an actor counts for the first one only. */
  isGrowing: boolean
}

/** How many days' actors these maths take together. */
const DAYS: Partial<Record<Maths, number>> = { weekly_active: 7, monthly_active: 30 }

/** Maths of different actors or sessions, who count once where numbers are shown cumulatively. */
const UNIQUE: readonly Maths[] = ['dau', 'weekly_active', 'monthly_active', 'unique_session']

/** The math that a series is counted by: of buckets that are as long, active users are those of the bucket, as in PostHog. */
function mathOf(query: TrendQuery, { math }: Series): Maths {
  const { interval } = query
  const isWeek = math === 'weekly_active' && (interval === 'week' || interval === 'month')
  const isMonth = math === 'monthly_active' && interval === 'month'
  return (isWeek || isMonth) && !isAggregated(query) ? 'dau' : math
}

/** @throws query_too_large, attr `points` */
export function expectFewPoints(query: TrendQuery, periods: Period[]): void {
  const lines = query.breakdowns.length > 0 ? query.breakdownLimit + 2 : 1
  const points =
    sum(periods.map(({ buckets }) => buckets.length)) *
    Math.max(query.series.length, query.formulas.length) *
    lines
  if (points > MAX_POINTS) {
    throw new AppError(
      'query_too_large',
      `The answer would have up to ${points} numbers: series or formulas × periods × breakdown values × buckets is at most ${MAX_POINTS}.`,
      'points'
    )
  }
}

/** What to look at for a series in a period; `most` is of how many events a statement may be. */
export async function planPart(
  db: Db,
  project: Project,
  query: TrendQuery,
  series: Series,
  period: Period,
  most: number
): Promise<Part> {
  const math = mathOf(query, series)
  const scan: Scan = {
    projectId: project.id,
    event: series.event,
    filters: { type: 'AND', values: [query.filters, series.filters] },
    matching: new Map(),
    math,
    property: series.property,
    breakdowns: query.breakdowns
  }
  const days = DAYS[math]
  const isGrowing = isCumulative(query) && UNIQUE.includes(math)
  const own = period.buckets.map(({ from, until }, point) => ({
    from: days ? daysBefore(until, days, project.timezone) : from,
    until,
    point
  }))
  const begin = own[0]?.from ?? 0
  const windows = isGrowing ? own.map((window) => ({ ...window, from: begin })) : own
  const none = {
    scan,
    period,
    steps: [],
    events: 0,
    counted: undefined,
    sliding: undefined,
    isGrowing,
    history: []
  }
  const isSliding = isGrowing || days !== undefined || math === 'dau'
  const looked = isSliding
    ? segmentsOf(windows).map((segment, point) => ({ ...segment, point }))
    : windows
  const counts = await countWindows(db, scan, looked)
  const ofStatement = Math.ceil(most / costOf(scan))
  if (isSliding) {
    return {
      ...none,
      steps: await planSteps(db, scan, looked, counts, ofStatement),
      events: sum(counts),
      sliding: windows
    }
  }
  if (math === 'total' && isUnfiltered(scan) && windows.every(isWhole)) {
    const counted = windows.map(({ point }, i) => ({
      point,
      value: null,
      result: counts[i] ?? 0,
      size: 0
    }))
    return { ...none, counted }
  }
  const steps = await planSteps(db, scan, windows, counts, ofStatement)
  const part = { ...none, steps, events: sum(counts) }
  if (!isOneOf(FIRSTS, math)) {
    return part
  }
  const history = await planHistory(db, scan, windows[0]?.from ?? 0, most)
  return { ...part, history: history.statements, events: part.events + history.events }
}

/** How many times as long as others a statement takes for an event. */
function costOf(scan: Scan): number {
  if (isOneOf(FIRSTS, scan.math) && !isDecidedByActors(scan)) {
    return 3
  }
  return isNarrow(scan) ? 0.4 : 1
}

/** Whether it is enough to know who has a first event, and not what it says. */
export const isDecidedByActors = (scan: Scan): boolean =>
  scan.breakdowns.length === 0 && leavesOf(splitFilters(scan).filters).length === 0

/** Counts of quarters of an hour are exact for what begins and ends with one. */
const isWhole = ({ from, until }: Window): boolean => from % SLOT === 0 && until % SLOT === 0

const isUnfiltered = ({ filters, breakdowns }: Scan): boolean =>
  leavesOf(filters).length === 0 && breakdowns.length === 0

/** @throws query_too_large, attr `rows` */
export function expectFewRows({ breakdowns }: TrendQuery, parts: Part[]): void {
  const binned = breakdowns.filter(({ binCount }) => binCount !== undefined)
  const rows =
    sum(parts.map(({ events }) => events)) * (breakdowns.length > 0 ? 2 + binned.length : 1)
  if (rows > MAX_ROWS) {
    throw new AppError(
      'query_too_large',
      `The query would look at ${rows} events, and at most ${MAX_ROWS} are allowed: ask for a shorter range.`,
      'rows'
    )
  }
}
