import { AppError } from '../errors.ts'
import { saysSomething } from '../input/fields.ts'
import { isEmpty, type Json, type JsonObject } from '../input/json.ts'
import { type LegacyForm, readLegacyForm } from '../trends/legacy-form.ts'
import { unwrapQuery } from '../trends/node-form.ts'
import { inRequest, type Settings } from '../trends/request.ts'
import { findByKind } from './by-kind.ts'
import { KINDS, type QuestionKind, type ReadQuestion } from './kinds.ts'
import { type PathOf, rethrowing } from './paths.ts'

/** A question as a request has it. */
export type AskedQuestion = {
  /** A node, alone or inside a wrapper. */
  query: Json
  /** The filters of a dashboard. */
  filters_override?: FiltersOverride | null | undefined
}

/** Filters that are laid over those of a node. */
export type FiltersOverride = {
  date_from?: string | null | undefined
  date_to?: string | null | undefined
  properties?: unknown
  breakdown_filter?: unknown
}

/**
 * Reads the question of a request: a node of one of `KINDS`, alone or inside a wrapper.
 * @throws invalid_choice, attr `query__kind`, for another kind; errors of input, attr the path of
 * the field in the request, such as `query__source__series__0__math`
 */
export function readQuestion(
  { query, filters_override: override }: AskedQuestion,
  settings: Settings,
  now: Date
): ReadQuestion {
  const unwrapped = unwrapQuery(query)
  if (!unwrapped) {
    throw new AppError('required', 'This field is required.', 'query')
  }
  const { inner, view, pathOf } = unwrapped
  const { node, entry } = findByKind(KINDS, inner, pathOf)
  const read = (whole: JsonObject, path: PathOf): ReadQuestion =>
    readWith(entry, { node: whole, view, pathOf: path }, settings, now)
  const alone = read(node, pathOf)
  if (!override || isEmpty(override)) {
    return alone
  }
  if (!entry.takesFilters) {
    throw new AppError('invalid_input', `${node.kind} takes no filters.`, 'filters_override')
  }
  // The node alone has been read, so any error is in the filters.
  return read(overlay(node, override), (path) => overriddenPath(path) ?? pathOf(path))
}

/**
 * Reads the question in a filter object, such as `{insight: 'FUNNELS', events: […]}`.
 * @param path where the request has the filter object
 * @param ignoredFields receives the names of the fields that have no effect
 * @throws errors of input, attr the path of the field in the request
 */
export function readLegacyQuestion(
  form: LegacyForm,
  filter: Record<string, unknown>,
  path: readonly string[],
  settings: Settings,
  now: Date,
  ignoredFields: string[] = []
): ReadQuestion {
  const { node, pathOf } = readLegacyForm(filter, path, ignoredFields, form)
  const found = findByKind(KINDS, node, pathOf)
  return readWith(found.entry, { node: found.node, pathOf }, settings, now)
}

/** @param pathOf returns the path in the request of a path in the node */
function readWith(
  { read }: QuestionKind,
  { node, view, pathOf }: { node: JsonObject; view?: JsonObject | undefined; pathOf: PathOf },
  settings: Settings,
  now: Date
): ReadQuestion {
  const { needs, compute, tabulate, draw, check } = inRequest({ pathOf }, () =>
    read(node, settings, now, view)
  )
  return {
    needs,
    compute: (scope) => compute(scope).catch(rethrowing(pathOf)),
    tabulate: (scope) => tabulate(scope).catch(rethrowing(pathOf)),
    check: (scope) => check(scope).catch(rethrowing(pathOf)),
    draw: (scope, asked) => draw(scope, asked).catch(rethrowing(pathOf))
  }
}

/** Returns a node with the dates and the breakdown of the filters, and the properties of both. */
function overlay(
  node: JsonObject,
  { date_from, date_to, properties, breakdown_filter: breakdown }: FiltersOverride
): JsonObject {
  const hasDates = Boolean(date_from) || Boolean(date_to)
  const groups = [node.properties, properties].filter(saysSomething).map(toGroup)
  // The cast is safe: the filters were parsed from JSON.
  return {
    ...node,
    ...(hasDates && { dateRange: { date_from, date_to } }),
    properties: { type: 'AND', values: groups },
    ...(saysSomething(breakdown) && { breakdownFilter: breakdown })
  } as JsonObject
}

const toGroup = (filters: unknown) =>
  Array.isArray(filters) ? { type: 'AND', values: filters } : filters

/** The fields of `FiltersOverride`, by where `overlay` puts them in a node. */
const OVERRIDDEN: readonly [string, string][] = [
  ['dateRange__', 'filters_override__'],
  ['properties', 'filters_override__properties'],
  ['breakdownFilter', 'filters_override__breakdown_filter']
]

/** Returns where the filters have a field of a node; undefined for a field that they lack. */
function overriddenPath(path: string): string | undefined {
  const [own, beyond] = OVERRIDDEN.find(([start]) => path.startsWith(start)) ?? []
  return own === undefined ? undefined : `${beyond}${path.slice(own.length)}`
}
