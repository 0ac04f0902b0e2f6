import { type Axes, axisOf, drawAxes, drawBase } from './axes.ts'
import type { Chart, Series } from './chart.ts'
import type { Box, Plot } from './frame.ts'
import { surface } from './marks.ts'
import { colorOf, dashOf, lookOf, type Pen } from './pen.ts'
import { type Attributes, element, label, round } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/**
 * A line with more buckets is drawn 1 pixel wide, because it goes up and down within a few pixels.
 */
const MANY = 300
/** With more series, the periods before would make a tangle; tables have them. */
const MAX_COMPARED = 2
/** Dots of a line to a bucket that is not over. */
const DOTTED = '1 4.5'
/** Font size of the names at the ends of lines. */
const NAME_SIZE = 12
/** Fewest pixels between the names of two lines. */
const NAME_HEIGHT = 15
/** Pixels left of a name, for its mark. */
const NAME_LEFT = 22
/**
 * Pixels of the narrowest chart with names at the ends of its lines; narrower ones have a legend.
 */
const NAMES_FROM = 420

/** Whether there is room for the names of lines at their ends. */
export const hasRoomForNames = ({ left, top, right, bottom }: Box, count: number): boolean =>
  right - left >= NAMES_FROM && count * NAME_HEIGHT < bottom - top - 24

/** Returns the series whose period before is drawn. */
const comparedOf = (series: Series[]): Series[] => (series.length <= MAX_COMPARED ? series : [])

/** Returns the lines up to the bucket that is not over. */
const begunOf = ({ series, buckets, finished }: Chart): number[][] =>
  series.map(({ data }) => data.slice(0, Math.min(buckets.length, finished + 1)))

/** Draws the axes of lines. */
export const axesOfLines = (
  box: Box,
  pen: Pen,
  chart: Chart,
  { namesLines }: { namesLines: boolean }
): Axes =>
  drawAxes(box, pen, {
    ...axisOf(chart),
    values: [
      ...begunOf(chart),
      ...comparedOf(chart.series).map(({ previous = [] }) => previous)
    ].flat(),
    isBanded: false,
    unit: chart.unit,
    margin: namesLines ? namesOf(box, chart.series).width : 0
  })

/** Draws a line for each series, and a thin one for the period before. */
export function drawLines(
  box: Box,
  pen: Pen,
  chart: Chart,
  naming: { namesLines: boolean }
): string {
  const { series, finished } = chart
  const lines = begunOf(chart)
  const looks = series.map(lookOf)
  const names = naming.namesLines ? namesOf(box, series) : undefined
  const { svg, plot } = axesOfLines(box, pen, chart, naming)
  return [
    svg,
    ...comparedOf(series).map(({ previous }) =>
      previous ? drawPrevious(plot, pen, previous) : ''
    ),
    series.length === 1 ? drawGround(plot, pen, lines[0]?.slice(0, finished) ?? []) : '',
    drawBase(plot, pen),
    ...lines.map((data, i) => drawLine(plot, pen, { data, index: looks[i] ?? i, finished })),
    ...(names
      ? drawNames(plot, pen, {
          ...names,
          looks,
          ends: lines.map((data) => endOf(data, finished))
        })
      : [])
  ].join('')
}

/** Returns the last value of a line whose bucket is over. */
const endOf = (data: number[], finished: number): number =>
  data[Math.min(data.length, finished) - 1] ?? data[0] ?? 0

function drawPrevious(plot: Plot, { colors }: Pen, data: number[]): string {
  return element('path', {
    d: pathOf(plot, data),
    fill: 'none',
    stroke: colors.prev,
    'stroke-width': 1.25,
    'stroke-linejoin': 'round'
  })
}

/** Draws the area below a line. */
function drawGround(plot: Plot, pen: Pen, data: number[]): string {
  if (data.length < 2) {
    return ''
  }
  const [from, until, zero] = [plot.x(0), plot.x(data.length - 1), plot.y(0)].map(round)
  const d = `${pathOf(plot, data)}L${until} ${zero}L${from} ${zero}Z`
  return element('path', { d, fill: colorOf(pen, 0), 'fill-opacity': 0.08 })
}

/** Draws a line; a bucket that is not over is an open circle at the end of a dotted line. */
function drawLine(
  plot: Plot,
  pen: Pen,
  { data, index, finished }: { data: number[]; index: number; finished: number }
): string {
  const look: Attributes = {
    fill: 'none',
    stroke: colorOf(pen, index),
    'stroke-width': data.length > MANY ? 1 : 2,
    'stroke-linejoin': 'round',
    'stroke-linecap': 'round'
  }
  const over = data.slice(0, finished)
  const line = element('path', {
    d: pathOf(plot, over),
    ...look,
    'stroke-dasharray': dashOf(index)
  })
  const last = data.length - 1
  const end = { cx: plot.x(last), cy: plot.y(data[last] ?? 0), r: 3 }
  if (data.length === over.length) {
    // A line through one point has no length.
    return data.length === 1 ? element('circle', { ...end, fill: colorOf(pen, index) }) : line
  }
  const open = element('path', {
    d: pathOf(plot, data, Math.max(0, last - 1)),
    ...look,
    'stroke-dasharray': DOTTED
  })
  const circle = { ...end, fill: pen.colors.surface, stroke: look.stroke, 'stroke-width': 2 }
  return (over.length > 1 ? line : '') + open + element('circle', circle)
}

type Names = { texts: string[]; width: number }

