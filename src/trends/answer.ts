import * as z from 'zod'
import { type Bucket, daysOf, type Interval, labelsOf } from '../calendar/buckets.ts'
import { OTHERS, type Value } from '../columns/grouping.ts'
import { AppError } from '../errors.ts'
import { showBin } from './bins.ts'
import type { Line } from './lines.ts'
import {
  type BinnedQuery,
  isAggregated,
  isCumulative,
  type SeriesQuery,
  type TrendQuery
} from './query.ts'
import { sum } from './sum.ts'
import { NONE, OTHER } from './value-names.ts'

const Action = z.object({
  id: z.string().nullable(),
  type: z.literal('events'),
  order: z.int(),
  name: z.string(),
  custom_name: z.string().nullable(),
  math: z.string(),
  math_property: z.string().nullable(),
  math_hogql: z.null(),
  math_group_type_index: z.null(),
  properties: z.unknown()
})

export const TrendSeries = z.object({
  action: Action.nullable().meta({
    description: 'The series as it was asked for; null for a formula.'
  }),
  label: z.string(),
  count: z
    .number()
    .meta({ description: 'The sum of `data`; in a cumulative display, its last number.' }),
  data: z.array(z.number()),
  labels: z.array(z.string()),
  days: z
    .array(z.string())
    .meta({ description: 'Where each bucket begins, on the clock of the project.' }),
  aggregated_value: z
    .number()
    .optional()
    .meta({ description: 'The number for the whole range, in displays without a time axis.' }),
  breakdown_value: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({
      description: `The value of the breakdown; \`${OTHER}\` for all values beyond the limit, \`${NONE}\` for events without a value, and \`[10,17.5]\` for a bin from 10 up to 17.5. A request with \`breakdowns\` gets a list of values, even with one breakdown.`
    }),
  compare: z.literal(true).optional(),
  compare_label: z.enum(['current', 'previous']).optional(),
  filter: z.record(z.string(), z.unknown())
})
export type TrendSeries = z.infer<typeof TrendSeries>

export const TrendAnswer = z
  .object({
    result: z.array(TrendSeries),
    timezone: z.string(),
    last_refresh: z.iso.datetime(),
    is_cached: z.boolean(),
    next: z
      .url()
      .nullable()
      .meta({ description: 'The next breakdown values, when there are more than the limit.' })
  })
  .meta({
    id: 'Trend',
    examples: [
      {
        result: [
          {
            action: {
              id: '$pageview',
              type: 'events',
              order: 0,
              name: '$pageview',
              custom_name: null,
              math: 'total',
              math_property: null,
              math_hogql: null,
              math_group_type_index: null,
              properties: {}
            },
            label: '$pageview',
            count: 7,
            data: [0, 3, 4],
            labels: ['1-Jun-2025', '2-Jun-2025', '3-Jun-2025'],
            days: ['2025-06-01', '2025-06-02', '2025-06-03'],
            filter: { insight: 'TRENDS', interval: 'day' }
          }
        ],
        timezone: 'UTC',
        last_refresh: '2025-06-03T09:00:00Z',
        is_cached: false,
        next: null
      }
    ]
  })
export type TrendAnswer = z.infer<typeof TrendAnswer>

/**
 * The buckets of a line's numbers with their labels. In a comparison, `label` says which of the two
 * periods this is.
 */
export type Period = {
  buckets: Bucket[]
  labels: string[]
  days: string[]
  label: 'current' | 'previous' | undefined
}

/** All lines share a period, because its lists are long: a year by the hour has 8,760 texts. */
export const toPeriod = (
  buckets: Bucket[],
  interval: Interval,
  label: Period['label']
): Period => ({
  buckets,
  labels: label ? buckets.map((_, i) => `${interval} ${i}`) : labelsOf(buckets, interval),
  days: daysOf(buckets, interval),
  label
})

/**
 * Returns a line of a series or a formula as PostHog shows it.
 * @throws invalid_input, attr `series` or `formula`, for a number too large for a double
 */
