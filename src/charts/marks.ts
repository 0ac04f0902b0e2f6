import { colorOf, MAX_SERIES, type Pen } from './pen.ts'
import { type Attributes, element } from './svg.ts'

/**
 * Patterns over the colours of surfaces that touch, so that they differ in grey print, too. The
 * first is plain.
 */
const PATTERNS: { turn?: number; shape?: [name: string, attributes: Attributes] }[] = [
  {},
  { turn: 45, shape: ['rect', { width: 1.5, height: 6 }] },
  { shape: ['circle', { cx: 3, cy: 3, r: 1.1 }] },
  { shape: ['rect', { width: 6, height: 1.5 }] },
  { shape: ['rect', { width: 1.5, height: 6 }] },
  { turn: -45, shape: ['rect', { width: 1.5, height: 6 }] },
  { shape: ['circle', { cx: 3, cy: 3, r: 1.9 }] },
  { shape: ['rect', { width: 6, height: 3 }] }
]
const TILE = 6

/** Returns the definitions of the surfaces of `count` series; that of all the others needs none. */
export const surfaces = (pen: Pen, count: number): string =>
  Array.from({ length: Math.min(count, MAX_SERIES) }, (_, index) => {
    const { turn, shape } = PATTERNS[index] ?? {}
    const ground = { width: TILE, height: TILE, fill: colorOf(pen, index) }
    return element(
      'pattern',
      {
        id: `${pen.id}s${index}`,
        width: TILE,
        height: TILE,
        patternUnits: 'userSpaceOnUse',
        patternTransform: turn && `rotate(${turn})`
      },
      element('rect', ground),
      ...(shape
        ? [element(shape[0], { ...shape[1], fill: pen.colors.surface, 'fill-opacity': 0.7 })]
        : [])
    )
  }).join('')

/**
 * The fill of a series' surface, as `surfaces` defines it, with the edge that separates it from its
 * neighbours.
 */
export const surface = (pen: Pen, index: number): Attributes => ({
  fill: index < MAX_SERIES ? `url(#${pen.id}s${index})` : colorOf(pen, index),
  stroke: pen.colors.surface,
  'stroke-width': 1
})

/** The look of a surface of a bucket that is not over. */
export const unfinished = (pen: Pen, index: number): Attributes => ({
  fill: colorOf(pen, index),
  'fill-opacity': 0.14,
  stroke: colorOf(pen, index),
  'stroke-width': 1,
  'stroke-dasharray': '3 2'
})
