import type { ColorName } from '../html/tokens.ts'
import type { Chart, Series } from './chart.ts'
import { formatShare, formatValue } from './format.ts'
import { BOLDER, type Box } from './frame.ts'
import type { Pen } from './pen.ts'
import { element, label } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/** Pixels of a row, and fewest and most of a column. */
const ROW = { least: 18, most: 30 }
const COLUMN = { least: 30, most: 96 }
/** Pixels of the narrowest column whose shares have a decimal. */
const WITH_DECIMAL = 42
/** Pixels between cells. */
const GAP = 2
const NAME_SIZE = 12
/** Pixels of the longest name of a row. */
const LONGEST = 150
const WHOLE = new Intl.NumberFormat('en', { style: 'percent' })

/** The shades of cells, from the smallest finished share to the largest one. */
const SHADES = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const
type Shade = (typeof SHADES)[number]
/** The first shade with light text. */
const FIRST_DARK = 4

/** A cell of retention. */
export type HeatCell = {
  share: number
  /** Undefined for a number that may still grow, and for the mean. */
  shade: Shade | undefined
}

/** A row of retention as it is shown. */
export type HeatRow = {
  name: string
  /** The number of those who may come back. */
  size: number
  /** A cell for each column after the first; undefined if nothing can be said. */
  cells: (HeatCell | undefined)[]
  isMean: boolean
}

/**
 * Returns the rows of a retention table: the weighted mean, then the cohorts. With a breakdown, there
 * is a row for each of its values: the weighted mean of its cohorts.
 */
export function heatOf({ series, buckets }: Pick<Chart, 'series' | 'buckets'>): HeatRow[] {
  const columns = buckets.slice(1).map((_, i) => i + 1)
  const byValue = Map.groupBy(series, ({ cohort }) => cohort?.value)
  const isBrokenDown = !byValue.has(undefined)
  const rows = isBrokenDown
    ? [...byValue].map(([value, own]) => meanOf(value ?? '', own, columns))
    : series.map((one) => ({
        name: one.name,
        size: one.data[0] ?? 0,
        shares: columns.map((column) => shareIn([one], column, one.cohort?.begun ?? 0)),
        finished: one.cohort?.finished ?? 0
      }))
  const finished = rows.flatMap(({ shares, finished: over }) =>
    shares.flatMap((share, i) => (share !== undefined && i + 1 < over ? [share] : []))
  )
  const [low, high] = [Math.min(...finished), Math.max(...finished)]
  const shown = rows.map(
    ({ name, size, shares, finished: over }): HeatRow => ({
      name,
      size,
      cells: shares.map((share, i) =>
        share === undefined
          ? undefined
          : { share, shade: i + 1 < over ? shadeOf(share, low, high) : undefined }
      ),
      isMean: false
    })
  )
  if (isBrokenDown) {
    return shown
  }
  const { name, size, shares } = meanOf('All, weighted', series, columns)
  const cells = shares.map((share) =>
    share === undefined ? undefined : { share, shade: undefined }
  )
  return [{ name, size, cells, isMean: true }, ...shown]
}

/** Returns the weighted mean of the cohorts whose numbers are over. */
function meanOf(name: string, cohorts: Series[], columns: number[]) {
  const over = (column: number) => cohorts.filter(({ cohort }) => column < (cohort?.finished ?? 0))
  return {
    name,
    size: cohorts.reduce((sum, { data }) => sum + (data[0] ?? 0), 0),
    shares: columns.map((column) => shareIn(over(column), column, Number.POSITIVE_INFINITY)),
    finished: Number.POSITIVE_INFINITY
  }
}

/** Returns the share of cohorts in a column; undefined before it has begun, and of nobody. */
function shareIn(cohorts: Series[], column: number, begun: number): number | undefined {
  const [size, back] = [0, column].map((at) =>
    cohorts.reduce((sum, { data }) => sum + (data[at] ?? 0), 0)
  )
  return column < begun && size ? (back ?? 0) / size : undefined
}

/** Returns the shade of a share, in equal steps. */
function shadeOf(share: number, low: number, high: number): Shade {
  const place = high === low ? 0 : (share - low) / (high - low)
  return SHADES[Math.min(SHADES.length - 1, Math.floor(place * SHADES.length))] ?? 'h1'
}

/** Whether the text on a shade is light on a light page, as `on-heat-high`. */
export const isHigh = (shade: Shade): boolean => SHADES.indexOf(shade) >= FIRST_DARK

/** Returns the height of a retention table, pixels. */
export const heightOfHeat = (chart: Chart): number => (heatOf(chart).length + 1) * ROW.most

