import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { isOneOf, leavesOf } from '../properties/filter.ts'
import { SLOT } from '../rollups/store.ts'
import { goBack } from '../time.ts'
import { isAggregated, type Period, type TrendSeries, toSeries } from './answer.ts'
import { binsOf } from './bins.ts'
import { bucketsBefore, bucketsFrom, bucketsOf, type Calendar, daysBefore } from './buckets.ts'
import { findFirsts, planHistory } from './firsts.ts'
import { addTotals, foldOthers, isFoldable, type Line, linesOf, rank, smooth, sum, totalsOf } from './lines.ts'
import { type Breakdown, FIRSTS, MAX_POINTS, MAX_ROWS, type Maths, type Series, type TrendQuery } from './query.ts'
import { SlidingCount, segmentsOf } from './sliding.ts'
import {
  type Cell,
  countWindows,
  findFirst,
  isDivisible,
  readActors,
  readCells,
  readCellsOf,
  readExtremes,
  readMatching,
  readTotals,
  type Scan,
  splitFilters,
  type Value
} from './store.ts'
import { divide, groupWindows, type Window } from './windows.ts'

type Project = { id: number } & Calendar

/** A series in one period: what to look at, in steps, and how many events that is. */
type Part = {
  scan: Scan
  groups: Window[][]
  events: number
  period: Period
  /** What is known from counts alone. */
  counted: Cell[] | undefined
  /** For first events, all time before the period. */
  history: Window[][]
  /** Windows that overlap; what is looked at are the segments into which they cut time. */
  sliding: Window[] | undefined
}

/** To look first events up takes a statement so many times as long as to look at others. */
const LOOKUP = 3

/** How many days' actors the sliding counts take together. */
const DAYS: Partial<Record<Maths, number>> = { weekly_active: 7, monthly_active: 30 }

/**
 * Computes a trend. `offset` leaves out so many of each breakdown's values, of which the highest totals come first.
 * @throws query_too_large, attr the limit; nothing is read but counts before the query is known to be within them
 */
export async function computeTrend(
  db: Db,
  project: Project,
  query: TrendQuery,
  offset: number,
  now: Date
): Promise<{ result: TrendSeries[]; hasMore: boolean }> {
  const periods = await periodsOf(db, project, query, now)
  expectFewPoints(query, periods)
  const parts: Part[][] = []
  for (const series of query.series) {
    const ofSeries: Part[] = []
    for (const period of periods) ofSeries.push(await planPart(db, project, query, series, period))
    parts.push(ofSeries)
  }
  expectFewRows(query, parts.flat())
  for (const { scan, groups, history } of parts.flat())
    scan.matching = await readMatching(
      db,
      scan,
      [...(looksBack(scan) ? history : []), ...groups],
      project.timezone,
      now
    )
  for (const part of parts.flat()) if (isOneOf(FIRSTS, part.scan.math)) await keepFirsts(db, part)

  const breakdowns = await readBins(db, query, parts.flat())
  for (const { scan } of parts.flat()) scan.breakdowns = breakdowns

  const firsts = parts.flatMap(([first]) => first ?? [])
  const read = query.breakdowns.length > 0 ? await readBroken(db, query, firsts) : undefined
  const shown = read?.map(({ ranked }) => ranked.slice(offset, offset + query.breakdownLimit))
  const lines: Line[][][] = []
  for (const [i, ofSeries] of parts.entries()) {
    const ofPeriods: Line[][] = []
    for (const [p, part] of ofSeries.entries())
      ofPeriods.push(await readLines(db, query, part, shown?.[i], p === 0 ? read?.[i]?.cells : undefined))
    lines.push(ofPeriods)
  }
  const binned = { ...query, breakdowns }
  return {
    result: query.formulas.length > 0 ? toFormulas(binned, periods, lines) : toAll(binned, periods, lines),
    hasMore: read?.some(({ ranked }) => ranked.length > offset + query.breakdownLimit) ?? false
  }
}

/** The period asked for and, if it is to be compared, the one before: as many buckets. */
async function periodsOf(db: Db, project: Project, query: TrendQuery, now: Date): Promise<Period[]> {
  const from = query.from === 'all' ? ((await findFirst(db, project.id)) ?? now.getTime()) : query.from
  const range = { from: Math.min(from, query.until - 1), until: query.until }
  const isSingle = isAggregated(query)
  const interval = isSingle && (query.interval === 'week' || query.interval === 'month') ? 'day' : query.interval
  const toPeriod = (buckets: Period['buckets'], label: Period['label']): Period => {
    const [first, last] = [buckets[0], buckets.at(-1)]
    return { label, buckets: isSingle && first && last ? [{ ...first, until: last.until }] : buckets }
  }
  const buckets = bucketsOf(range, interval, project)
  if (!query.compare) return [toPeriod(buckets, undefined)]
  const { back } = query.compare
  const start = buckets[0]?.from ?? range.from
  const before = back
    ? bucketsFrom(goBack(start, back.amount, back.unit, project.timezone), buckets.length, interval, project)
    : bucketsBefore(buckets, interval, project)
  return [toPeriod(buckets, 'current'), toPeriod(before, 'previous')]
}

