import { escapeHtml } from '../html/escape.ts'
import { colorOfChange, drawChange } from './bars.ts'
import { type Chart, currentOf, previousOf, type Series } from './chart.ts'
import { describeChange, formatChange, formatValue } from './format.ts'
import { BOLDER, type Box } from './frame.ts'
import type { Pen } from './pen.ts'
import { drawRows, ROW, ROW_SIZE, shownOf } from './rows.ts'
import { element, label } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/** Largest font size of a single number, pixels. */
const LARGEST = 48
/** Pixels below the baseline of a single number, for its change. */
const BELOW = 26
/** Pixels between the columns of a table. */
const GAP = 16

/** Height of a single number with its change, pixels. */
export const NUMBER_HEIGHT = 84

/** Most pixels above a single number: it stands below the title, not in the middle of a page. */
const ABOVE = 16

/** Draws the value of the first series as large as the box allows, with its change below. */
export function drawNumber(box: Box, pen: Pen, { series: [first] }: Chart): string {
  if (!first) {
    return ''
  }
  const text = formatValue(currentOf(first))
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  const widest = width / Math.max(1, widthOf(text, BOLDER))
  const size = Math.min(height * 0.52, LARGEST, widest)
  const change = describeChange(currentOf(first), previousOf(first))
  const taken = size * 0.72 + (change ? BELOW : 0)
  const above = Math.min(ABOVE, Math.max(0, (height - taken) / 2))
  const baseline = box.top + above + size * 0.72
  const below = { x: box.left, y: baseline + BELOW }
  return (
    label(text, {
      x: box.left,
      y: baseline,
      'font-size': size,
      'font-weight': 600,
      'letter-spacing': '-0.03em',
      fill: pen.colors.ink
    }) + (change ? drawDescribed(pen, first, { ...below, width }) : '')
  )
}

/** Draws the change of a number, and the number before where there is room for it. */
function drawDescribed(
  pen: Pen,
  series: Series,
  { x, y, width }: { x: number; y: number; width: number }
): string {
  const change = formatChange(currentOf(series), previousOf(series))
  const described = describeChange(currentOf(series), previousOf(series))
  const rest = widthOf(described, 12) > width ? '' : described.slice(change.length)
  return element(
    'text',
    { x, y, 'font-size': 12, fill: pen.colors['ink-3'] },
    element('tspan', { fill: colorOfChange(pen, series), 'font-weight': 500 }, escapeHtml(change)),
    escapeHtml(rest)
  )
}

/** Draws a row with name, value and change for each series. */
export function drawTable(box: Box, pen: Pen, { series }: Chart): string {
  const { colors } = pen
  const shown = shownOf(box, series)
  const changes = shown.map((one) => formatChange(currentOf(one), previousOf(one)))
  const widest = (texts: string[]) => Math.max(0, ...texts.map((text) => widthOf(text, ROW_SIZE)))
  const changeWidth = changes.some((change) => change !== '')
    ? Math.max(84, widest(changes) + GAP)
    : 0
  const valueWidth = widest(shown.map((one) => formatValue(currentOf(one))))
  const nameWidth = box.right - box.left - valueWidth - changeWidth - GAP
  return drawRows(box, pen, series, (one, y, i) => {
    const cells = { y: y + 19.5, 'font-size': ROW_SIZE, fill: colors.ink }
    const end = { ...cells, 'text-anchor': 'end' }
    const rule = { x1: box.left, x2: box.right, y1: y + ROW - 0.5, y2: y + ROW - 0.5 }
    return [
      label(fitName(one.name || '(empty)', ROW_SIZE, nameWidth), { ...cells, x: box.left }),
      label(formatValue(currentOf(one)), {
        ...end,
        x: box.right - changeWidth,
        'font-weight': 600
      }),
      changes[i] ? drawChange(pen, one, { ...end, x: box.right }) : '',
      element('line', { ...rule, stroke: colors.line })
    ].join('')
  })
}
