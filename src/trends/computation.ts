import { decidersOf } from '../columns/filter.ts'
import { Grouping } from '../columns/grouping.ts'
import type { Overview } from '../columns/overview.ts'
import { findOverviews, keyOfStretch, type Overviews } from '../columns/sealed.ts'
import type { Db } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { resolveCohorts } from '../membership/resolve.ts'
import type { Period } from './answer.ts'
import { type Bins, binsOf } from './bins.ts'
import { type Cells, collect } from './cells.ts'
import { countFeed, feedSink, Knowledge } from './count.ts'
import { toDimension } from './dimensions.ts'
import { addTotals, rank } from './lines.ts'
import type { Accumulator, Counted } from './maths/accumulator.ts'
import { Extremes } from './maths/extremes.ts'
import { MAX_BREAKDOWN_VALUES } from './maths/limits.ts'
import { Sliding } from './maths/sliding.ts'
import { MATHS, onlyFirsts } from './maths/table.ts'
import { type ProjectCalendar, periodsOf } from './periods.ts'
import { expectFewPoints, feedOf, type Sketch, sketchPart, type TrendPart, toPart } from './plan.ts'
import type { BinnedBreakdown, BinnedQuery, Breakdown, TrendQuery } from './query.ts'
import { sum } from './sum.ts'

/*
 * The stages of a computation: planned → binned → ranked. Each is a new value, and only the later
 * stages know the bins of breakdowns and the values to show.
 */

/** Characters that all breakdown values of a part may have together. */
const MAX_TEXT = 8_000_000

/**
 * A query, and the moment `now` for which it is computed. `stepEvents` is the approximate number of
 * events read at once; it does not change the answer. `found` has the overviews that this request
 * has already read. `knowledge` is that of another trend of the same series and filters at `now`.
 */
export type Asked = {
  query: TrendQuery
  now: Date
  stepEvents?: number | undefined
  found?: Overviews | undefined
  knowledge?: Knowledge | undefined
}

/** A trend whose parts are known, and nothing of its events yet. */
export type Planned = {
  query: TrendQuery
  periods: Period[]
  /** The parts of each series: one for each period. */
  parts: readonly TrendPart[][]
  overviews: Overviews
  knowledge: Knowledge
}

/** A planned trend whose breakdowns have their bins: all its parts can be counted. */
export type Binned = Omit<Planned, 'query'> & { query: BinnedQuery }

/** The numbers of a part by breakdown value; `grouping` knows the value of each group in them. */
export type BrokenDown = Cells & { grouping: Grouping }

/** Parts whose numbers are known already, by series, then by period. */
export type Ahead = readonly (BrokenDown | undefined)[][]

/** The values of a series, ranked, and the numbers that its parts have for them. */
export type RankedSeries = { ranked: string[]; brokenDown: BrokenDown[] }

/** Plans all parts of a trend: for each series, one for each period. @throws query_too_large */
export async function planTrend(
  db: Db,
  project: ProjectCalendar,
  { query, now, stepEvents, found, knowledge }: Asked
): Promise<Planned> {
  const periods = await periodsOf(db, project, query, now)
  expectFewPoints(query, periods)
  const sketches = query.series.map((series) =>
    periods.map((period) => sketchPart(project, query, { series, period }))
  )
  const stretches = sketches.flat().map(({ stretch }) => stretch)
  const overviews = await findOverviews(db, stretches, found)
  const parts = sketches.map((seriesSketches) =>
    seriesSketches.map((sketch) => toPart(sketch, overviewOf(overviews, sketch)))
  )
  // All periods of a series have the same filters, so the part of the first period has them all.
  const filters = parts.flatMap(([part]) => (part ? [part.filters] : []))
  const filtering = {
    deciders: decidersOf(filters, project.timezone, now),
    cohorts: knowledge ? new Map() : await resolveCohorts(db, project, filters, now)
  }
  return {
    query,
    periods,
    parts,
    overviews,
    knowledge: knowledge ?? new Knowledge(db, project.id, filtering, stepEvents)
  }
}

function overviewOf(overviews: Overviews, { stretch }: Sketch): Overview {
  const overview = overviews.get(keyOfStretch(stretch))
  if (!overview) {
    throw new Error('The overview of a part was not read.')
  }
  return overview
}

/**
 * Finds the bins of each breakdown. All series and both periods share them.
 * @throws invalid_input for numbers that are too far apart
 */
export async function findBins(planned: Planned): Promise<Binned> {
  const breakdowns: BinnedBreakdown[] = []
  for (const breakdown of planned.query.breakdowns) {
    breakdowns.push({ ...breakdown, bins: await findBinsOf(planned, breakdown) })
  }
  return { ...planned, query: { ...planned.query, breakdowns } }
}

