import { escapeHtml } from '../html/escape.ts'
import { COLORS, type Colors, type ThemeName, TYPE_AND_SPACE } from '../html/tokens.ts'
import { isolate } from '../input/show.ts'
import type { Axes } from './axes.ts'
import { axesOfBars, axesOfStacked, drawBars, drawStacked, drawValues } from './bars.ts'
import { type Chart, isAllZero, type Kind, type Series } from './chart.ts'
import { describeChart } from './describe.ts'
import { drawNumber, drawNumbers, drawTable, heightOfNumbers, NUMBER_HEIGHT } from './figures.ts'
import { type Box, drawHead, drawLegend, drawNothing, PADDING, type Plot } from './frame.ts'
import { drawFunnel, heightOfFunnel, placesOfSteps, type StepPlace } from './funnel.ts'
import { axesOfAreas, axesOfLines, drawAreas, drawLines, hasRoomForNames } from './lines.ts'
import { surface, surfaces } from './marks.ts'
import { colorOf, dashOf, lookOf, MAX_SERIES, type Pen } from './pen.ts'
import { drawPie } from './pie.ts'
import { drawRetention, heightOfHeat } from './retention.ts'
import { heightOfRows } from './rows.ts'
import { clean, element } from './svg.ts'

/** Bounds and defaults of the width and height of a chart, pixels. */
export const SIZES = { least: 160, most: 2_000, width: 600, height: 320 }

/** Font size of labels, pixels. */
const LABEL_SIZE = 11

/** Size in pixels, and colours; each has a default. */
export type Look = { width?: number; height?: number; theme?: ThemeName }

type Drawing = {
  draw: (box: Box, pen: Pen, chart: Chart, naming: Naming) => string
  /** The axes of a chart that has them. */
  axes?: (box: Box, pen: Pen, chart: Chart, naming: Naming) => Axes
  /** The mark of a series in the legend. */
  legend?: 'line' | 'surface'
  /** Whether series are parts of a whole: those beyond the limit are added up. */
  isWhole?: boolean
  /** Whether any number of series is drawn, as far as there is room. */
  isList?: boolean
  /** Whether the chart is also drawn if all values are 0. */
  showsZero?: boolean
}

/** Which names a chart has besides a legend. */
type Naming = {
  /** Whether the ends of lines have names. */
  namesLines: boolean
  /** Whether the names of steps are left out. */
  isBare: boolean
}

const DRAWINGS: Record<Kind, Drawing> = {
  line: {
    draw: drawLines,
    axes: axesOfLines,
    legend: 'line'
  },
  area: {
    draw: drawAreas,
    axes: axesOfAreas,
    legend: 'surface',
    isWhole: true
  },
  bars: { draw: drawBars, axes: axesOfBars, legend: 'surface' },
  stacked: {
    draw: drawStacked,
    axes: axesOfStacked,
    legend: 'surface',
    isWhole: true
  },
  funnel: {
    draw: (box, pen, chart, { isBare }) => drawFunnel(box, pen, chart, isBare),
    legend: 'surface'
  },
  retention: { draw: drawRetention, isList: true },
  values: { draw: drawValues, isList: true },
  countries: { draw: drawValues, isList: true },
  pie: { draw: drawPie, isWhole: true },
  number: { draw: drawNumber, isList: true, showsZero: true },
  numbers: { draw: drawNumbers, isList: true, showsZero: true },
  table: { draw: drawTable, isList: true }
}

/**
 * Draws a chart as SVG: text and shapes only, with a title and a description for screen readers.
 */
export function drawChart(
  chart: Chart,
  { width = SIZES.width, height = SIZES.height, theme = 'light' }: Look = {}
): string {
  const pen: Pen = { colors: COLORS[theme], size: LABEL_SIZE, id: 'chart-' }
  return drawDocument(pen, {
    width,
    height,
    title: chart.title,
    description: describeChart(chart),
    surfaces: countSurfaces(chart),
    ground: pen.colors.surface,
    body: drawPanel(chart, pen, { left: 0, top: 0, right: width, bottom: height })
  })
}

/**
 * A chart without title and ground, to be put below a title. With `isNamed` false, it does not name
 * its series: the names of `namesOf` stand beside it.
 */
export type Inset = {
  width: number
  height: number
  colors: Colors
  size?: number
  id: string
  isNamed?: boolean
}

