import * as z from 'zod'
import { INTERVALS } from '../calendar/buckets.ts'
import { refusing, sameReason, saysSomething } from '../input/fields.ts'
import { jsonText } from '../input/parameters.ts'
import { MAX_SMOOTHING } from './query.ts'

/** The fields of an insight that the interface documents. */
export const INSIGHT_FIELDS = {
  name: z.string().max(400).nullish(),
  derived_name: z.string().max(400).nullish(),
  filters: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: 'A filter object: `events`, `date_from`, `interval`, `breakdown`…' }),
  query: z
    .union([z.string(), z.record(z.string(), z.unknown())], 'A query is an object, or its JSON.')
    .nullish()
    .meta({
      description:
        'A `TrendsQuery` node, as an object or as JSON text, also inside an `InsightVizNode`.'
    }),
  order: z.int().nullish(),
  deleted: z.boolean().optional(),
  dashboards: z
    .array(z.int())
    .optional()
    .meta({ deprecated: true, description: 'Use dashboard_tiles instead.' }),
  description: z.string().max(10_000).nullish(),
  tags: z.array(z.string().max(400)).max(1_000).optional(),
  favorited: z.boolean().optional(),
  saved: z.boolean().optional()
}

const Text = z.string().max(1_000).nullish()
/** The name of an event; only an explicit null is all events, so that a name under another key is not ignored. */
const EventName = z.string().min(1).max(1_000).nullable()
/** A number, also as text: in URLs it once was one. */
const whole = (schema: z.ZodInt) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    schema.nullish()
  )
const Count = whole(z.int().min(1))
const Smoothing = whole(z.int().min(1).max(MAX_SMOOTHING))
const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false]
])
const Flag = z.preprocess((value) => FLAGS.get(value) ?? value, z.boolean().nullish())

/** What PostHog computes with and we do not: it may be there as long as it says nothing. */
const Unsupported = z
  .unknown()
  .refine((value) => !saysSomething(value), 'This is not supported.')
  .optional()

const entity = {
  name: Text,
  custom_name: Text,
  math: Text,
  math_property: Text,
  math_property_type: Text,
  math_multiplier: Unsupported,
  math_property_revenue_currency: Unsupported,
  properties: z.unknown().optional()
}

const Breakdown = z.strictObject({
  property: z.string().min(1).max(400),
  type: Text,
  histogram_bin_count: Count,
  normalize_url: Flag,
  group_type_index: z.unknown().optional()
})

const breakdown = {
  breakdown: z.string().max(400, 'A breakdown is the name of one property.').nullish(),
  breakdown_type: Text,
  breakdowns: jsonText(z.array(Breakdown).nullish()).optional(),
  breakdown_limit: Count,
  breakdown_hide_other_aggregation: Flag,
  breakdown_histogram_bin_count: Count,
  breakdown_normalize_url: Flag
}
const BreakdownFilter = z.object(breakdown)
export type BreakdownFilter = z.infer<typeof BreakdownFilter>

const NO_NEGATION = 'A series counts the events that it names: it cannot be negated.'

/** A series of a filter object: what other forms and other insights have in its place would make it count all events. */
const LegacyEntity = refusing(
  z.object({ id: EventName, type: Text, order: whole(z.int()), ...entity }),
  {
    ...sameReason(['event', 'event_name'], 'The name of the event is `id` in this form.'),
    ...sameReason(['kind', 'fixedProperties'], 'This is a field of a `query`.'),
    ...sameReason(['negate', 'negated', 'negation', 'not', 'inverse'], NO_NEGATION),
    ...sameReason(
      ['filter', 'filters', 'where', 'property', 'property_filters'],
      'The filters of a series are `properties`.'
    ),
    ...sameReason(
      ['limit', 'orderBy', 'order_by', 'where_clause'],
      'A series counts all of its events.'
    ),
    table_name: 'Data warehouses are not supported.'
  }
)

/** A filter object, as PostHog's clients have long sent it. */
const FLAT_FIELDS = {
  insight: Text,
  shown_as: Text,
  events: jsonText(z.array(LegacyEntity).nullish()).optional(),
  actions: jsonText(z.array(z.unknown()).nullish()).optional(),
  date_from: Text,
  date_to: Text,
  interval: z.enum(INTERVALS).nullish(),
  properties: jsonText(z.unknown()).optional(),
  filter_test_accounts: Flag,
  display: Text,
  explicit_date: Unsupported,
  ...breakdown,
  compare: Flag,
  compare_to: Text,
  formula: Text,
  smoothing_intervals: Smoothing,
  sampling_factor: z.unknown().optional(),
  aggregation_group_type_index: z.unknown().optional()
}