/** Returns the bins of a breakdown; undefined if it asks for none, or if no event has a number. */
async function findBinsOf(
  { parts, knowledge }: Planned,
  breakdown: Breakdown
): Promise<Bins | undefined> {
  const { key, binCount } = breakdown
  if (binCount === undefined) {
    return undefined
  }
  const extremes = new Extremes()
  for (const part of parts.flat()) {
    const feed = feedOf({ ...part, property: breakdown }, [])
    await feedSink(knowledge, feed, new Grouping(), onlyFirsts(part, extremes))
  }
  // If there is no number, `low` is Infinity and `high` is -Infinity: their difference is
  // -Infinity, so this does not throw, and there are no bins.
  const { low, high } = extremes
  if (high - low === Number.POSITIVE_INFINITY) {
    throw new AppError(
      'invalid_input',
      `The numbers of ${JSON.stringify(key)} cover too wide a range for bins: filter out extreme numbers or leave out the bin count.`
    )
  }
  return low <= high ? binsOf(low, high, binCount) : undefined
}

/** Counts a part as its math says. */
export function countPart(
  { query, knowledge }: Binned,
  part: TrendPart,
  grouping: Grouping
): AsyncIterable<Iterable<Counted>> {
  const feed = feedOf(part, query.breakdowns.map(toDimension))
  return countFeed(knowledge, feed, grouping, accumulatorOf(part))
}

export const accumulatorOf = ({ math, property, windows, isGrowing }: TrendPart): Accumulator =>
  windows ? new Sliding(windows, isGrowing) : MATHS[math].accumulator(property)

/**
 * Ranks each series' values by their totals. A formula needs the numbers of all series for a value,
 * so with formulas all series have one ranking.
 * @throws query_too_large, whose attr names the limit, such as `breakdown_values`
 */
export async function rankValues(binned: Binned, ahead: Ahead = []): Promise<RankedSeries[]> {
  const brokenDown: BrokenDown[][] = []
  for (const [i, seriesParts] of binned.parts.entries()) {
    const seriesValues: BrokenDown[] = []
    for (const [p, part] of seriesParts.entries()) {
      const values = ahead[i]?.[p] ?? (await breakDown(binned, part))
      expectFewValues(binned.query, values)
      seriesValues.push(values)
    }
    brokenDown.push(seriesValues)
  }
  const totals = brokenDown.map((seriesValues) => seriesValues.map(totalsOf))
  if (binned.query.formulas.length === 0) {
    return brokenDown.map((own, i) => ({ ranked: rank(totals[i] ?? []), brokenDown: own }))
  }
  const totalsOfAllSeries = binned.periods.map((_, periodIndex) => {
    const bySeries = totals.map((seriesTotals) => seriesTotals[periodIndex])
    return addTotals(bySeries.filter((one) => one !== undefined))
  })
  const ranked = rank(totalsOfAllSeries)
  return brokenDown.map((own) => ({ ranked, brokenDown: own }))
}

async function breakDown(binned: Binned, part: TrendPart): Promise<BrokenDown> {
  const grouping = new Grouping()
  return { ...(await collect(countPart(binned, part, grouping))), grouping }
}

/** @throws query_too_large, attr `breakdown_values` */
function expectFewValues(query: BinnedQuery, { totals, grouping }: BrokenDown): void {
  const length = sum([...totals.keys()].map((group) => String(grouping.valueOf(group)).length))
  if (totals.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT) {
    throw tooManyBreakdownValues(query)
  }
}

/** Returns the total of each value of a part, without the events that have no value. */
function totalsOf({ totals, grouping }: BrokenDown): Map<string, number> {
  const named = new Map<string, number>()
  for (const [group, total] of totals) {
    const value = grouping.valueOf(group)
    if (typeof value === 'string') {
      named.set(value, total)
    }
  }
  return named
}

/** Returns the values that the page at `offset` shows. On this page, all others are "Other". */
export const shownOf = (
  { breakdownLimit }: Pick<TrendQuery, 'breakdownLimit'>,
  ranked: readonly string[],
  offset: number
): string[] => ranked.slice(offset, offset + breakdownLimit)

/** The values of the breakdowns are too many or too long to be ranked or shown. */
export function tooManyBreakdownValues({ breakdowns }: BinnedQuery): AppError {
  const names = breakdowns.map(({ key }) => JSON.stringify(key)).join(', ')
  return new AppError(
    'query_too_large',
    `The breakdown by ${names} has more than ${MAX_BREAKDOWN_VALUES} distinct values in this range, or values that are too long: choose a shorter range or another property.`,
    'breakdown_values'
  )
}
