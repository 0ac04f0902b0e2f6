import type { JsonObject } from '../../input/json.ts'
import type { ShownBoard } from './page.ts'

/** `previous` and `failure` are left out if no row has them. */
const COLUMNS = ['insight', 'series', 'day', 'value', 'previous', 'failure']
const OPTIONAL = ['previous', 'failure']

/**
 * Returns the numbers of charts for `csvResponse`: a row for each bucket of each series, and a row
 * with the reason for each insight without a chart.
 */
export function csvOf({ tiles }: ShownBoard): [columns: string[], pages: JsonObject[][]] {
  const rows = tiles.flatMap(rowsOf)
  const columns = COLUMNS.filter(
    (name) => !OPTIONAL.includes(name) || rows.some((row) => Object.hasOwn(row, name))
  )
  return [columns, [rows]]
}

function rowsOf({ title: insight, chart, failure }: ShownBoard['tiles'][number]): JsonObject[] {
  if (!chart) {
    return [{ insight, failure }]
  }
  return chart.series.flatMap(({ name, data, previous }) =>
    data.map((value, i) => ({
      insight,
      series: name,
      day: chart.days[i] ?? null,
      value,
      ...(previous && { previous: previous[i] ?? null })
    }))
  )
}
