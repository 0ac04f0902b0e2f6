import type * as z from 'zod'
import { AppError } from '../errors.ts'
import { isEmpty, isObject, type Json, type JsonObject, parseJson } from '../json.ts'
import { parseInput } from '../parse.ts'
import type { Interval } from './buckets.ts'
import { type BreakdownFilter, LegacyFilter, TrendsNode, UrlFields } from './fields.ts'
import { unsupported } from './property.ts'

/** A query of either form under the names of the legacy one; `at` tells where the request has a field. */
export type Draft = {
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

export type Entity = { at: string; event: string | null; order: number; filters: unknown[] } & Pick<
  NonNullable<z.infer<typeof LegacyFilter>['events']>[number],
  'name' | 'custom_name' | 'math' | 'math_property' | 'math_property_type' | 'properties'
>

/**
 * The fields of a trend that a URL has, and those of a body, which count more.
 * @throws invalid_input for one in the URL where either says all by itself, by `query` or `filters`
 */
export function readFields(url: string, body: JsonObject = {}): JsonObject {
  const isField = (name: string) => Object.hasOwn(UrlFields.shape, name)
  const named = [...new URL(url).searchParams].filter(([name]) => isField(name))
  const asked = Object.keys(body).filter((name) => isField(name) && isAsked(body[name]))
  const all = [...named.map(([name]) => name), ...asked].find(
    (name) => name === 'query' || name === 'filters'
  )
  if (all && named[0] && asked.length > 0) {
    throw new AppError(
      'invalid_input',
      `The URL and the body ask for different things: ${all} says all.`,
      named[0][0]
    )
  }
  return { ...Object.fromEntries(named), ...body }
}

const isAsked = (value: Json | undefined): boolean => Boolean(value) && !isEmpty(value)

/** The legacy form, which stands at this path of a request. */
export function readLegacy(input: Record<string, unknown>, path: string[]): Draft {
  const filter = parseInput(LegacyFilter, input, path)
  const at = (name: string) => [...path, name].join('__')
  if (filter.insight && filter.insight !== 'TRENDS') {
    throw unsupported('insight', filter.insight, at('insight'))
  }
  if (filter.shown_as && filter.shown_as !== 'Volume') {
    throw unsupported('form of an insight', filter.shown_as, at('shown_as'))
  }
  if (filter.actions && filter.actions.length > 0) {
    throw new AppError(
      'invalid_input',
      'Actions are not supported: only events are.',
      at('actions')
    )
  }
  for (const [i, { type }] of (filter.events ?? []).entries()) {
    if (type && type !== 'events') {
      throw unsupported('type of series', type, `${at('events')}__${i}__type`)
    }
  }
  return {
    at,
    series: inOrder(filter.events ?? []).map(({ id, order, i, ...rest }) => ({
      ...rest,
      at: `${at('events')}__${i}`,
      event: id,
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
function inOrder<T extends { order?: number | null | undefined }>(
  events: readonly T[]
): (T & { i: number })[] {
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

/** A `TrendsQuery` node; undefined for none. */
export function readQuery(query: Json | undefined): Draft | undefined {
  const outer = typeof query === 'string' && query.trim() !== '' ? readText(query) : query
  if (!isObject(outer)) {
    if (outer === undefined || outer === null || outer === '') {
      return undefined
    }
    throw new AppError('invalid_input', 'A query is an object.', 'query')
  }
  if (isEmpty(outer)) {
    return undefined
  }
  const isWrapped = outer.kind === 'InsightVizNode'
  const path = isWrapped ? ['query', 'source'] : ['query']
  const at = (name: string) => [...path, NODE_PATHS[name] ?? name].join('__')
  const inner = isWrapped ? outer.source : outer
  const kind = isObject(inner) ? inner.kind : undefined
  if (kind !== 'TrendsQuery') {
    throw unsupported('kind of query', kind, at('kind'))
  }

  for (const [i, one] of (isObject(inner) && Array.isArray(inner.series)
    ? inner.series
    : []
  ).entries()) {
    if (isObject(one) && one.kind !== 'EventsNode') {
      throw unsupported('kind of series', one.kind, `${at('series')}__${i}__kind`)
    }
  }
  const node = parseInput(TrendsNode, inner, path)
  const { trendsFilter } = node
  return {
    at,
    series: (node.series ?? []).map((one, i) => ({
      ...one,
      at: `${at('series')}__${i}`,
      event: one.event,
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
  if (formulaNodes?.length) {
    return formulaNodes.map(({ formula: text, custom_name }, i) => ({
      at: `${at}__formulaNodes__${i}__formula`,
      text,
      name: custom_name || undefined
    }))
  }
  if (formulas?.length) {
    return formulas.map((text, i) => ({ at: `${at}__formulas__${i}`, text, name: undefined }))
  }
  return formula ? [{ at: `${at}__formula`, text: formula, name: undefined }] : []
}

function readText(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    throw new AppError('invalid_input', 'query is not valid JSON.', 'query')
  }
}
