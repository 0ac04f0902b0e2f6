import type { Series } from './chart.ts'
import type { Pen } from './pen.ts'
import type { Scale } from './scale.ts'
import { element, label } from './svg.ts'
import { fitName, widthOf, wrap } from './text.ts'

/** A rectangle, in pixels. */
export type Box = { left: number; top: number; right: number; bottom: number }

/** The area of a chart, with the positions of values and buckets, in pixels. */
export type Plot = { box: Box; scale: Scale; x(bucket: number): number; y(value: number): number }

export const PADDING = 16
const TITLE_SIZE = 14
const SMALL_SIZE = 12
/** Font size of the reason why nothing is drawn. */
const WORDS_SIZE = 13
const LINE_HEIGHT = 18
/** Pixels between two entries of the legend. */
const GAP = 16
/** Pixels that the mark of an entry takes. */
export const MARK = 16
/** Maximum number of lines below a title. */
const MAX_BELOW = 2
/** Maximum number of lines that a legend takes. */
const MAX_LINES = 3
/** Semi-bold letters are wider than `widthOf` assumes, by this factor. */
export const BOLDER = 1.15

/**
 * Draws a title and the words below it at the top of a box. @returns the SVG, and the box that is
 * left
 */
export function drawHead(
  box: Box,
  { colors }: Pen,
  { title, below }: { title: string; below: string }
): { svg: string; rest: Box } {
  const width = box.right - box.left
  let y = box.top + TITLE_SIZE
  const titled = label(fitName(title, TITLE_SIZE * BOLDER, width), {
    x: box.left,
    y,
    'font-size': TITLE_SIZE,
    'font-weight': 600,
    fill: colors.ink
  })
  if (!below) {
    return { svg: titled, rest: { ...box, top: y + 12 } }
  }
  const lines = wrap(below, SMALL_SIZE, width).slice(0, MAX_BELOW)
  const words = lines.map((line) => {
    y += LINE_HEIGHT
    return label(line, { x: box.left, y, 'font-size': SMALL_SIZE, fill: colors['ink-3'] })
  })
  return { svg: titled + words.join(''), rest: { ...box, top: y + 12 } }
}

/**
 * Draws a legend of series, in at most three lines; the last entry counts the series for which
 * there is no room.
 * @param mark draws the mark of a series around a point
 */
export function drawLegend(
  box: Box,
  pen: Pen,
  series: Series[],
  mark: (index: number, x: number, y: number) => string
): { svg: string; rest: Box } {
  const width = box.right - box.left
  const drawn: string[] = []
  let [x, line] = [0, 0]
  const at = (offset: number) => ({ x: box.left + x + offset, y: box.top + line * LINE_HEIGHT })
  for (const [index, { name }] of series.entries()) {
    const remaining = series.length - index
    const moreWidth = remaining > 1 ? widthOf(`+${remaining - 1} more`, SMALL_SIZE) + GAP : 0
    const text = fitName(name || '(empty)', SMALL_SIZE, Math.min(220, width - MARK))
    const needed = MARK + widthOf(text, SMALL_SIZE)
    const isLast = line === MAX_LINES - 1
    if (x > 0 && x + needed + (isLast ? moreWidth : 0) > width) {
      if (isLast) {
        drawn.push(drawEntry(`+${remaining} more`, pen, at(0)))
        break
      }
      x = 0
      line += 1
    }
    const { x: left, y: top } = at(0)
    drawn.push(mark(index, left + 5, top + 8))
    drawn.push(drawEntry(text, pen, at(MARK)))
    x += needed + GAP
  }
  const height = drawn.length > 0 ? (line + 1) * LINE_HEIGHT + 4 : 0
  return { svg: drawn.join(''), rest: { ...box, top: box.top + height } }
}

/** Draws the text of an entry, whose left end and top are at a point. */
export const drawEntry = (
  text: string,
  { colors }: Pen,
  { x, y }: { x: number; y: number }
): string =>
  label(text, {
    x,
    y: y + 12,
    'font-size': SMALL_SIZE,
    fill: colors['ink-2']
  })

/** Says in the middle of a box why nothing is drawn. */
export function drawNothing(box: Box, { colors }: Pen, words: string): string {
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
        fill: colors['ink-2']
      })
    )
  )
}
