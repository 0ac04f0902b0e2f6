import { columnsOf } from '../../src/charts/bars.ts'
import type { Chart } from '../../src/charts/chart.ts'
import type { Plot } from '../../src/charts/frame.ts'

/** A point of the drawing, pixels. */
export type Pixel = { x: number; y: number }

/** Returns the bucket nearest to a pixel, of those that have begun. */
export function bucketAt({ buckets, finished }: Chart, plot: Plot, x: number): number {
  const last = Math.min(buckets.length, finished + 1) - 1
  const [first, second] = [plot.x(0), plot.x(1)]
  const step = buckets.length > 1 ? second - first : 1
  return Math.max(0, Math.min(last, Math.round((x - first) / step)))
}

/** Returns the series of a bucket that a pixel means. The series are those that are drawn. */
export function seriesAt(
  chart: Chart,
  plot: Plot,
  bucket: number,
  { x, y }: Pixel
): { series: number; isPrevious: boolean } {
  if (chart.kind === 'bars') {
    const { columns, width, leftOf } = columnsOf(chart, plot)
    const place = Math.floor((x - leftOf(bucket, 0)) / width)
    const { series = 0, isPrevious = false } =
      columns[Math.max(0, Math.min(columns.length - 1, place))] ?? {}
    return { series, isPrevious }
  }
  if (chart.kind === 'line') {
    const distances = chart.series.map(({ data }) => Math.abs(plot.y(data[bucket] ?? 0) - y))
    return { series: Math.max(0, distances.indexOf(Math.min(...distances))), isPrevious: false }
  }
  const zero = plot.y(0)
  const isBelow = y > zero
  let reached = 0
  const stacked = chart.series.map(({ data }, i) => {
    const value = data[bucket] ?? 0
    const counts = isBelow ? value < 0 : value > 0
    reached += counts ? value : 0
    return { i, counts, edge: plot.y(reached) }
  })
  const parts = stacked.filter(({ counts }) => counts)
  const hit = parts.find(({ edge }) => (isBelow ? edge >= y : edge <= y)) ?? parts.at(-1)
  return { series: hit?.i ?? 0, isPrevious: false }
}
