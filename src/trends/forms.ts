import type * as z from 'zod'
import type { Interval } from '../calendar/buckets.ts'
import { AppError } from '../errors.ts'
import { findSimilarName, showName } from '../input/closest.ts'
import { saysSomething } from '../input/fields.ts'
import { isHarmless } from '../input/harmless.ts'
import {
  faultOf,
  isEmpty,
  isObject,
  isSame,
  type Json,
  type JsonObject,
  parseJson
} from '../input/json.ts'
import { parseInput } from '../input/parse.ts'
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
 * Returns the fields of a trend that a URL and a body have: those of one form, each with one value.
 * @throws invalid_input, attr the field, for one that the URL and the body have with different values, or of a second form
 */
export function readFields(url: string, body: JsonObject = {}): JsonObject {
  const given = [...new URL(url).searchParams].filter(([name]) => isField(name))
  for (const [name, text] of given) {
    const value = body[name]
    if (saysSomething(value) && value !== undefined && !isText(text, value)) {
      throw new AppError(
        'invalid_input',
        `${showName(name)} has one value in the URL and another in the body.`,
        name
      )
    }
  }
  const fields = { ...Object.fromEntries(given), ...body }
  expectOneForm(fields)
  return fields
}

const isField = (name: string): boolean => Object.hasOwn(UrlFields.shape, name)

/** Whether a text in a URL says the same as a value in JSON. */
function isText(text: string, value: Json): boolean {
  try {
    return text === value || isSame(parseJson(text), value)
  } catch {
    return false
  }
}

/**
 * A trend is asked for in one form: `query`, `filters`, or the fields beside them.
 * @throws invalid_input, attr a field of the second form that says something
 */
export function expectOneForm(fields: JsonObject): void {
  const said = Object.keys(fields).filter((name) => isField(name) && saysSomething(fields[name]))
  const [first, second] = ['query', 'filters', said.find((name) => !isWhole(name))].filter(
    (name) => name !== undefined && said.includes(name)
  )
  if (second !== undefined) {
    throw new AppError(
      'invalid_input',
      `A trend is asked for by \`query\`, by \`filters\`, or by the fields beside them: "${first}" leaves nothing for "${second}" to say.`,
      second
    )
  }
}

/** Whether a field is a form by itself. */
const isWhole = (name: string): boolean => name === 'query' || name === 'filters'

/** The legacy form, which stands at this path of a request. */
export function readLegacy(
  input: Record<string, unknown>,
  path: string[],
  passedOver: string[]
): Draft {
  const filter = parseInput(LegacyFilter, input, path, passedOver)
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

/** Fields of an `InsightVizNode` beside `source` that only say how it is drawn. */
const isDrawn = (name: string): boolean =>
  ['kind', 'source', 'embedded', 'full', 'response', 'version', 'vizSpecificOptions'].includes(
    name
  ) || /^(show|hide|suppress)[A-Z]/.test(name)

/** @throws invalid_input for a field of an `InsightVizNode` that would change the trend and belongs into its `source` */
function expectWrapper(node: JsonObject): void {
  const name = Object.keys(node).find(
    (one) => !isDrawn(one) && !isHarmless(one) && saysSomething(node[one])
  )
  if (name === undefined) {
    return
  }
  const path = NODE_PATHS[name]?.replaceAll('__', '.') ?? name
  const isOfSource = Object.hasOwn(TrendsNode.shape, path.replace(/\..*$/, ''))
  const meant = isOfSource
    ? `source.${path}`
    : findSimilarName(name, ['kind', 'source', ...Object.keys(TrendsNode.shape)])
  const hint = meant === undefined ? '.' : `: did you mean "${meant}"?`
  throw new AppError(
    'invalid_input',
    `${showName(name)} is not a field of an InsightVizNode${hint}`,
    `query__${name.slice(0, 100)}`
  )
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
  if (isWrapped) {
    expectWrapper(outer)
  }
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

/**
 * The newest of the ways to write formulas that is used.
 * @throws invalid_input, attr an older one, when it has other formulas
 */
function formulasOf(
  { formulaNodes, formulas, formula }: NonNullable<z.infer<typeof TrendsNode>['trendsFilter']>,
  at: string
): Draft['formulas'] {
  const given = [
    { name: 'formulaNodes', texts: formulaNodes?.map((node) => node.formula) ?? [] },
    { name: 'formulas', texts: formulas ?? [] },
    { name: 'formula', texts: formula ? [formula] : [] }
  ].filter(({ texts }) => texts.length > 0)
  const other = given.find(({ texts }) => !isSame(texts, given[0]?.texts ?? []))
  if (other) {
    throw new AppError(
      'invalid_input',
      `\`${other.name}\` and \`${given[0]?.name}\` have different formulas: send one of them.`,
      `${at}__${other.name}`
    )
  }
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
  } catch (error) {
    throw new AppError('invalid_input', faultOf(error), 'query')
  }
}
