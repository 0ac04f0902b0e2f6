import * as z from 'zod'
import { bucketsBefore, bucketsFrom, type Interval, startOf } from '../../calendar/buckets.ts'
import { AppError, renaming } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import type { MathName } from '../../trends/maths/table.ts'
import { ignored, section } from '../../trends/node-fields.ts'
import type { TrendQuery } from '../../trends/query.ts'
import type { Settings } from '../../trends/request.ts'
import { Text, Unsupported } from '../../trends/shared-fields.ts'
import { readShared, sharedMembers, silentMembers } from '../shared-node.ts'
import {
  columnsOf,
  RETENTION_PERIODS,
  type RetentionColumns,
  type RetentionPeriod
} from './columns.ts'

/** Periods after the first that a table may have, in all its columns together. */
const MAX_PERIODS = 1_000

/** Events per period that a return may need. */
const MAX_OCCURRENCES = 1_000_000

const Entity = z.strictObject({
  id: z.string().min(1).max(1_000).nullable(),
  type: z.literal('events').nullish(),
  kind: z.literal('EventsNode').nullish(),
  name: Text,
  custom_name: Text,
  properties: z.unknown().optional(),
  ...ignored('order', 'uuid')
})

const RETENTION_TYPES = [
  'retention_recurring',
  'retention_first_time',
  'retention_first_ever_occurrence'
] as const

const RetentionNode = z.strictObject({
  kind: z.string(),
  ...sharedMembers,
  dateRange: section({ date_from: Text, date_to: Text, explicitDate: z.unknown().optional() }),
  breakdownFilter: z.unknown().optional(),
  retentionFilter: section({
    targetEntity: Entity.nullish(),
    returningEntity: Entity.nullish(),
    retentionType: z.enum(RETENTION_TYPES).nullish(),
    period: z.enum(RETENTION_PERIODS).nullish(),
    totalIntervals: z.int().min(1).max(MAX_PERIODS).nullish(),
    minimumOccurrences: z.int().min(1).max(MAX_OCCURRENCES).nullish(),
    cumulative: z.boolean().nullish(),
    timeWindowMode: z.literal('strict_calendar_dates').nullish(),
    retentionCustomBrackets: z.array(z.int().min(1).max(MAX_PERIODS)).max(MAX_PERIODS).nullish(),
    aggregationType: z.literal('count').nullish(),
    aggregationProperty: Unsupported,
    ...ignored(
      'aggregationPropertyType',
      'cohortLabelStartIndex',
      'dashboardDisplay',
      'display',
      'goalLines',
      'meanRetentionCalculation',
      'retentionReference',
      'selectedInterval',
      'showTrendLines'
    )
  }),
  ...silentMembers
})
type RetentionNode = z.infer<typeof RetentionNode>
type RetentionFilter = RetentionNode['retentionFilter']

export type RetentionQuery = {
  /**
   * Two series: the events that make a row's members, and those by which they come back. Each
   * bucket is a row.
   */
  trend: TrendQuery
  /** Whether each actor is in the row of its first event only. */
  isFirstOnly: boolean
  period: RetentionPeriod
  columns: RetentionColumns
  minimumOccurrences: number
  isCumulative: boolean
}

const MATHS_OF_TYPES: Record<(typeof RETENTION_TYPES)[number], MathName> = {
  retention_recurring: 'dau',
  retention_first_time: 'first_matching_event_for_user',
  retention_first_ever_occurrence: 'first_time_for_user'
}

const INTERVALS_OF_PERIODS: Record<RetentionPeriod, Interval> = {
  Hour: 'hour',
  Day: 'day',
  Week: 'week',
  Month: 'month'
}

const DEFAULT_INTERVALS = 8

/**
 * Reads a `RetentionQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export function readRetention(node: JsonObject, settings: Settings, now: Date): RetentionQuery {
  const { retentionFilter: filter, ...shared } = parseInput(RetentionNode, node)
  const type = filter.retentionType ?? 'retention_recurring'
  const period = filter.period ?? 'Day'
  const columns = columnsOf(period, readLengths(filter))
  const { dateRange } = shared
  const asked = renaming(
    () =>
      readShared(
        {
          ...shared,
          // Without a start, the range is set below.
          dateRange: { ...dateRange, date_from: dateRange.date_from || 'all' },
          interval: INTERVALS_OF_PERIODS[period],
          series: [
            { ...toSeries(filter.targetEntity), math: MATHS_OF_TYPES[type] },
            { ...toSeries(filter.returningEntity), math: 'dau' }
          ]
        },
        settings,
        now
      ),
    ({ attr }) => attr && toRetentionPath(attr)
  )
  expectOneBreakdown(asked)
  const rows = dateRange.date_from ? undefined : (filter.totalIntervals ?? DEFAULT_INTERVALS)
  return {
    trend: { ...asked, ...wholePeriods(asked, rows, settings) },
    isFirstOnly: type !== 'retention_recurring',
    period,
    columns,
    minimumOccurrences: filter.minimumOccurrences ?? 1,
    isCumulative: filter.cumulative ?? false
  }
}

/** Returns how many periods each column after column 0 has. */
function readLengths({ retentionCustomBrackets, totalIntervals }: RetentionFilter): number[] {
  const brackets = retentionCustomBrackets ?? []
  if (brackets.reduce((sum, length) => sum + length, 0) > MAX_PERIODS) {
    throw new AppError(
      'invalid_input',
      `The brackets have more than ${MAX_PERIODS} periods.`,
      'retentionFilter__retentionCustomBrackets'
    )
  }
  return brackets.length > 0
    ? brackets
    : Array.from({ length: (totalIntervals ?? DEFAULT_INTERVALS) - 1 }, () => 1)
}

function toSeries(entity: RetentionFilter['targetEntity']): object {
  const { id, name, custom_name, properties } = entity ?? { id: '$pageview' }
  return { kind: 'EventsNode', event: id, name, custom_name, properties }
}

/** `series__0__event` → `retentionFilter__targetEntity__id` */
const toRetentionPath = (path: string): string =>
  path
    .replace(/^series__0/, 'retentionFilter__targetEntity')
    .replace(/^series__1/, 'retentionFilter__returningEntity')
    .replace(/^interval$/, 'retentionFilter__period')
    .replace(/Entity__event$/, 'Entity__id')

function expectOneBreakdown({ breakdowns }: TrendQuery): void {
  const at = 'breakdownFilter__breakdowns'
  if (breakdowns.length > 1) {
    throw new AppError('invalid_input', 'Retention has at most one breakdown.', at)
  }
  if (breakdowns.some(({ binCount }) => binCount !== undefined)) {
    throw new AppError('invalid_input', 'Retention has no bins.', at)
  }
}

/**
 * Extends a range to the end of its last period. With a number of rows, begins it so many periods
 * before.
 */
function wholePeriods(
  { from, until, interval }: TrendQuery,
  rows: number | undefined,
  settings: Settings
): Pick<TrendQuery, 'from' | 'until'> {
  const [last] = bucketsFrom(until - 1, 1, interval, settings)
  if (!last) {
    return { from, until }
  }
  if (rows === undefined) {
    const start = from === 'all' ? from : startOf(from, interval, settings).time
    return { from: start, until: last.until }
  }
  const before = Array.from({ length: rows - 1 }, () => last)
  const [first = last] = bucketsBefore(before, interval, settings)
  return { from: first.from, until: last.until }
}
