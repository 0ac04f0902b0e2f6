import { escapeHtml } from '../html/escape.ts'
import { colorOfChange, drawChange } from './bars.ts'
import {
  type Chart,
  changeOf,
  type Figure,
  figureIn,
  namesOfColumns,
  textIn,
  textOf
} from './chart.ts'
import { describeChange } from './format.ts'
import { BOLDER, type Box } from './frame.ts'
import type { Pen } from './pen.ts'
import { drawRows, ROW, ROW_SIZE, shownOf } from './rows.ts'
import { element, label } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/** Largest font size of a number, and pixels below its baseline for its change. */
type Size = { largest: number; below: number }
const SINGLE: Size = { largest: 48, below: 26 }
const OF_SEVERAL: Size = { largest: 24, below: 18 }
/** Pixels between the columns of a table. */
const GAP = 16
/** Pixels of the narrowest column of changes in a table with one column of numbers. */
const CHANGE = 84
/** Pixels of the narrowest column of names, if a table has several columns of numbers. */
const NAME = 120
/** Pixels of the narrowest column of words. */
const MIN_CELL = 48

/** Height of a single number with its change, pixels. */
export const NUMBER_HEIGHT = 84

/** Most pixels above a single number: it stands below the title, not in the middle of a page. */
const ABOVE = 16

/** Pixels of the narrowest number among several, with its name and its change. */
const CELL = 104
/** Pixels of the name above a number, and most pixels of a number with its name and its change. */
const NAMED = 20
const CELL_HEIGHT = 76
const NAME_SIZE = 12

/** Draws the value of the first series as large as the box allows, with its change below. */
export function drawNumber(box: Box, pen: Pen, chart: Chart): string {
  const [first] = chart.series
  return first ? drawFigure(box, pen, figureIn(chart, first), SINGLE) : ''
}

/** Draws the numbers of the first series beside each other, each with its name and its change. */
export function drawNumbers(box: Box, pen: Pen, chart: Chart): string {
  const { buckets, series } = chart
  const [first] = series
  if (!first) {
    return ''
  }
  const columns = columnsIn(box.right - box.left, buckets.length)
  const width = (box.right - box.left) / columns
  const rows = Math.ceil(buckets.length / columns)
  const height = Math.min(CELL_HEIGHT, (box.bottom - box.top) / rows)
  const cells = buckets.map((name, i) => {
    const left = box.left + (i % columns) * width
    const top = box.top + Math.floor(i / columns) * height
    const cell = { left, right: left + width - GAP / 2, top: top + NAMED, bottom: top + height }
    return (
      label(fitName(name, NAME_SIZE, width - GAP / 2), {
        x: left,
        y: top + NAME_SIZE,
        'font-size': NAME_SIZE,
        fill: pen.colors['ink-2']
      }) + drawFigure(cell, pen, figureIn(chart, first, i), OF_SEVERAL)
    )
  })
  return cells.join('')
}

/** Returns how many numbers stand beside each other in a width, pixels. */
const columnsIn = (width: number, numbers: number): number =>
  Math.max(1, Math.min(numbers, Math.floor(width / CELL)))

/** Returns the height of numbers in a width, both in pixels. */
export const heightOfNumbers = ({ buckets }: Chart, width: number): number =>
  Math.ceil(buckets.length / columnsIn(width, buckets.length)) * CELL_HEIGHT

/** Draws a number as large as a box allows, with its change below. */
function drawFigure(
  box: Box,
  pen: Pen,
  figure: Figure | undefined,
  { largest, below }: Size
): string {
  const text = textOf(figure)
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  const widest = width / Math.max(1, widthOf(text, BOLDER))
  const size = Math.min(height * 0.52, largest, widest)
  const change = changeOf(figure)
  const taken = size * 0.72 + (change ? below : 0)
  const above = Math.min(ABOVE, Math.max(0, (height - taken) / 2))
  const baseline = box.top + above + size * 0.72
  return (
    label(text, {
      x: box.left,
      y: baseline,
      'font-size': size,
      'font-weight': 600,
      'letter-spacing': '-0.03em',
      fill: pen.colors.ink
    }) +
    (figure && change
      ? drawDescribed(pen, figure, { x: box.left, y: baseline + below, width })
      : '')
  )
}