/** Draws a chart without its title, up to the edges and without a ground. */
export function drawInset(chart: Chart, inset: Inset): string {
  const { width, height, isNamed = true } = inset
  const pen = penOf(inset)
  return drawDocument(pen, {
    width,
    height,
    title: chart.title,
    description: describeChart(chart),
    surfaces: countSurfaces(chart),
    body: drawBody(boxOf(inset), pen, shownOf(chart), isNamed)
  })
}

/**
 * Returns where the buckets and values of an inset lie; undefined for a chart without axes, or one
 * without numbers. Its series are those of `shownOf`.
 */
export function plotOf(chart: Chart, inset: Inset): Plot | undefined {
  const shown = shownOf(chart)
  const { axes } = DRAWINGS[chart.kind]
  if (axes === undefined || wordsFor(shown) !== undefined) {
    return undefined
  }
  const pen = penOf(inset)
  const { rest, naming } = layOut(boxOf(inset), pen, shown, inset.isNamed ?? true)
  return axes(rest, pen, shown, naming).plot
}

/** Returns where the steps of a funnel in an inset are; nowhere for a funnel without numbers. */
export function stepsOf(chart: Chart, inset: Inset): StepPlace[] {
  const shown = shownOf(chart)
  return wordsFor(shown) === undefined
    ? placesOfSteps(layOut(boxOf(inset), penOf(inset), shown, true).rest, shown)
    : []
}

/** Returns a chart with the series that are drawn. */
export const shownOf = (chart: Chart): Chart => limit(chart).chart

const boxOf = ({ width, height }: Inset): Box => ({ left: 0, top: 0, right: width, bottom: height })

const penOf = ({ colors, size = LABEL_SIZE, id }: Inset): Pen => ({ colors, size, id })

/** A name beside a chart: of a series, with its colour, or of a step. */
export type NamedMark = { name: string; color?: string }

/** Returns the names that have to stand beside a chart that does not name its series and steps. */
export function namesOf(chart: Chart, colors: Colors): NamedMark[] {
  const { series } = shownOf(chart)
  const named = needsNames(chart) && DRAWINGS[chart.kind].legend
  const steps = chart.kind === 'funnel' ? chart.buckets : []
  return [
    ...(named
      ? series.map((one, i) => ({ name: one.name, color: colorOf({ colors }, lookOf(one, i)) }))
      : []),
    ...steps.map((step, i) => ({ name: `${i + 1} ${step}` }))
  ]
}

/**
 * Returns the height that a chart of a width needs without its title; `most` if it has no height of
 * its own. All are pixels.
 */
export function heightOf(chart: Chart, width: number, most: number): number {
  const { kind, series } = chart
  if (kind === 'number') {
    return NUMBER_HEIGHT
  }
  if (kind === 'numbers') {
    return heightOfNumbers(chart, width)
  }
  if (kind === 'funnel') {
    return heightOfFunnel(shownOf(chart), width, most)
  }
  if (kind === 'retention') {
    return Math.min(2 * most, heightOfHeat(chart))
  }
  const isList = kind === 'values' || kind === 'countries' || kind === 'table'
  return isList && series.length > 0
    ? Math.min(most, heightOfRows(series.length + (chart.columns ? 1 : 0)))
    : most
}

/**
 * Draws a chart with its title into a box. The document must define the first
 * `countSurfaces(chart)` surfaces.
 */
export function drawPanel(chart: Chart, pen: Pen, box: Box): string {
  const { chart: shown, note } = limit(chart)
  const below = join(chart.subtitle, chart.counted, note)
  const head = drawHead(inside(box), pen, { title: chart.title, below })
  return head.svg + drawBody(head.rest, pen, shown)
}

/**
 * Returns how many surfaces a chart uses at most: one per drawn series, even for a line chart,
 * which uses none. The bars of a funnel do not touch.
 */
export const countSurfaces = (chart: Chart): number =>
  DRAWINGS[chart.kind].isList || chart.kind === 'funnel' ? 0 : shownOf(chart).series.length

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
  /** The colour of the ground; transparent without one. */
  ground?: string
  body: string
}

/** Returns an SVG document with a drawn body. */
export const drawDocument = (
  pen: Pen,
  { width, height, title, description, surfaces: count, ground, body }: Document
): string =>
  element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-labelledby': `${pen.id}title ${pen.id}description`,
      'font-family': TYPE_AND_SPACE.font.replaceAll('"', "'")
    },
    element('title', { id: `${pen.id}title` }, escapeHtml(clean(isolate(title)))),
    element('desc', { id: `${pen.id}description` }, escapeHtml(clean(description))),
    count > 0 ? element('defs', {}, surfaces(pen, count)) : '',
    ground ? element('rect', { width, height, fill: ground }) : '',
    body
  )

