import { columnsOf, rowsOf } from '../../charts/numbers.ts'
import type { JsonObject } from '../../input/json.ts'
import type { ShownBoard } from './page.ts'

/**
 * Returns the numbers of charts for `csvResponse`: a row for each bucket of each series, and a row
 * with the reason for each insight without a chart.
 */
export function csvOf({ tiles }: ShownBoard): [columns: string[], pages: JsonObject[][]] {
  const rows = tiles.flatMap(({ title: insight, chart, failure }): JsonObject[] =>
    chart ? rowsOf(chart).map((row) => ({ insight, ...row })) : [{ insight, failure }]
  )
  const failures = tiles.some(({ chart }) => !chart) ? ['failure'] : []
  return [['insight', ...columnsOf(rows), ...failures], [rows]]
}
