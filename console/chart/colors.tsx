import type { Series } from '../../src/charts/chart.ts'
import { colorOf, lookOf } from '../../src/charts/pen.ts'
import { type Colors, LIGHT } from '../../src/html/tokens.ts'

/** Colours that follow the theme of the page: `var(--d1)`. */
export const PAGE = Object.fromEntries(
  Object.keys(LIGHT).map((name) => [name, `var(--${name})`])
) as Colors

/** The colour of a series of a chart, which it also has in lists beside the chart. */
export const colorOfSeries = (series: Series, index: number): string =>
  colorOf({ colors: PAGE }, lookOf(series, index))

export const Key = ({ color, isLine = false }: { color: string; isLine?: boolean }) => (
  <i class={isLine ? 'key line' : 'key'} style={{ background: color }} />
)
