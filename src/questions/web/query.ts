import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { ignored } from '../../trends/node-fields.ts'
import type { TrendQuery } from '../../trends/query.ts'
import { readTrendsNode, type Settings } from '../../trends/request.ts'
import { OptionalFlag, Unsupported } from '../../trends/shared-fields.ts'
import { sharedMembers } from '../shared-node.ts'
import {
  WEB_BREAKDOWN_NAMES,
  WEB_BREAKDOWNS,
  type WebBreakdown,
  type WebBreakdownName
} from './breakdowns.ts'

/** Rows of a table that an answer may have. */
export const MAX_ROWS = 10_000

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

/** The numbers by which a table can be sorted. */
const ORDERS = ['Visitors', 'Views', 'BounceRate'] as const
const DIRECTIONS = ['ASC', 'DESC'] as const

/** What a table shows. */
const tableMembers = {
  breakdownBy: z.enum(WEB_BREAKDOWN_NAMES),
  includeBounceRate: OptionalFlag,
  orderBy: z.tuple([z.enum(ORDERS), z.enum(DIRECTIONS)]).nullish(),
  limit: z.int().min(1).max(MAX_ROWS).nullish(),
  offset: z.int().min(0).nullish()
}

const TableNode = z.strictObject(tableMembers)

const WebStatsTableNode = z.strictObject({
  ...webMembers,
  ...tableMembers,
  includeScrollDepth: Unsupported,
  includeAvgTimeOnPage: Unsupported,
  includeHost: Unsupported
})

/** Tables in the answer to a `WebOverviewQuery`. */
const MAX_TABLES = 16

/** Names of events in the answer to a `WebOverviewQuery`. */
const MAX_EVENTS = 50

/** The buckets in which the numbers of a `WebOverviewQuery` can be shown. */
const BUCKETS = ['hour', 'day', 'week', 'month'] as const

const WebOverviewNode = z.strictObject({
  ...webMembers,
  interval: z.enum(BUCKETS).nullish(),
  tables: z
    .array(TableNode)
    .max(MAX_TABLES, `An overview has at most ${MAX_TABLES} tables.`)
    .nullish(),
  events: z.strictObject({ limit: z.int().min(1).max(MAX_EVENTS).nullish() }).nullish(),
  annotations: OptionalFlag,
  ...ignored('orderBy')
})

/** A `WebOverviewQuery`: the series of `trend` are page views and screens, in one bucket. */
export type WebOverviewQuery = {
  trend: TrendQuery
  /** The buckets of the numbers over time; undefined if they are not wanted. */
  interval: (typeof BUCKETS)[number] | undefined
  /** The tables that are wanted besides; undefined if the query has no list of them. */
  tables: WebTable[] | undefined
  /** The number of events to list; undefined for no list. */
  events: number | undefined
  /** Whether the annotations of the period are wanted. */
  hasAnnotations: boolean
}

/** The number by which a table is sorted. */
export type WebOrder = { number: (typeof ORDERS)[number]; isAscending: boolean }

/** A table of views. */
export type WebTable = {
  breakdownBy: WebBreakdownName
  breakdown: WebBreakdown
  /** Whether the rows are pages, whose bounce rate is that of the sessions that entered there. */
  isByPage: boolean
  hasBounceRate: boolean
  orderBy: WebOrder | undefined
  limit: number | undefined
  offset: number
}

/** A `WebStatsTableQuery`: see `WebOverviewQuery`. */
export type WebTableQuery = { trend: TrendQuery; table: WebTable }

/**
 * Reads a `WebOverviewQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export function readWebOverview(node: JsonObject, settings: Settings, now: Date): WebOverviewQuery {
  const { interval, tables, events, annotations, ...shared } = parseInput(WebOverviewNode, node)
  return {
    trend: readViews(shared, settings, now),
    interval: interval ?? undefined,
    tables: tables?.map((table, i) => readTable(table, `tables__${i}__`)),
    events: events ? (events.limit ?? DEFAULT_EVENTS) : undefined,
    hasAnnotations: annotations ?? false
  }
}

/** Events that are listed unless a query has a `limit`. */
const DEFAULT_EVENTS = 10

/**
 * Reads a `WebStatsTableQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export function readWebTable(node: JsonObject, settings: Settings, now: Date): WebTableQuery {
  const read = parseInput(WebStatsTableNode, node)
  return { trend: readViews(read, settings, now), table: readTable(read, '') }
}

/** @param path where the node has the table */
function readTable(
  { breakdownBy, includeBounceRate, orderBy, limit, offset }: z.output<typeof TableNode>,
  path: string
): WebTable {
  const hasBounceRate = includeBounceRate ?? false
  const [number, direction] = orderBy ?? []
  if (number === 'BounceRate' && !hasBounceRate) {
    throw new AppError(
      'invalid_input',
      'A table is sorted by `BounceRate` with `includeBounceRate: true` only.',
      `${path}orderBy`
    )
  }
  return {
    breakdownBy,
    breakdown: WEB_BREAKDOWNS[breakdownBy],
    isByPage: breakdownBy === 'Page',
    hasBounceRate,
    orderBy: number && { number, isAscending: direction === 'ASC' },
    limit: limit ?? undefined,
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