/** Cuts the names to a quarter of the chart. @returns them with the width that they take */
function namesOf({ left, right }: Box, series: Series[]): Names {
  const most = (right - left) / 4
  const texts = series.map(({ name }) => fitName(name || '(empty)', NAME_SIZE, most))
  const width = Math.max(0, ...texts.map((text) => widthOf(text, NAME_SIZE)))
  return { texts, width: width + NAME_LEFT }
}

/** Draws the name of each line beside its last value, with room between two names. */
function drawNames(
  { box, y }: Plot,
  pen: Pen,
  { texts, looks, ends }: Names & { looks: number[]; ends: number[] }
): string[] {
  const places = spread(ends.map(y), box.top + 4, box.bottom)
  return texts.map((text, i) => {
    const at = places[i] ?? 0
    const mark = { x: box.right + 9, y: at - 1.5, width: 8, height: 3, rx: 1.5 }
    return (
      element('rect', { ...mark, fill: colorOf(pen, looks[i] ?? i) }) +
      label(text, {
        x: box.right + NAME_LEFT,
        y: at + 4,
        'font-size': NAME_SIZE,
        fill: pen.colors.ink
      })
    )
  })
}

/**
 * Moves positions apart until there are `NAME_HEIGHT` pixels between any two, in their order: `[10,
 * 12]` becomes `[10, 25]`.
 */
export function spread(positions: number[], top: number, bottom: number): number[] {
  const order = positions.map((at, i) => ({ at, i })).toSorted((a, b) => a.at - b.at)
  let least = top
  for (const one of order) {
    one.at = Math.max(one.at, least)
    least = one.at + NAME_HEIGHT
  }
  let most = bottom
  for (const one of order.toReversed()) {
    one.at = Math.min(one.at, most)
    most = one.at - NAME_HEIGHT
  }
  return order.toSorted((a, b) => a.i - b.i).map(({ at }) => at)
}

/** Draws the axes of stacked areas. */
export const axesOfAreas = (box: Box, pen: Pen, chart: Chart): Axes =>
  drawAxes(box, pen, {
    ...axisOf(chart),
    values: stack(begunOf(chart)).flat(),
    isBanded: false
  })

/** Draws the series as stacked areas. */
export function drawAreas(box: Box, pen: Pen, chart: Chart): string {
  const { series, buckets, finished } = chart
  const shown = Math.min(buckets.length, finished + 1)
  const stacks = stack(begunOf(chart))
  const looks = series.map(lookOf)
  const { svg, plot } = axesOfAreas(box, pen, chart)
  const areas = stacks.flatMap((upper, i) => {
    const look = looks[i] ?? i
    const lower = stacks[i - 1] ?? upper.map(() => 0)
    const areaOf = (from: number, until: number, paint: Attributes) => {
      const back = thinOut(plot, lower.slice(0, until), from)
        .toReversed()
        .map(([x, y]) => `L${x} ${y}`)
        .join('')
      const d = `${pathOf(plot, upper.slice(0, until), from)}${back}Z`
      return element('path', { d, ...paint })
    }
    if (shown === finished || finished === 0) {
      return areaOf(0, finished, surface(pen, look))
    }
    const color = colorOf(pen, look)
    const edge = { fill: 'none', stroke: color, 'stroke-width': 1.5, 'stroke-dasharray': '3 2' }
    return [
      areaOf(0, finished, surface(pen, look)),
      areaOf(finished - 1, shown, { fill: color, 'fill-opacity': 0.16 }),
      element('path', { d: pathOf(plot, upper, finished - 1), ...edge })
    ]
  })
  // The area of a single bucket has no width, so a point marks its value.
  const points = stacks.flatMap((upper, i) =>
    upper.length === 1
      ? [
          element('circle', {
            cx: plot.x(0),
            cy: plot.y(upper[0] ?? 0),
            r: 4,
            fill: colorOf(pen, looks[i] ?? i)
          })
        ]
      : []
  )
  return svg + areas.join('') + drawBase(plot, pen) + points.join('')
}

/**
 * Adds to each series the sum of the series before it: `[1, 2]` and `[3, 4]` become `[1, 2]` and
 * `[4, 6]`.
 */
export function stack(series: number[][]): number[][] {
  const stacks: number[][] = []
  for (const data of series) {
    const below = stacks.at(-1)
    stacks.push(data.map((value, i) => value + (below?.[i] ?? 0)))
  }
  return stacks
}

const pathOf = (plot: Plot, data: number[], from = 0): string =>
  thinOut(plot, data, from)
    .map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`)
    .join('')

/**
 * Returns the points of a line from a bucket on. With more than two buckets per pixel, keeps only
 * the lowest and the highest of each pixel.
 */
function thinOut({ box, x, y }: Plot, data: number[], from: number): [x: string, y: string][] {
  const pixels = Math.max(1, Math.floor(box.right - box.left))
  const all = data.map((value, bucket) => ({ bucket, value })).slice(from)
  const kept =
    data.length <= 2 * pixels
      ? all
      : [...Map.groupBy(all, ({ bucket }) => Math.floor(x(bucket))).values()].flatMap(extremes)
  return kept.map(({ bucket, value }) => [round(x(bucket)), round(y(value))])
}

type Sample = { bucket: number; value: number }

function extremes(samples: Sample[]): Sample[] {
  const sorted = samples.toSorted((a, b) => a.value - b.value)
  const [low, high] = [sorted[0], sorted.at(-1)]
  return low && high && samples.length > 1
    ? [low, high].toSorted((a, b) => a.bucket - b.bucket)
    : samples
}
