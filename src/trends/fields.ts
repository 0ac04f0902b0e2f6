import * as z from 'zod'
import { jsonText } from '../parameters.ts'
import { INTERVALS } from './buckets.ts'
import { MAX_SMOOTHING } from './query.ts'

/** The fields of an insight that the interface documents; those of `LegacyFilter` may stand beside them. */
export const InsightFields = z
  .looseObject({
    name: z.string().max(400).nullish(),
    derived_name: z.string().max(400).nullish(),
    filters: z
      .record(z.string(), z.unknown())
      .nullish()
      .meta({ description: 'A filter object: `events`, `date_from`, `interval`, `breakdown`…' }),
    query: z
      .union([z.string(), z.record(z.string(), z.unknown())], 'A query is an object, or its JSON.')
      .nullish()
      .meta({ description: 'A `TrendsQuery` node, as an object or as JSON text, also inside an `InsightVizNode`.' }),
    order: z.int().nullish(),
    deleted: z.boolean().optional(),
    dashboards: z.array(z.int()).optional().meta({ deprecated: true, description: 'Use dashboard_tiles instead.' }),
    description: z.string().max(10_000).nullish(),
    tags: z.array(z.string().max(400)).max(1_000).optional(),
    favorited: z.boolean().optional(),
    saved: z.boolean().optional()
  })
  .meta({
    id: 'InsightFields',
    description: 'A trend in any of three forms: `query`, `filters`, or what `filters` holds beside the other fields.',
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
  })

const Text = z.string().max(1_000).nullish()
const Count = z.coerce.number().int().min(1).nullish()
const Smoothing = z.coerce.number().int().min(1).max(MAX_SMOOTHING).nullish()
const Flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean().nullish()
)

const entity = {
  name: Text,
  custom_name: Text,
  math: Text,
  math_property: Text,
  math_property_type: Text,
  properties: z.unknown().optional()
}

const Breakdown = z.object({
  property: z.string().min(1).max(400),
  type: Text,
  histogram_bin_count: Count,
  normalize_url: Flag
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

/** A filter object, as PostHog's clients have long sent it. */
export const LegacyFilter = z.object({
  insight: Text,
  shown_as: Text,
  events: jsonText(
    z.array(z.object({ id: Text, order: z.coerce.number().int().nullish(), ...entity })).nullish()
  ).optional(),
  actions: jsonText(z.array(z.unknown()).nullish()).optional(),
  date_from: Text,
  date_to: Text,
  interval: z.enum(INTERVALS).nullish(),
  properties: jsonText(z.unknown()).optional(),
  filter_test_accounts: Flag,
  display: Text,
  ...breakdown,
  compare: Flag,
  compare_to: Text,
  formula: Text,
  smoothing_intervals: Smoothing,
  sampling_factor: z.unknown().optional(),
  aggregation_group_type_index: z.unknown().optional()
})

const FormulaNode = z.object({ formula: z.string(), custom_name: Text })

export const TrendsNode = z.object({
  series: z
    .array(z.object({ kind: z.string(), event: Text, fixedProperties: z.unknown().optional(), ...entity }))
    .nullish(),
  dateRange: z.object({ date_from: Text, date_to: Text }).nullish(),
  interval: z.enum(INTERVALS).nullish(),
  properties: z.unknown().optional(),
  filterTestAccounts: Flag,
  trendsFilter: z
    .object({
      display: Text,
      formula: Text,
      formulas: z.array(z.string()).nullish(),
      formulaNodes: z.array(FormulaNode).nullish(),
      smoothingIntervals: Smoothing
    })
    .nullish(),
  breakdownFilter: BreakdownFilter.nullish(),
  compareFilter: z.object({ compare: Flag, compare_to: Text }).nullish(),
  samplingFactor: z.unknown().optional(),
  aggregation_group_type_index: z.unknown().optional()
})
