import * as z from 'zod'
import { parseDate } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { findMeant, showName } from '../input/closest.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import { MAX_PATTERN, MAX_PATTERN_SIZE, Patterns } from './pattern.ts'
import { findSessionProperty } from './session.ts'
import { isVersion, isVersionPattern } from './version.ts'

/** Operators that compare with one or any of several values. */
const MATCHES = ['exact', 'in', 'icontains', 'icontains_multi', 'regex'] as const
/** Their opposites: true for none of the values, and for a missing property. */
const MISSES = ['is_not', 'not_in', 'not_icontains', 'not_icontains_multi', 'not_regex'] as const
const NUMERIC = ['gt', 'gte', 'lt', 'lte', 'min', 'max'] as const
const RANGES = ['between', 'not_between'] as const
/** An empty list is no condition to these. */
const LISTS = ['exact', 'in', 'is_not', 'not_in'] as const
const PRESENCE = ['is_set', 'is_not_set'] as const
const DATES = ['is_date_exact', 'is_date_before', 'is_date_after'] as const
const SEMVER = [
  'semver_eq',
  'semver_neq',
  'semver_gt',
  'semver_gte',
  'semver_lt',
  'semver_lte',
  'semver_tilde',
  'semver_caret',
  'semver_wildcard'
] as const

/** What is asked of many things, these have to be true for all of them, where the others need one. */
export const isOpposite = (operator: Operator): boolean =>
  isOneOf(MISSES, operator) || operator === 'is_not_set'

export const OPERATORS = [
  ...MATCHES,
  ...MISSES,
  ...NUMERIC,
  ...RANGES,
  ...PRESENCE,
  ...DATES,
  ...SEMVER
] as const
export type Operator = (typeof OPERATORS)[number]

/** Whose property: the event's, its person's at the time of the event, or its session's. */
export const PROPERTY_TYPES = ['event', 'person', 'session'] as const
/** A recording's own fields are properties where recordings are listed, and so is the name of an event. */
export type PropertyType = (typeof PROPERTY_TYPES)[number] | 'recording' | 'event_metadata'

/** A condition on one property; `values` are what clients sent, as text. */
export type PropertyFilter = {
  key: string
  operator: Operator
  values: string[]
  type: PropertyType
}
export type FilterGroup = { type: 'AND' | 'OR'; values: (FilterGroup | PropertyFilter)[] }

export const MAX_FILTERS = 40
export const MAX_DEPTH = 5
export const MAX_VALUES = 1_000
const MAX_KEY = 400
const MAX_VALUE = 10_000
/** Characters of a value that is looked for inside of others. */
const MAX_CONTAINED = 1_000

export const isGroup = (node: FilterGroup | PropertyFilter): node is FilterGroup => !('key' in node)

export const leavesOf = (group: FilterGroup): PropertyFilter[] =>
  group.values.flatMap((node) => (isGroup(node) ? leavesOf(node) : [node]))

/** How filters are read. */
export type Reading = {
  timezone: string
  now: Date
  /** Whose properties are allowed; a filter without a type has the first of these. */
  types?: readonly PropertyType[]
  /** The regular expressions of the request so far, when it holds more filters than these. */
  patterns?: Patterns
}

/**
 * Reads the filters of a request in any form that clients send: an array, a group, or one filter.
 * @throws invalid_input naming what is wrong, attr `properties`: no filter is ever left out silently
 */
