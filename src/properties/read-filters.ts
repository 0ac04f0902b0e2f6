import * as z from 'zod'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import { show } from '../input/show.ts'
import {
  type FilterGroup,
  inCohort,
  invalid,
  isGroup,
  isOneOf,
  LISTS,
  MAX_DEPTH,
  MAX_FILTERS,
  MAX_KEY,
  MAX_VALUE,
  MAX_VALUES,
  OPERATORS,
  type Operator,
  PRESENCE,
  type PropertyFilter,
  type PropertyType
} from './filter.ts'
import { expectFilterKeys, expectGroupKeys } from './filter-keys.ts'
import { checkValues } from './filter-values.ts'
import { Patterns } from './pattern.ts'
import { findSessionProperty } from './session.ts'

/** Options for reading filters. */
export type Reading = {
  timezone: string
  now: Date
  /** Types that a filter may have; the first is the default. Without `types`, only `person`. */
  types?: readonly PropertyType[]
  /**
   * Whether to refuse a filter that has to equal one of no values. Trends take it for a filter that
   * is not filled in yet, so it matches everything: no answer to who has one of these addresses.
   */
  needsValues?: boolean
  /**
   * Counts the regular expressions of a request with filters in several places. Without it, a new
   * count begins.
   */
  patterns?: Patterns
}

/**
 * Reads the filters of a request: a list, a group or one filter. A filter that cannot be read is
 * refused, never dropped.
 * @throws invalid_input, attr `properties`
 */
export function readFilters(input: Json, reading: Reading): FilterGroup {
  const context = {
    types: ['person'] as const,
    patterns: new Patterns(),
    needsValues: false,
    ...reading
  }
  const count = { filters: 0 }
  const read = (node: Json, depth: number): FilterGroup | PropertyFilter => {
    if (typeof node === 'string') {
      throw invalid('Property filters must be JSON: a list of filters, a group or one filter.')
    }
    if (!isObject(node)) {
      throw invalid('A property filter must be an object with `key`, `value` and `operator`.')
    }
    if (isGroupLike(node)) {
      return readGroup(node, depth)
    }
    count.filters += 1
    if (count.filters > MAX_FILTERS) {
      throw invalid(`At most ${MAX_FILTERS} property filters are allowed.`)
    }
    return readFilter(node, context)
  }
  const readGroup = (node: JsonObject, depth: number): FilterGroup => {
    if (depth > MAX_DEPTH) {
      throw invalid(`Property filters may be nested at most ${MAX_DEPTH} groups deep.`)
    }
    expectGroupKeys(node)
    const type = node.type ?? 'AND'
    if (type !== 'AND' && type !== 'OR') {
      throw invalid(`The \`type\` of a group must be AND or OR; got ${show(type)}.`)
    }
    if (!Array.isArray(node.values)) {
      throw invalid('The `values` of a group must be a list of filters and groups.')
    }
    return { type, values: node.values.map((value) => read(value, depth + 1)) }
  }
  if (Array.isArray(input)) {
    return { type: 'AND', values: input.map((node) => read(node, 1)) }
  }
  const root = read(input, 1)
  return isGroup(root) ? root : { type: 'AND', values: [root] }
}

const isGroupLike = (node: JsonObject): boolean =>
  !Object.hasOwn(node, 'key') &&
  (Object.hasOwn(node, 'values') || node.type === 'AND' || node.type === 'OR')

function readFilter(node: JsonObject, reading: Required<Reading>): PropertyFilter {
  expectFilterKeys(node)
  const { key, value } = node
  const { types, needsValues } = reading
  const type = types.find((allowed) => allowed === (node.type ?? types[0]))
  if (type === 'cohort') {
    return readCohortFilter(node)
  }
  if (typeof key !== 'string' || key === '') {
    throw invalid('A property filter needs a `key`: the name of the property, as text.')
  }
  if (key.includes('\0')) {
    throw invalid('The `key` of a property filter must not contain null characters.')
  }
  if (key.length > MAX_KEY) {
    throw invalid(`The \`key\` of a property filter must have at most ${MAX_KEY} characters.`)
  }
  if (type === undefined) {
    throw invalid(
      `The \`type\` of a property filter must be ${types.join(', ')} here; got ${show(node.type)}.`
    )
  }
  if (type === 'session' && !findSessionProperty(key)) {
    throw invalid(`${show(key)} is not a property of sessions.`)
  }
  const operator = OperatorJson.safeParse(node.operator ?? 'exact')
  if (!operator.success) {
    throw invalid(
      `The operator ${show(node.operator)} is not supported. Supported: ${OPERATORS.join(', ')}.`
    )
  }
  const values = readValues(operator.data, value)
  if (needsValues && values.length === 0 && (operator.data === 'exact' || operator.data === 'in')) {
    throw invalid(
      `The filter of ${show(key)} has no values, so it would match everything: give it a value, or leave the filter out.`
    )
  }
  if (values.length > MAX_VALUES) {
    throw invalid(`A property filter may have at most ${MAX_VALUES} values.`)
  }
  if (values.some((text) => text.length > MAX_VALUE)) {
    throw invalid(`A value of a property filter may have at most ${MAX_VALUE} characters.`)
  }
  const filter = { key, operator: operator.data, values, type }
  checkValues(filter, reading)
  return filter
}

/** The operators of filters by cohorts, and those of filters by their members' property. */
const OF_COHORTS: Readonly<Record<string, 'exact' | 'is_not'>> = {
  in: 'exact',
  exact: 'exact',
  not_in: 'is_not',
  is_not: 'is_not'
}

/**
 * Reads `{"type": "cohort", "key": "id", "value": 12, "operator": "not_in"}`.
 * @throws invalid_input
 */
function readCohortFilter({ key, value, operator }: JsonObject): PropertyFilter {
  if (key !== 'id') {
    throw invalid(`The \`key\` of a filter by a cohort is "id"; got ${show(key)}.`)
  }
  const own = OF_COHORTS[String(operator ?? 'in')]
  if (own === undefined) {
    throw invalid(`A filter by a cohort has the operator in or not_in; got ${show(operator)}.`)
  }
  const ids = Array.isArray(value) ? value : [value]
  const id = String(ids[0])
  if (ids.length !== 1 || !/^[1-9]\d{0,14}$/.test(id)) {
    throw invalid(
      `The \`value\` of a filter by a cohort is the id of one cohort; got ${show(value)}. For several cohorts, send a filter for each, in a group of the type AND or OR.`
    )
  }
  return inCohort(id, own)
}

function readValues(operator: Operator, value: Json | undefined): string[] {
  if (isOneOf(PRESENCE, operator)) {
    return []
  }
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0 && !isOneOf(LISTS, operator)) {
    throw invalid(`The operator ${operator} needs a value.`)
  }
  return list.map((item) => {
    if (item === undefined || item === null) {
      throw invalid(`The operator ${operator} needs a value.`)
    }
    if (typeof item === 'object') {
      throw invalid(`A value of ${operator} must be a text, a number or a boolean.`)
    }
    return String(item)
  })
}

const OperatorJson = z.enum(OPERATORS)
