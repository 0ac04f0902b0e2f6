import { type Chart, currentOf, previousOf } from './chart.ts'
import { describeChange, formatChange, formatValue } from './format.ts'
import type { Box } from './frame.ts'
import { element, label } from './svg.ts'
import { shorten, widthOf } from './text.ts'
import type { Theme } from './theme.ts'

/** Height of a row, pixels. */
const ROW = 26
/** Font size of a row. */
const SIZE = 13

/** Draws the value of the first series as large as the box allows, at most 96 pixels high, with its change below. */
export function drawNumber(box: Box, theme: Theme, { series: [first] }: Chart): string {
  if (!first) {
    return ''
  }
  const text = formatValue(currentOf(first))
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  const fullWidthSize = width / Math.max(1, widthOf(text, 1))
  const size = Math.min(height * 0.5, 96, fullWidthSize * 0.78)
  const change = describeChange(currentOf(first), previousOf(first))
  const baseline = (box.top + box.bottom) / 2 + size * (change ? 0.2 : 0.35)
  const x = (box.left + box.right) / 2
  return element(
    'g',
    { 'text-anchor': 'middle' },
    label(text, {
      x,
      y: baseline,
      'font-size': size,
      'font-weight': 600,
      fill: theme.ink
    }),
    change
      ? label(change, {
          x,
          y: baseline + 30,
          'font-size': Math.min(14, width / widthOf(change, 1)),
          fill: theme.soft
        })
      : ''
  )
}

/**
 * Draws a row with name, value and change for each series. If there is no room for all, the last
 * row says how many are left out: `+7 more`.
 */
export function drawTable(box: Box, theme: Theme, { series }: Chart): string {
  const rows = Math.max(1, Math.floor((box.bottom - box.top) / ROW))
  const shown = series.length > rows ? series.slice(0, rows - 1) : series
  const isCompared = shown.some((one) => previousOf(one) !== undefined)
  const changes = shown.map((one) => formatChange(currentOf(one), previousOf(one)))
  const changeWidth = isCompared
    ? Math.max(84, ...changes.map((change) => widthOf(change, SIZE) + 16))
    : 0
  const valueWidth = Math.max(...shown.map((one) => widthOf(formatValue(currentOf(one)), SIZE)))
  const nameWidth = box.right - box.left - valueWidth - changeWidth - 16
  const drawn = shown.map((one, i) => {
    const y = box.top + i * ROW
    const cells = { y: y + 17, 'font-size': SIZE }
    return [
      label(shorten(one.name || '(empty)', SIZE, nameWidth), {
        ...cells,
        x: box.left,
        fill: theme.ink
      }),
      label(formatValue(currentOf(one)), {
        ...cells,
        x: box.right - changeWidth,
        'text-anchor': 'end',
        'font-weight': 600,
        fill: theme.ink
      }),
      isCompared
        ? label(changes[i] ?? '', {
            ...cells,
            x: box.right,
            'text-anchor': 'end',
            fill: theme.soft
          })
        : '',
      element('line', { x1: box.left, x2: box.right, y1: y + ROW, y2: y + ROW, stroke: theme.grid })
    ].join('')
  })
  const hidden = series.length - shown.length
  const more = label(`+${hidden} more`, {
    x: box.left,
    y: box.top + shown.length * ROW + 17,
    'font-size': SIZE,
    fill: theme.soft
  })
  return drawn.join('') + (hidden > 0 ? more : '')
}
