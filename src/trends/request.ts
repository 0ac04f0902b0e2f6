import type { Calendar } from '../calendar/buckets.ts'
import { AppError, renaming } from '../errors.ts'
import { isEmpty, type Json, type JsonObject } from '../input/json.ts'
import { parseInput } from '../input/parse.ts'
import { EVENT_FILTER_TYPES, type FilterGroup, isOneOf, leavesOf } from '../properties/filter.ts'
import { Patterns } from '../properties/pattern.ts'
import { type Reading, readFilters } from '../properties/read-filters.ts'
import { readBreakdowns } from './breakdowns.ts'
import { LegacyFilter, UrlFields } from './fields.ts'
import { readFormulas } from './formulas.ts'
import { readLegacyForm } from './legacy-form.ts'
import { MATH_NAMES } from './maths/table.ts'
import { TrendsNode } from './node-fields.ts'
import { expectKinds, readQueryForm } from './node-form.ts'
import type { SentNode } from './node-paths.ts'
import { readMathProperty, unsupported } from './property.ts'
import {
  DISPLAYS,
  MAX_SERIES,
  MAX_SERIES_FILTERS,
  type SeriesQuery,
  type TrendQuery
} from './query.ts'
import { readCompare, readTrendRange } from './range.ts'

/*
 * Each form of a request becomes a `TrendsQuery` node, and only nodes are checked. Errors name
 * paths in the node; `inRequest` names the field as it was sent.
 */

/** The settings of a project on which the meaning of a request depends. */
export type Settings = Calendar & { testAccountFilters: unknown[] }

/**
 * Reads the trend of a request from the first of `query`, `filters` and the flat form that has
 * series; undefined if none has.
 * @param ignoredFields receives the names of the fields that have no effect
 * @throws invalid_input and other errors of input, attr the field, for a field or value that would
 * change the trend and is not understood
 */
export function readTrend(
  fields: JsonObject,
  settings: Settings,
  now: Date,
  ignoredFields: string[] = []
): TrendQuery | undefined {
  const sent = findNode(fields, ignoredFields)
  return sent && toQuery(sent, settings, now)
}

/**
 * Reads the trend of a `TrendsQuery` node; errors name paths in the node.
 * @throws required, attr `series`, for a node without series; the errors of `readTrend`
 */
export function readTrendsNode(node: JsonObject, settings: Settings, now: Date): TrendQuery {
  const pathOf = (path: string): string => path
  expectKinds(node, pathOf)
  const sent = withSeries({ node, orders: undefined, pathOf })
  if (!sent) {
    throw new AppError('required', 'This field is required.', 'series')
  }
  return toQuery(sent, settings, now)
}

/**
 * Like `readTrend`, but leaves out property filters, breakdowns and formulas. The rest tells in
 * which range a trend needs events, and of which names.
 */
export function readOutline(
  fields: JsonObject,
  calendar: Calendar,
  now: Date
): TrendQuery | undefined {
  const sent = findNode(fields, [])
  if (!sent) {
    return undefined
  }
  const { series, trendsFilter, ...rest } = sent.node
  const { display, smoothingIntervals } = trendsFilter
  const node = {
    ...rest,
    series: series.map((one) => ({ ...one, properties: undefined, fixedProperties: undefined })),
    properties: undefined,
    filterTestAccounts: false,
    breakdownFilter: {},
    trendsFilter: { display, smoothingIntervals }
  }
  return toQuery({ ...sent, node }, { ...calendar, testAccountFilters: [] }, now)
}

/** A node whose fields have the right types. */
type Parsed = Omit<SentNode, 'node'> & { node: TrendsNode }

function findNode(fields: JsonObject, ignoredFields: string[]): Parsed | undefined {
  const filters = parseInput(UrlFields.shape.filters, fields.filters, ['filters'])
  return (
    withSeries(readQueryForm(fields.query)) ??
    withSeries(filters ? readLegacyForm(filters, ['filters'], ignoredFields) : undefined) ??
    withSeries(readLegacyForm(pickFlat(fields), [], ignoredFields))
  )
}

/** Only the flat form: the schema of the route has checked fields such as an insight's `name`. */
const pickFlat = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => Object.hasOwn(LegacyFilter.shape, name))
  )

function withSeries(sent: SentNode | undefined): Parsed | undefined {
  const node = sent && inRequest(sent, () => parseInput(TrendsNode, sent.node))
  return node && node.series.length > 0 ? { ...sent, node } : undefined
}

/** Gives an error that names a field, not a limit, the field's path in the request. */
export const inRequest = <Result>(
  { pathOf }: Pick<SentNode, 'pathOf'>,
  read: () => Result
): Result =>
  renaming(read, ({ code, attr }) => (code === 'query_too_large' ? attr : pathOf(attr ?? '')))

