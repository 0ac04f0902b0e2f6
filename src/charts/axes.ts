import { formatTick } from './format.ts'
import type { Box } from './frame.ts'
import { place, type Scale, scaleOf } from './scale.ts'
import { element, label } from './svg.ts'
import { widthOf } from './text.ts'
import type { Theme } from './theme.ts'

/** Font size of the labels, pixels. */
const SIZE = 11
/** Pixels kept free below the plot for the labels of the buckets. */
const BELOW = 20
/** Approximate pixels between two marks of the value axis: `scaleOf` may add one or two marks. */
const PER_TICK = 44
/** Fewest pixels between two labels of the time axis. */
const BETWEEN = 14
/** Pixels by which the first label of the time axis may begin left of the plot. */
const OVERHANG = 20

/** The area of a chart, with the positions of values and buckets, in pixels. */
export type Plot = { box: Box; scale: Scale; x(bucket: number): number; y(value: number): number }

/**
 * Draws the grid with its values and the labels of the buckets.
 * @param isBanded whether a bucket takes a band, as for bars, instead of a point
 */
export function drawAxes(
  box: Box,
  theme: Theme,
  { values, buckets, isBanded }: { values: number[]; buckets: string[]; isBanded: boolean }
): { svg: string; plot: Plot } {
  const scale = scaleOf(values, Math.max(2, Math.floor((box.bottom - box.top) / PER_TICK) + 1))
  const marks = scale.ticks.map(formatTick)
  const inner: Box = {
    left: box.left + Math.max(...marks.map((mark) => widthOf(mark, SIZE))) + 8,
    top: box.top + 6,
    right: box.right,
    bottom: box.bottom - BELOW
  }
  const plot: Plot = {
    box: inner,
    scale,
    x: placeBuckets(inner, buckets.length, isBanded),
    y: (value) => place(scale, value, inner.bottom, inner.top)
  }
  const svg = [
    ...scale.ticks.map((tick, i) => drawTick(plot, theme, tick, marks[i] ?? '')),
    ...drawBuckets(plot, theme, buckets)
  ].join('')
  return { svg, plot }
}

/** Returns the position of each bucket: the middle of its band, or points from edge to edge. A single point is in the middle. */
function placeBuckets({ left, right }: Box, count: number, isBanded: boolean) {
  const width = right - left
  if (isBanded || count < 2) {
    return (bucket: number) => left + ((bucket + 0.5) * width) / Math.max(1, count)
  }
  const margin = 6
  return (bucket: number) => left + margin + (bucket * (width - 2 * margin)) / (count - 1)
}

function drawTick({ box, y }: Plot, theme: Theme, tick: number, mark: string): string {
  const stroke = tick === 0 ? theme.soft : theme.grid
  return (
    element('line', { x1: box.left, x2: box.right, y1: y(tick), y2: y(tick), stroke }) +
    label(mark, {
      x: box.left - 8,
      y: y(tick) + 4,
      'font-size': SIZE,
      'text-anchor': 'end',
      fill: theme.soft
    })
  )
}

/** Labels as many buckets as there is room for, at equal distances. */
function drawBuckets({ box, x }: Plot, theme: Theme, buckets: string[]): string[] {
  const widest = Math.max(0, ...buckets.map((bucket) => widthOf(bucket, SIZE)))
  const fitting = Math.max(1, Math.floor((box.right - box.left) / (widest + BETWEEN)))
  const every = Math.ceil(buckets.length / fitting)
  return buckets.flatMap((bucket, i) => {
    if (i % every !== 0) {
      return []
    }
    const half = widthOf(bucket, SIZE) / 2
    const middle = Math.min(Math.max(x(i), box.left - OVERHANG + half), box.right - half)
    return label(bucket, {
      x: middle,
      y: box.bottom + 15,
      'font-size': SIZE,
      'text-anchor': 'middle',
      fill: theme.soft
    })
  })
}
