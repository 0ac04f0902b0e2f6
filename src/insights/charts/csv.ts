import type { JsonObject } from '../../input/json.ts'
import type { ShownBoard } from './page.ts'

const COLUMNS = [
  'insight',
  'series',
  'day',
  'bucket',
  'value',
  'complete',
  'average_seconds',
  'median_seconds',
  'previous',
  'failure'
]
/** Columns that every file has. The others are left out if no row has them. */
const ALWAYS = ['insight', 'series', 'day', 'value']

/**
 * Returns the numbers of charts for `csvResponse`: a row for each bucket of each series, and a row
 * with the reason for each insight without a chart.
 */
export function csvOf({ tiles }: ShownBoard): [columns: string[], pages: JsonObject[][]] {
  const rows = tiles.flatMap(rowsOf)
  const columns = COLUMNS.filter(
    (name) => ALWAYS.includes(name) || rows.some((row) => Object.hasOwn(row, name))
  )
  return [columns, [rows]]
}

function rowsOf({ title: insight, chart, failure }: ShownBoard['tiles'][number]): JsonObject[] {
  if (!chart) {
    return [{ insight, failure }]
  }
  const { days, buckets } = chart
  return chart.series.flatMap(({ name, data, cells, previous, times, cohort }) =>
    // A row of a table without other columns has its name only.
    (cells?.length === 0 ? [null] : (cells ?? data.slice(0, cohort?.begun))).map((value, i) => ({
      insight,
      series: cohort ? (cohort.value ?? null) : name,
      day: cohort?.day ?? days[i] ?? null,
      // Days say better where a bucket of time begins.
      ...(days.length === 0 && buckets.length > 0 && { bucket: buckets[i] ?? null }),
      value,
      ...(cohort && { complete: i < cohort.finished }),
      ...(times && {
        average_seconds: times[i]?.average ?? null,
        median_seconds: times[i]?.median ?? null
      }),
      ...(previous && { previous: previous[i] ?? null })
    }))
  )
}
