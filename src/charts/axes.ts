import { drawAnnotations, heightOfAnnotations } from './annotations.ts'
import type { Chart, ChartAnnotation } from './chart.ts'
import { formatTick, type Unit } from './format.ts'
import type { Box, Plot } from './frame.ts'
import type { Pen } from './pen.ts'
import { place, scaleOf } from './scale.ts'
import { element, label } from './svg.ts'
import { widthOf } from './text.ts'

/** Approximate pixels between two marks of the value axis: `scaleOf` may add one or two marks. */
const PER_TICK = 56
/** Most marks of the value axis, before `scaleOf` adds one or two. */
const MOST_TICKS = 5
/** Fewest pixels between two labels of the time axis. */
const BETWEEN = 20
/** Fewest pixels between two labels of which one has moved. */
const BESIDE = 6
/** Pixels by which the first label of the time axis may begin left of the plot. */
const OVERHANG = 20

/** Drawn axes, and where values and buckets lie between them. */
export type Axes = { svg: string; plot: Plot }

type AxisOfChart = {
  buckets: string[]
  endsLabelled: boolean
  annotations?: ChartAnnotation[] | undefined
}

/** Returns what the time axis of a chart shows. */
export const axisOf = ({ buckets, finished, annotations }: Chart): AxisOfChart => ({
  buckets,
  endsLabelled: finished < buckets.length,
  annotations
})

/**
 * Draws the grid with its values, the labels of the buckets, and the annotations; `drawBase` adds
 * the line at zero.
 * @param isBanded whether a bucket takes a band, as for bars, instead of a point
 * @param endsLabelled whether the last bucket has a label, instead of the first
 * @param margin pixels right of the plot that stay free
 */
export function drawAxes(
  box: Box,
  pen: Pen,
  {
    values,
    buckets,
    isBanded,
    endsLabelled,
    annotations = [],
    unit,
    margin = 0
  }: AxisOfChart & {
    values: number[]
    isBanded: boolean
    unit?: Unit | undefined
    margin?: number
  }
): Axes {
  const wanted = Math.floor((box.bottom - box.top) / PER_TICK) + 1
  const scale = scaleOf(values, Math.min(MOST_TICKS, Math.max(2, wanted)))
  const marks = scale.ticks.map((tick) => formatTick(tick, unit))
  const inner: Box = {
    left: box.left + Math.max(...marks.map((mark) => widthOf(mark, pen.size))) + 8,
    top: box.top + 8 + heightOfAnnotations(annotations, pen.size),
    right: box.right - margin,
    bottom: box.bottom - pen.size - 9
  }
  const plot: Plot = {
    box: inner,
    scale,
    x: placeBuckets(inner, buckets.length, isBanded),
    y: (value) => place(scale, value, inner.bottom, inner.top)
  }
  const svg = [
    ...scale.ticks.map((tick, i) => drawTick(plot, pen, tick, marks[i] ?? '')),
    ...drawBuckets(plot, pen, buckets, endsLabelled),
    drawAnnotations(plot, pen, annotations)
  ].join('')
  return { svg, plot }
}

/**
 * Returns the position of each bucket: the middle of its band, or points from edge to edge. A
 * single point is in the middle.
 */
function placeBuckets({ left, right }: Box, count: number, isBanded: boolean) {
  const width = right - left
  if (isBanded || count < 2) {
    return (bucket: number) => left + ((bucket + 0.5) * width) / Math.max(1, count)
  }
  const margin = 3
  return (bucket: number) => left + margin + (bucket * (width - 2 * margin)) / (count - 1)
}

/** Draws the line at zero. It lies over surfaces, which would hide it with their edges. */
export const drawBase = (plot: Plot, { colors }: Pen): string => drawLevel(plot, 0, colors.axis)

const drawLevel = ({ box, y }: Plot, value: number, stroke: string): string =>
  element('line', { x1: box.left, x2: box.right, y1: y(value), y2: y(value), stroke })

function drawTick(plot: Plot, { colors, size }: Pen, tick: number, mark: string): string {
  const { box, y } = plot
  return (
    (tick === 0 ? '' : drawLevel(plot, tick, colors.grid)) +
    label(mark, {
      x: box.left - 8,
      y: y(tick) + size * 0.36,
      'font-size': size,
      'text-anchor': 'end',
      fill: colors['ink-3']
    })
  )
}

/**
 * Labels as many buckets as there is room for, at equal distances from the last or the first. The
 * labels at the edges move inwards; one that they would touch is left out.
 */
function drawBuckets(
  { box, x }: Plot,
  { colors, size }: Pen,
  buckets: string[],
  endsLabelled: boolean
): string[] {
  const widest = Math.max(0, ...buckets.map((bucket) => widthOf(bucket, size)))
  const fitting = Math.max(1, Math.floor((box.right - box.left) / (widest + BETWEEN)))
  const every = Math.ceil(buckets.length / fitting)
  const first = endsLabelled ? (buckets.length - 1) % every : 0
  const labels = buckets.flatMap((bucket, i) => {
    const half = widthOf(bucket, size) / 2
    const middle = Math.min(Math.max(x(i), box.left - OVERHANG + half), box.right - half)
    return i % every === first ? [{ bucket, middle, half }] : []
  })
  const kept: typeof labels = []
  for (const one of endsLabelled ? labels.toReversed() : labels) {
    const last = kept.at(-1)
    if (!last || Math.abs(one.middle - last.middle) >= one.half + last.half + BESIDE) {
      kept.push(one)
    }
  }
  return labels
    .filter((one) => kept.includes(one))
    .map(({ bucket, middle }) =>
      label(bucket, {
        x: middle,
        y: box.bottom + size + 7,
        'font-size': size,
        'text-anchor': 'middle',
        fill: colors['ink-3']
      })
    )
}
