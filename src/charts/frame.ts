import type { Series } from './chart.ts'
import { point } from './marks.ts'
import { element, label } from './svg.ts'
import { shorten, widthOf, wrap } from './text.ts'
import type { Theme } from './theme.ts'

/** A rectangle, in pixels. */
export type Box = { left: number; top: number; right: number; bottom: number }

export const PADDING = 16
const TITLE_SIZE = 15
const SMALL_SIZE = 12
/** Font size of the reason why nothing is drawn. */
const WORDS_SIZE = 13
const LINE_HEIGHT = 18
/** Pixels between two entries of the legend. */
const GAP = 16
/** Pixels that the mark of an entry takes. */
export const MARK = 16
/** Maximum number of lines that a legend takes. */
const MAX_LINES = 3

/** Draws title and subtitle at the top of a box. @returns the SVG, and the box that is left */
export function drawHead(
  box: Box,
  theme: Theme,
  { title, subtitle }: { title: string; subtitle: string }
): { svg: string; rest: Box } {
  const width = box.right - box.left
  let y = box.top + TITLE_SIZE
  // The letters of the title are semi-bold, and thus wider than `shorten` assumes.
  const titled = label(shorten(title, TITLE_SIZE * 1.08, width), {
    x: box.left,
    y,
    'font-size': TITLE_SIZE,
    'font-weight': 600,
    fill: theme.ink
  })
  if (!subtitle) {
    return { svg: titled, rest: { ...box, top: y + 12 } }
  }
  y += LINE_HEIGHT
  const below = label(shorten(subtitle, SMALL_SIZE, width), {
    x: box.left,
    y,
    'font-size': SMALL_SIZE,
    fill: theme.soft
  })
  return { svg: titled + below, rest: { ...box, top: y + 12 } }
}

/** Draws a legend of series, in at most three lines; the last entry counts the series for which there is no room. */
export function drawLegend(
  box: Box,
  theme: Theme,
  series: Series[],
  mark: (index: number, x: number, y: number) => string = (index, x, y) =>
    point(theme, index, { x, y }, 4)
): { svg: string; rest: Box } {
  const width = box.right - box.left
  const drawn: string[] = []
  let [x, line] = [0, 0]
  const at = (offset: number) => ({ x: box.left + x + offset, y: box.top + line * LINE_HEIGHT })
  for (const [index, { name }] of series.entries()) {
    const remaining = series.length - index
    const moreWidth = remaining > 1 ? widthOf(`+${remaining - 1} more`, SMALL_SIZE) + GAP : 0
    const text = shorten(name || '(empty)', SMALL_SIZE, Math.min(220, width - MARK))
    const needed = MARK + widthOf(text, SMALL_SIZE)
    const isLast = line === MAX_LINES - 1
    if (x > 0 && x + needed + (isLast ? moreWidth : 0) > width) {
      if (isLast) {
        drawn.push(drawEntry(`+${remaining} more`, theme, at(0)))
        break
      }
      x = 0
      line += 1
    }
    const { x: left, y: top } = at(0)
    drawn.push(mark(index, left + 5, top + 8))
    drawn.push(drawEntry(text, theme, at(MARK)))
    x += needed + GAP
  }
  const height = drawn.length > 0 ? (line + 1) * LINE_HEIGHT + 8 : 0
  return { svg: drawn.join(''), rest: { ...box, top: box.top + height } }
}

/** Draws the text of an entry, whose left end and top are at a point. */
export const drawEntry = (text: string, theme: Theme, { x, y }: { x: number; y: number }): string =>
  label(text, {
    x,
    y: y + 12,
    'font-size': SMALL_SIZE,
    fill: theme.ink
  })

/** Says in the middle of a box why nothing is drawn. */
export function drawNothing(box: Box, theme: Theme, words: string): string {
  const lines = wrap(words, WORDS_SIZE, box.right - box.left)
  const first = (box.top + box.bottom - (lines.length - 1) * LINE_HEIGHT) / 2
  return element(
    'g',
    { 'text-anchor': 'middle' },
    ...lines.map((line, i) =>
      label(line, {
        x: (box.left + box.right) / 2,
        y: first + i * LINE_HEIGHT,
        'font-size': WORDS_SIZE,
        fill: theme.soft
      })
    )
  )
}