function toQuery(sent: Parsed, settings: Settings, now: Date): TrendQuery {
  const query = inRequest(sent, () => readNode(sent, settings, now))
  const formulas = query.formulas.map(({ at, ...formula }) => ({ at: sent.pathOf(at), ...formula }))
  return { ...query, formulas }
}

function readNode({ node, orders }: Parsed, settings: Settings, now: Date): TrendQuery {
  const { interval, dateRange, trendsFilter } = node
  const { display } = trendsFilter
  expectSupported(node)
  if (node.series.length > MAX_SERIES) {
    throw new AppError('query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series')
  }
  if (!isOneOf(DISPLAYS, display)) {
    throw unsupported('display', display, 'trendsFilter__display', DISPLAYS)
  }
  const { filters, series } = readAllFilters(node, orders, settings, now)
  return {
    series,
    ...readTrendRange(node, settings, now),
    interval,
    filters,
    display,
    ...readBreakdowns(node),
    compare: readCompare(node),
    formulas: readFormulas(node, series.length),
    smoothing: trendsFilter.smoothingIntervals,
    shown: {
      insight: 'TRENDS',
      interval,
      date_from: dateRange.date_from,
      date_to: dateRange.date_to ?? null,
      display
    }
  }
}

/**
 * Refuses fields that PostHog supports and this service does not, unless their value changes
 * nothing.
 * @throws invalid_input, attr the field
 */
function expectSupported({
  samplingFactor,
  aggregation_group_type_index: group,
  breakdownFilter: { breakdown, breakdowns }
}: TrendsNode): void {
  if (samplingFactor !== 1 && samplingFactor !== '1' && (samplingFactor ?? null) !== null) {
    throw unsupported('sampling factor', samplingFactor, 'samplingFactor')
  }
  if ((group ?? null) !== null) {
    throw unsupported('group type', group, 'aggregation_group_type_index')
  }
  if (breakdown && breakdowns?.length) {
    throw new AppError(
      'invalid_input',
      'A trend has one `breakdown` or several `breakdowns`, not both.',
      'breakdownFilter__breakdown'
    )
  }
}

/** Returns the property filters that all series share, and the series with their own filters. */
function readAllFilters(
  node: TrendsNode,
  orders: readonly number[] | undefined,
  settings: Settings,
  now: Date
): { filters: FilterGroup; series: SeriesQuery[] } {
  const reading = {
    timezone: settings.timezone,
    now,
    types: EVENT_FILTER_TYPES,
    patterns: new Patterns()
  }
  const read = (filters: unknown, attr: string) => readGroup(filters, attr, reading)
  const testAccounts = node.filterTestAccounts ? settings.testAccountFilters : []
  const filters: FilterGroup = {
    type: 'AND',
    values: [read(node.properties, 'properties'), read(testAccounts, 'filterTestAccounts')]
  }
  const series = node.series.map((one, i) =>
    readSeries(one, { at: `series__${i}`, order: orders?.[i] ?? i }, read)
  )
  const most = Math.max(...series.map((one) => leavesOf(one.filters).length))
  if (most + leavesOf(filters).length > MAX_SERIES_FILTERS) {
    throw new AppError(
      'query_too_large',
      `A series has at most ${MAX_SERIES_FILTERS} property filters.`,
      'filters'
    )
  }
  return { filters, series }
}

function readSeries(
  node: TrendsNode['series'][number],
  { at, order }: { at: string; order: number },
  read: (filters: unknown, attr: string) => FilterGroup
): SeriesQuery {
  const { event, name, custom_name, properties, fixedProperties } = node
  const math = node.math || 'total'
  if (!isOneOf(MATH_NAMES, math)) {
    throw unsupported('math', math, `${at}__math`, MATH_NAMES)
  }
  return {
    event,
    name: name || (event ?? 'All events'),
    customName: custom_name || null,
    order,
    math,
    property: readMathProperty(node, math, at),
    filters: {
      type: 'AND',
      values: [
        read(properties, `${at}__properties`),
        read(fixedProperties, `${at}__fixedProperties`)
      ]
    },
    // Only for the answer, which repeats them.
    properties: properties ?? {}
  }
}

/** Reads filters in any form. Without filters, returns an empty group. */
function readGroup(filters: unknown, attr: string, reading: Reading): FilterGroup {
  if (filters === undefined || filters === null || isEmpty(filters)) {
    return { type: 'AND', values: [] }
  }
  // The cast is safe: the filters were parsed from JSON.
  return renaming(
    () => readFilters(filters as Json, reading),
    () => attr
  )
}