const OF_SERIES = 'This is a field of a series.'
const OF_QUERY = 'This is a field of a `TrendsQuery`: the whole of it belongs into `query`.'

const DATES = 'The range is `date_from` and `date_to`.'
const BREAKDOWN = 'The fields of a breakdown stand beside `events`, such as `breakdown`.'
const FILTERS = 'Filter by `properties`.'

/** Fields of other forms and of PostHog that would change a trend. */
const ELSEWHERE = {
  ...sameReason(['math', 'math_property', 'math_property_type', 'math_multiplier'], OF_SERIES),
  ...sameReason(['event', 'series_name'], 'Events are a list, `events`.'),
  formulas: 'There is one `formula` in this form; `query` takes several.',
  formulaNodes: 'There is one `formula` in this form; `query` takes several.',
  data_warehouse: 'Data warehouses are not supported.',
  ...sameReason(
    ['filters_override', 'variables_override', 'filtersOverride', 'variablesOverride'],
    'Overrides are not supported: change the trend itself.'
  ),
  ...sameReason(
    [
      'start_date',
      'end_date',
      'startDate',
      'endDate',
      'date_range',
      'dateRangeFrom',
      'dateRangeTo'
    ],
    DATES
  ),
  ...sameReason(['date_range_from', 'date_range_to'], DATES),
  ...sameReason(['breakdown_filter', 'breakdownBy', 'breakdown_by'], BREAKDOWN),
  compare_filter: 'A comparison is `compare` and `compare_to`.',
  ...sameReason(['filterGroup', 'filter_group', 'property_filters', 'where'], FILTERS),
  ...sameReason(
    [
      'kind',
      'source',
      'series',
      'dateRange',
      'filterTestAccounts',
      'trendsFilter',
      'breakdownFilter',
      'compareFilter',
      'samplingFactor',
      'conversionGoal',
      'modifiers'
    ],
    OF_QUERY
  )
}

/** Fields that would change the answer of a trend, but that saved insights may hold. */
const OF_ANSWER = {
  timezone: 'The days are those of the project’s time zone.',
  limit: 'A trend has no pages: `breakdown_limit` limits the values of a breakdown.',
  ...sameReason(['offset', 'format'], 'This is a parameter of the URL.'),
  ...sameReason(['search', 'distinct_id', 'distinct_ids', 'person_id'], FILTERS)
}

const OF_TREND = { ...ELSEWHERE, ...OF_ANSWER }

/** A filter object, as PostHog's clients have long sent it. */
export const LegacyFilter = refusing(z.object(FLAT_FIELDS), OF_TREND)

/** The body of a trend: one of its three forms, and what insights have beside it. */
export const TrendFields = refusing(
  z.object({ ...INSIGHT_FIELDS, ...FLAT_FIELDS }).meta({
    id: 'InsightFields',
    description:
      'A trend in any of three forms: `query`, `filters`, or what `filters` holds beside the other fields.',
    examples: [
      { events: [{ id: '$pageview', math: 'dau' }], date_from: '-7d', interval: 'day' },
      {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: '$pageview', math: 'total' }],
          breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' }
        }
      }
    ]
  }),
  OF_TREND
)

/** Why a saved insight has no fields beside `filters` and `query`. */
export const MISPLACED = {
  ...ELSEWHERE,
  ...sameReason(Object.keys(FLAT_FIELDS), 'This is a field of `filters`.')
}

/** What a URL may have: each form, its lists and objects as JSON. */
export const UrlFields = z.object({
  ...FLAT_FIELDS,
  query: INSIGHT_FIELDS.query,
  filters: jsonText(INSIGHT_FIELDS.filters).optional()
})

const parameter = (description: string) => z.string().optional().meta({ description })

