import { COLORS } from '../html/tokens.ts'
import { isolate } from '../input/show.ts'
import type { Chart } from './chart.ts'
import { describeChart } from './describe.ts'
import { countSurfaces, drawDocument, drawPanel, inside, type Look, SIZES } from './draw.ts'
import { type Box, drawHead, drawNothing } from './frame.ts'
import type { Pen } from './pen.ts'
import { element } from './svg.ts'

/** Charts that are drawn one below the other. */
export type Board = {
  title: string
  /** The project's name and, if tiles are left out, their number. */
  subtitle: string
  tiles: ChartTile[]
}

/** A chart, or the reason why there is none. */
export type ChartTile = Chart | { title: string; failure: string }

/** Pixels above the first tile, for the title of the board. */
const HEAD = 64
const NOTHING = 'This dashboard has no insights.'

/**
 * Draws a board as one SVG.
 * @param look the size of each tile, and the colours
 */
export function drawBoard(
  { title, subtitle, tiles }: Board,
  { width = SIZES.width, height = SIZES.height, theme = 'light' }: Look = {}
): string {
  const pen: Pen = { colors: COLORS[theme], size: 11, id: 'chart-' }
  const full = HEAD + Math.max(1, tiles.length) * height
  const head = drawHead(inside({ left: 0, top: 0, right: width, bottom: full }), pen, {
    title,
    below: subtitle
  })
  const drawn = tiles.map((tile, i) => {
    const top = HEAD + i * height
    return drawTile(tile, pen, { left: 0, top, right: width, bottom: top + height })
  })
  const nothing = drawNothing({ left: 0, top: HEAD, right: width, bottom: full }, pen, NOTHING)
  return drawDocument(pen, {
    width,
    height: full,
    title,
    description: describeBoard(tiles),
    surfaces: Math.max(0, ...tiles.map((tile) => ('kind' in tile ? countSurfaces(tile) : 0))),
    ground: pen.colors.surface,
    body: head.svg + (tiles.length > 0 ? drawn.join('') : nothing)
  })
}

function drawTile(tile: ChartTile, pen: Pen, box: Box): string {
  const { left, right } = inside(box)
  const edge = element('line', {
    x1: left,
    x2: right,
    y1: box.top,
    y2: box.top,
    stroke: pen.colors.line
  })
  if ('kind' in tile) {
    return edge + drawPanel(tile, pen, box)
  }
  const head = drawHead(inside(box), pen, { title: tile.title, below: '' })
  return edge + head.svg + drawNothing(head.rest, pen, tile.failure)
}

/**
 * Returns the tiles in words: `Sign-ups: Line chart, 1 Jun to 7 Jun, Europe/Berlin. Sign-ups: 3 to
 * 40, last 12.`
 */
const describeBoard = (tiles: ChartTile[]): string =>
  tiles.length === 0
    ? NOTHING
    : tiles
        .map(
          (tile) => `${isolate(tile.title)}: ${'kind' in tile ? describeChart(tile) : tile.failure}`
        )
        .join(' ')
