import fc from 'fast-check'
import { NAMES } from './world.ts'

type Type = 'event' | 'person' | 'session'
export type Filter = { key: string; type: Type; operator: string; value?: unknown }
export type Group = { type: 'AND' | 'OR'; values: Filter[] }
export type Entity = {
  id: string | null
  math: string
  math_property?: string
  properties: Filter[]
}

/** A breakdown by values or, with `bins`, by ranges of numbers; `edges` are the bounds of the ranges, once known. */
export type Breakdown = {
  key: string
  type: Type
  limit: number
  offset: number
  bins: number | undefined
  edges?: number[]
}

/** A trend request, in the terms of the filter object. */
export type Asked = {
  form: 'flat' | 'filters' | 'query' | 'text'
  events: Entity[]
  interval: 'hour' | 'day' | 'week' | 'month'
  /** Days ago, hours ago, or the first event of all. */
  from: number | { hours: number } | 'all'
  to: number
  properties: Group
  breakdown: Breakdown | undefined
  compare: boolean
  /** How much earlier the other period starts; undefined for the period directly before. */
  compareTo: { amount: number; unit: 'd' | 'w' | 'm' } | undefined
  display: string
  formula: string | undefined
  /** Events per statement. If a bucket has more, it is read in parts. */
  statementEvents: number
}

const key = fc.constantFrom(
  { key: 'color', type: 'event' as const },
  { key: 'size', type: 'event' as const },
  { key: '$weird "key"', type: 'event' as const },
  { key: 'plan', type: 'person' as const },
  { key: 'rank', type: 'person' as const },
  { key: 'never', type: 'event' as const },
  { key: '$entry_utm_source', type: 'session' as const },
  { key: '$entry_current_url', type: 'session' as const },
  { key: '$end_hostname', type: 'session' as const },
  { key: '$pageview_count', type: 'session' as const },
  { key: '$session_duration', type: 'session' as const },
  { key: '$is_bounce', type: 'session' as const }
)
const text = fc.constantFrom<unknown>(
  'a',
  'b',
  'B',
  'pro',
  '10',
  'true',
  '',
  'google',
  'b.example',
  3,
  7.5,
  0,
  true
)
const number = fc.integer({ min: -3, max: 11 })

const condition = fc.oneof(
  fc.record({
    operator: fc.constantFrom('exact', 'is_not', 'in', 'not_in', 'icontains', 'not_icontains'),
    value: text
  }),
  fc.record({
    operator: fc.constantFrom('exact', 'is_not'),
    value: fc.array(text, { maxLength: 3 })
  }),
  fc.record({
    operator: fc.constantFrom('regex', 'not_regex'),
    value: fc.constantFrom('^a', '[0-9]+', 'b|B', '.')
  }),
  fc.record({ operator: fc.constantFrom('gt', 'gte', 'lt', 'lte'), value: number }),
  fc.record({
    operator: fc.constantFrom('between', 'not_between'),
    value: fc.tuple(number, number).map(([a, b]) => [Math.min(a, b), Math.max(a, b)])
  }),
  fc.record({ operator: fc.constantFrom('is_set', 'is_not_set') })
)
const filter: fc.Arbitrary<Filter> = fc
  .tuple(key, condition)
  .map(([about, rest]) => ({ ...about, ...rest }))
const filters: fc.Arbitrary<Filter[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Filter[]>([]) },
  { weight: 1, arbitrary: fc.array(filter, { maxLength: 2 }) }
)

