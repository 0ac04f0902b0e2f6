import * as z from 'zod'
import { INTERVALS } from '../calendar/buckets.ts'
import { refusing, sameReason } from '../input/fields.ts'
import { jsonText } from '../input/parameters.ts'
import {
  breakdown,
  EventName,
  entity,
  OptionalFlag,
  Smoothing,
  Text,
  Unsupported,
  unlessNeutral,
  whole
} from './shared-fields.ts'

/** An insight's writable fields, as a trend has them; `InsightInput` has other `dashboards`. */
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
        'A `TrendsQuery` node, alone or inside an `InsightVizNode` or `DataTableNode`, as an object or as JSON text.'
    }),
  order: z.int().nullish(),
  deleted: z.boolean().optional(),
  dashboards: z.array(z.int()).optional().meta({
    deprecated: true,
    description: 'A request for a trend ignores this field, as it ignores `name`.'
  }),
  description: z.string().max(10_000).nullish(),
  tags: z.array(z.string().max(400)).max(1_000).optional(),
  favorited: z.boolean().optional(),
  saved: z.boolean().optional()
}

const NO_NEGATION = 'A series counts the events that it names: it cannot be negated.'

/**
 * A series of a filter object. Refuses fields that series have in other forms or other insights: if
 * such a field were ignored, the series would count more events than the request asks for.
 */
const LegacyEntity = refusing(
  z.object({
    ...entity,
    id: EventName,
    type: unlessNeutral(Text),
    order: unlessNeutral(whole(z.int())),
    math: unlessNeutral(entity.math),
    math_property: unlessNeutral(entity.math_property),
    math_property_type: unlessNeutral(entity.math_property_type),
    properties: unlessNeutral(entity.properties)
  }),
  {
    ...sameReason(['event', 'event_name'], 'In this form, send the name of the event as `id`.'),
    ...sameReason(['kind', 'fixedProperties'], 'This is a field of a `query`.'),
    ...sameReason(['negate', 'negated', 'negation', 'not', 'inverse'], NO_NEGATION),
    ...sameReason(
      ['filter', 'filters', 'where', 'property', 'property_filters'],
      'Filter a series by its `properties`.'
    ),
    ...sameReason(
      ['limit', 'orderBy', 'order_by', 'where_clause'],
      'A series counts all of its events.'
    ),
    table_name: 'Data warehouses are not supported.'
  }
)

/** The fields of a filter object, in which PostHog's clients have long described trends. */
const FLAT_FIELDS = {
  insight: unlessNeutral(Text),
  shown_as: unlessNeutral(Text),
  events: jsonText(z.array(LegacyEntity).nullish()).optional(),
  actions: unlessNeutral(jsonText(z.array(z.unknown()).nullish())),
  date_from: unlessNeutral(Text),
  date_to: unlessNeutral(Text),
  interval: unlessNeutral(z.enum(INTERVALS).nullish()),
  properties: unlessNeutral(jsonText(z.unknown())),
  filter_test_accounts: unlessNeutral(OptionalFlag),
  display: unlessNeutral(Text),
  explicit_date: unlessNeutral(Unsupported),
  breakdown: unlessNeutral(breakdown.breakdown),
  breakdown_type: unlessNeutral(breakdown.breakdown_type),
  breakdowns: unlessNeutral(breakdown.breakdowns),
  breakdown_limit: unlessNeutral(breakdown.breakdown_limit),
  breakdown_hide_other_aggregation: unlessNeutral(breakdown.breakdown_hide_other_aggregation),
  breakdown_histogram_bin_count: unlessNeutral(breakdown.breakdown_histogram_bin_count),
  breakdown_normalize_url: unlessNeutral(breakdown.breakdown_normalize_url),
  compare: unlessNeutral(OptionalFlag),
  compare_to: unlessNeutral(Text),
  formula: unlessNeutral(Text),
  smoothing_intervals: unlessNeutral(Smoothing),
  sampling_factor: unlessNeutral(z.unknown()),
  aggregation_group_type_index: unlessNeutral(z.unknown())
}

const SERIES_FIELD = 'This is a field of a series.'
const QUERY_FIELD = 'This is a field of a `TrendsQuery`: send the whole node as `query`.'

const DATES = 'Send the range as `date_from` and `date_to`.'
const BREAKDOWN = 'Send a breakdown as `breakdown`, `breakdown_type` and so on, next to `events`.'
const FILTERS = 'Filter by `properties`.'

/** Reasons for refusing fields of other forms, and fields that only PostHog supports. */
const ELSEWHERE = {
  ...sameReason(['math', 'math_property', 'math_property_type', 'math_multiplier'], SERIES_FIELD),
  ...sameReason(['event', 'series_name'], 'Send the events as the list `events`.'),
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
      'dateRangeTo',
      'date_range_from',
      'date_range_to'
    ],
    DATES
  ),
  ...sameReason(['breakdown_filter', 'breakdownBy', 'breakdown_by'], BREAKDOWN),
  compare_filter: 'Send a comparison as `compare` and `compare_to`.',
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
    QUERY_FIELD
  )
}

/**
 * Reasons for refusing fields that would change the response to a request for a trend. A saved
 * insight may have them at the top level, but not in `filters`.
 */
const REFUSED_IN_REQUEST = {
  timezone: 'A trend is in the project’s time zone.',
  limit: 'A trend has no `limit`: `breakdown_limit` limits the values of a breakdown.',
  ...sameReason(['offset', 'format'], 'This is a parameter of the URL.'),
  ...sameReason(['search', 'distinct_id', 'distinct_ids', 'person_id'], FILTERS)
}

const REFUSED_IN_TREND = { ...ELSEWHERE, ...REFUSED_IN_REQUEST }

/** A filter object. */
export const LegacyFilter = refusing(z.object(FLAT_FIELDS), REFUSED_IN_TREND)

/** The body of a request: a trend in one of three forms, and the fields of an insight. */
export const TrendFields = refusing(
  z.object({ ...INSIGHT_FIELDS, ...FLAT_FIELDS }).meta({
    // The name of this schema in the API document.
    id: 'InsightFields',
    description:
      'A trend in one of three forms: `query`, `filters`, or the fields of `filters` at the top level. The other fields of an insight, such as `name`, have no effect.',
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
  REFUSED_IN_TREND
)

/** Reasons for refusing fields beside an insight's `filters` or `query`. */
export const MISPLACED = {
  ...ELSEWHERE,
  ...sameReason(Object.keys(FLAT_FIELDS), 'This is a field of `filters`.')
}

/** The fields of all three forms, as parameters of a URL: lists and objects are JSON. */
export const UrlFields = z.object({
  ...FLAT_FIELDS,
  query: INSIGHT_FIELDS.query,
  filters: jsonText(INSIGHT_FIELDS.filters).optional()
})
