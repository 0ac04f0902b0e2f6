import { AppError } from '../errors.ts'
import { findSimilarName } from '../input/closest.ts'
import { saysSomething } from '../input/fields.ts'
import { isHarmless } from '../input/harmless.ts'
import { faultOf, isEmpty, isObject, type Json, type JsonObject, parseJson } from '../input/json.ts'
import { showName } from '../input/show.ts'
import { TrendsNode } from './node-fields.ts'
import { NODE_PATHS, type SentNode } from './node-paths.ts'
import { unsupported } from './property.ts'

/** Fields of an `InsightVizNode` besides `source` say something about the node or its look. */
const isOfWrapper = (name: string): boolean =>
  ['kind', 'source', 'embedded', 'full', 'response', 'version', 'vizSpecificOptions'].includes(
    name
  ) || /^(show|hide|suppress)[A-Z]/.test(name)

/** @throws invalid_input for a field that belongs in the `source` of an `InsightVizNode` */
function expectWrapper(node: JsonObject): void {
  const name = Object.keys(node).find(
    (one) => !isOfWrapper(one) && !isHarmless(one) && saysSomething(node[one])
  )
  if (name === undefined) {
    return
  }
  const path = pathInNode(name)
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

/** `date_from` → `dateRange.date_from` */
const pathInNode = (name: string): string =>
  Object.hasOwn(NODE_PATHS, name)
    ? NODE_PATHS[name as keyof typeof NODE_PATHS].replaceAll('__', '.')
    : name

type Unwrapped = { inner: Json | undefined; path: string[] }

/**
 * Parses a query that is JSON text, and takes it out of its `InsightVizNode`, if it has one.
 * Returns undefined without a query.
 */
function unwrap(query: Json | undefined): Unwrapped | undefined {
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
function expectKinds(inner: Json | undefined, pathOf: SentNode['pathOf']): void {
  const { kind, series }: JsonObject = isObject(inner) ? inner : {}
  if (kind !== 'TrendsQuery') {
    throw unsupported('kind of query', kind, pathOf('kind'), ['TrendsQuery'])
  }
  for (const [i, one] of (Array.isArray(series) ? series : []).entries()) {
    if (isObject(one) && one.kind !== 'EventsNode') {
      throw unsupported('kind of series', one.kind, pathOf(`series__${i}__kind`), ['EventsNode'])
    }
  }
}

/** Reads the node of a `query`, alone or inside an `InsightVizNode`; undefined for none. */
export function readQueryForm(query: Json | undefined): SentNode | undefined {
  const unwrapped = unwrap(query)
  if (!unwrapped) {
    return undefined
  }
  const { inner, path } = unwrapped
  const pathOf = (nodePath: string) => [...path, nodePath].filter(Boolean).join('__')
  expectKinds(inner, pathOf)
  return { node: inner, orders: undefined, pathOf }
}

function readText(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw new AppError('invalid_input', faultOf(error), 'query')
  }
}
