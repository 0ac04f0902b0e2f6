import type { Db } from '../db/client.ts'
import type { TrendSeries } from './answer.ts'
import { type Asked, type BrokenDown, Computation, tooManyBreakdownValues } from './computation.ts'
import { Grouping, OTHERS } from '../columns/grouping.ts'
import { cumulate, folding, type Line, Lines, smooth } from './lines.ts'
import { isAdditive } from './maths/table.ts'
import type { Project } from './periods.ts'
import { expectFewRows, isCountedBySlots, type Part } from './plan.ts'
import { isAggregated, isCumulative } from './query.ts'
import { linesOfFormulas, linesOfSeries } from './series.ts'
import { sum } from './sum.ts'

/** Characters that the shown breakdown values of all series may have together. */
const MAX_SHOWN_TEXT = 2_000_000

/**
 * Computes a trend. `offset` is the number of breakdown values to skip; values are sorted by their totals.
 * @throws query_too_large, attr the name of the limit; the limits on points and rows are checked before any event is counted.
 * invalid_input for numbers that are too large, or too far apart for bins
 */
export async function computeTrend(
  db: Db,
  project: Project,
  { offset = 0, ...asked }: Asked & { offset?: number }
): Promise<{ result: TrendSeries[]; hasMore: boolean }> {
  const computation = await Computation.plan(db, project, asked)
  const { query, periods, parts } = computation
  expectFewRows(query, parts.flat())
  await computation.readBins()
  const brokenDown = query.breakdowns.length > 0 ? await computation.readBrokenDown() : undefined
  const ranked = brokenDown && computation.rank(brokenDown)
  const shown = ranked?.map((values) => computation.shownOf(values, offset))
  if (sum(shown?.flat().map(({ length }) => length) ?? []) > MAX_SHOWN_TEXT) {
    throw tooManyBreakdownValues(query)
  }
  // By series, then by period.
  const lines: Line[][][] = []
  for (const [i, seriesParts] of parts.entries()) {
    const seriesLines: Line[][] = []
    for (const [p, part] of seriesParts.entries()) {
      seriesLines.push(await readLines(computation, part, shown?.[i], brokenDown?.[i]?.[p]))
    }
    lines.push(seriesLines)
  }
  // The answer shows values as the bins that `readBins` has found.
  const binned = { ...query, breakdowns: computation.breakdowns }
  const toResult = query.formulas.length > 0 ? linesOfFormulas : linesOfSeries
  return {
    result: toResult(binned, periods, lines),
    hasMore: ranked?.some(({ length }) => length > offset + query.breakdownLimit) ?? false
  }
}

/**
 * Reads the lines of a part. With a breakdown, there is a line for each shown value, and up to two more if they have numbers: one
 * for events without a value, and one for all other values together ("Other"), unless the query hides "Other".
 */
async function readLines(
  computation: Computation,
  part: Part,
  shown: string[] | undefined,
  brokenDown: BrokenDown | undefined
): Promise<Line[]> {
  const { query } = computation
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
  } else if (shown && brokenDown?.cells && isFoldable(part, brokenDown, shown)) {
    lines.add(brokenDown.cells, folding(brokenDown.grouping, shown))
  } else {
    const grouping = new Grouping(shown)
    for await (const cells of computation.count(part, grouping)) {
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

/** Whether adding up the numbers of the values that are not shown gives "Other", or all values are shown. */
function isFoldable(
  part: Part,
  { totals, grouping }: BrokenDown,
  shown: readonly string[]
): boolean {
  const fold = folding(grouping, shown)
  return isAdditive(part) || [...totals.keys()].every((group) => fold(group) !== OTHERS)
}
