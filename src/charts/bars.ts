import { type Axes, axisOf, drawAxes, drawBase } from './axes.ts'
import {
  type Chart,
  changeOf,
  currentOf,
  type Figure,
  figureIn,
  previousOf,
  textOf
} from './chart.ts'
import { judge } from './format.ts'
import type { Box, Plot } from './frame.ts'
import { surface, unfinished } from './marks.ts'
import { colorOf, lookOf, type Pen } from './pen.ts'
import { drawRows, ROW, ROW_SIZE, shownOf } from './rows.ts'
import { type Attributes, element, label } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/** Share of a band that its bars take. */
const FILLED = 0.72
/** Pixels of the widest bar. */
const WIDEST = 56
/** Radius of a bar's corners, pixels. */
const ROUND = 2
/** Pixels between the columns of a list. */
const GAP = 16

/** Returns the pixels that the bars of a bucket take together. */
const bandOf = ({ box }: Plot, buckets: number, bars: number): number =>
  Math.min(((box.right - box.left) / Math.max(1, buckets)) * FILLED, WIDEST * Math.max(1, bars))

/** The bars of a bucket: each series, in a comparison after its previous period. */
type Columns = {
  columns: { data: number[]; series: number; look: number; isPrevious: boolean }[]
  /** Pixels of a bar. */
  width: number
  leftOf: (bucket: number, column: number) => number
}

/** Returns the bars that `drawBars` draws for each bucket, from left to right. */
export function columnsOf({ series, buckets }: Chart, plot: Plot): Columns {
  const columns = series.flatMap((one, i) => {
    const column = { series: i, look: lookOf(one, i) }
    return [
      ...(one.previous ? [{ ...column, data: one.previous, isPrevious: true }] : []),
      { ...column, data: one.data, isPrevious: false }
    ]
  })
  const band = bandOf(plot, buckets.length, columns.length)
  const width = band / Math.max(1, columns.length)
  return {
    columns,
    width,
    leftOf: (bucket, column) => plot.x(bucket) - band / 2 + column * width
  }
}

/** Draws the axes of bars side by side. */
export const axesOfBars = (box: Box, pen: Pen, chart: Chart): Axes =>
  drawAxes(box, pen, {
    ...axisOf(chart),
    values: chart.series.flatMap(({ data, previous = [] }) => [...data, ...previous]),
    isBanded: true
  })

/**
 * Draws the bars of the series side by side; in a comparison, with a grey bar for the previous
 * period left of each.
 */
export function drawBars(box: Box, pen: Pen, chart: Chart): string {
  const { svg, plot } = axesOfBars(box, pen, chart)
  const { columns, width, leftOf } = columnsOf(chart, plot)
  const bars = columns.flatMap(({ data, look, isPrevious }, column) => {
    const fill = isPrevious ? pen.colors.prev : colorOf(pen, look)
    return data.map((value, bucket) => {
      const isOpen = bucket >= chart.finished && !isPrevious
      const x = leftOf(bucket, column)
      const [top, bottom] = [plot.y(Math.max(0, value)), plot.y(Math.min(0, value))]
      const size = { x: x + 0.5, y: top, width: Math.max(0.5, width - 1), height: bottom - top }
      const paint: Attributes = isOpen ? unfinished(pen, look) : { fill }
      return value === 0
        ? ''
        : element('rect', { ...size, rx: Math.min(ROUND, width / 4), ...paint })
    })
  })
  return svg + bars.join('') + drawBase(plot, pen)
}

/** Draws the axes of bars on top of each other. */
export function axesOfStacked(box: Box, pen: Pen, chart: Chart): Axes {
  const sums = chart.buckets.flatMap((_, bucket) => {
    const values = chart.series.map(({ data }) => data[bucket] ?? 0)
    const sum = (some: number[]) => some.reduce((total, value) => total + value, 0)
    return [sum(values.filter((value) => value > 0)), sum(values.filter((value) => value < 0))]
  })
  return drawAxes(box, pen, { ...axisOf(chart), values: sums, isBanded: true })
}

