import type { Json, JsonObject } from '../input/json.ts'
import type { Chart } from './chart.ts'

/** The columns of numbers in a file. */
const COLUMNS = [
  'series',
  'day',
  'bucket',
  'value',
  'complete',
  'average_seconds',
  'median_seconds',
  'previous'
]

/** Columns that every file has. The others are left out if no row has them. */
const ALWAYS = ['series', 'day', 'value']

/** Returns the columns that some rows have, in their order in a file. */
export const columnsOf = (rows: readonly JsonObject[]): string[] =>
  COLUMNS.filter((name) => ALWAYS.includes(name) || rows.some((row) => Object.hasOwn(row, name)))

/** Returns the numbers of a chart as a row for each bucket of each series, by `columnsOf`. */
export const rowsOf = ({
  days,
  buckets,
  series
}: Pick<Chart, 'days' | 'buckets' | 'series'>): JsonObject[] =>
  series.flatMap(({ name, data, cells, previous, times, cohort }) =>
    // A row of a table without other columns has its name only.
    (cells?.length === 0 ? [null] : (cells ?? data.slice(0, cohort?.begun))).map((value, i) => ({
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

/** Returns the numbers of a chart as a table, whose first row is the header. */
export function tableOfChart(chart: Pick<Chart, 'days' | 'buckets' | 'series'>): Json[][] {
  const rows = rowsOf(chart)
  const columns = columnsOf(rows)
  return [columns, ...rows.map((row) => columns.map((name) => row[name] ?? null))]
}
