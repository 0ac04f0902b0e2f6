/** The content of a chart; `draw.ts` draws it. */
export type Chart = {
  title: string
  /** The range and the time zone, below the title. */
  subtitle: string
  kind: Kind
  /** The labels of the buckets' starts, such as `1 Jun`; empty for charts without a time axis. */
  buckets: string[]
  series: Series[]
}

/**
 * - `line`, `area` (stacked), `bars` (side by side) and `stacked` have a time axis.
 * - `values` (horizontal bars), `pie`, `number` and `table` show one value of each series.
 */
export const KINDS = [
  'line',
  'area',
  'bars',
  'stacked',
  'values',
  'pie',
  'number',
  'table'
] as const
export type Kind = (typeof KINDS)[number]

export type Series = {
  name: string
  /** A number for each bucket; one number for charts without a time axis. */
  data: number[]
  /** The numbers of the period before, in the same buckets. */
  previous?: number[]
}

/** Returns the value of a series in a chart without a time axis. */
export const currentOf = ({ data }: Series): number => data[0] ?? 0

/** Returns the value of the period before; undefined without a comparison. */
export const previousOf = ({ previous }: Series): number | undefined => previous?.[0]
