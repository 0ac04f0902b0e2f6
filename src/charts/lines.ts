import { drawAxes, type Plot } from './axes.ts'
import type { Chart } from './chart.ts'
import type { Box } from './frame.ts'
import { point, surface } from './marks.ts'
import { element, round } from './svg.ts'
import { colorOf, type Theme } from './theme.ts'

/** A line with more buckets is drawn without points. */
const MAX_POINTS = 40
/** A line with more buckets is drawn 1 pixel wide, because it goes up and down within a few pixels. */
const MANY = 300

/** Draws a line for each series, and a dashed one for the period before. */
export function drawLines(box: Box, theme: Theme, { series, buckets }: Chart): string {
  const values = series.flatMap(({ data, previous = [] }) => [...data, ...previous])
  const { svg, plot } = drawAxes(box, theme, { values, buckets, isBanded: false })
  const lines = series.flatMap(({ data, previous }, i) => [
    ...(previous ? [drawLine(plot, previous, { color: colorOf(theme, i), dash: '5 4' })] : []),
    drawLine(plot, data, { color: colorOf(theme, i) })
  ])
  const points = series.flatMap(({ data }, i) =>
    data.length <= MAX_POINTS
      ? data.map((value, bucket) => point(theme, i, { x: plot.x(bucket), y: plot.y(value) }))
      : []
  )
  return svg + lines.join('') + points.join('')
}

const drawLine = (
  plot: Plot,
  data: number[],
  { color, dash }: { color: string; dash?: string }
): string =>
  element('path', {
    d: pathOf(plot, data),
    fill: 'none',
    stroke: color,
    'stroke-width': data.length > MANY ? 1 : 2,
    'stroke-linejoin': 'round',
    'stroke-linecap': 'round',
    'stroke-dasharray': dash,
    'stroke-opacity': dash && 0.7
  })

/** Draws the series as stacked areas. */
export function drawAreas(box: Box, theme: Theme, { series, buckets }: Chart): string {
  const stacks = stack(series.map(({ data }) => data))
  const values = stacks.flat()
  const { svg, plot } = drawAxes(box, theme, { values, buckets, isBanded: false })
  const areas = stacks.map((upper, i) => {
    const lower = stacks[i - 1] ?? upper.map(() => 0)
    const back = thinOut(plot, lower)
      .toReversed()
      .map(([x, y]) => `L${x} ${y}`)
      .join('')
    return element('path', { d: `${pathOf(plot, upper)}${back}Z`, ...surface(theme, i) })
  })
  // The area of a single bucket has no width, so a point marks its value.
  const points = stacks.flatMap((upper, i) =>
    upper.length === 1 ? [point(theme, i, { x: plot.x(0), y: plot.y(upper[0] ?? 0) }, 4)] : []
  )
  return svg + areas.join('') + points.join('')
}

/** Adds to each series the sum of the series before it: `[1, 2]` and `[3, 4]` become `[1, 2]` and `[4, 6]`. */
export function stack(series: number[][]): number[][] {
  const stacks: number[][] = []
  for (const data of series) {
    const below = stacks.at(-1)
    stacks.push(data.map((value, i) => value + (below?.[i] ?? 0)))
  }
  return stacks
}

const pathOf = (plot: Plot, data: number[]): string =>
  thinOut(plot, data)
    .map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`)
    .join('')

/** Returns the points of a line. With more than two buckets per pixel, keeps only the lowest and the highest of each pixel. */
function thinOut({ box, x, y }: Plot, data: number[]): [x: string, y: string][] {
  const pixels = Math.max(1, Math.floor(box.right - box.left))
  const all = data.map((value, bucket) => ({ bucket, value }))
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
