import type * as z from 'zod'
import { AppError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { parseInput } from '../parse.ts'
import { type FilterGroup, isOneOf, leavesOf, PROPERTY_TYPES, readFilters } from '../properties/filter.ts'
import { readBreakdowns } from './breakdowns.ts'
import type { Calendar, Interval } from './buckets.ts'
import { readFrom, readUntil } from './dates.ts'
import { type BreakdownFilter, LegacyFilter, TrendsNode } from './fields.ts'
import { FormulaError, readFormula } from './formula.ts'
import { readProperty, show, unsupported } from './property.ts'
import {
  DISPLAYS,
  MATHS,
  MAX_BREAKDOWN_LIMIT,
  MAX_FORMULAS,
  MAX_SERIES,
  MAX_SERIES_FILTERS,
  PROPERTY_MATHS,
  type Property,
  type Series,
  type TrendQuery
} from './query.ts'

/** What reading a request needs to know of the project. */
export type Settings = Calendar & { testAccountFilters: unknown[] }

/** A query of either form under the names of the legacy one; `at` tells where the request has a field. */
type Draft = {
  at: (name: string) => string
  series: Entity[]
  dateFrom: string
  dateTo: string | undefined
  interval: Interval
  properties: unknown
  filtersTestAccounts: boolean
  display: string
  breakdown: BreakdownFilter
  compare: boolean
  compareTo: string | undefined
  formulas: { at: string; text: string; name: string | undefined }[]
  smoothing: number
  unsupported: Record<string, unknown>
}

type Entity = { at: string; event: string | null; order: number; filters: unknown[] } & Pick<
  NonNullable<z.infer<typeof LegacyFilter>['events']>[number],
  'name' | 'custom_name' | 'math' | 'math_property' | 'math_property_type' | 'properties'
>

/**
 * The trend that a request asks for: the first of `query`, `filters` and the flat form that has series. Undefined when
 * none has.
 * @throws invalid_input and the like, attr the field: nothing that is not understood is left out silently
 */
export function readTrend(fields: JsonObject, settings: Settings, now: Date): TrendQuery | undefined {
  const { query, filters } = fields
  const draft =
    withSeries(readQuery(query)) ??
    withSeries(isObject(filters) ? readLegacy(filters, ['filters']) : undefined) ??
    withSeries(readLegacy(fields, []))
  return draft && finish(draft, settings, now)
}

/** The fields of a filter object that a URL has. */
export const readUrl = (url: string): JsonObject =>
  Object.fromEntries([...new URL(url).searchParams].filter(([name]) => Object.hasOwn(LegacyFilter.shape, name)))

const withSeries = (draft: Draft | undefined) => (draft && draft.series.length > 0 ? draft : undefined)

function readLegacy(input: JsonObject, path: string[]): Draft {
  const filter = parseInput(LegacyFilter, input, path)
  const at = (name: string) => [...path, name].join('__')
  if (filter.insight && filter.insight !== 'TRENDS') throw unsupported('insight', filter.insight, at('insight'))
  if (filter.shown_as && filter.shown_as !== 'Volume')
    throw unsupported('form of an insight', filter.shown_as, at('shown_as'))
  if (filter.actions && filter.actions.length > 0)
    throw new AppError('invalid_input', 'Actions are not supported: only events are.', at('actions'))
  return {
    at,
    series: inOrder(filter.events ?? []).map(({ id, order, i, ...rest }) => ({
      ...rest,
      at: `${at('events')}__${i}`,
      event: id || null,
      order: order ?? i,
      filters: [rest.properties]
    })),
    dateFrom: filter.date_from || '-7d',
    dateTo: filter.date_to || undefined,
    interval: filter.interval ?? 'day',
    properties: filter.properties,
    filtersTestAccounts: filter.filter_test_accounts ?? false,
    display: filter.display || 'ActionsLineGraph',
    breakdown: filter,
    compare: filter.compare ?? false,
    compareTo: filter.compare_to || undefined,
    formulas: filter.formula ? [{ at: at('formula'), text: filter.formula, name: undefined }] : [],
    smoothing: filter.smoothing_intervals ?? 1,
    unsupported: {
      sampling_factor: filter.sampling_factor,
      aggregation_group_type_index: filter.aggregation_group_type_index
    }
  }
}

/** Events with where the request has them; in their order, if all have one. */
function inOrder<T extends { order?: number | null | undefined }>(events: readonly T[]): (T & { i: number })[] {
  const placed = events.map((event, i) => ({ ...event, i }))
  const isOrdered = placed.every(({ order }) => typeof order === 'number')
  return isOrdered ? placed.sort((a, b) => (a.order ?? 0) - (b.order ?? 0)) : placed
}

/** Where a node has what the legacy form has at the top. */
const NODE_PATHS: Record<string, string> = {
  date_from: 'dateRange__date_from',
  date_to: 'dateRange__date_to',
  filter_test_accounts: 'filterTestAccounts',
  display: 'trendsFilter__display',
  breakdown: 'breakdownFilter__breakdown',
  breakdown_type: 'breakdownFilter__breakdown_type',
  breakdowns: 'breakdownFilter__breakdowns',
  breakdown_limit: 'breakdownFilter__breakdown_limit',
  breakdown_normalize_url: 'breakdownFilter__breakdown_normalize_url',
  breakdown_histogram_bin_count: 'breakdownFilter__breakdown_histogram_bin_count',
  compare: 'compareFilter__compare',
  compare_to: 'compareFilter__compare_to',
  sampling_factor: 'samplingFactor'
}

function readQuery(query: Json | undefined): Draft | undefined {
  const outer = typeof query === 'string' && query.trim() !== '' ? parseJson(query) : query
  if (!isObject(outer)) {
    if (outer === undefined || outer === null || outer === '') return undefined
    throw new AppError('invalid_input', 'A query is an object.', 'query')
  }
  if (Object.keys(outer).length === 0) return undefined
  const isWrapped = outer.kind === 'InsightVizNode'
  const path = isWrapped ? ['query', 'source'] : ['query']
  const at = (name: string) => [...path, NODE_PATHS[name] ?? name].join('__')
  const inner = isWrapped ? outer.source : outer
  const kind = isObject(inner) ? inner.kind : undefined
  if (kind !== 'TrendsQuery') throw unsupported('kind of query', kind, at('kind'))

  for (const [i, one] of (isObject(inner) && Array.isArray(inner.series) ? inner.series : []).entries())
    if (isObject(one) && one.kind !== 'EventsNode')
      throw unsupported('kind of series', one.kind, `${at('series')}__${i}__kind`)
  const node = parseInput(TrendsNode, inner, path)
  const { trendsFilter } = node
  return {
    at,
    series: (node.series ?? []).map((one, i) => ({
      ...one,
      at: `${at('series')}__${i}`,
      event: one.event || null,
      order: i,
      filters: [one.properties, one.fixedProperties]
    })),
    dateFrom: node.dateRange?.date_from || '-7d',
    dateTo: node.dateRange?.date_to || undefined,
    interval: node.interval ?? 'day',
    properties: node.properties,
    filtersTestAccounts: node.filterTestAccounts ?? false,
    display: trendsFilter?.display || 'ActionsLineGraph',
    breakdown: node.breakdownFilter ?? {},
    compare: node.compareFilter?.compare ?? false,
    compareTo: node.compareFilter?.compare_to || undefined,
    formulas: formulasOf(trendsFilter ?? {}, at('trendsFilter')),
    smoothing: trendsFilter?.smoothingIntervals ?? 1,
    unsupported: {
      sampling_factor: node.samplingFactor,
      aggregation_group_type_index: node.aggregation_group_type_index
    }
  }
}

/** The newest of the ways to write formulas that is used. */
function formulasOf(
  { formulaNodes, formulas, formula }: NonNullable<z.infer<typeof TrendsNode>['trendsFilter']>,
  at: string
): Draft['formulas'] {
  if (formulaNodes?.length)
    return formulaNodes.map(({ formula: text, custom_name }, i) => ({
      at: `${at}__formulaNodes__${i}__formula`,
      text,
      name: custom_name || undefined
    }))
  if (formulas?.length) return formulas.map((text, i) => ({ at: `${at}__formulas__${i}`, text, name: undefined }))
  return formula ? [{ at: `${at}__formula`, text: formula, name: undefined }] : []
}

function finish(draft: Draft, settings: Settings, now: Date): TrendQuery {
  const { at, interval } = draft
  for (const [name, value] of Object.entries(draft.unsupported))
    if (value !== undefined && value !== null && value !== 1) throw unsupported(name, value, at(name))
  if (draft.series.length > MAX_SERIES)
    throw new AppError('query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series')
  if (draft.formulas.length > MAX_FORMULAS)
    throw new AppError('query_too_large', `A trend has at most ${MAX_FORMULAS} formulas.`, 'formulas')
  if (!isOneOf(DISPLAYS, draft.display)) throw unsupported('display', draft.display, at('display'))

  const read = (filters: unknown, attr: string) => readGroup(filters, attr, settings, now)
  const testAccounts = draft.filtersTestAccounts ? settings.testAccountFilters : []
  const filters: FilterGroup = {
    type: 'AND',
    values: [read(draft.properties, at('properties')), read(testAccounts, at('filter_test_accounts'))]
  }
  const series = draft.series.map((entity) => readSeries(entity, read))
  if (series.some((one) => leavesOf(one.filters).length + leavesOf(filters).length > MAX_SERIES_FILTERS))
    throw new AppError('query_too_large', `A series has at most ${MAX_SERIES_FILTERS} property filters.`, 'filters')
  const breakdowns = readBreakdowns(draft.breakdown, draft.at)
  const limit = draft.breakdown.breakdown_limit ?? (draft.display === 'WorldMap' ? 300 : 25)
  if (limit > MAX_BREAKDOWN_LIMIT)
    throw new AppError(
      'query_too_large',
      `A breakdown shows at most ${MAX_BREAKDOWN_LIMIT} values.`,
      'breakdown_values'
    )
  return {
    series,
    ...readDates(draft, settings, now),
    interval,
    filters,
    display: draft.display,
    breakdowns,
    breakdownLimit: limit,
    hidesOther: draft.breakdown.breakdown_hide_other_aggregation ?? false,
    compare: draft.compare ? { back: readCompareTo(draft) } : undefined,
    formulas: draft.formulas.map(({ at, text, name }) => ({ text, name, calculate: readOne(text, series.length, at) })),
    smoothing: draft.smoothing,
    shown: {
      insight: 'TRENDS',
      interval,
      date_from: draft.dateFrom,
      date_to: draft.dateTo ?? null,
      display: draft.display
    }
  }
}

function readDates({ at, dateFrom, dateTo, interval, compare }: Draft, calendar: Calendar, now: Date) {
  const until = readUntil(dateTo, interval, calendar, now)
  if (until === undefined) throw noDate(dateTo, at('date_to'))
  if (dateFrom === 'all') {
    if (compare) throw new AppError('invalid_input', 'All time has no period before it to compare with.', at('compare'))
    return { from: 'all' as const, until }
  }
  const from = readFrom(dateFrom, calendar, now)
  if (from === undefined) throw noDate(dateFrom, at('date_from'))
  if (from >= until) throw new AppError('invalid_input', 'The range ends before it begins.', at('date_from'))
  return { from, until }
}

const noDate = (text: string | undefined, attr: string) =>
  new AppError('invalid_input', `${show(text)} is not a date.`, attr)

function readCompareTo({ at, compareTo }: Draft) {
  if (compareTo === undefined) return undefined
  const [, amount, unit = ''] = /^-?(\d{1,5})([hdwmqy])$/.exec(compareTo) ?? []
  if (!Number(amount))
    throw new AppError('invalid_input', `${show(compareTo)} is not so long ago, as -1w is.`, at('compare_to'))
  return { amount: Number(amount), unit }
}

function readSeries(entity: Entity, read: (filters: unknown, attr: string) => FilterGroup): Series {
  const { at, event, order, name, custom_name, properties } = entity
  const math = entity.math || 'total'
  if (!isOneOf(MATHS, math)) throw unsupported('math', math, `${at}__math`)
  return {
    event,
    name: name || (event ?? 'All events'),
    customName: custom_name || null,
    order,
    math,
    property: isOneOf(PROPERTY_MATHS, math) ? readMathProperty(entity) : undefined,
    filters: { type: 'AND', values: entity.filters.map((filters) => read(filters, `${at}__properties`)) },
    properties: properties ?? {}
  }
}

function readMathProperty({ at, math_property, math_property_type }: Entity): Property {
  if (!math_property) throw new AppError('required', 'This field is required.', `${at}__math_property`)
  const type =
    math_property === '$session_duration' ? 'session' : math_property_type?.replace(/_properties$/, '') || 'event'
  if (!isOneOf(PROPERTY_TYPES, type)) throw unsupported('type of property', type, `${at}__math_property_type`)
  return readProperty({ type, key: math_property }, `${at}__math_property`)
}

function readOne(text: string, series: number, at: string) {
  try {
    return readFormula(text, series)
  } catch (error) {
    if (error instanceof FormulaError) throw new AppError('invalid_input', error.message, at)
    throw error
  }
}

/** Filters in any form; none for none. */
function readGroup(filters: unknown, attr: string, { timezone }: Settings, now: Date): FilterGroup {
  if (filters === undefined || filters === null || (isObject(filters) && Object.keys(filters).length === 0))
    return { type: 'AND', values: [] }
  try {
    // What came as JSON is JSON.
    return readFilters(filters as Json, timezone, now, PROPERTY_TYPES)
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.code, error.message, attr)
    throw error
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('invalid_input', 'query is not valid JSON.', 'query')
  }
}