/** Draws the change of a number, and the number before where there is room for it. */
function drawDescribed(
  pen: Pen,
  figure: Figure,
  { x, y, width }: { x: number; y: number; width: number }
): string {
  const change = changeOf(figure)
  const described = describeChange(figure.value, figure.previous, figure.unit)
  const rest = widthOf(described, 12) > width ? '' : described.slice(change.length)
  return element(
    'text',
    { x, y, 'font-size': 12, fill: pen.colors['ink-3'] },
    element('tspan', { fill: colorOfChange(pen, figure), 'font-weight': 500 }, escapeHtml(change)),
    escapeHtml(rest)
  )
}

/**
 * Draws a row for each series: its name, and its numbers with their changes, or its cells. Columns with
 * names have a head, and several have no changes where the names of rows would have no room beside them.
 */
export function drawTable(box: Box, pen: Pen, chart: Chart): string {
  const { colors } = pen
  const { series } = chart
  const names = namesOfColumns(chart)
  const hasHead = chart.columns !== undefined
  const body = hasHead ? { ...box, top: box.top + ROW } : box
  const shown = shownOf(body, series)
  const widest = (texts: string[]) => Math.max(0, ...texts.map((text) => widthOf(text, ROW_SIZE)))
  // Words may be cut, and numbers never.
  const most = Math.max(MIN_CELL, (box.right - box.left - NAME) / names.length - GAP)
  const columns = names.map((name, i) => {
    const hasWords = shown.some(({ cells }) => typeof cells?.[i] === 'string')
    const figures = shown.map((one) => figureIn(chart, one, i))
    const texts = shown.map((one) => textIn(chart, one, i))
    const changes = figures.map(changeOf)
    const needed = Math.max(widest([name]), widest(texts) * (hasHead ? BOLDER : 1))
    return {
      name,
      hasWords,
      figures,
      texts,
      width: (hasWords ? Math.min(needed, most) : needed) + GAP,
      changeWidth: changes.some((change) => change !== '')
        ? Math.max(hasHead ? 0 : CHANGE, widest(changes) + GAP)
        : 0
    }
  })
  const total = (widths: number[]) => widths.reduce((sum, width) => sum + width, 0)
  const room = box.right - box.left - total(columns.map(({ width }) => width))
  const changing = total(columns.map(({ changeWidth }) => changeWidth))
  const hasChanges = columns.length === 1 || room - changing >= NAME
  const nameWidth = hasChanges ? room - changing : room
  let left = box.left + nameWidth
  const placed = columns.map(({ width, changeWidth, ...column }) => {
    const right = left + width
    left = right + (hasChanges ? changeWidth : 0)
    return { ...column, width: width - GAP, right, end: left }
  })
  const line = (y: number) => ({ y: y + 19.5, 'font-size': ROW_SIZE })
  const end = (y: number) => ({ ...line(y), 'text-anchor': 'end' })
  const cell = ({ hasWords, width, right }: (typeof placed)[number], text: string, y: number) =>
    hasWords
      ? { text: fitName(text, ROW_SIZE, width), at: { ...line(y), x: right - width } }
      : { text, at: { ...end(y), x: right, 'font-weight': 600 } }
  const heads = placed.map((column) => {
    const { text, at } = cell(column, column.name, box.top)
    return label(text, {
      ...at,
      'font-size': NAME_SIZE,
      'font-weight': undefined,
      fill: colors['ink-3']
    })
  })
  const rows = drawRows(body, pen, series, (one, y, i) => {
    const rule = { x1: box.left, x2: box.right, y1: y + ROW - 0.5, y2: y + ROW - 0.5 }
    return [
      label(fitName(one.name || '(empty)', ROW_SIZE, nameWidth), {
        ...line(y),
        fill: colors.ink,
        x: box.left
      }),
      ...placed.flatMap((column) => {
        const { figures, texts, end: until } = column
        const { text, at } = cell(column, texts[i] ?? '', y)
        return [
          label(text, { ...at, fill: colors.ink }),
          hasChanges ? drawChange(pen, figures[i], { ...end(y), x: until }) : ''
        ]
      }),
      element('line', { ...rule, stroke: colors.line })
    ].join('')
  })
  return (hasHead ? heads.join('') : '') + rows
}
