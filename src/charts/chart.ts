import { formatChange, formatIn, formatValue, type Unit } from './format.ts'

/** Numbers in an answer that is drawn: series × points. More are refused before they are computed. */
export const MAX_POINTS = 200_000

/** The content of a chart; `draw.ts` draws it. */
export type Chart = {
  title: string
  /** The range and the time zone: `9 – 22 Nov 2026 · Europe/Berlin`. */
  subtitle: string
  /**
   * The words for the numbers: `Persons by day`. With a comparison, they name its dates: `…; thin:
   * 26 Oct – 8 Nov`.
   */
  counted: string
  kind: Kind
  /**
   * The labels of the buckets: where each starts, such as `1 Jun`; the steps of a funnel, the columns
   * of retention and of some tables, and the names of `numbers`. Empty for charts without an axis.
   */
  buckets: string[]
  /**
   * The buckets' starts, local to the time zone: `2025-06-01` or `2025-06-01 14:00:00`; empty without
   * a time axis.
   */
  days: string[]
  series: Series[]
  /**
   * The number of buckets that are over. One more has begun; the buckets after it lie in the
   * future.
   */
  finished: number
  /**
   * The number of everything that the series count together; null if the series cannot be added up,
   * like unique persons.
   */
  total: number | null
  /** Says which names of the insight no event has; null if there are none. */
  warning: string | null
  /** The unit of the numbers; without one, they are counts or other plain numbers. */
  unit?: Unit
  /** How the numbers of each bucket are shown, where these differ: of a table, and of `numbers`. */
  columns?: FigureForm[]
  /** Texts of users at buckets, in the order of the buckets, for charts with a time axis. */
  annotations?: ChartAnnotation[]
}

export type ChartAnnotation = { bucket: number; text: string }

/** How numbers are shown. Without a unit, they are counts or other plain numbers. */
export type FigureForm = { unit?: Unit; isIncreaseBad?: true }

/**
 * - `line`, `area` (stacked), `bars` (side by side) and `stacked` have an axis, mostly of time.
 * - `funnel` has a number for each step, and `retention` a row for each series.
 * - `values` and `countries` (ranked bars), `pie`, `number` and `table` show one value of each
 *   series; a table with buckets shows a value for each of them.
 * - `numbers` has a number for each bucket of its only series.
 */
export const KINDS = [
  'line',
  'area',
  'bars',
  'stacked',
  'funnel',
  'retention',
  'values',
  'countries',
  'pie',
  'number',
  'numbers',
  'table'
] as const
export type Kind = (typeof KINDS)[number]

/** Whether a kind of chart has an axis, mostly of time. */
export const hasBuckets = (kind: Kind): boolean =>
  kind === 'line' || kind === 'area' || kind === 'bars' || kind === 'stacked'

export type Series = {
  name: string
  /**
   * A number for each bucket; one number for charts without an axis. In a chart with `columns`, the
   * last numbers may be missing: they are not known.
   */
  data: number[]
  /** The cells of a row of a table, instead of `data`; null for an empty one. */
  cells?: Cell[]
  /** The numbers of the period before, in the same buckets. */
  previous?: number[]
  /** Whether the series stands for all values that are not shown by themselves. */
  isRest?: boolean
  /** Of a funnel: how long each step took from the step before. */
  times?: StepTimes[]
  /** Of retention: the row. */
  cohort?: Cohort
}

/** A cell of a table whose columns have more than numbers. */
export type Cell = string | number | null

/** Times from one step to the next, seconds; null if nobody took the step. */
export type StepTimes = { average: number | null; median: number | null }

/** A row of retention: those whose first number counts, in all columns. */
export type Cohort = {
  /** When the row's period begins, as in `days`. */
  day: string
  /** The value of the breakdown; undefined without one. */
  value?: string
  /** The number of columns whose periods are over; the numbers of the others may still grow. */
  finished: number
  /** The number of columns whose periods have begun, at least `finished`. */
  begun: number
}

/** Returns the names of a table's columns of numbers; its only one has none. */
export const namesOfColumns = ({ buckets, columns }: Chart): string[] => (columns ? buckets : [''])

/** A number of a chart, and the number of the period before, if it is known. */
export type Figure = FigureForm & { value: number; previous: number | undefined }

/** Returns a number of a series as it is shown; undefined if it is not known. */
export function figureIn(
  { unit, columns }: Pick<Chart, 'unit' | 'columns'>,
  { data, previous }: Series,
  bucket = 0
): Figure | undefined {
  const value = data[bucket]
  return value === undefined
    ? undefined
    : { ...(unit && { unit }), ...columns?.[bucket], value, previous: previous?.[bucket] }
}

/** Formats a number: `33.3%`, and `–` if it is not known. */
export const textOf = (figure: Figure | undefined): string =>
  figure ? formatIn(figure.unit, figure.value) : '–'

/** Returns the text of a cell of a table, or of the number of a bucket in another chart. */
export function textIn(chart: Pick<Chart, 'unit' | 'columns'>, one: Series, bucket = 0): string {
  if (!one.cells) {
    return textOf(figureIn(chart, one, bucket))
  }
  const cell = one.cells[bucket] ?? null
  return typeof cell === 'number' ? formatValue(cell) : (cell ?? '–')
}

/** Whether a chart has no numbers but 0, and nothing else to show. */
export const isAllZero = (series: readonly Series[]): boolean =>
  series.every(
    ({ data, previous = [], cells }) =>
      !cells && [...data, ...previous].every((value) => value === 0)
  )

/** Formats the change of a number, as `formatChange`. */
export const changeOf = (figure: Figure | undefined): string =>
  figure ? formatChange(figure.value, figure.previous, figure.unit) : ''

/** Returns the value of a series in a chart without a time axis. */
export const currentOf = ({ data }: Series): number => data[0] ?? 0

/** Returns the value of the period before; undefined without a comparison. */
export const previousOf = ({ previous }: Series): number | undefined => previous?.[0]