/**
 * Draws retention as a table with shaded cells, as many columns as there is room for, and the
 * latest rows. A cell whose number may still grow has a dashed outline.
 */
export function drawRetention(box: Box, pen: Pen, chart: Chart): string {
  const { colors, size } = pen
  const rows = heatOf(chart)
  const room = Math.max(2, Math.floor((box.bottom - box.top) / ROW.least) - 1)
  const shown = rows.length > room ? [...rows.slice(0, 1), ...rows.slice(1 - room)] : rows
  const height = Math.min(ROW.most, (box.bottom - box.top) / (shown.length + 1))
  const sizes = shown.map((row) => formatValue(row.size))
  const widest = (texts: string[], at: number) =>
    Math.max(0, ...texts.map((text) => widthOf(text, at)))
  const most = Math.min(LONGEST, (box.right - box.left) / 4)
  // The first row is semi-bold.
  const at = NAME_SIZE * BOLDER
  const names = shown.map(({ name }) => fitName(name || '(empty)', at, most))
  const sizeRight = box.left + widest(names, at) + 10 + widest(sizes, at)
  const left = sizeRight + 10
  const all = chart.buckets.length - 1
  const fitting = Math.max(1, Math.floor((box.right - left) / COLUMN.least))
  const columns = all > fitting ? fitting - 1 : all
  const hidden = all - columns
  const width = Math.min(
    COLUMN.most,
    (box.right - left - (hidden > 0 ? COLUMN.least : 0)) / columns
  )
  const format = width < WITH_DECIMAL ? (share: number) => WHOLE.format(share) : formatShare
  const xOf = (column: number) => left + column * width
  const heads = columnHeads(chart.buckets.slice(1, columns + 1), width, size)
  const baseline = (row: number) => box.top + row * height + height / 2 + size * 0.36
  const head = heads.map((text, column) =>
    label(text, {
      x: xOf(column) + (width - GAP) / 2,
      y: baseline(0),
      'font-size': size,
      'text-anchor': 'middle',
      fill: colors['ink-3']
    })
  )
  const more = label(`+${hidden}`, {
    x: box.right,
    y: baseline(0),
    'font-size': size,
    'text-anchor': 'end',
    fill: colors['ink-3']
  })
  const body = shown.flatMap(({ cells, isMean }, i) => {
    const text = { y: baseline(i + 1), 'font-size': NAME_SIZE }
    const weight = isMean ? { 'font-weight': 600 } : {}
    return [
      label(names[i] ?? '', { ...text, ...weight, x: box.left, fill: colors.ink }),
      label(sizes[i] ?? '', {
        ...text,
        ...weight,
        x: sizeRight,
        'text-anchor': 'end',
        fill: colors[isMean ? 'ink' : 'ink-2']
      }),
      ...cells.slice(0, columns).map((cell, column) => {
        const middle = xOf(column) + (width - GAP) / 2
        const words = { ...text, ...weight, x: middle, 'font-size': size, 'text-anchor': 'middle' }
        if (!cell) {
          return isMean ? label('–', { ...words, fill: colors['ink-3'] }) : ''
        }
        const place = {
          x: xOf(column),
          y: box.top + (i + 1) * height,
          width: width - GAP,
          height: height - GAP
        }
        return (
          drawCell(pen, cell, isMean, place) +
          label(format(cell.share), {
            ...words,
            fill: colors[inkOf(cell, isMean)]
          })
        )
      })
    ]
  })
  return [...head, hidden > 0 ? more : '', ...body].join('')
}

type Place = { x: number; y: number; width: number; height: number }

function drawCell({ colors }: Pen, { shade }: HeatCell, isMean: boolean, place: Place): string {
  if (shade) {
    return element('rect', { ...place, rx: 4, fill: colors[shade] })
  }
  const { x, y, width, height } = place
  const inner = { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 4 }
  const outline = { fill: 'none', stroke: colors.axis, 'stroke-dasharray': '3 2' }
  return isMean ? '' : element('rect', { ...inner, ...outline })
}

function inkOf({ shade }: HeatCell, isMean: boolean): ColorName {
  if (shade) {
    return isHigh(shade) ? 'on-heat-high' : 'on-heat-low'
  }
  return isMean ? 'ink' : 'ink-2'
}

/** Shortens the heads of columns to numbers if they have no room: `Week 1` → `1`. */
function columnHeads(labels: string[], width: number, size: number): string[] {
  const isFitting = labels.every((text) => widthOf(text, size) + 4 <= width)
  return isFitting ? labels : labels.map((text) => text.replace(/^\p{L}+ /u, ''))
}
