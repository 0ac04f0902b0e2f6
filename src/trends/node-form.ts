import type * as z from 'zod'
import { AppError } from '../errors.ts'
import { findSimilarName } from '../input/closest.ts'
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
import { showName } from '../input/show.ts'
import type { Draft } from './forms.ts'
import { TrendsNode } from './node-fields.ts'
import { unsupported } from './property.ts'

/** Where a `TrendsQuery` node has the fields that the legacy form has at its top, by their legacy names. */
const NODE_PATHS = new Map(
  Object.entries({
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
  })
)

/** Whether an `InsightVizNode` may have this field: `source`, or one that says something about the node or how to draw it. */
const isOfWrapper = (name: string): boolean =>
  ['kind', 'source', 'embedded', 'full', 'response', 'version', 'vizSpecificOptions'].includes(
    name
  ) || /^(show|hide|suppress)[A-Z]/.test(name)

/** @throws invalid_input for a field of an `InsightVizNode` that would change the trend and belongs in its `source` */
function expectWrapper(node: JsonObject): void {
  const name = Object.keys(node).find(
    (one) => !isOfWrapper(one) && !isHarmless(one) && saysSomething(node[one])
  )
  if (name === undefined) {
    return
  }
  const path = NODE_PATHS.get(name)?.replaceAll('__', '.') ?? name
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

type Node = { inner: Json | undefined; path: string[] }

/** Parses a query that is JSON text, and takes it out of its `InsightVizNode`, if it has one. Returns undefined without a query. */
function unwrap(query: Json | undefined): Node | undefined {
  const outer = typeof query === 'string' && query.trim() !== '' ? readText(query) : query
  if (outer === undefined || outer === null || outer === '' || isEmpty(outer)) {
    return undefined
  }
  if (!isObject(outer)) {
    throw new AppError('invalid_input', 'A query is an object.', 'query')
  }
  if (outer.kind !== 'InsightVizNode') {
    return { inner: outer, path: ['query'] }
  }
  expectWrapper(outer)
  return { inner: outer.source, path: ['query', 'source'] }
}

/** @throws invalid_input, attr the path of `kind`, for another kind of query or series */
function expectKinds(inner: Json | undefined, pathOf: Draft['pathOf']): void {
  const { kind, series }: JsonObject = isObject(inner) ? inner : {}
  if (kind !== 'TrendsQuery') {
    throw unsupported('kind of query', kind, pathOf('kind'), ['TrendsQuery'])
  }
  for (const [i, one] of (Array.isArray(series) ? series : []).entries()) {
    if (isObject(one) && one.kind !== 'EventsNode') {
      const at = `${pathOf('series')}__${i}__kind`
      throw unsupported('kind of series', one.kind, at, ['EventsNode'])
    }
  }
}

/** Reads a `TrendsQuery` node; undefined for none. */
export function readQuery(query: Json | undefined): Draft | undefined {
  const unwrapped = unwrap(query)
  if (!unwrapped) {
    return undefined
  }
  const { inner, path } = unwrapped
  const pathOf = (name: string) => [...path, NODE_PATHS.get(name) ?? name].join('__')
  expectKinds(inner, pathOf)
  const node = parseInput(TrendsNode, inner, path)
  const { dateRange, compareFilter } = node
  const trends = node.trendsFilter ?? {}
  return {
    pathOf,
    series: (node.series ?? []).map((one, i) => ({
      ...one,
      at: `${pathOf('series')}__${i}`,
      event: one.event,
      order: i,
      filters: [one.properties, one.fixedProperties]
    })),
    dateFrom: dateRange?.date_from || '-7d',
    dateTo: dateRange?.date_to || undefined,
    interval: node.interval ?? 'day',
    properties: node.properties,
    filtersTestAccounts: node.filterTestAccounts ?? false,
    display: trends.display || 'ActionsLineGraph',
    breakdown: node.breakdownFilter ?? {},
    compare: compareFilter?.compare ?? false,
    compareTo: compareFilter?.compare_to || undefined,
    formulas: formulasOf(trends, pathOf('trendsFilter')),
    smoothing: trends.smoothingIntervals ?? 1,
    unsupported: {
      sampling_factor: node.samplingFactor,
      aggregation_group_type_index: node.aggregation_group_type_index
    }
  }
}

/**
 * Returns the formulas of a node, from the newest of the three fields that has any.
 * @throws invalid_input, attr an older field, if its formulas differ
 */
function formulasOf(
  { formulaNodes, formulas, formula }: NonNullable<z.infer<typeof TrendsNode>['trendsFilter']>,
  at: string
): Draft['formulas'] {
  // The newest field first.
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
