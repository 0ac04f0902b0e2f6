import { type Attributes, element } from './svg.ts'
import { colorOf, type Theme } from './theme.ts'

/*
 * Series are told apart without their colours: by the shape of the points on a line, and by the pattern of a surface.
 */

const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'down', 'cross'] as const

/** Returns the point of a series on its line, `r` pixels around its middle. */
export function point(
  theme: Theme,
  index: number,
  { x, y }: { x: number; y: number },
  r = 3.2
): string {
  const fill = colorOf(theme, index)
  switch (SHAPES[index % SHAPES.length]) {
    case 'square':
      return element('rect', {
        x: x - r * 0.9,
        y: y - r * 0.9,
        width: r * 1.8,
        height: r * 1.8,
        fill
      })
    case 'triangle':
      return polygon([x, y - r * 1.2, x + r * 1.15, y + r * 0.9, x - r * 1.15, y + r * 0.9], fill)
    case 'diamond':
      return polygon([x, y - r * 1.35, x + r * 1.35, y, x, y + r * 1.35, x - r * 1.35, y], fill)
    case 'down':
      return polygon([x, y + r * 1.2, x + r * 1.15, y - r * 0.9, x - r * 1.15, y - r * 0.9], fill)
    case 'cross':
      return element('path', {
        d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`,
        stroke: fill,
        'stroke-width': 2
      })
    default:
      return element('circle', { cx: x, cy: y, r, fill })
  }
}

const polygon = (points: number[], fill: string): string =>
  element('polygon', {
    points: points.map((value) => Math.round(value * 100) / 100).join(' '),
    fill
  })

/** Patterns over the colour of a surface, as paths on a tile of 8 pixels; the first series has none. */
const PATTERNS = [
  '',
  'M-2 2L2 -2M0 8L8 0M6 10L10 6',
  'M0 4H8',
  'M-2 6L2 10M0 0L8 8M6 -2L10 2',
  'M4 0V8',
  'M0 4H8M4 0V8'
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
