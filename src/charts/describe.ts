import { isolate } from '../input/show.ts'
import {
  type Chart,
  currentOf,
  type Figure,
  figureIn,
  hasBuckets,
  type Kind,
  namesOfColumns,
  type Series,
  textIn,
  textOf
} from './chart.ts'
import { describeChange, formatDuration, formatIn, formatShare, formatValue } from './format.ts'
import { factsOf } from './funnel.ts'
import { heatOf } from './retention.ts'

const NAMES: Record<Kind, string> = {
  line: 'Line chart',
  area: 'Stacked area chart',
  bars: 'Bar chart',
  stacked: 'Stacked bar chart',
  funnel: 'Funnel',
  retention: 'Retention table',
  values: 'Ranked bars',
  countries: 'List of countries',
  pie: 'Pie chart',
  number: 'Number',
  numbers: 'Numbers',
  table: 'Table'
}

/** Maximum number of series, and of annotations, that a description names. */
const MAX_DESCRIBED = 10
/** Maximum number of values that a description of one series lists. */
const MAX_LISTED = 14

/**
 * Describes a chart in words, here a chart with two weekly buckets: `Line chart, 9 Nov to 16 Nov, 9
 * – 22 Nov 2026 · Europe/Berlin. Persons by week. Sign-ups: 40, 52.`
 */
export function describeChart(chart: Chart): string {
  const { kind, subtitle, counted, buckets, warning, annotations = [] } = chart
  const axis = buckets.length > 1 ? `${buckets[0]} to ${buckets.at(-1)}` : (buckets[0] ?? '')
  const range = hasBuckets(kind) ? axis : ''
  const all = describeNumbers(chart)
  const lines = all.slice(0, MAX_DESCRIBED)
  const more = all.length > MAX_DESCRIBED ? [`And ${all.length - MAX_DESCRIBED} more.`] : []
  const head = [NAMES[kind], range, subtitle].filter(Boolean).join(', ')
  const words = counted ? [`${counted}.`] : []
  const warnings = warning === null ? [] : [warning]
  const texts = annotations
    .slice(0, MAX_DESCRIBED)
    .map(({ bucket, text }) => `${buckets[bucket]}: ${isolate(text)}.`)
  return [`${head}.`, ...words, ...warnings, ...lines, ...more, ...texts].join(' ')
}

/** Describes the numbers of a chart, a sentence for each series or row. */
function describeNumbers(chart: Chart): string[] {
  const { kind, series, finished, unit } = chart
  if (kind === 'funnel') {
    return series.length === 1 ? describeSteps(chart) : series.map((one) => describeFunnel(one))
  }
  if (kind === 'retention') {
    return heatOf(chart).map(({ name, size, cells }) => {
      const shares = cells.flatMap((cell) => (cell ? [formatShare(cell.share)] : []))
      return `${isolate(name || '(empty)')}: ${[formatValue(size), ...shares].join(', ')}.`
    })
  }
  const [first] = series
  if (kind === 'numbers' && first) {
    return chart.buckets.map((name, i) => `${name}: ${describeFigure(figureIn(chart, first, i))}.`)
  }
  return series.map((one) => {
    const named = isolate(one.name || '(empty)')
    if (kind === 'table') {
      const texts = namesOfColumns(chart).map((_, i) => textIn(chart, one, i))
      return texts.length > 0 ? `${named}: ${texts.join(', ')}.` : `${named}.`
    }
    const data = hasBuckets(kind) ? one.data.slice(0, finished + 1) : [currentOf(one)]
    const format = (value: number) => formatIn(unit, value)
    if (series.length === 1 && data.length <= MAX_LISTED) {
      return `${named}: ${data.map(format).join(', ')}.`
    }
    if (data.length < 2) {
      return `${named}: ${format(data[0] ?? 0)}.`
    }
    const [low, high] = [Math.min(...data), Math.max(...data)]
    return `${named}: ${format(low)} to ${format(high)}, last ${format(data.at(-1) ?? 0)}.`
  })
}

/** `120, +20.0% from 100` */
function describeFigure(figure: Figure | undefined): string {
  const change = figure ? describeChange(figure.value, figure.previous, figure.unit) : ''
  return [textOf(figure), change].filter(Boolean).join(', ')
}

/** `Signed up: 618 (24.9%), 1,864 left, 1m 12s in the median.` */
const describeSteps = ({ buckets, series: [one] }: Chart): string[] =>
  one
    ? buckets.map((name, step) => {
        const { count, share, left, median } = factsOf(one, step)
        const words = [
          `${formatValue(count)} (${formatShare(share)})`,
          ...(step > 0 ? [`${formatValue(left)} left`] : []),
          ...(median === null ? [] : [`${formatDuration(median)} in the median`])
        ]
        return `${isolate(name || '(empty)')}: ${words.join(', ')}.`
      })
    : []

/** `Germany: 702, 211, 83 (11.8%).` */
const describeFunnel = (one: Series): string => {
  const { share } = factsOf(one, one.data.length - 1)
  const counts = one.data.map(formatValue).join(', ')
  return `${isolate(one.name || '(empty)')}: ${counts} (${formatShare(share)}).`
}
