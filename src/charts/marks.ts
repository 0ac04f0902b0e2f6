import { type Attributes, element, round } from './svg.ts'
import { colorOf, type Theme } from './theme.ts'

/*
 * Series can be told apart without their colours: the first 12 differ in the shape of their points, and in the pattern of
 * their surfaces.
 */

const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'down', 'cross'] as const

/** Draws a point of a series on its line, with a radius of about `r` pixels. From the seventh series on, shapes are hollow. */
export function point(
  theme: Theme,
  index: number,
  { x, y }: { x: number; y: number },
  r = 3.2
): string {
  const color = colorOf(theme, index)
  const isHollow = Math.floor(index / SHAPES.length) % 2 === 1
  const look = isHollow
    ? { fill: theme.paper, stroke: color, 'stroke-width': 1.4 }
    : { fill: color }
  switch (SHAPES[index % SHAPES.length]) {
    case 'square':
      return element('rect', {
        x: x - r * 0.9,
        y: y - r * 0.9,
        width: r * 1.8,
        height: r * 1.8,
        ...look
      })
    case 'triangle':
      return polygon([x, y - r * 1.2, x + r * 1.15, y + r * 0.9, x - r * 1.15, y + r * 0.9], look)
    case 'diamond':
      return polygon([x, y - r * 1.35, x + r * 1.35, y, x, y + r * 1.35, x - r * 1.35, y], look)
    case 'down':
      return polygon([x, y + r * 1.2, x + r * 1.15, y - r * 0.9, x - r * 1.15, y - r * 0.9], look)
    case 'cross': {
      const [from, to, left, right] = [y - r, y + r, x - r, x + r].map(round)
      // Lines have no inside: a plus sign takes the place of a hollow cross.
      const d = isHollow
        ? `M${left} ${round(y)}H${right}M${round(x)} ${from}V${to}`
        : `M${left} ${from}L${right} ${to}M${left} ${to}L${right} ${from}`
      return element('path', { d, stroke: color, 'stroke-width': 2 })
    }
    default:
      return element('circle', { cx: x, cy: y, r, ...look })
  }
}

const polygon = (points: number[], look: Attributes): string =>
  element('polygon', { points: points.map(round).join(' '), ...look })

/** Patterns that are drawn on top of a surface's colour, as paths on a tile of 8 pixels. The first is plain. */
const PATTERNS = [
  '',
  'M-2 2L2 -2M0 8L8 0M6 10L10 6',
  'M0 4H8',
  'M-2 6L2 10M0 0L8 8M6 -2L10 2',
  'M4 0V8',
  'M0 4H8M4 0V8',
  'M0 0L8 8M0 8L8 0',
  'M0 6L4 2L8 6',
  'M0 2H4M4 6H8',
  'M2 2H6V6H2Z',
  'M2 0L6 4L2 8',
  'M2 0V4M6 4V8'
]
const TILE = 8

/** Returns the definitions of the surfaces of `count` series. */
export const surfaces = (theme: Theme, count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const lines = PATTERNS[index % PATTERNS.length]
    const fill = colorOf(theme, index)
    return element(
      'pattern',
      { id: `s${index}`, width: TILE, height: TILE, patternUnits: 'userSpaceOnUse' },
      element('rect', { width: TILE, height: TILE, fill }),
      ...(lines
        ? [
            element('path', {
              d: lines,
              fill: 'none',
              stroke: theme.paper,
              'stroke-width': 1.4,
              'stroke-opacity': 0.55
            })
          ]
        : [])
    )
  }).join('')

/** The fill of a series' surface, as `surfaces` defines it, with the edge that separates it from its neighbours. */
export const surface = (theme: Theme, index: number): Attributes => ({
  fill: `url(#s${index})`,
  stroke: theme.paper,
  'stroke-width': 1
})
