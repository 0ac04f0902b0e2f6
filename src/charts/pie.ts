import { type Chart, currentOf } from './chart.ts'
import { formatValue } from './format.ts'
import { type Box, drawEntry, drawNothing, MARK } from './frame.ts'
import { surface } from './marks.ts'
import { element, label } from './svg.ts'
import { shorten, widthOf } from './text.ts'
import type { Theme } from './theme.ts'

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
/** Radius of the hole with the total, as a share of the radius of the circle. */
const HOLE = 0.58
/** Font size of the list. */
const SIZE = 12
/** Height of a line of the list, pixels. */
const ROW = 20

/** Draws each series as its share of the sum of all. Leaves out series that are not above zero. */
export function drawPie(box: Box, theme: Theme, { series }: Chart): string {
  const parts = series.filter((one) => currentOf(one) > 0)
  const total = parts.reduce((sum, one) => sum + currentOf(one), 0)
  if (total === 0) {
    return drawNothing(box, theme, 'No values above 0 in this range.')
  }
  const isWide = box.right - box.left > (box.bottom - box.top) * 1.5
  const side = isWide
    ? Math.min(box.bottom - box.top, (box.right - box.left) * 0.45)
    : Math.min((box.bottom - box.top) * 0.5, box.right - box.left)
  const radius = side / 2
  const middle = {
    x: isWide ? box.left + radius : (box.left + box.right) / 2,
    y: box.top + radius
  }
  const list: Box = isWide
    ? { ...box, left: box.left + side + 28, top: box.top + 4 }
    : { ...box, top: box.top + side + 12 }
  const named = parts.map((one) => {
    const share = ` · ${formatValue(currentOf(one))} · ${PERCENT.format(currentOf(one) / total)}`
    const room = list.right - list.left - MARK - widthOf(share, SIZE)
    return { ...one, name: shorten(one.name || '(empty)', SIZE, room) + share }
  })
  let from = 0
  const slices = parts.map((one, i) => {
    const until = from + currentOf(one) / total
    const slice = element('path', { d: sliceOf(middle, radius, from, until), ...surface(theme, i) })
    from = until
    return slice
  })
  const sum = label(formatValue(total), {
    x: middle.x,
    y: middle.y + 6,
    'text-anchor': 'middle',
    'font-size': Math.min(20, radius * 0.32),
    'font-weight': 600,
    fill: theme.ink
  })
  return slices.join('') + sum + drawList(list, theme, named)
}

/** Draws a list of the series with one per line, as many as there is room for. */
function drawList(box: Box, theme: Theme, series: Chart['series']): string {
  const rows = Math.max(1, Math.floor((box.bottom - box.top) / ROW))
  const shown = series.length > rows ? series.slice(0, rows - 1) : series
  const lines = shown.map(({ name }, i) => {
    const y = box.top + i * ROW
    const mark = { x: box.left, y: y + 3, width: 11, height: 11, ...surface(theme, i) }
    return element('rect', mark) + drawEntry(name, theme, { x: box.left + MARK, y })
  })
  const hidden = series.length - shown.length
  const more = label(`+${hidden} more`, {
    x: box.left + MARK,
    y: box.top + shown.length * ROW + 12,
    'font-size': SIZE,
    fill: theme.soft
  })
  return lines.join('') + (hidden > 0 ? more : '')
}

/** Returns the outline of a slice of a ring. `from` and `until` are shares of a turn, 0 to 1, clockwise from the top. */
function sliceOf(middle: { x: number; y: number }, radius: number, from: number, until: number) {
  // A whole turn would end where it began, and draw nothing.
  const end = Math.min(until, from + 0.99999)
  const at = (share: number, r: number) => {
    const angle = share * 2 * Math.PI
    const [x, y] = [middle.x + Math.sin(angle) * r, middle.y - Math.cos(angle) * r]
    return `${x.toFixed(2)} ${y.toFixed(2)}`
  }
  const large = end - from > 0.5 ? 1 : 0
  const inner = radius * HOLE
  return (
    `M${at(from, radius)}A${radius} ${radius} 0 ${large} 1 ${at(end, radius)}` +
    `L${at(end, inner)}A${inner} ${inner} 0 ${large} 0 ${at(from, inner)}Z`
  )
}
