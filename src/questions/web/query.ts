import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { ignored } from '../../trends/node-fields.ts'
import type { TrendQuery } from '../../trends/query.ts'
import { readTrendsNode, type Settings } from '../../trends/request.ts'
import { OptionalFlag, Unsupported } from '../../trends/shared-fields.ts'
import { DEFAULT_ROWS } from '../list-fields.ts'
import { sharedMembers } from '../shared-node.ts'
import {
  WEB_BREAKDOWN_NAMES,
  WEB_BREAKDOWNS,
  type WebBreakdown,
  type WebBreakdownName
} from './breakdowns.ts'

/** Rows of a table that an answer may have. */
const MAX_ROWS = 10_000

/** Seconds after which a session is no bounce. */
const BOUNCE_SECONDS = 10

const webMembers = {
  kind: z.string(),
  ...sharedMembers,
  compareFilter: z.unknown().optional(),
  doPathCleaning: OptionalFlag.refine(
    (isAsked) => !isAsked,
    'Paths are shown as they are: projects have no rules for cleaning them.'
  ),
  conversionGoal: Unsupported,
  includeRevenue: Unsupported,
  modifiers: z
    .looseObject({
      bounceRateDurationSeconds: z
        .literal(BOUNCE_SECONDS, `A bounce lasts less than ${BOUNCE_SECONDS} seconds.`)
        .nullish(),
      bounceRatePageViewMode: z
        .literal('count_pageviews', 'Only `count_pageviews` is supported.')
        .nullish(),
      customChannelTypeRules: Unsupported
    })
    .nullish(),
  // These change no number.
  ...ignored(
    'dataColorTheme',
    'response',
    'sampling',
    'tags',
    'useSessionsTable',
    'useWebAnalyticsPrecompute',
    'version'
  )
}

const WebOverviewNode = z.strictObject({ ...webMembers, ...ignored('orderBy') })

/** The numbers by which a table can be sorted. */
const ORDERS = ['Visitors', 'Views', 'BounceRate'] as const
const DIRECTIONS = ['ASC', 'DESC'] as const

const WebStatsTableNode = z.strictObject({
  ...webMembers,
  breakdownBy: z.enum(WEB_BREAKDOWN_NAMES),
  includeBounceRate: OptionalFlag,
  includeScrollDepth: Unsupported,
  includeAvgTimeOnPage: Unsupported,
  includeHost: Unsupported,
  orderBy: z.tuple([z.enum(ORDERS), z.enum(DIRECTIONS)]).nullish(),
  limit: z.int().min(1).max(MAX_ROWS).nullish(),
  offset: z.int().min(0).nullish()
})

/** A `WebOverviewQuery`: the series of `trend` are page views and screens, in one bucket. */
export type WebOverviewQuery = { trend: TrendQuery }

/** The number by which a table is sorted. */
export type WebOrder = { number: (typeof ORDERS)[number]; isAscending: boolean }

/** A `WebStatsTableQuery`: see `WebOverviewQuery`. */
export type WebTableQuery = {
  trend: TrendQuery
  breakdownBy: WebBreakdownName
  breakdown: WebBreakdown
  /** Whether the rows are pages, whose bounce rate is that of the sessions that entered there. */
  isByPage: boolean
  hasBounceRate: boolean
  orderBy: WebOrder | undefined
  limit: number
  offset: number
}

/**
 * Reads a `WebOverviewQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export const readWebOverview = (
  node: JsonObject,
  settings: Settings,
  now: Date
): WebOverviewQuery => ({
  trend: readViews(parseInput(WebOverviewNode, node), settings, now)
})

/**
 * Reads a `WebStatsTableQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export function readWebTable(node: JsonObject, settings: Settings, now: Date): WebTableQuery {
  const read = parseInput(WebStatsTableNode, node)
  const { breakdownBy, includeBounceRate, orderBy, limit, offset } = read
  const hasBounceRate = includeBounceRate ?? false
  const [number, direction] = orderBy ?? []
  if (number === 'BounceRate' && !hasBounceRate) {
    throw new AppError(
      'invalid_input',
      'A table is sorted by `BounceRate` with `includeBounceRate: true` only.',
      'orderBy'
    )
  }
  return {
    trend: readViews(read, settings, now),
    breakdownBy,
    breakdown: WEB_BREAKDOWNS[breakdownBy],
    isByPage: breakdownBy === 'Page',
    hasBounceRate,
    orderBy: number && { number, isAscending: direction === 'ASC' },
    limit: limit ?? DEFAULT_ROWS,
    offset: offset ?? 0
  }
}

type SharedMembers = Record<keyof typeof sharedMembers | 'compareFilter', unknown>

/** Reads the shared members as those of a trend of page views and screens in one bucket. */
const readViews = (
  {
    dateRange,
    properties,
    filterTestAccounts,
    samplingFactor,
    aggregation_group_type_index,
    compareFilter
  }: Partial<SharedMembers>,
  settings: Settings,
  now: Date
): TrendQuery =>
  readTrendsNode(
    // The cast is safe: the members were parsed from JSON.
    {
      kind: 'TrendsQuery',
      series: ['$pageview', '$screen'].map((event) => ({ kind: 'EventsNode', event, math: 'dau' })),
      trendsFilter: { display: 'BoldNumber' },
      dateRange,
      properties,
      filterTestAccounts,
      samplingFactor,
      aggregation_group_type_index,
      compareFilter
    } as JsonObject,
    settings,
    now
  )
