import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { tooManyValues } from '../properties/decide.ts'
import { isOneOf, leavesOf } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import {
  isAggregated,
  isCumulative,
  type Period,
  type TrendSeries,
  toSeries,
  totalOf
} from './answer.ts'
import { binsOf } from './bins.ts'
import { type Cell, collectCells, MAX_CELLS, totalCells, totalsOf, type Value } from './cells.ts'
import { findFirsts } from './firsts.ts'
import {
  addTotals,
  cumulate,
  foldOthers,
  isFoldable,
  type Line,
  Lines,
  rank,
  smooth,
  sum
} from './lines.ts'
import { type Project, periodsOf } from './periods.ts'
import { expectFewPoints, expectFewRows, isDecidedByActors, type Part, planPart } from './plan.ts'
import { type Breakdown, FIRSTS, type TrendQuery } from './query.ts'
import { splitFilters } from './scan/store.ts'
import { SlidingCounts, toIncrements } from './sliding.ts'
import { readExtremes, readFound, readMatching, readSteps } from './store.ts'
import { STATEMENT_EVENTS, statementsOf } from './windows.ts'

/** Characters of all breakdown values that are shown. */
const MAX_SHOWN_TEXT = 2_000_000

/**
 * Computes a trend. `offset` leaves out so many of each breakdown's values, of which the highest totals come first. A
 * statement looks at some `statementEvents` at most: whatever they are, the answer is the same.
 * @throws query_too_large, attr the limit; nothing is read but counts before the query is known to be within them
 */
export async function computeTrend(
  db: Db,
  project: Project,
  query: TrendQuery,
  offset: number,
  now: Date,
  statementEvents = STATEMENT_EVENTS
): Promise<{ result: TrendSeries[]; hasMore: boolean }> {
  const periods = await periodsOf(db, project, query, now)
  expectFewPoints(query, periods)
  const parts: Part[][] = []
  for (const series of query.series) {
    const ofSeries: Part[] = []
    for (const period of periods) {
      ofSeries.push(await planPart(db, project, query, series, period, statementEvents))
    }
    parts.push(ofSeries)
  }
  expectFewRows(query, parts.flat())
  const work = new Work()
  for (const { scan, steps, history } of parts.flat()) {
    const looked = leavesOf(splitFilters(scan).looked).length > 0 ? history : []
    scan.matching = await readMatching(db, scan, [...looked, ...statementsOf(steps)], {
      timezone: project.timezone,
      now,
      work
    })
  }
  for (const part of parts.flat()) {
    if (isOneOf(FIRSTS, part.scan.math)) {
      await keepFirsts(db, part)
    }
  }

  const breakdowns = await readBins(db, query, parts.flat())
  for (const { scan } of parts.flat()) {
    scan.breakdowns = breakdowns
  }

  const read = query.breakdowns.length > 0 ? await readBroken(db, query, parts) : undefined
  const shown = read?.map(({ ranked }) => ranked.slice(offset, offset + query.breakdownLimit))
  expectShort(query, shown?.flat() ?? [])
  const lines: Line[][][] = []
  for (const [i, ofSeries] of parts.entries()) {
    const ofPeriods: Line[][] = []
    for (const [p, part] of ofSeries.entries()) {
      ofPeriods.push(await readLines(db, query, part, shown?.[i], read?.[i]?.cells[p]))
    }
    lines.push(ofPeriods)
  }
  const binned = { ...query, breakdowns }
  return {
    result:
      query.formulas.length > 0
        ? toFormulas(binned, periods, lines)
        : toAll(binned, periods, lines),
    hasMore: read?.some(({ ranked }) => ranked.length > offset + query.breakdownLimit) ?? false
  }
}

/** The breakdowns with the bins of their numbers, which all series and both periods share. */
async function readBins(db: Db, { breakdowns }: TrendQuery, parts: Part[]): Promise<Breakdown[]> {
  const binned: Breakdown[] = []
  for (const breakdown of breakdowns) {
    const { key, binCount } = breakdown
    const extremes: number[] = []
    if (binCount !== undefined) {
      for (const { scan, steps } of parts) {
        extremes.push(...(await readExtremes(db, scan, statementsOf(steps), breakdown)))
      }
    }
    const [low, high] = [Math.min(...extremes), Math.max(...extremes)]
    if (extremes.length > 0 && high - low === Number.POSITIVE_INFINITY) {
      throw new AppError(
        'invalid_input',
        `The numbers of ${JSON.stringify(key)} lie too far apart for bins.`
      )
    }
    binned.push(
      binCount && extremes.length > 0
        ? { ...breakdown, bins: binsOf(low, high, binCount) }
        : breakdown
    )
  }
  return binned
}

