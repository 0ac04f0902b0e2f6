import { type Chart, currentOf } from './chart.ts'
import { formatShare, formatValue } from './format.ts'
import { BOLDER, type Box, drawNothing, MARK } from './frame.ts'
import { surface } from './marks.ts'
import { lookOf, type Pen } from './pen.ts'
import { drawRows, heightOfRows, ROW_SIZE } from './rows.ts'
import { element, label } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/** Radius of the hole, as a share of the radius of the circle. */
const HOLE = 0.62
/** Pixels between the columns of the list. */
const GAP = 14
/** In narrower charts, the list needs more of the width, pixels. */
const NARROW = 420
/** Largest radius, pixels. */
const LARGEST = 110

/**
 * Draws each series as its share of the sum of all. Leaves out series that are not above zero. The
 * number in the hole is the chart's `total`; the hole is empty where the series cannot be added up.
 */
export function drawPie(box: Box, pen: Pen, { series, total }: Chart): string {
  const parts = series.filter((one) => currentOf(one) > 0)
  const sum = parts.reduce((added, one) => added + currentOf(one), 0)
  if (sum === 0) {
    return drawNothing(box, pen, 'No values above 0 in this range.')
  }
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  const isWide = width > height * 1.4
  const side = isWide
    ? Math.min(height, width * (width < NARROW ? 0.34 : 0.42))
    : Math.min(height * 0.5, width)
  const radius = Math.min(side / 2, LARGEST)
  const middle = {
    x: isWide ? box.left + radius : (box.left + box.right) / 2,
    y: isWide ? (box.top + box.bottom) / 2 : box.top + radius
  }
  const list: Box = isWide
    ? {
        ...box,
        left: box.left + 2 * radius + (width < NARROW ? 20 : 32),
        top: Math.max(box.top, middle.y - heightOfRows(parts.length) / 2)
      }
    : { ...box, top: box.top + 2 * radius + 16 }
  let from = 0
  const slices = parts.map((one, i) => {
    const until = from + currentOf(one) / sum
    const slice = element('path', {
      d: sliceOf(middle, radius, from, until),
      ...surface(pen, lookOf(one, i))
    })
    from = until
    return slice
  })
  return slices.join('') + drawTotal(pen, middle, radius, total) + drawList(list, pen, parts, sum)
}

function drawTotal(
  { colors }: Pen,
  { x, y }: { x: number; y: number },
  radius: number,
  total: number | null
): string {
  if (total === null) {
    return ''
  }
  const text = formatValue(total)
  const size = Math.min(24, (radius * HOLE * 1.6) / widthOf(text, BOLDER))
  return label(text, {
    x,
    y: y + size * 0.36,
    'text-anchor': 'middle',
    'font-size': size,
    'font-weight': 600,
    fill: colors.ink
  })
}

/** Draws a list of the series with name, value and share, as many as there is room for. */
function drawList(box: Box, pen: Pen, series: Chart['series'], sum: number): string {
  const { colors } = pen
  const shareOf = (one: Chart['series'][number]) => formatShare(currentOf(one) / sum)
  const widest = (texts: string[]) => Math.max(0, ...texts.map((text) => widthOf(text, ROW_SIZE)))
  const shareWidth = widest(series.map(shareOf)) + GAP
  const valueWidth = widest(series.map((one) => formatValue(currentOf(one)))) + GAP
  const nameWidth = box.right - box.left - MARK - valueWidth - shareWidth
  return drawRows(box, pen, series, (one, y, i) => {
    const mark = {
      x: box.left,
      y: y + 10,
      width: 10,
      height: 10,
      rx: 3,
      ...surface(pen, lookOf(one, i))
    }
    const text = { y: y + 19.5, 'font-size': ROW_SIZE, fill: colors.ink }
    const end = { ...text, 'text-anchor': 'end' }
    return [
      element('rect', mark),
      label(fitName(one.name || '(empty)', ROW_SIZE, nameWidth), { ...text, x: box.left + MARK }),
      label(shareOf(one), { ...end, x: box.right - valueWidth, fill: colors['ink-3'] }),
      label(formatValue(currentOf(one)), { ...end, x: box.right, 'font-weight': 600 })
    ].join('')
  })
}

/**
 * Returns the outline of a slice of a ring. `from` and `until` are shares of a turn, 0 to 1,
 * clockwise from the top.
 */
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
