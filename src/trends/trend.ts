import { Grouping, OTHERS } from '../columns/grouping.ts'
import type { Db } from '../db/client.ts'
import type { Period, TrendSeries } from './answer.ts'
import {
  type Ahead,
  type Asked,
  type Binned,
  type BrokenDown,
  countPart,
  findBins,
  planTrend,
  rankValues,
  shownOf,
  tooManyBreakdownValues
} from './computation.ts'
import { cumulate, folding, type Line, Lines, smooth } from './lines.ts'
import { isAdditive } from './maths/table.ts'
import type { ProjectCalendar } from './periods.ts'
import { expectFewRows, isCountedBySlots, type TrendPart } from './plan.ts'
import { isAggregated, isCumulative } from './query.ts'
import { linesOfFormulas, linesOfSeries } from './series.ts'
import { sum } from './sum.ts'

/** Characters that the shown breakdown values of all series may have together. */
const MAX_SHOWN_TEXT = 2_000_000

/** A trend's lines. `periods` are the requested one and, in a comparison, the earlier one. */
export type CountedTrend = { result: TrendSeries[]; periods: Period[]; hasMore: boolean }

/**
 * Computes a trend. `offset` is the number of breakdown values to skip; values are sorted by their
 * totals.
 * @throws query_too_large, attr the name of the limit; the limits on points and rows are checked
 * before any event is counted. invalid_input for numbers that are too large, or too far apart for
 * bins
 */
export async function computeTrend(
  db: Db,
  project: ProjectCalendar,
  { offset = 0, ...asked }: Asked & { offset?: number }
): Promise<CountedTrend> {
  return countTrend(await beginTrend(db, project, asked), { offset })
}

/** Plans a trend as far as its parts can be counted. @throws the errors of `computeTrend` */
export async function beginTrend(db: Db, project: ProjectCalendar, asked: Asked): Promise<Binned> {
  const planned = await planTrend(db, project, asked)
  expectFewRows(planned.query, planned.parts.flat())
  return findBins(planned)
}

/** Counts the parts of a trend that are not known `ahead`. @throws the errors of `computeTrend` */
export async function countTrend(
  binned: Binned,
  { offset = 0, ahead = [] }: { offset?: number; ahead?: Ahead } = {}
): Promise<CountedTrend> {
  const { query, periods, parts } = binned
  const series = query.breakdowns.length > 0 ? await rankValues(binned, ahead) : []
  const shown = series.map(({ ranked }) => shownOf(query, ranked, offset))
  if (sum(shown.flat().map(({ length }) => length)) > MAX_SHOWN_TEXT) {
    throw tooManyBreakdownValues(query)
  }
  // By series, then by period.
  const lines: Line[][][] = []
  for (const [i, seriesParts] of parts.entries()) {
    const seriesLines: Line[][] = []
    for (const [p, part] of seriesParts.entries()) {
      const known = series[i]?.brokenDown[p] ?? ahead[i]?.[p]
      seriesLines.push(await countLines(binned, part, shown[i], known))
    }
    lines.push(seriesLines)
  }
  const toResult = query.formulas.length > 0 ? linesOfFormulas : linesOfSeries
  return {
    result: toResult(query, periods, lines),
    periods,
    hasMore: series.some(({ ranked }) => ranked.length > offset + query.breakdownLimit)
  }
}

/**
 * Counts the lines of a part. With a breakdown, there is a line for each shown value, and up to two
 * more if they have numbers: one for events without a value, and one for all other values together
 * ("Other"), unless the query hides "Other".
 */
async function countLines(
  binned: Binned,
  part: TrendPart,
  shown: string[] | undefined,
  brokenDown: BrokenDown | undefined
): Promise<Line[]> {
  const { query } = binned
  const lines = new Lines(shown ?? [null], part.period.buckets.length)
  if (isCountedBySlots(part, query)) {
    const { overview, pieces } = part
    lines.add(
      pieces.map(({ since, until, point }) => ({
        point,
        group: 0,
        result: overview.count(since, until)
      })),
      () => null
    )
  } else if (brokenDown?.cells && (!shown || isFoldable(part, brokenDown, shown))) {
    lines.add(brokenDown.cells, shown ? folding(brokenDown.grouping, shown) : () => null)
  } else {
    const grouping = new Grouping(shown)
    for await (const cells of countPart(binned, part, grouping)) {
      lines.add(cells, shown ? (group) => grouping.valueOf(group) : () => null)
    }
  }
  const smoothing = isAggregated(query) ? 1 : query.smoothing
  return lines
    .all()
    .filter(({ value }) => value !== OTHERS || !query.hidesOther)
    .map(({ value, data }) => ({
      value,
      data: smooth(isCumulative(query) ? cumulate(data) : data, smoothing)
    }))
}

/** Whether the numbers of values that are not shown, if any, add up to "Other". */
function isFoldable(
  part: TrendPart,
  { totals, grouping }: BrokenDown,
  shown: readonly string[]
): boolean {
  const fold = folding(grouping, shown)
  return isAdditive(part) || [...totals.keys()].every((group) => fold(group) !== OTHERS)
}