function expectFewPoints(query: TrendQuery, periods: Period[]): void {
  const lines = query.breakdowns.length > 0 ? query.breakdownLimit + 2 : 1
  const points = sum(periods.map(({ buckets }) => buckets.length)) * query.series.length * lines
  if (points > MAX_POINTS)
    throw new AppError(
      'query_too_large',
      `The answer would have up to ${points} numbers: series × periods × breakdown values × buckets is at most ${MAX_POINTS}.`,
      'points'
    )
}

async function planPart(db: Db, project: Project, query: TrendQuery, series: Series, period: Period): Promise<Part> {
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
  const none = { scan, period, groups: [], events: 0, counted: undefined, sliding: undefined, history: [] }
  if (days && query.breakdowns.length === 0) {
    const segments = segmentsOf(windows).map((segment, point) => ({ ...segment, point }))
    const sizes = await countWindows(db, scan, segments)
    return { ...none, groups: groupWindows(segments, sizes), events: sum(sizes), sliding: windows }
  }
  const counts = await countWindows(db, scan, windows)
  if (series.math === 'total' && isUnfiltered(scan) && windows.every(isWhole)) {
    const counted = windows.map(({ point }, i) => ({ point, value: null, result: counts[i] ?? 0, size: 0 }))
    return { ...none, counted }
  }
  const looksUp = isOneOf(FIRSTS, series.math) && !isDecidedByActors(scan)
  const weights = looksUp ? counts.map((count) => LOOKUP * count) : counts
  const [pieces, sizes] = isDivisible(scan) ? divide(windows, weights) : [windows, weights]
  const part = { ...none, groups: groupWindows(pieces, sizes), events: sum(counts) }
  if (!isOneOf(FIRSTS, series.math)) return part
  const history = await planHistory(db, scan, windows[0]?.from ?? 0)
  return { ...part, history: history.groups, events: part.events + history.events }
}

/** Whether it is enough to know who has a first event, and not what it says. */
const isDecidedByActors = (scan: Scan): boolean =>
  scan.breakdowns.length === 0 && leavesOf(splitFilters(scan).filters).length === 0

/** Counts of quarters of an hour are exact for what begins and ends with one. */
const isWhole = ({ from, until }: Window): boolean => from % SLOT === 0 && until % SLOT === 0

const isUnfiltered = ({ filters, breakdowns }: Scan): boolean =>
  leavesOf(filters).length === 0 && breakdowns.length === 0

function expectFewRows({ breakdowns }: TrendQuery, parts: Part[]): void {
  const binned = breakdowns.filter(({ binCount }) => binCount !== undefined)
  const rows = sum(parts.map(({ events }) => events)) * (breakdowns.length > 0 ? 2 + binned.length : 1)
  if (rows > MAX_ROWS)
    throw new AppError(
      'query_too_large',
      `The query would look at ${rows} events, and at most ${MAX_ROWS} are allowed: ask for a shorter range.`,
      'rows'
    )
}

/** The breakdowns with the bins of their numbers, which all series and both periods share. */
async function readBins(db: Db, { breakdowns }: TrendQuery, parts: Part[]): Promise<Breakdown[]> {
  const binned: Breakdown[] = []
  for (const breakdown of breakdowns) {
    const { key, binCount } = breakdown
    const extremes: number[] = []
    if (binCount !== undefined)
      for (const { scan, groups } of parts) extremes.push(...(await readExtremes(db, scan, groups, breakdown)))
    const [low, high] = [Math.min(...extremes), Math.max(...extremes)]
    if (extremes.length > 0 && high - low === Number.POSITIVE_INFINITY)
      throw new AppError('invalid_input', `The numbers of ${JSON.stringify(key)} lie too far apart for bins.`)
    binned.push(binCount && extremes.length > 0 ? { ...breakdown, bins: binsOf(low, high, binCount) } : breakdown)
  }
  return binned
}

/** Whether the filters say which events are looked at for the first one. */
const looksBack = (scan: Scan): boolean => leavesOf(splitFilters(scan).looked).length > 0

