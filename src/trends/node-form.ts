import { AppError } from '../errors.ts'
import { findSimilarName } from '../input/closest.ts'
import { saysSomething } from '../input/fields.ts'
import { isHarmless } from '../input/harmless.ts'
import { faultOf, isEmpty, isObject, type Json, type JsonObject, parseJson } from '../input/json.ts'
import { showName } from '../input/show.ts'
import { TrendsNode } from './node-fields.ts'
import { type SentNode, toNodePath } from './node-paths.ts'
import { unsupported } from './property.ts'

/** A node around a statement, which says how its answer is drawn, and its members that say it. */
const VISUALIZATION = 'DataVisualizationNode'
/** The kind of a statement. */
export const STATEMENT = 'HogQLQuery'
const VIEW = ['display', 'chartSettings', 'tableSettings']

/** Nodes around a query, which say how it is shown. */
const WRAPPERS = ['InsightVizNode', 'DataTableNode', VISUALIZATION]

/** Fields of a wrapper besides `source`: they say something about the node or its look. */
const LOOKS = [
  'kind',
  'source',
  'allowSorting',
  'columns',
  'context',
  'contextKey',
  'defaultColumns',
  'embedded',
  'expandable',
  'full',
  'hiddenColumns',
  'pinnedColumns',
  'propertiesViaUrl',
  'response',
  'tags',
  'version',
  'vizSpecificOptions'
]

const isOfWrapper = (name: string): boolean =>
  LOOKS.includes(name) || /^(show|hide|suppress)[A-Z]/.test(name)

/** @throws invalid_input for a field that belongs in the `source` of a wrapper */
function expectWrapper(node: JsonObject): void {
  const isOfView = (one: string): boolean => node.kind === VISUALIZATION && VIEW.includes(one)
  const name = Object.keys(node).find(
    (one) => !isOfWrapper(one) && !isOfView(one) && !isHarmless(one) && saysSomething(node[one])
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
    `${showName(name)} is not a field of ${describeKind(node.kind)}${hint}`,
    `query__${name.slice(0, 100)}`
  )
}

const describeKind = (kind: Json | undefined): string =>
  kind === 'InsightVizNode' ? 'an InsightVizNode' : `a ${kind}`

/** `date_from` → `dateRange.date_from` */
const pathInNode = (name: string): string => toNodePath(name).replaceAll('__', '.')

/** A node, and turns a path in it, or in its view, into the path in the request. */
type Unwrapped = {
  inner: Json | undefined
  /** The `DataVisualizationNode` around it, if there is one. */
  view?: JsonObject
  pathOf: SentNode['pathOf']
}

/**
 * Parses a query that is JSON text, and takes it out of the node around it, if it has one of
 * `WRAPPERS`. Returns undefined without a query.
 * @throws invalid_input, attr the field, for text that is no JSON, for a query that is no object,
 * and for a field that belongs in the `source`; invalid_choice for a view of anything but a statement
 */
export function unwrapQuery(query: Json | undefined): Unwrapped | undefined {
  const outer = typeof query === 'string' && query.trim() !== '' ? readText(query) : query
  if (outer === undefined || outer === null || outer === '' || isEmpty(outer)) {
    return undefined
  }
  if (!isObject(outer)) {
    throw new AppError('invalid_input', 'A query is an object.', 'query')
  }
  if (!WRAPPERS.includes(String(outer.kind))) {
    return { inner: outer, pathOf: joinPath('query') }
  }
  expectWrapper(outer)
  const { kind, source } = outer
  const pathOf = joinPath('query', 'source')
  if (kind !== VISUALIZATION) {
    return { inner: source, pathOf }
  }
  if (isObject(source) && source.kind !== STATEMENT) {
    throw new AppError(
      'invalid_choice',
      `A ${VISUALIZATION} shows a ${STATEMENT}: put other queries into an InsightVizNode.`,
      pathOf('kind')
    )
  }
  const ofView = joinPath('query')
  return {
    inner: source,
    view: outer,
    pathOf: (path) => (VIEW.includes(path.replace(/__.*$/s, '')) ? ofView(path) : pathOf(path))
  }
}

const joinPath =
  (...path: string[]) =>
  (nodePath: string): string =>
    [...path, nodePath].filter(Boolean).join('__')

/** @throws invalid_input, attr the path of `kind`, for another kind of query or series */
export function expectKinds(inner: Json | undefined, pathOf: SentNode['pathOf']): void {
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

/** Reads the node of a `query`, alone or inside a wrapper; undefined for none. */
export function readQueryForm(query: Json | undefined): SentNode | undefined {
  const unwrapped = unwrapQuery(query)
  if (!unwrapped) {
    return undefined
  }
  const { inner, pathOf } = unwrapped
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