/** @throws query_too_large, attr `breakdown_values`: those that are shown are bound values of every statement */
function expectShort({ breakdowns }: TrendQuery, values: readonly string[]): void {
  if (sum(values.map(({ length }) => length)) > MAX_SHOWN_TEXT) {
    throw tooManyValues(breakdowns.map(({ key }) => key).join(', '))
  }
}

/** Keeps of a part what is first. */
async function keepFirsts(db: Db, part: Part): Promise<void> {
  const { scan, steps, history, period } = part
  const { firsts, counts } = await findFirsts(
    db,
    scan,
    [...history, ...statementsOf(steps)],
    period.buckets.length
  )
  scan.firsts = firsts
  part.steps = [...firsts.keys()].map((windows) => ({ windows, isCut: false }))
  if (isDecidedByActors(scan)) {
    part.counted = counts.map((result, point) => ({ point, value: null, result, size: 0 }))
  }
}

/** The values of a series, and the cells of each period where these are kept. */
type Broken = { ranked: string[]; cells: (Cell[] | undefined)[] }

/** Each series' values by their totals; those of a formula, which needs all series for a value, by their common ones. */
async function readBroken(db: Db, query: TrendQuery, parts: Part[][]): Promise<Broken[]> {
  const keys = query.breakdowns.map(({ key }) => key).join(', ')
  let room = MAX_CELLS
  const read: { cells: Cell[] | undefined; totals: ReadonlyMap<string, number> }[][] = []
  for (const ofSeries of parts) {
    const ofPeriods = []
    for (const part of ofSeries) {
      const cells = await collectCells(cellsOf(db, part), room)
      room -= cells?.length ?? 0
      ofPeriods.push({
        cells,
        totals: cells ? totalsOf(cells) : await totalCells(cellsOf(db, part), keys)
      })
    }
    read.push(ofPeriods)
  }
  const common = (parts[0] ?? []).map((_, p) =>
    addTotals(read.flatMap((ofPeriods) => ofPeriods[p]?.totals ?? []))
  )
  return read.map((ofPeriods) => ({
    cells: ofPeriods.map(({ cells }) => cells),
    ranked: rank(query.formulas.length > 0 ? common : ofPeriods.map(({ totals }) => totals))
  }))
}

/** The lines of one series in one period; `cells` are those of all its values, if they are known. */
async function readLines(
  db: Db,
  query: TrendQuery,
  part: Part,
  values: string[] | undefined,
  cells: Cell[] | undefined
): Promise<Line[]> {
  const points = part.period.buckets.length
  const smoothing = isAggregated(query) ? 1 : query.smoothing
  const lines = values
    ? new Lines(values, query.hidesOther ? [null] : [null, 0], points)
    : new Lines([null], [], points)
  if (cells && values && isFoldable(cells, values, part.scan)) {
    lines.add(foldOthers(cells, values))
  } else {
    for await (const some of cellsOf(db, part, values)) {
      lines.add(some)
    }
  }
  return lines.all().map(({ value, data }) => {
    const shown = isCumulative(query) ? cumulate(data) : data
    return { value, data: smooth(shown, smoothing) }
  })
}

/** All cells of a part, with `values` those of these, of none, and of all others together. */
async function* cellsOf(db: Db, part: Part, values?: readonly string[]): AsyncGenerator<Cell[]> {
  const { scan, steps, counted, sliding, isGrowing } = part
  if (counted) {
    yield counted
  } else if (!sliding) {
    yield* readSteps(db, scan, steps, values)
  } else {
    const segments = new Map(
      steps.flatMap((step) => step.windows.map((window) => [window.point, window]))
    )
    const areTexts = scan.math === 'unique_session'
    const counts = new SlidingCounts(sliding, areTexts)
    for await (const found of readFound(db, scan, statementsOf(steps), values)) {
      for (const { point, value, subjects } of found) {
        const segment = segments.get(point)
        if (segment) {
          const known = subjects.filter((subject) => subject !== null)
          counts.add(segment, value, areTexts ? known : known.map(Number))
        }
      }
    }
    for (const cells of counts.cells()) {
      yield isGrowing ? toIncrements(cells) : cells
    }
  }
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
    const total = ({ data }: (typeof listed)[number]) => totalOf(query, data[0] ?? [])
    const sorted = [...listed.sort((a, b) => total(b) - total(a)), ...rest]
    return sorted.flatMap(({ value, data }) =>
      periods.map((period, p) =>
        toSeries(
          query,
          period,
          { value, data: data[p] ?? [] },
          { formula: name ?? `Formula (${text})` }
        )
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