export function readFilters(input: Json, reading: Reading): FilterGroup {
  const context = { types: ['person'] as const, patterns: new Patterns(), ...reading }
  const count = { filters: 0 }
  const read = (node: Json, depth: number): FilterGroup | PropertyFilter => {
    if (typeof node === 'string') {
      throw invalid('Property filters are JSON, which this is not.')
    }
    if (!isObject(node)) {
      throw invalid('A property filter is an object with key, value and operator.')
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
    const type = node.type ?? 'AND'
    if (type !== 'AND' && type !== 'OR') {
      throw invalid(`A group's type is AND or OR, not ${show(type)}.`)
    }
    if (!Array.isArray(node.values)) {
      throw invalid("A group's values are a list of filters and groups.")
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
  Object.hasOwn(node, 'values') ||
  ((node.type === 'AND' || node.type === 'OR') && !Object.hasOwn(node, 'key'))

const Operator = z.enum(OPERATORS)

/** For whoever reads the interface's description, in Markdown. */
export const OPERATOR_TABLE = `| Operators | fulfilled when the property |
|---|---|
| \`exact\` \`in\` · \`is_not\` \`not_in\` | is one of the values · is none of them |
| \`icontains\` \`icontains_multi\` · \`not_icontains\` \`not_icontains_multi\` | contains a value, in any case · contains none |
| \`regex\` · \`not_regex\` | matches the pattern (RE2 syntax, found anywhere, at most ${MAX_PATTERN.toLocaleString('en')} characters, and ${MAX_PATTERN_SIZE.toLocaleString('en')} with its repeats written out) · does not |
| \`gt\` \`gte\` \`min\` \`lt\` \`lte\` \`max\` | is a number greater, greater or equal, less, less or equal |
| \`between\` · \`not_between\` | is a number from the lower to the higher of two values · is a number outside |
| \`is_set\` · \`is_not_set\` | is there · is missing or null; no value is needed |
| \`is_date_exact\` \`is_date_before\` \`is_date_after\` | is a date compared with an ISO 8601 date or a relative one such as \`-7d\` |
| \`semver_eq\` \`_neq\` \`_gt\` \`_gte\` \`_lt\` \`_lte\` \`_tilde\` \`_caret\` \`_wildcard\` | is a version of three numbers compared with one, of which the missing numbers are 0, or with a pattern such as \`1.2.*\`; \`1.2.3-beta\` is \`1.2.3\` |`

const Value = z.union([z.string().max(MAX_VALUE), z.number(), z.boolean()])

/** How the interface describes a filter; `readFilters` reads it, in its own words when something is wrong. */
const PropertyFilterJson = z
  .object({
    key: z.string().min(1).max(MAX_KEY),
    value: z
      .union([Value, z.array(Value).max(MAX_VALUES), z.null()])
      .optional()
      .meta({
        description:
          'One value, or a list of which any (for the opposite operators: none) has to match.'
      }),
    operator: Operator.default('exact'),
    type: z.literal('person').default('person')
  })
  .meta({
    id: 'PropertyFilter',
    description: 'A condition on one property; the parameter `properties` explains the operators.',
    examples: [{ key: 'plan', operator: 'exact', value: ['pro', 'team'] }]
  })

const PropertyGroupJson = z
  .object({
    type: z.enum(['AND', 'OR']).default('AND'),
    get values() {
      return z.array(z.union([PropertyGroupJson, PropertyFilterJson]))
    }
  })
  .meta({
    id: 'PropertyGroup',
    description: 'Filters and groups of which all (AND) or any (OR) have to match.'
  })

export const PropertyFiltersJson = z
  .union([
    z.array(z.union([PropertyGroupJson, PropertyFilterJson])),
    PropertyGroupJson,
    PropertyFilterJson
  ])
  .meta({
    id: 'PropertyFilters',
    description: `At most ${MAX_FILTERS} filters in at most ${MAX_DEPTH} groups inside each other.`
  })

const FILTER_KEYS = ['key', 'value', 'operator', 'type']

/** @throws invalid_input for a member that was probably meant to be another one; the others mean nothing */
function expectFilterKeys(node: JsonObject): void {
  for (const name of Object.keys(node)) {
    const meant = FILTER_KEYS.includes(name) ? undefined : findMeant(name, FILTER_KEYS)
    if (meant !== undefined) {
      throw invalid(`A property filter has no ${showName(name)}: did you mean "${meant}"?`)
    }
  }
}

function readFilter(node: JsonObject, reading: Required<Reading>): PropertyFilter {
  expectFilterKeys(node)
  const { key, value } = node
  const { types } = reading
  if (node.negation) {
    throw invalid('The negation of a property filter is not supported: use the opposite operator.')
  }
  const type = types.find((allowed) => allowed === (node.type ?? types[0]))
  if (typeof key !== 'string' || key === '') {
    throw invalid('A property filter needs a key.')
  }
  if (key.includes('\0')) {
    throw invalid('The key of a property filter has no null characters.')
  }
  if (key.length > MAX_KEY) {
    throw invalid(`The key of a property filter has at most ${MAX_KEY} characters.`)
  }
  if (type === undefined) {
    throw invalid(
      `Filters of type ${show(node.type)} are not supported here: only ${types.join(', ')} properties are.`
    )
  }
  if (type === 'session' && !findSessionProperty(key)) {
    throw invalid(`${show(key)} is not a property of sessions.`)
  }
  const operator = Operator.safeParse(node.operator ?? 'exact')
  if (!operator.success) {
    throw invalid(
      `${show(node.operator)} is not a supported operator of property filters. Supported: ${OPERATORS.join(', ')}.`
    )
  }
  const values = readValues(operator.data, value)
  if (values.length > MAX_VALUES) {
    throw invalid(`A property filter has at most ${MAX_VALUES} values.`)
  }
  if (values.some((text) => text.length > MAX_VALUE)) {
    throw invalid(`A value of a property filter has at most ${MAX_VALUE} characters.`)
  }
  const filter = { key, operator: operator.data, values, type }
  checkValues(filter, reading)
  return filter
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
      throw invalid(`A value of ${operator} is a text, a number or a boolean.`)
    }
    return String(item)
  })
}

function checkValues(
  { operator, values }: PropertyFilter,
  { timezone, now, patterns }: Required<Reading>
): void {
  const wrong = (what: string, isRight: (value: string) => boolean) => {
    const found = values.find((value) => !isRight(value))
    if (found !== undefined) {
      throw invalid(`${show(found)} is not ${what}, which ${operator} needs.`)
    }
  }
  if (isOneOf(NUMERIC, operator) || isOneOf(RANGES, operator)) {
    wrong('a number', (value) => toNumber(value) !== undefined)
  }
  if (isOneOf(RANGES, operator)) {
    const [low, high] = values.map(Number)
    if (values.length !== 2 || low === undefined || high === undefined || low > high) {
      throw invalid(`${operator} needs two numbers, the lower first.`)
    }
  }
  if (/regex$/.test(operator)) {
    for (const value of values) {
      patterns.check(value)
    }
  }
  if (/contains/.test(operator) && values.some((value) => value.length > MAX_CONTAINED)) {
    throw invalid(`A value of ${operator} has at most ${MAX_CONTAINED} characters.`)
  }
  if (isOneOf(DATES, operator)) {
    wrong('a date', (value) => parseDate(value, timezone, now) !== undefined)
  }
  if (operator === 'semver_wildcard') {
    wrong('a version with a wildcard', isVersionPattern)
  } else if (isOneOf(SEMVER, operator)) {
    wrong('a version', isVersion)
  }
}

/** A number as JSON writes it, also inside a text; undefined for anything else. */
export function toNumber(text: string): number | undefined {
  const trimmed = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
  return /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined
}

export const isOneOf = <T extends string>(set: readonly T[], value: string): value is T =>
  (set as readonly string[]).includes(value)

const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100)

export const invalid = (detail: string): AppError =>
  new AppError('invalid_input', detail, 'properties')
