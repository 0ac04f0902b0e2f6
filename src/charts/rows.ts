import type { Series } from './chart.ts'
import type { Box } from './frame.ts'
import type { Pen } from './pen.ts'
import { label } from './svg.ts'

/** Height of a row of a list, pixels. */
export const ROW = 30
/** Font size of a row. */
export const ROW_SIZE = 13

/** Returns the height of a list of so many rows, pixels. */
export const heightOfRows = (count: number): number => count * ROW

/**
 * Draws a row for each series, as many as there is room for; the last row then counts those left
 * out: `+7 more`.
 */
export function drawRows(
  box: Box,
  { colors }: Pen,
  series: Series[],
  draw: (one: Series, y: number, index: number) => string
): string {
  const rows = Math.max(1, Math.floor((box.bottom - box.top) / ROW))
  const shown = shownOf(box, series)
  const hidden = series.length - shown.length
  const more = label(`+${hidden} more`, {
    x: box.left,
    y: box.top + (rows - 1) * ROW + 19,
    'font-size': ROW_SIZE,
    fill: colors['ink-3']
  })
  return shown.map((one, i) => draw(one, box.top + i * ROW, i)).join('') + (hidden > 0 ? more : '')
}

/** Returns the series that `drawRows` draws. */
export function shownOf(box: Box, series: Series[]): Series[] {
  const rows = Math.max(1, Math.floor((box.bottom - box.top) / ROW))
  return series.length > rows ? series.slice(0, rows - 1) : series
}
