import * as z from 'zod'
import { parseDate } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { findSimilarName, showName } from '../input/closest.ts'
import { isExact } from '../input/exact.ts'
import { saysSomething } from '../input/fields.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import { MAX_PATTERN, MAX_PATTERN_SIZE, Patterns } from './pattern.ts'
import { findSessionProperty } from './session.ts'
import { isVersion, isVersionPattern } from './version.ts'

/** Operators that are true when the property matches one of the values. */
const MATCHES = ['exact', 'in', 'icontains', 'icontains_multi', 'regex'] as const
/** The opposites of `MATCHES`: true when the property matches none of the values, or is missing. */
const MISSES = ['is_not', 'not_in', 'not_icontains', 'not_icontains_multi', 'not_regex'] as const
const NUMERIC = ['gt', 'gte', 'lt', 'lte', 'min', 'max'] as const
const RANGES = ['between', 'not_between'] as const
/** Operators that accept an empty list of values. */
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

/**
 * Whether an operator negates another operator. A filter on several objects, such as the events of
 * a session, needs one object that fulfils an ordinary operator, but all objects must fulfil a
 * negating operator.
 */
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

/** Owners of a property: the event, its person at the time of the event, or its session. */
export const PROPERTY_TYPES = ['event', 'person', 'session'] as const
/** Lists of recordings also filter by a recording's own fields and by the names of its events. */
export type PropertyType = (typeof PROPERTY_TYPES)[number] | 'recording' | 'event_metadata'

/**
 * A condition on one property. `values` are the values of the request; numbers and booleans are
 * written as text.
 */
export type PropertyFilter = {
  key: string
  operator: Operator
  values: string[]
  type: PropertyType
}
export type FilterGroup = { type: 'AND' | 'OR'; values: (FilterGroup | PropertyFilter)[] }

/** Most filters in one request. */
export const MAX_FILTERS = 40
/** Deepest nesting of groups. */
export const MAX_DEPTH = 5
/** Most values of one filter. */
export const MAX_VALUES = 1_000
/** Longest name of a property, characters, as in PostHog. */
const MAX_KEY = 400
/** Longest value, characters. */
const MAX_VALUE = 10_000
/**
 * Longest value of `icontains` and similar operators, characters. It is searched for in every
 * stored value.
 */
const MAX_CONTAINED = 1_000
/** Longest number in a filter, characters. */
const MAX_NUMBER = 400

export const isGroup = (node: FilterGroup | PropertyFilter): node is FilterGroup => !('key' in node)

/** Returns all filters of a group, including those in nested groups. */
export const leavesOf = (group: FilterGroup): PropertyFilter[] =>
  group.values.flatMap((node) => (isGroup(node) ? leavesOf(node) : [node]))

/** Options for reading filters. */
export type Reading = {
  timezone: string
  now: Date
  /** Types that a filter may have; the first is the default. Without `types`, only `person`. */
  types?: readonly PropertyType[]
  /**
   * Counts the regular expressions of a request with filters in several places. Without it, a new
   * count begins.
   */
  patterns?: Patterns
}

/**
 * Reads the filters of a request: a list, a group or one filter. A filter that cannot be read is refused, never dropped.
 * @throws invalid_input, attr `properties`
 */