/** What a URL has, as the interface describes it. */
export const UrlParameters = z.object({
  query: parameter('A `TrendsQuery` node, as JSON, instead of all others.'),
  filters: parameter('A filter object, as JSON, instead of the fields beside it.'),
  events: parameter('The series, as JSON: `[{"id":"$pageview","math":"dau"}]`.'),
  date_from: parameter('`-7d` unless given.'),
  date_to: parameter('Today unless given.'),
  interval: parameter('`minute`, `hour`, `day` (unless given), `week` or `month`.'),
  properties: parameter('Property filters for all series, as JSON.'),
  filter_test_accounts: parameter("`true`: without the project's test accounts."),
  display: parameter('How the numbers are put together, of the time axis or of the whole range.'),
  breakdown: parameter('The property to break down by.'),
  breakdown_type: parameter('`event` (unless given), `person` or `session`.'),
  breakdowns: parameter('Several properties to break down by, as JSON.'),
  breakdown_limit: parameter('How many values are shown.'),
  compare: parameter('`true`: also the period before.'),
  compare_to: parameter('How much earlier that one begins, such as `-1w`.'),
  formula: parameter('What to compute of the series `A`, `B`…'),
  smoothing_intervals: parameter('Over how many points each is averaged.'),
  breakdown_hide_other_aggregation: parameter('`true`: without the values beyond the limit.'),
  breakdown_histogram_bin_count: parameter('Into how many ranges numbers are put.'),
  breakdown_normalize_url: parameter('Not supported: has to be `false`.'),
  insight: parameter('`TRENDS`: no other insights are supported.'),
  shown_as: parameter('`Volume`: no other form is supported.'),
  actions: parameter('Not supported: has to be empty.'),
  explicit_date: parameter('Not supported: has to be `false`.'),
  sampling_factor: parameter('Not supported: has to be 1.'),
  aggregation_group_type_index: parameter('Not supported: has to be empty.')
} satisfies Record<keyof typeof UrlFields.shape, z.ZodType>)

/** Fields that say nothing of the numbers, or only to maths and breakdowns that are refused by themselves. */
const ignored = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]))

const EventsNode = z.strictObject({
  kind: z.string(),
  event: EventName,
  fixedProperties: z.unknown().optional(),
  ...entity,
  limit: Unsupported,
  orderBy: Unsupported,
  ...ignored('version', 'response', 'optionalInFunnel', 'math_hogql', 'math_group_type_index')
})

const FormulaNode = z.strictObject({ formula: z.string(), custom_name: Text })

/** As in PostHog, what a node does not have is refused. */
export const TrendsNode = z.strictObject({
  kind: z.string(),
  series: z.array(EventsNode).nullish(),
  dateRange: z
    .strictObject({ date_from: Text, date_to: Text, explicitDate: Unsupported })
    .nullish(),
  interval: z.enum(INTERVALS).nullish(),
  properties: z.unknown().optional(),
  filterTestAccounts: Flag,
  trendsFilter: z
    .strictObject({
      display: Text,
      formula: Text,
      formulas: z.array(z.string()).nullish(),
      formulaNodes: z.array(FormulaNode).nullish(),
      smoothingIntervals: Smoothing,
      breakdown_histogram_bin_count: Unsupported,
      ...ignored(
        'aggregationAxisFormat',
        'aggregationAxisPostfix',
        'aggregationAxisPrefix',
        'confidenceLevel',
        'decimalPlaces',
        'detailedResultsAggregationType',
        'goalLines',
        'hiddenLegendIndexes',
        'minDecimalPlaces',
        'movingAverageIntervals',
        'resultCustomizationBy',
        'resultCustomizations',
        'showAlertThresholdLines',
        'showConfidenceIntervals',
        'showLabelsOnSeries',
        'showLegend',
        'showMovingAverage',
        'showMultipleYAxes',
        'showPercentStackView',
        'showTrendLines',
        'showValuesOnSeries',
        'yAxisScaleType'
      )
    })
    .nullish(),
  breakdownFilter: z
    .strictObject({
      ...breakdown,
      breakdown_path_cleaning: Unsupported,
      ...ignored('breakdown_group_type_index')
    })
    .nullish(),
  compareFilter: z.strictObject({ compare: Flag, compare_to: Text }).nullish(),
  samplingFactor: z.unknown().optional(),
  aggregation_group_type_index: z.unknown().optional(),
  conversionGoal: Unsupported,
  modifiers: Unsupported,
  ...ignored('version', 'response', 'tags', 'dataColorTheme')
})
