import { drawAxes } from './axes.ts'
import { type Chart, currentOf, previousOf, type Series } from './chart.ts'
import { formatValue } from './format.ts'
import type { Box } from './frame.ts'
import { surface } from './marks.ts'
import { place, scaleOf } from './scale.ts'
import { type Attributes, element, label } from './svg.ts'
import { shorten, widthOf } from './text.ts'
import { colorOf, type Theme } from './theme.ts'

/** Share of a band that its bars take. */
const FILLED = 0.72
/** Font size of names and values. */
const SIZE = 12
/** Height of a row, pixels. */
const ROW = 26

/** Draws the bars of the series side by side; in a comparison, with an outlined bar for the previous period left of each. */
export function drawBars(box: Box, theme: Theme, { series, buckets }: Chart): string {
  const values = series.flatMap(({ data, previous = [] }) => [...data, ...previous])
  const { svg, plot } = drawAxes(box, theme, { values, buckets, isBanded: true })
  const columns = series.flatMap(({ data, previous }, i) => [
    ...(previous ? [{ data: previous, i, isPrevious: true }] : []),
    { data, i, isPrevious: false }
  ])
  const band = ((plot.box.right - plot.box.left) / Math.max(1, buckets.length)) * FILLED
  const width = band / Math.max(1, columns.length)
  const bars = columns.flatMap(({ data, i, isPrevious }, column) => {
    const look = isPrevious ? outline(theme, i) : { ...surface(theme, i), stroke: undefined }
    return data.map((value, bucket) => {
      const x = plot.x(bucket) - band / 2 + column * width
      const [top, bottom] = [plot.y(Math.max(0, value)), plot.y(Math.min(0, value))]
      const size = { x: x + 0.5, y: top, width: Math.max(0.5, width - 1), height: bottom - top }
      return element('rect', { ...size, ...look })
    })
  })
  return svg + bars.join('')
}

const outline = (theme: Theme, index: number): Attributes => ({
  fill: 'none',
  stroke: colorOf(theme, index),
  'stroke-dasharray': '3 2'
})

/** Draws the bars of the series on top of each other; negative values go down from zero. */
export function drawStacked(box: Box, theme: Theme, { series, buckets }: Chart): string {
  const sums = buckets.flatMap((_, bucket) => {
    const values = series.map(({ data }) => data[bucket] ?? 0)
    const sum = (some: number[]) => some.reduce((total, value) => total + value, 0)
    return [sum(values.filter((value) => value > 0)), sum(values.filter((value) => value < 0))]
  })
  const { svg, plot } = drawAxes(box, theme, { values: sums, buckets, isBanded: true })
  const band = ((plot.box.right - plot.box.left) / Math.max(1, buckets.length)) * FILLED
  const bars = buckets.flatMap((_, bucket) => {
    const reached = { up: 0, down: 0 }
    return series.map(({ data }, i) => {
      const value = data[bucket] ?? 0
      const way = value < 0 ? 'down' : 'up'
      const from = reached[way]
      reached[way] += value
      const [top, bottom] = [
        plot.y(Math.max(from, reached[way])),
        plot.y(Math.min(from, reached[way]))
      ]
      const size = { x: plot.x(bucket) - band / 2, y: top, width: band, height: bottom - top }
      return value === 0 ? '' : element('rect', { ...size, ...surface(theme, i) })
    })
  })
  return svg + bars.join('')
}

/** Draws a horizontal bar for the value of each series, as many as there is room for. */
export function drawValues(box: Box, theme: Theme, { series }: Chart): string {
  const rows = Math.max(1, Math.floor((box.bottom - box.top) / ROW))
  const shown = series.length > rows ? series.slice(0, rows - 1) : series
  const hidden = series.length - shown.length
  const nameWidth = Math.min(
    Math.max(...shown.map(({ name }) => widthOf(name || '(empty)', SIZE))) + 12,
    (box.right - box.left) * 0.4
  )
  const valueWidth = Math.max(...shown.map((one) => widthOf(formatValue(currentOf(one)), SIZE))) + 8
  const all = shown.flatMap((one) => [currentOf(one), previousOf(one) ?? 0])
  const scale = scaleOf(all, 4)
  const [from, until] = [box.left + nameWidth, box.right - valueWidth]
  const x = (value: number) => place(scale, value, from, until)
  const drawn = shown.map((one, i) => {
    const y = box.top + i * ROW
    const name = label(shorten(one.name || '(empty)', SIZE, nameWidth - 12), {
      x: from - 12,
      y: y + 16,
      'font-size': SIZE,
      'text-anchor': 'end',
      fill: theme.ink
    })
    return name + drawValue(theme, { x, y }, one, i)
  })
  const more =
    hidden > 0
      ? label(`+${hidden} more`, {
          x: from,
          y: box.top + shown.length * ROW + 16,
          'font-size': SIZE,
          fill: theme.soft
        })
      : ''
  return drawn.join('') + more
}

/** Draws the bar of a value, a dashed line at the value of the period before, and the value as text. */
function drawValue(
  theme: Theme,
  { x, y }: { x: (value: number) => number; y: number },
  series: Series,
  index: number
): string {
  const zero = x(0)
  const end = x(currentOf(series))
  const previous = previousOf(series)
  const before = previous === undefined ? zero : x(previous)
  const bar = { x: Math.min(zero, end), y: y + 4, width: Math.abs(end - zero), height: ROW - 10 }
  return [
    element('rect', { ...bar, ...surface(theme, index) }),
    previous === undefined
      ? ''
      : element('line', {
          x1: before,
          x2: before,
          y1: y + 1,
          y2: y + ROW - 3,
          stroke: theme.ink,
          'stroke-width': 2,
          'stroke-dasharray': '3 2'
        }),
    label(formatValue(currentOf(series)), {
      x: Math.max(zero, end, before) + 6,
      y: y + 16,
      'font-size': SIZE,
      fill: theme.ink
    })
  ].join('')
}