/** Draws the bars of the series on top of each other; negative values go down from zero. */
export function drawStacked(box: Box, pen: Pen, chart: Chart): string {
  const { series, buckets, finished } = chart
  const { svg, plot } = axesOfStacked(box, pen, chart)
  const band = bandOf(plot, buckets.length, 1)
  const bars = buckets.flatMap((_, bucket) => {
    const reached = { up: 0, down: 0 }
    return series.map((one, i) => {
      const look = lookOf(one, i)
      const value = one.data[bucket] ?? 0
      const way = value < 0 ? 'down' : 'up'
      const from = reached[way]
      reached[way] += value
      const [top, bottom] = [
        plot.y(Math.max(from, reached[way])),
        plot.y(Math.min(from, reached[way]))
      ]
      const size = { x: plot.x(bucket) - band / 2, y: top, width: band, height: bottom - top }
      const paint = bucket < finished ? fillOf(pen, look, series.length) : unfinished(pen, look)
      return value === 0 ? '' : element('rect', { ...size, ...paint })
    })
  })
  return svg + bars.join('') + drawBase(plot, pen)
}

/** A single series has no pattern: nothing touches it. */
const fillOf = (pen: Pen, index: number, count: number): Attributes =>
  count > 1 ? surface(pen, index) : { fill: colorOf(pen, index), rx: ROUND }

/**
 * Draws a row for each series: its name on a pale bar as long as the value compared with the
 * largest, and the value. In a comparison, a mark shows the earlier value, and a column the change.
 */
export function drawValues(box: Box, pen: Pen, chart: Chart): string {
  const { series } = chart
  const { colors } = pen
  const shown = shownOf(box, series)
  const figures = shown.map((one) => figureIn(chart, one))
  const changes = figures.map(changeOf)
  const widest = (texts: string[]) => Math.max(0, ...texts.map((text) => widthOf(text, ROW_SIZE)))
  const changeWidth = changes.some((change) => change !== '') ? widest(changes) + GAP : 0
  const valueWidth = widest(figures.map(textOf)) + GAP
  const until = box.right - valueWidth - changeWidth
  const all = series.flatMap((one) => (one.isRest ? [] : [currentOf(one), previousOf(one) ?? 0]))
  const largest = Math.max(...all.map(Math.abs), Number.MIN_VALUE)
  const lengthOf = (value: number) => (Math.abs(value) / largest) * Math.max(0, until - box.left)
  return drawRows(box, pen, series, (one, y, i) => {
    const value = currentOf(one)
    const previous = previousOf(one)
    const bar = {
      x: box.left,
      y: y + 2,
      width: lengthOf(value),
      height: ROW - 4,
      rx: 3,
      fill: colors.h1
    }
    const before = box.left + lengthOf(previous ?? 0)
    // Below the name, so that it does not cross the letters.
    const mark = { x1: before, x2: before, y1: y + ROW - 8, y2: y + ROW - 2, stroke: colors.prev }
    const text = { y: y + 19.5, 'font-size': ROW_SIZE, fill: colors.ink }
    const end = { ...text, 'text-anchor': 'end' }
    return [
      one.isRest ? '' : element('rect', bar),
      !previous || one.isRest ? '' : element('line', { ...mark, 'stroke-width': 2 }),
      label(fitName(one.name || '(empty)', ROW_SIZE, until - box.left - 16), {
        ...text,
        x: box.left + 8,
        ...(one.isRest && { fill: colors['ink-2'] })
      }),
      label(textOf(figures[i]), { ...end, x: box.right - changeWidth, 'font-weight': 600 }),
      drawChange(pen, figures[i], { ...end, x: box.right })
    ].join('')
  })
}

/** Draws the change of a number; empty without one. */
export function drawChange(pen: Pen, figure: Figure | undefined, attributes: Attributes): string {
  const change = changeOf(figure)
  return figure && change
    ? label(change, { ...attributes, 'font-size': 12, fill: colorOfChange(pen, figure) })
    : ''
}

/** Returns the colour of a change: green for better, red for worse. */
export const colorOfChange = (
  { colors }: Pen,
  { value, previous, isIncreaseBad }: Figure
): string => colors[JUDGED[judge(value, previous, isIncreaseBad)]]

const JUDGED = { [-1]: 'bad', 0: 'ink-3', 1: 'good' } as const
