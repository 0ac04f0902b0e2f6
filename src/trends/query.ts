import type { Interval } from '../calendar/buckets.ts'
import type { JsonObject } from '../input/json.ts'
import { type FilterGroup, isOneOf, type PropertyType } from '../properties/filter.ts'
import type { Bins } from './bins.ts'
import type { Formula } from './formula.ts'

/** Maths that count events, actors or sessions. */
export const COUNTS = ['total', 'dau', 'weekly_active', 'monthly_active', 'unique_session'] as const

/** Maths over the numbers of one property. Other values are left out; without numbers the result is 0. */
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

/** Maths over the number of events of each actor. */
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

/**
 * Maths that count an actor once: `first_time_for_user` at the actor's first event of the name, if that event matches the
 * filters; `first_matching_event_for_user` at the first event that matches them.
 */
export const FIRSTS = ['first_time_for_user', 'first_matching_event_for_user'] as const

export const MATHS = [...COUNTS, ...PROPERTY_MATHS, ...PER_ACTOR, ...FIRSTS] as const
export type Maths = (typeof MATHS)[number]

/** The math of a series, and the property whose numbers it reads. */
type Counted = { math: Maths; property: Property | undefined }

/** Whether a math reads a property of sessions. Each session then counts once, however many events it has. */
export const countsSessions = ({ property }: Pick<Counted, 'property'>): boolean =>
  property?.type === 'session'

/** Whether the results for any parts of the events add up to the result for all of them. */
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
 * Property filters of a series, with those of the query. Each may read another property, whose name is one of the 100 values
 * that D1 binds per statement.
 */
export const MAX_SERIES_FILTERS = 25
export const MAX_BREAKDOWNS = 3
export const MAX_BREAKDOWN_LIMIT = 1_000
/** Numbers in an answer, or computed for it: series or formulas × periods × breakdown values × buckets. */
export const MAX_POINTS = 200_000
/** Distinct values of a breakdown in the whole range. */
export const MAX_BREAKDOWN_VALUES = 100_000
/** Events that a query may read. */
export const MAX_ROWS = 10_000_000
/** Events that are computed in one step. */
export const STEP_EVENTS = 131_072
/** Events in segments that count as one event of `MAX_ROWS`, because columns are read faster than rows. */
export const SEALED_PER_ROW = 10

export type Property = { type: PropertyType; key: string }

/**
 * A breakdown by the values of a property, or by `binCount` ranges of its numbers. `bins` are set once the lowest and the
 * highest number are known.
 */
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
  /** The filters as the request has them, for the answer. */
  properties: unknown
}

/** A distance back in time, in a unit of `goBack`. */
export type Back = { amount: number; unit: string }

/** A request for a trend, read from any of its forms. */
export type TrendQuery = {
  series: Series[]
  /** `all` begins at the project's first event. */
  from: number | 'all'
  until: number
  /**
   * Set for a range that begins at an exact moment, not at the start of a bucket. `length` is the time, ms, from there to now
   * or, if the request has an end date, to the end of the range; the compared period is exactly as long.
   */
  exact: { length: number } | undefined
  interval: Interval
  filters: FilterGroup
  display: Display
  breakdowns: Breakdown[]
  /** Whether the request has a list of breakdowns: the values in the answer are then lists too, even with one breakdown. */
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