/** Keeps of a part what is first. */
async function keepFirsts(db: Db, part: Part): Promise<void> {
  const { scan, groups, history, period } = part
  const { firsts, counts } = await findFirsts(db, scan, history, groups, period.buckets.length)
  scan.firsts = firsts
  part.groups = [...firsts.keys()]
  if (isDecidedByActors(scan)) part.counted = counts.map((result, point) => ({ point, value: null, result, size: 0 }))
}

type Broken = { ranked: string[]; cells: Cell[] | undefined }

/** Each series' values by their totals; those of a formula, which needs all series for a value, by their common ones. */
async function readBroken(db: Db, query: TrendQuery, parts: Part[]): Promise<Broken[]> {
  const read = []
  for (const { scan, groups } of parts) {
    const cells = await readCells(db, scan, groups)
    read.push({ cells, totals: cells ? totalsOf(cells) : await readTotals(db, scan, groups) })
  }
  const common = query.formulas.length > 0 ? rank(addTotals(read.map(({ totals }) => totals))) : undefined
  return read.map(({ cells, totals }) => ({ cells, ranked: common ?? rank(totals) }))
}

/** The lines of one series in one period; `cells` are those of all its values, if they are known. */
async function readLines(
  db: Db,
  query: TrendQuery,
  part: Part,
  values: string[] | undefined,
  cells: Cell[] | undefined
): Promise<Line[]> {
  const { scan, groups, period, counted, sliding } = part
  const points = period.buckets.length
  const smoothed = (lines: Line[]) => lines.map(({ value, data }) => ({ value, data: smooth(data, query.smoothing) }))
  if (sliding) return smoothed([{ value: null, data: await countActors(db, scan, groups, sliding) }])
  if (!values) return smoothed(linesOf(counted ?? (await readCells(db, scan, groups)) ?? [], [null], points))

  const isFolded = cells && isFoldable(cells, values, scan.math)
  const found = isFolded ? foldOthers(cells, values) : await readCellsOf(db, scan, groups, values)
  const kept: Value[] = query.hidesOther ? [null] : [null, 0]
  return smoothed(
    linesOf(found, [...values, ...kept.filter((rest) => found.some(({ value }) => value === rest))], points)
  )
}

async function countActors(db: Db, scan: Scan, groups: Window[][], windows: Window[]): Promise<number[]> {
  const segments = groups.flat()
  const count = new SlidingCount(windows)
  for await (const { point, actors } of readActors(db, scan, groups)) {
    const segment = segments[point]
    if (segment) count.add(segment, actors)
  }
  return count.counts()
}

/** Series by series, value by value, the current period before the one it is compared with. */
function toAll(query: TrendQuery, periods: Period[], lines: Line[][][]): TrendSeries[] {
  return query.series.flatMap((series, i) => {
    const [current = [], previous = []] = lines[i] ?? []
    return valuesOf([current, previous]).flatMap((value) =>
      periods.map((period, p) =>
        toSeries(query, period, lineOf(p === 0 ? current : previous, value, period), { series })
      )
    )
  })
}

/** Formula by formula; of each the values by the totals that the formula gives them. */
function toFormulas(query: TrendQuery, periods: Period[], lines: Line[][][]): TrendSeries[] {
  return query.formulas.flatMap(({ text, name, calculate }) => {
    const results = valuesOf(lines.flat()).map((value) => ({
      value,
      data: periods.map((period, p) => {
        const operands = lines.map((ofPeriods) => lineOf(ofPeriods[p] ?? [], value, period).data)
        return period.buckets.map((_, point) => calculate(operands.map((data) => data[point] ?? 0)))
      })
    }))
    const listed = results.filter(({ value }) => typeof value === 'string')
    const rest = results.filter(({ value }) => typeof value !== 'string')
    const sorted = [...listed.sort((a, b) => sum(b.data[0] ?? []) - sum(a.data[0] ?? [])), ...rest]
    return sorted.flatMap(({ value, data }) =>
      periods.map((period, p) =>
        toSeries(query, period, { value, data: data[p] ?? [] }, { formula: name ?? `Formula (${text})` })
      )
    )
  })
}

/** All values that any of these have: those in a list in its order, then none, then all others. */
function valuesOf(several: Line[][]): Value[] {
  const values = new Set(several.flatMap((lines) => lines.map(({ value }) => value)))
  const rest = ([null, 0] as const).filter((value) => values.delete(value))
  return [...values, ...rest]
}

const lineOf = (lines: Line[], value: Value, { buckets }: Period): Line =>
  lines.find((line) => line.value === value) ?? { value, data: buckets.map(() => 0) }