export function toSeries(
  query: BinnedQuery,
  period: Period,
  { data, value }: Line,
  of: { series: SeriesQuery } | { formula: string }
): TrendSeries {
  const action = 'series' in of ? toAction(of.series) : null
  const label = labelOfLine(query, value, of)
  const shared = {
    ...(query.breakdowns.length > 0 && { breakdown_value: toBreakdownValue(query, value) }),
    ...(period.label && { compare: true as const, compare_label: period.label }),
    filter: query.shown
  }
  if (!data.every(Number.isFinite)) {
    throw new AppError('invalid_input', `The numbers of ${label} are too large.`, attrOf(of))
  }
  if (isAggregated(query)) {
    return {
      action,
      label,
      count: 0,
      data: [],
      labels: [],
      days: [],
      aggregated_value: data[0] ?? 0,
      ...shared
    }
  }
  return {
    action,
    label,
    count: toFinite(totalOf(query, data)),
    data,
    labels: period.labels,
    days: period.days,
    ...shared
  }
}

const attrOf = (of: object): string => ('series' in of ? 'series' : 'formula')

/** Returns the name of a series or formula, or the breakdown value, or both if needed. */
function labelOfLine(
  query: BinnedQuery,
  value: Value,
  of: { series: SeriesQuery } | { formula: string }
): string {
  const isSeries = 'series' in of
  const name = isSeries ? (of.series.customName ?? of.series.name) : of.formula
  if (query.breakdowns.length === 0) {
    return name
  }
  const isAlone = (isSeries ? query.series : query.formulas).length === 1
  return isAlone ? nameOf(query, value) : `${name} - ${nameOf(query, value)}`
}

/**
 * Replaces an infinite number by the largest finite one: the sum of finite numbers may be infinite.
 */
const toFinite = (number: number): number =>
  Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, number))

/**
 * Returns the total of a line: the sum of its points, or the last point of a cumulative display.
 */
export const totalOf = (query: Pick<TrendQuery, 'display'>, data: readonly number[]): number =>
  isCumulative(query) ? (data.at(-1) ?? 0) : sum(data)

/** Returns a series as an answer repeats it. */
export const toAction = ({
  event,
  name,
  customName,
  order,
  math,
  property,
  properties
}: SeriesQuery) => ({
  id: event,
  type: 'events' as const,
  order,
  name,
  custom_name: customName,
  math,
  math_property: property?.key ?? null,
  math_hogql: null,
  math_group_type_index: null,
  properties
})

/**
 * Returns the texts that show a value in the answer: one for each breakdown, but a single text for
 * "Other". With several breakdowns, the value is a JSON list of a text for each of them, or null
 * where the event has none.
 */
function partsOf({ breakdowns }: BinnedQuery, value: Value): string[] {
  if (value === OTHERS) {
    return [OTHER]
  }
  if (value === null) {
    return breakdowns.map(() => NONE)
  }
  const parts =
    breakdowns.length > 1 ? z.array(z.string().nullable()).parse(JSON.parse(value)) : [value]
  return parts.map((part, i) => {
    const bins = breakdowns[i]?.bins
    if (part === null) {
      return NONE
    }
    return bins ? showBin(bins, part) : part
  })
}

function toBreakdownValue(query: BinnedQuery, value: Value): string | string[] {
  const parts = partsOf(query, value)
  if (!query.listsBreakdowns) {
    return parts[0] ?? NONE
  }
  return parts.length === 1 ? query.breakdowns.map(() => parts[0] ?? NONE) : parts
}

const TITLES: ReadonlyMap<string, string> = new Map([
  [OTHER, 'Other (i.e. all remaining values)'],
  [NONE, 'None (i.e. no value)']
])

function nameOf(query: BinnedQuery, value: Value): string {
  const parts = partsOf(query, value)
  return parts.map((part) => TITLES.get(part) ?? part).join('::')
}

/** Returns the answer as a table with a row for each series and a column for each bucket. */
export function toTable({ result }: Pick<TrendAnswer, 'result'>): (string | number)[][] {
  const [first] = result
  const isAggregatedAnswer = first?.aggregated_value !== undefined
  const header = ['series', ...(isAggregatedAnswer ? ['value'] : (first?.labels ?? []))]
  const rows = result.map(
    ({ label, action, breakdown_value, compare_label, aggregated_value, data }) => {
      const name = breakdown_value === undefined ? (action?.custom_name ?? label) : label
      return [
        compare_label === 'previous' ? `${name} (previous)` : name,
        ...(aggregated_value === undefined ? data : [aggregated_value])
      ]
    }
  )
  return [header, ...rows]
}
