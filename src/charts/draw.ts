import { escapeHtml } from '../html.ts'
import { drawBars, drawStacked, drawValues } from './bars.ts'
import type { Chart, Kind, Series } from './chart.ts'
import { drawNumber, drawTable } from './figures.ts'
import { formatValue } from './format.ts'
import { type Box, drawHead, drawLegend, drawNothing, PADDING } from './frame.ts'
import { drawAreas, drawLines } from './lines.ts'
import { surface, surfaces } from './marks.ts'
import { drawPie } from './pie.ts'
import { clean, element } from './svg.ts'
import { FONT, THEME, type Theme, type ThemeName } from './theme.ts'

/** Bounds and defaults of the width and height of a chart, pixels. */
export const SIZES = { least: 160, most: 2_000, width: 600, height: 320 }

/**
 * Maximum number of series in a chart with a time axis: the legend has no room for more, and nobody could tell more
 * apart.
 */
const MAX_SERIES = 12

/** Size in pixels, and colours; each has a default. */
export type Look = { width?: number; height?: number; theme?: ThemeName }

type Drawing = {
  /** The name of the kind in a chart's description. */
  name: string
  draw: (box: Box, theme: Theme, chart: Chart) => string
  /** The mark of a series in the legend. A kind without a legend is not limited to `MAX_SERIES`. */
  legend?: 'point' | 'surface'
  /** Whether series stand on top of each other. */
  isStacked?: boolean
  /** Whether the chart is also drawn if all values are 0. */
  showsZero?: boolean
}

const DRAWINGS: Record<Kind, Drawing> = {
  line: { name: 'Line chart', draw: drawLines, legend: 'point' },
  area: { name: 'Stacked area chart', draw: drawAreas, legend: 'surface', isStacked: true },
  bars: { name: 'Bar chart', draw: drawBars, legend: 'surface' },
  stacked: { name: 'Stacked bar chart', draw: drawStacked, legend: 'surface', isStacked: true },
  values: { name: 'Horizontal bar chart', draw: drawValues },
  pie: { name: 'Pie chart', draw: drawPie },
  number: { name: 'Number', draw: drawNumber, showsZero: true },
  table: { name: 'Table', draw: drawTable }
}

/** Draws a chart as SVG: text and shapes only, with a title and a description for screen readers. */
export function drawChart(
  chart: Chart,
  { width = SIZES.width, height = SIZES.height, theme: name = 'light' }: Look = {}
): string {
  const theme = THEME[name]
  return drawDocument(theme, {
    width,
    height,
    title: chart.title,
    description: describeChart(chart),
    surfaces: countSurfaces(chart),
    body: drawPanel(chart, theme, { left: 0, top: 0, right: width, bottom: height })
  })
}

/**
 * Draws a chart with its title into a box. The document must define the first `countSurfaces(chart)` surfaces: the
 * patterns that fill the areas of series.
 */
export function drawPanel(chart: Chart, theme: Theme, box: Box): string {
  const shown = withinLimit(chart)
  const head = drawHead(inside(box), theme, shown)
  return head.svg + drawBody(head.rest, theme, shown)
}

/** Returns how many surfaces `drawPanel` uses at most: one per drawn series, even for a line chart, which uses none. */
export const countSurfaces = (chart: Chart): number => withinLimit(chart).series.length

const withinLimit = (chart: Chart): Chart => (DRAWINGS[chart.kind].legend ? limit(chart) : chart)

/** Returns a box without the padding at its edges. */
export const inside = ({ left, top, right, bottom }: Box): Box => ({
  left: left + PADDING,
  top: top + PADDING,
  right: right - PADDING,
  bottom: bottom - PADDING
})

type Document = {
  width: number
  height: number
  title: string
  description: string
  /** The number of surfaces to define. The body uses no others. */
  surfaces: number
  body: string
}