export function readFilters(input: Json, reading: Reading): FilterGroup {
  const context = { types: ['person'] as const, patterns: new Patterns(), ...reading }
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
    expectKeys(node, OF_GROUP)
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

const Operator = z.enum(OPERATORS)

/** The table of operators in the API reference, in Markdown. */
export const OPERATOR_TABLE = `| Operators | The property |
|---|---|
| \`exact\` \`in\` · \`is_not\` \`not_in\` | equals one of the values · equals none of them |
| \`icontains\` \`icontains_multi\` · \`not_icontains\` \`not_icontains_multi\` | contains one of the values, ignoring case · contains none of them |
| \`regex\` · \`not_regex\` | contains a match of the pattern · does not. RE2 syntax, at most ${MAX_PATTERN.toLocaleString('en')} characters, and ${MAX_PATTERN_SIZE.toLocaleString('en')} with its repeats written out |
| \`gt\` · \`gte\` \`min\` · \`lt\` · \`lte\` \`max\` | is a number greater than the value · greater or equal · less · less or equal. Compares numbers, and texts that contain a number: whole numbers exactly up to 64 bits, other numbers as doubles; a text with a whole number beyond 64 bits fulfils none of these operators |
| \`between\` · \`not_between\` | is a number from the first to the second of two values · is a number outside of them |
| \`is_set\` · \`is_not_set\` | exists · is missing or null; neither takes a value |
| \`is_date_exact\` \`is_date_before\` \`is_date_after\` | is a date, compared with an ISO 8601 date or a relative date such as \`-7d\` |
| \`semver_eq\` \`_neq\` \`_gt\` \`_gte\` \`_lt\` \`_lte\` \`_tilde\` \`_caret\` \`_wildcard\` | is a version of three numbers, compared with a version (missing numbers are 0) or, with \`_wildcard\`, a pattern such as \`1.2.*\`; \`1.2.3-beta\` counts as \`1.2.3\` |`

const Value = z.union([z.string().max(MAX_VALUE), z.number(), z.boolean()])

/** Describes a filter for the API reference only: `readFilters` reads filters, with better errors. */
const PropertyFilterJson = z
  .object({
    key: z.string().min(1).max(MAX_KEY),
    value: z
      .union([Value, z.array(Value).max(MAX_VALUES), z.null()])
      .optional()
      .meta({
        description:
          'One value, or a list of values, one of which must match; with a negating operator such as `is_not`, none may match.'
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
    description: 'Filters and groups. All (AND) or at least one (OR) of them must match.'
  })

export const PropertyFiltersJson = z
  .union([
    z.array(z.union([PropertyGroupJson, PropertyFilterJson])),
    PropertyGroupJson,
    PropertyFilterJson
  ])
  .meta({
    id: 'PropertyFilters',
    description: `At most ${MAX_FILTERS} filters, in groups nested at most ${MAX_DEPTH} deep.`
  })

const FILTER_KEYS = ['key', 'value', 'operator', 'type']
const GROUP_KEYS = ['type', 'values']

/** Keys that PostHog's clients add to filters and groups to display them. */
const DISPLAY_KEYS = ['label', 'cohort_name', 'group_key_names']

const OPPOSITE = 'use the opposite operator, such as is_not for exact.'
const NEGATION = Object.fromEntries(
  ['negation', 'negate', 'negated', 'not', 'inverse', 'inverted', 'invert', 'exclude'].map(
    (name) => [name, OPPOSITE]
  )
)

const CASE_KEYS = ['case_sensitive', 'caseSensitive']

/** Hints for keys that other APIs use for the same purpose. */
const FILTER_HINTS: Record<string, string> = {
  ...NEGATION,
  ...Object.fromEntries(
    ['op', 'comparison', 'comparator', 'match', 'condition', 'predicate'].map((name) => [
      name,
      'did you mean "operator"?'
    ])
  ),
  property: 'did you mean "key"?',
  name: 'did you mean "key"?',
  ...Object.fromEntries(
    CASE_KEYS.map((name) => [name, 'icontains ignores case; exact and regex do not.'])
  ),
  group_type_index: 'groups are not supported.'
}
const GROUP_HINTS: Record<string, string> = {
  ...NEGATION,
  ...Object.fromEntries(
    ['operator', 'op', 'conjunction', 'operand', 'logic', 'match', 'join', 'combinator'].map(
      (name) => [name, 'did you mean "type"?']
    )
  ),
  filters: 'did you mean "values"?',
  properties: 'did you mean "values"?'
}

/** The keys of filters or groups, and hints for other keys. */
type Keys = { of: string; known: readonly string[]; hints: Record<string, string> }
const OF_FILTER: Keys = { of: 'A property filter', known: FILTER_KEYS, hints: FILTER_HINTS }
const OF_GROUP: Keys = { of: 'A group of property filters', known: GROUP_KEYS, hints: GROUP_HINTS }

/**
 * Checks the keys of a filter or a group. Ignores unknown keys with an empty value (null, `false`,
 * `''`, `[]` or `{}`), unless their name resembles a known key.
 * @throws invalid_input for any other unknown key
 */
function expectKeys(node: JsonObject, { of, known, hints }: Keys): void {
  const harmless = [...known, ...DISPLAY_KEYS]
  for (const [name, value] of Object.entries(node)) {
    if (harmless.includes(name)) {
      continue
    }
    const hint = Object.hasOwn(hints, name) ? hints[name] : guess(name, known)
    if (hint !== undefined && !Object.hasOwn(hints, name)) {
      throw invalid(`${of} has no ${showName(name)}: ${hint}`)
    }
    if (asksForSomething(name, value)) {
      throw invalid(
        `${of} has no ${showName(name)}: ${hint ?? `its keys are ${known.join(', ')}.`}`
      )
    }
  }
}

function guess(name: string, known: readonly string[]): string | undefined {
  const meant = findSimilarName(name, known)
  return meant && `did you mean "${meant}"?`
}

/**
 * Whether an unknown key asks for something. A group's index of 0 does, and so does
 * `case_sensitive`, whether true or false.
 */
const asksForSomething = (name: string, value: Json | undefined): boolean =>
  value === 0 ||
  saysSomething(value) ||
  (CASE_KEYS.includes(name) && value !== null && value !== undefined)

function readFilter(node: JsonObject, reading: Required<Reading>): PropertyFilter {
  expectKeys(node, OF_FILTER)
  const { key, value } = node
  const { types } = reading
  const type = types.find((allowed) => allowed === (node.type ?? types[0]))
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
  const operator = Operator.safeParse(node.operator ?? 'exact')
  if (!operator.success) {
    throw invalid(
      `The operator ${show(node.operator)} is not supported. Supported: ${OPERATORS.join(', ')}.`
    )
  }
  const values = readValues(operator.data, value)
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

function checkValues(
  { operator, values }: PropertyFilter,
  { timezone, now, patterns }: Required<Reading>
): void {
  const expectEach = (what: string, isRight: (value: string) => boolean) => {
    const wrong = values.find((value) => !isRight(value))
    if (wrong !== undefined) {
      throw invalid(`A value of ${operator} must be ${what}; got ${show(wrong)}.`)
    }
  }
  if (isOneOf(NUMERIC, operator) || isOneOf(RANGES, operator)) {
    expectEach('a number', (value) => toNumber(value) !== undefined)
    expectNumbers(operator, values)
  }
  if (/regex$/.test(operator)) {
    for (const value of values) {
      patterns.check(value)
    }
  }
  if (/contains/.test(operator) && values.some((value) => value.length > MAX_CONTAINED)) {
    throw invalid(`A value of ${operator} may have at most ${MAX_CONTAINED} characters.`)
  }
  if (isOneOf(DATES, operator)) {
    expectEach(
      'an ISO 8601 date or a relative date such as -7d',
      (value) => parseDate(value, timezone, now) !== undefined
    )
  }
  if (operator === 'semver_wildcard') {
    expectEach('a version with a wildcard, such as 1.2.*', isVersionPattern)
  } else if (isOneOf(SEMVER, operator)) {
    expectEach('a version such as 1.2.3', isVersion)
  }
}

/** @throws invalid_input for numbers that no double holds exactly, and for an invalid range */
function expectNumbers(operator: Operator, values: string[]): void {
  const inexact = values.find((value) => !isExactNumber(value))
  if (inexact !== undefined) {
    throw invalid(
      `${show(inexact)} cannot be compared exactly: a value of ${operator} must be a number that a double holds exactly.`
    )
  }
  if (isOneOf(RANGES, operator)) {
    const [low, high] = values.map(Number)
    if (values.length !== 2 || low === undefined || high === undefined || low > high) {
      throw invalid(`The operator ${operator} needs two numbers, the lower number first.`)
    }
  }
}

const trimJson = (text: string): string => text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')

/** Whether a double holds the number in a text exactly: 9007199254740993 and 1e400 are not doubles. */
function isExactNumber(text: string): boolean {
  const number = trimJson(text)
  return number.length <= MAX_NUMBER && isExact(number, Number(number))
}

/** Reads a number in JSON's notation, with white space around it; undefined for anything else. */
export function toNumber(text: string): number | undefined {
  const trimmed = trimJson(text)
  return /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined
}

export const isOneOf = <T extends string>(set: readonly T[], value: string): value is T =>
  (set as readonly string[]).includes(value)

const show = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 100)

/** Returns the error for property filters that cannot be read. */
export const invalid = (detail: string): AppError =>
  new AppError('invalid_input', detail, 'properties')