function drawBody(box: Box, pen: Pen, chart: Chart, isNamedHere = true): string {
  const words = wordsFor(chart)
  if (words !== undefined) {
    return drawNothing(box, pen, words)
  }
  const { legend, rest, naming } = layOut(box, pen, chart, isNamedHere)
  return legend + DRAWINGS[chart.kind].draw(rest, pen, chart, naming)
}

/** Returns the words that stand in place of a chart without numbers. */
function wordsFor({ kind, series, warning }: Chart): string | undefined {
  const isZero = isAllZero(series)
  if (warning !== null && isZero) {
    return warning
  }
  if (series.length === 0) {
    return 'No values in this range.'
  }
  return isZero && !DRAWINGS[kind].showsZero ? 'All values in this range are 0.' : undefined
}

/** Draws the legend of a chart that needs one, and returns the box that is left. */
function layOut(
  box: Box,
  pen: Pen,
  chart: Chart,
  isNamedHere: boolean
): { legend: string; rest: Box; naming: Naming } {
  const { legend: mark } = DRAWINGS[chart.kind]
  const isNamed = isNamedHere && mark !== undefined && needsNames(chart)
  const hasRoom = chart.kind === 'line' && hasRoomForNames(box, chart.series.length)
  if (!isNamed || hasRoom) {
    return { legend: '', rest: box, naming: { namesLines: isNamed, isBare: !isNamedHere } }
  }
  const markOf = MARKS[mark](pen, chart)
  const looks = chart.series.map(lookOf)
  const legend = drawLegend(box, pen, chart.series, (i, x, y) => markOf(looks[i] ?? i, x, y))
  return { legend: legend.svg, rest: legend.rest, naming: { namesLines: false, isBare: false } }
}

type Mark = (index: number, x: number, y: number) => string

/** The marks of a legend: a piece of each line, or a square of each surface. */
const MARKS: Record<'line' | 'surface', (pen: Pen, chart: Chart) => Mark> = {
  line: (pen) => (i, x, y) =>
    element('line', {
      x1: x - 5,
      x2: x + 5,
      y1: y,
      y2: y,
      stroke: colorOf(pen, i),
      'stroke-width': 3,
      'stroke-dasharray': dashOf(i)
    }),
  surface:
    (pen, { kind }) =>
    (i, x, y) => {
      const isFlat = kind === 'bars' || kind === 'funnel'
      const fill = isFlat ? { fill: colorOf(pen, i) } : surface(pen, i)
      return element('rect', { x: x - 5, y: y - 5, width: 10, height: 10, rx: 3, ...fill })
    }
}

/** A chart names its only series, unless its title or the line below it does. */
const needsNames = ({ series, title, counted }: Chart): boolean =>
  series.length > 1 || series.some(({ name }) => name !== title && !counted.includes(name))

/**
 * Limits a chart to `MAX_SERIES` series, the largest ones. A chart of parts of a whole ends with
 * the sum of the others; for other charts, `note` says how many are left out.
 */
function limit(chart: Chart): { chart: Chart; note: string } {
  const { series, kind } = chart
  const { isWhole, isList } = DRAWINGS[kind]
  if (series.length <= MAX_SERIES || isList) {
    return { chart, note: '' }
  }
  const bySize = series.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  const largest = new Set(bySize.filter(({ isRest }) => !isRest).slice(0, MAX_SERIES))
  const kept = series.filter((one) => largest.has(one))
  const others = series.filter((one) => !largest.has(one))
  if (isWhole) {
    const sums = { name: `${others.length} others`, data: addUp(others), isRest: true }
    return { chart: { ...chart, series: [...kept, sums] }, note: '' }
  }
  const note =
    others.length === 1
      ? '1 more series is not drawn'
      : `${others.length} more series are not drawn`
  return { chart: { ...chart, series: kept }, note }
}

/** Says how many series a chart leaves out; empty if it draws all. */
export const noteOf = (chart: Chart): string => limit(chart).note

const sizeOf = ({ data }: Series): number => data.reduce((sum, value) => sum + Math.abs(value), 0)

const join = (...parts: string[]): string => parts.filter(Boolean).join(' · ')

const addUp = (series: Series[]): number[] =>
  (series[0]?.data ?? []).map((_, i) => series.reduce((sum, { data }) => sum + (data[i] ?? 0), 0))