/** Returns an SVG document with a drawn body. */
export const drawDocument = (
  theme: Theme,
  { width, height, title, description, surfaces: count, body }: Document
): string =>
  element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-labelledby': 'chart-title chart-description',
      'font-family': FONT
    },
    element('title', { id: 'chart-title' }, escapeHtml(clean(title))),
    element('desc', { id: 'chart-description' }, escapeHtml(clean(description))),
    element('defs', {}, surfaces(theme, count)),
    element('rect', { width, height, fill: theme.paper }),
    body
  )

function drawBody(box: Box, theme: Theme, chart: Chart): string {
  const { draw, legend: mark, showsZero } = DRAWINGS[chart.kind]
  const values = chart.series.flatMap(({ data, previous = [] }) => [...data, ...previous])
  if (chart.series.length === 0) {
    return drawNothing(box, theme, 'No values in this range.')
  }
  if (values.every((value) => value === 0) && !showsZero) {
    return drawNothing(box, theme, 'All values in this range are 0.')
  }
  if (!mark || !needsLegend(chart)) {
    return draw(box, theme, chart)
  }
  const square = (i: number, x: number, y: number) =>
    element('rect', { x: x - 5, y: y - 5, width: 11, height: 11, ...surface(theme, i) })
  const legend = drawLegend(box, theme, chart.series, mark === 'surface' ? square : undefined)
  return legend.svg + draw(legend.rest, theme, chart)
}

/** A chart needs a legend unless its title is the name of its only series. */
const needsLegend = ({ series, title }: Chart): boolean =>
  series.length > 1 || series.some(({ name }) => name !== title)

/**
 * Limits a chart to `MAX_SERIES` series. A stacked chart ends with the sum of the remaining series. Other charts leave
 * them out and say in the subtitle how many.
 */
function limit(chart: Chart): Chart {
  const { series, kind } = chart
  if (series.length <= MAX_SERIES) {
    return chart
  }
  if (DRAWINGS[kind].isStacked) {
    const others = series.slice(MAX_SERIES - 1)
    const sums = { name: `${others.length} others`, data: addUp(others) }
    return { ...chart, series: [...series.slice(0, MAX_SERIES - 1), sums] }
  }
  const more = series.length - MAX_SERIES
  const note = more === 1 ? '1 more series is not drawn' : `${more} more series are not drawn`
  return {
    ...chart,
    subtitle: join(chart.subtitle, note),
    series: series.slice(0, MAX_SERIES)
  }
}

const join = (...parts: string[]): string => parts.filter(Boolean).join(' · ')

const addUp = (series: Series[]): number[] =>
  (series[0]?.data ?? []).map((_, i) => series.reduce((sum, { data }) => sum + (data[i] ?? 0), 0))

/** Maximum number of series that a description names. */
const MAX_DESCRIBED = 10

/**
 * Describes a chart in words, here a chart with two weekly buckets:
 * `Line chart, 9 Nov to 16 Nov, 9 – 22 Nov 2026 · Europe/Berlin. Sign-ups: 40 to 52, last 52.`
 */
export function describeChart({ kind, subtitle, buckets, series }: Chart): string {
  const range = buckets.length > 1 ? `${buckets[0]} to ${buckets.at(-1)}` : (buckets[0] ?? '')
  const lines = series.slice(0, MAX_DESCRIBED).map(({ name, data }) => {
    const named = name || '(empty)'
    if (data.length < 2) {
      return `${named}: ${formatValue(data[0] ?? 0)}.`
    }
    const [low, high] = [Math.min(...data), Math.max(...data)]
    const last = formatValue(data.at(-1) ?? 0)
    return `${named}: ${formatValue(low)} to ${formatValue(high)}, last ${last}.`
  })
  const more = series.length > MAX_DESCRIBED ? [`And ${series.length - MAX_DESCRIBED} more.`] : []
  const head = [DRAWINGS[kind].name, range, subtitle].filter(Boolean).join(', ')
  return [`${head}.`, ...lines, ...more].join(' ')
}
