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

/** Draws the value of the first series as large as it fits, with its change. */
export function drawNumber(box: Box, theme: Theme, { series: [first] }: Chart): string {
  if (!first) {
    return ''
  }
  const text = formatValue(currentOf(first))
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  const size = Math.min(height * 0.5, 96, (width / Math.max(1, widthOf(text, 1))) * 0.78)
  const middle = (box.top + box.bottom) / 2
  const change = describeChange(currentOf(first), previousOf(first))
  const x = (box.left + box.right) / 2
  return element(
    'g',
    { 'text-anchor': 'middle' },
    label(text, {
      x,
      y: middle + size * (change ? 0.2 : 0.35),
      'font-size': size,
      'font-weight': 600,
      fill: theme.ink
    }),
    change
      ? label(change, {
          x,
          y: middle + size * 0.2 + 30,
          'font-size': 14,
          fill: theme.soft
        })
      : ''
  )
}

/** Draws a row with name, value and change for each series, as many as there is room for. */
export function drawTable(box: Box, theme: Theme, { series }: Chart): string {
  const rows = Math.max(1, Math.floor((box.bottom - box.top) / ROW))
  const shown = series.length > rows ? series.slice(0, rows - 1) : series
  const isCompared = shown.some((one) => previousOf(one) !== undefined)
  const changes = isCompared ? 84 : 0
  const room = Math.max(...shown.map((one) => widthOf(formatValue(currentOf(one)), SIZE)))
  const drawn = shown.map((one, i) => {
    const y = box.top + i * ROW
    const cells = { y: y + 17, 'font-size': SIZE }
    return [
      label(shorten(one.name || '(empty)', SIZE, box.right - box.left - room - changes - 16), {
        ...cells,
        x: box.left,
        fill: theme.ink
      }),
      label(formatValue(currentOf(one)), {
        ...cells,
        x: box.right - changes,
        'text-anchor': 'end',
        'font-weight': 600,
        fill: theme.ink
      }),
      isCompared
        ? label(formatChange(currentOf(one), previousOf(one)), {
            ...cells,
            x: box.right,
            'text-anchor': 'end',
            fill: theme.soft
          })
        : '',
      element('line', { x1: box.left, x2: box.right, y1: y + ROW, y2: y + ROW, stroke: theme.grid })
    ].join('')
  })
  const left = series.length - shown.length
  const more = label(`+${left} more`, {
    x: box.left,
    y: box.top + shown.length * ROW + 17,
    'font-size': SIZE,
    fill: theme.soft
  })
  return drawn.join('') + (left > 0 ? more : '')
}
