import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { isOneOf, leavesOf } from '../properties/filter.ts'
import { SLOT } from '../rollups/store.ts'
import { goBack } from '../time.ts'
import { isAggregated, type Period, toPeriod } from './answer.ts'
import {
  bucketOf,
  bucketsBefore,
  bucketsFrom,
  bucketsOf,
  type Calendar,
  daysBefore
} from './buckets.ts'
import type { Cell } from './cells.ts'
import { planHistory } from './firsts.ts'
import { sum } from './lines.ts'
import { FIRSTS, MAX_POINTS, MAX_ROWS, type Maths, type Series, type TrendQuery } from './query.ts'
import { isNarrow, type Scan, splitFilters } from './scan/store.ts'
import { segmentsOf } from './sliding.ts'
import { planSteps } from './steps.ts'
import { countWindows, findFirst } from './store.ts'
import type { Step, Window } from './windows.ts'

export type Project = { id: number } & Calendar

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
}

/** How many days' actors these maths take together. */
const DAYS: Partial<Record<Maths, number>> = { weekly_active: 7, monthly_active: 30 }

/** The period asked for and, if it is to be compared, the one before: as many buckets. */
export async function periodsOf(
  db: Db,
  project: Project,
  query: TrendQuery,
  now: Date
): Promise<Period[]> {
  const from =
    query.from === 'all' ? ((await findFirst(db, project.id)) ?? now.getTime()) : query.from
  const range = { from: Math.min(from, query.until - 1), until: query.until }
  const isSingle = isAggregated(query)
  const interval =
    isSingle && (query.interval === 'week' || query.interval === 'month') ? 'day' : query.interval
  const periodOf = (buckets: Period['buckets'], label: Period['label']): Period => {
    const [first, last] = [buckets[0], buckets.at(-1)]
    return toPeriod(
      isSingle && first && last ? [{ ...first, until: last.until }] : buckets,
      query.interval,
      label
    )
  }
  if (isSingle && !query.compare) {
    return [periodOf([bucketOf(range, interval, project)], undefined)]
  }
  const buckets = bucketsOf(range, interval, project)
  if (!query.compare) {
    return [periodOf(buckets, undefined)]
  }
  const { back } = query.compare
  const start = buckets[0]?.from ?? range.from
  const before = back
    ? bucketsFrom(
        goBack(start, back.amount, back.unit, project.timezone),
        buckets.length,
        interval,
        project
      )
    : bucketsBefore(buckets, interval, project)
  return [periodOf(buckets, 'current'), periodOf(before, 'previous')]
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
  const scan: Scan = {
    projectId: project.id,
    event: series.event,
    filters: { type: 'AND', values: [query.filters, series.filters] },
    matching: new Map(),
    math: series.math,
    property: series.property,
    breakdowns: query.breakdowns
  }
  const days = DAYS[series.math]
  const windows = period.buckets.map(({ from, until }, point) => ({
    from: days ? daysBefore(until, days, project.timezone) : from,
    until,
    point
  }))
  const none = {
    scan,
    period,
    steps: [],
    events: 0,
    counted: undefined,
    sliding: undefined,
    history: []
  }
  const isSliding = days !== undefined || series.math === 'dau'
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
  if (series.math === 'total' && isUnfiltered(scan) && windows.every(isWhole)) {
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
  if (!isOneOf(FIRSTS, series.math)) {
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
