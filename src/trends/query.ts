import type { Interval } from '../calendar/buckets.ts'
import type { JsonObject } from '../input/json.ts'
import { type FilterGroup, isOneOf, type PropertyType } from '../properties/filter.ts'
import type { Bins } from './bins.ts'
import type { Formula } from './formula.ts'

/** How events become a number. */
export const COUNTS = ['total', 'dau', 'weekly_active', 'monthly_active', 'unique_session'] as const
/** Of the numbers that one property has; what is no number is left out, and without any the answer is 0. */
export const PROPERTY_MATHS = [
  'sum',
  'avg',
  'min',
  'max',
  'median',
  'p75',
  'p90',
  'p95',
  'p99'
] as const
export type PropertyMath = (typeof PROPERTY_MATHS)[number]
/** Of how many events each actor has. */
export const PER_ACTOR = [
  'avg_count_per_actor',
  'min_count_per_actor',
  'max_count_per_actor',
  'median_count_per_actor',
  'p75_count_per_actor',
  'p90_count_per_actor',
  'p95_count_per_actor',
  'p99_count_per_actor'
] as const

/** Of actors whose first event of its kind fulfils the filters, or whose first one that does so is this. */
export const FIRSTS = ['first_time_for_user', 'first_matching_event_for_user'] as const

export const MATHS = [...COUNTS, ...PROPERTY_MATHS, ...PER_ACTOR, ...FIRSTS] as const
export type Maths = (typeof MATHS)[number]

/** How a series counts: the math, and the property whose numbers it takes. */
type Counted = { math: Maths; property: Property | undefined }

/** Whether a math takes a number of each session, which counts once however many events of it there are. */
export const countsSessions = ({ property }: Pick<Counted, 'property'>): boolean =>
  property?.type === 'session'

/** Whether the results of parts add up to that of the whole, whatever the parts are. */
export const isAdditive = ({ math, property }: Counted): boolean =>
  math === 'total' || (math === 'sum' && !countsSessions({ property })) || isOneOf(FIRSTS, math)

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

/** Documented limits: a query beyond one is refused before it runs. */
export const MAX_SERIES = 26
export const MAX_FORMULAS = 26
/** Points that one number is smoothed over. */
export const MAX_SMOOTHING = 1_000
/** Property filters that a series has in all: a statement of D1 takes 100 values, of which each needs up to three. */
export const MAX_SERIES_FILTERS = 25
export const MAX_BREAKDOWNS = 3
export const MAX_BREAKDOWN_LIMIT = 1_000
/** Numbers in an answer, and in what it is computed from: series or formulas × periods × breakdown values × buckets. */
export const MAX_POINTS = 200_000
/** Different values of a breakdown in the whole range. */
export const MAX_BREAKDOWN_VALUES = 100_000
/** Events that a query may read. */
export const MAX_ROWS = 10_000_000
/** So many events in segments count as one of these. */
export const SEALED_PER_ROW = 10

export type Property = { type: PropertyType; key: string }

/** By the values of a property, or of its numbers by so many bins, once it is known how far they reach. */
export type Breakdown = Property & { binCount?: number | undefined; bins?: Bins | undefined }

export type Series = {
  /** Null for all events. */
  event: string | null
  name: string
  customName: string | null
  order: number
  math: Maths
  property: Property | undefined
  filters: FilterGroup
  /** As they were sent, for the answer. */
  properties: unknown
}

/** How far back a period lies, in the units of `goBack`. */
export type Back = { amount: number; unit: string }

/** A trend as asked for, whatever the form of the request. */
export type TrendQuery = {
  series: Series[]
  /** `all` is the project's first event. */
  from: number | 'all'
  until: number
  /**
   * For a range that begins at that very moment and not with the bucket around it: how long it is up to now or to its end,
   * ms. It is compared with exactly as much time.
   */
  exact: { length: number } | undefined
  interval: Interval
  filters: FilterGroup
  display: Display
  breakdowns: Breakdown[]
  /** Whether they were asked for as a list: then the values are lists too, also of a single one. */
  listsBreakdowns: boolean
  breakdownLimit: number
  /** Whether what is beyond the limit is left out instead of summed up. */
  hidesOther: boolean
  /** `back` is how far the period lies back that is compared with; undefined for the one right before. */
  compare: { back: Back | undefined } | undefined
  formulas: { at: string; text: string; name: string | undefined; calculate: Formula }[]
  smoothing: number
  /** What the answer says of the query. */
  shown: JsonObject
}