const COUNTS = ['total', 'total', 'dau', 'dau', 'weekly_active', 'monthly_active', 'unique_session']
const NUMBERS = ['sum', 'avg', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99']
const FIRSTS = ['first_time_for_user', 'first_time_for_user', 'first_matching_event_for_user']
const PER_ACTOR = [
  'avg_count_per_actor',
  'max_count_per_actor',
  'median_count_per_actor',
  'p90_count_per_actor'
]

const entity: fc.Arbitrary<Entity> = fc
  .record({
    id: fc.constantFrom(...NAMES, ...NAMES, null),
    math: fc.constantFrom(...COUNTS, ...NUMBERS, ...PER_ACTOR, ...FIRSTS, ...FIRSTS),
    properties: filters
  })
  .chain((one) =>
    NUMBERS.includes(one.math)
      ? fc
          .constantFrom('size', 'size', '$session_duration')
          .map((math_property) => ({ ...one, math_property }))
      : fc.constant(one)
  )

/** Generates a trend request, by the hour or by the day, week or month. */
export const asked = (isHourly: boolean): fc.Arbitrary<Asked> =>
  fc
    .record({
      form: fc.constantFrom('flat' as const, 'filters' as const, 'query' as const, 'text' as const),
      events: fc.array(entity, { minLength: 1, maxLength: 2 }),
      interval: isHourly
        ? fc.constant('hour' as const)
        : fc.constantFrom('day' as const, 'day' as const, 'week' as const, 'month' as const),
      from: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 0, max: isHourly ? 4 : 24 }) },
        { weight: 2, arbitrary: fc.constantFrom(...(isHourly ? [1, 2] : [7, 14])) },
        { weight: 3, arbitrary: fc.integer({ min: 1, max: 100 }).map((hours) => ({ hours })) },
        { weight: 1, arbitrary: fc.constant('all' as const) }
      ),
      to: fc.integer({ min: 0, max: 3 }),
      properties: fc.record({
        type: fc.constantFrom('AND' as const, 'OR' as const),
        values: filters
      }),
      breakdown: fc.option(
        fc
          .tuple(
            key,
            fc.integer({ min: 1, max: 4 }),
            fc.constantFrom(0, 0, 0, 1),
            fc.constantFrom(undefined, undefined, 1, 2, 3, 7)
          )
          .map(([about, limit, offset, bins]) => ({ ...about, limit, offset, bins })),
        { nil: undefined }
      ),
      compare: fc.boolean(),
      compareTo: isHourly
        ? fc.constant(undefined)
        : fc.option(
            fc.constantFrom(
              { amount: 1, unit: 'w' as const },
              { amount: 10, unit: 'd' as const },
              { amount: 1, unit: 'm' as const }
            ),
            { freq: 3, nil: undefined }
          ),
      display: fc.constantFrom(
        'ActionsLineGraph',
        'ActionsLineGraph',
        'ActionsBar',
        'ActionsLineGraphCumulative',
        'ActionsLineGraphCumulative',
        'BoldNumber',
        'ActionsPie'
      ),
      formula: fc.option(fc.constantFrom('A', 'A + 1', 'A * A / 4 - 2'), {
        freq: 6,
        nil: undefined
      }),
      statementEvents: fc.constantFrom(40_000, 40_000, 4, 1)
    })
    .map((one) => ({
      ...one,
      to: one.from === 'all' ? one.to : Math.min(one.to, daysOf(one.from)),
      compare: one.compare && one.from !== 'all'
    }))

/** Returns for how many days ago a range may end, so that it does not end before it starts. */
const daysOf = (from: number | { hours: number }) =>
  typeof from === 'number' ? from : Math.max(0, Math.floor(from.hours / 24) - 1)

function toDate(from: Asked['from']): string {
  if (from === 'all') {
    return 'all'
  }
  return typeof from === 'number' ? `-${from}d` : `-${from.hours}h`
}

/** Returns the body of a request, in the request's form. */
export function toBody(ask: Asked): object {
  const { breakdown, compare, display, formula, interval, properties } = ask
  const range = {
    date_from: toDate(ask.from),
    date_to: ask.to === 0 ? null : `-${ask.to}d`
  }
  const compare_to = ask.compareTo && `-${ask.compareTo.amount}${ask.compareTo.unit}`
  const breakdownFields = breakdown && {
    breakdown: breakdown.key,
    breakdown_type: breakdown.type,
    breakdown_limit: breakdown.limit,
    breakdown_histogram_bin_count: breakdown.bins
  }
  if (ask.form === 'flat' || ask.form === 'filters') {
    const flat = {
      events: ask.events,
      ...range,
      interval,
      properties,
      ...breakdownFields,
      compare,
      compare_to,
      display,
      formula
    }
    return ask.form === 'flat' ? flat : { name: 'Mine', filters: flat, events: [] }
  }
  const node = {
    kind: 'TrendsQuery',
    series: ask.events.map(({ id, ...rest }) => ({ kind: 'EventsNode', event: id, ...rest })),
    dateRange: range,
    interval,
    properties,
    trendsFilter: { display, formula },
    breakdownFilter: breakdownFields,
    compareFilter: { compare, compare_to }
  }
  return ask.form === 'query'
    ? { query: node }
    : { query: JSON.stringify({ kind: 'InsightVizNode', source: node }) }
}
