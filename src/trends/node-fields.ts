import * as z from 'zod'
import { INTERVALS } from '../calendar/buckets.ts'
import {
  breakdown,
  EventName,
  entity,
  OptionalFlag,
  Smoothing,
  Text,
  Unsupported
} from './shared-fields.ts'

/**
 * Returns the schemas of fields that are accepted and ignored, because they do not change the
 * numbers or belong to maths and breakdowns that are refused.
 */
export const ignored = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]))

/** An object that may be missing: its fields then have their defaults. */
export const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.strictObject(shape))

/** A text that is `value` if the request leaves it out or empty. */
const textOr = <Value>(value: Value) => Text.transform((text) => text || value)

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

/** A `TrendsQuery` node, with its defaults. Unknown fields are refused, as in PostHog. */
export const TrendsNode = z.strictObject({
  kind: z.string(),
  series: z
    .array(EventsNode)
    .nullish()
    .transform((series) => series ?? []),
  dateRange: section({
    date_from: textOr('-7d'),
    date_to: textOr(undefined),
    explicitDate: Unsupported
  }),
  interval: z
    .enum(INTERVALS)
    .nullish()
    .transform((interval) => interval ?? 'day'),
  properties: z.unknown().optional(),
  filterTestAccounts: OptionalFlag,
  trendsFilter: section({
    display: textOr('ActionsLineGraph'),
    formula: Text,
    formulas: z.array(z.string()).nullish(),
    formulaNodes: z.array(FormulaNode).nullish(),
    smoothingIntervals: Smoothing.transform((points) => points ?? 1),
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
  }),
  breakdownFilter: section({
    ...breakdown,
    breakdown_path_cleaning: Unsupported,
    ...ignored('breakdown_group_type_index')
  }),
  compareFilter: section({ compare: OptionalFlag, compare_to: textOr(undefined) }),
  samplingFactor: z.unknown().optional(),
  aggregation_group_type_index: z.unknown().optional(),
  conversionGoal: Unsupported,
  modifiers: Unsupported,
  ...ignored('version', 'response', 'tags', 'dataColorTheme')
})
export type TrendsNode = z.infer<typeof TrendsNode>
