import * as z from 'zod'
import { INTERVALS } from '../calendar/buckets.ts'
import {
  breakdown,
  EventName,
  entity,
  Flag,
  Smoothing,
  Text,
  Unsupported
} from './shared-fields.ts'

/**
 * Returns the schemas of fields that are accepted and ignored, because they do not change the numbers
 * or belong to maths and breakdowns that are refused.
 */
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

/** A `TrendsQuery` node. Unknown fields are refused, as in PostHog. */
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
