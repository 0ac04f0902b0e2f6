import type { Interval } from '../calendar/buckets.ts'
import type { JsonObject } from '../input/json.ts'
import { type FilterGroup, isOneOf, type Property } from '../properties/filter.ts'
import type { Bins } from './bins.ts'
import type { Formula } from './formula.ts'
import type { MathName } from './maths/table.ts'

const OVER_TIME = [
  'ActionsLineGraph',
  'ActionsLineGraphCumulative',
  'ActionsAreaGraph',
  'ActionsBar',
  'ActionsUnstackedBar',
  'ActionsStackedBar'
] as const
/** Displays without a time axis: one number for the whole range. */
export const AGGREGATED = [
  'ActionsTable',
  'ActionsPie',
  'ActionsDonut',
  'ActionsBarValue',
  'WorldMap',
  'BoldNumber'
] as const
export const DISPLAYS = [...OVER_TIME, ...AGGREGATED] as const
export type Display = (typeof DISPLAYS)[number]

/** Whether the whole range is one bucket. */
export const isAggregated = ({ display }: { display: string }): boolean =>
  isOneOf(AGGREGATED, display)

/** Whether each point includes the points before it. */
export const isCumulative = ({ display }: { display: string }): boolean =>
  display === 'ActionsLineGraphCumulative'

/* Documented limits. A query beyond one of them is refused before it runs. */
export const MAX_SERIES = 26
export const MAX_FORMULAS = 26
/** Points over which one number is averaged. */
export const MAX_SMOOTHING = 1_000
/**
 * Property filters of a series, with those of the query. Each may read another property, whose name
 * is one of the 100 values that D1 binds per statement.
 */
export const MAX_SERIES_FILTERS = 25
export const MAX_BREAKDOWNS = 3
export const MAX_BREAKDOWN_LIMIT = 1_000
/** Events that a query may read. */
export const MAX_TREND_ROWS = 10_000_000
/** Events that are computed in one step. */
export const STEP_EVENTS = 131_072

/** A breakdown by the values of a property, or by `binCount` ranges of its numbers. */
export type Breakdown = Property & { binCount: number | undefined }

/** A breakdown whose bins are known: undefined if it asks for none, or if no event has a number. */
export type BinnedBreakdown = Breakdown & { bins: Bins | undefined }

export type SeriesQuery = {
  /** Null for all events. */
  event: string | null
  name: string
  customName: string | null
  order: number
  math: MathName
  property: Property | undefined
  filters: FilterGroup
  /** The filters as the request has them, for the answer. */
  properties: unknown
}

/** A distance back in time, in a unit of `goBack`. */
export type Back = { amount: number; unit: string }

/** A request for a trend, read from any of its forms. */
export type TrendQuery = {
  series: SeriesQuery[]
  /** `all` begins at the first plausible event of the series. */
  from: number | 'all'
  until: number
  /**
   * Set for a range that begins at an exact moment, not at the start of a bucket. `length` is the
   * time, ms, from there to now or, if the request has an end date, to the end of the range; the
   * compared period is exactly as long.
   */
  exact: { length: number } | undefined
  interval: Interval
  filters: FilterGroup
  display: Display
  breakdowns: Breakdown[]
  /** Whether values in the answer are lists, even with one breakdown: the request has a list. */
  listsBreakdowns: boolean
  breakdownLimit: number
  /** Whether values beyond the limit are left out, instead of being counted together as "Other". */
  hidesOther: boolean
  /** `back` is the distance to the compared period; undefined for the period right before. */
  compare: { back: Back | undefined } | undefined
  formulas: { at: string; text: string; name: string | undefined; calculate: Formula }[]
  smoothing: number
  /** The query as the answer repeats it. */
  shown: JsonObject
}

/** A query whose breakdowns have their bins. */
export type BinnedQuery = Omit<TrendQuery, 'breakdowns'> & { breakdowns: BinnedBreakdown[] }

/** Ends a query's period at `until`, ms UTC, if that is within the period. */
export const endAt = (query: TrendQuery, until: number): TrendQuery =>
  (query.from === 'all' || query.from < until) && until < query.until ? { ...query, until } : query

/** Returns with what a range is compared: with the period before, unless the query says otherwise. */
export const comparisonOf = ({ compare, from }: TrendQuery): TrendQuery['compare'] =>
  compare ?? (from === 'all' ? undefined : { back: undefined })
