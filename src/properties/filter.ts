import { AppError } from '../errors.ts'

/** Operators that are true when the property matches one of the values. */
const MATCHES = ['exact', 'in', 'icontains', 'icontains_multi', 'regex'] as const
/** The opposites of `MATCHES`: true when the property matches none of the values, or is missing. */
const MISSES = ['is_not', 'not_in', 'not_icontains', 'not_icontains_multi', 'not_regex'] as const
export const NUMERIC = ['gt', 'gte', 'lt', 'lte', 'min', 'max'] as const
export const RANGES = ['between', 'not_between'] as const
/** Operators that accept an empty list of values. */
export const LISTS = ['exact', 'in', 'is_not', 'not_in'] as const
export const PRESENCE = ['is_set', 'is_not_set'] as const
export const DATES = ['is_date_exact', 'is_date_before', 'is_date_after'] as const
export const SEMVER = [
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
/** Types of filters on events: by a property, or by the cohorts of the event's actor now. */
export const EVENT_FILTER_TYPES = [...PROPERTY_TYPES, 'cohort'] as const
/** Types of filters on persons. */
export const PERSON_FILTER_TYPES = ['person', 'cohort'] as const
/** Lists of recordings also filter by a recording's own fields and by the names of its events. */
export type PropertyType = (typeof EVENT_FILTER_TYPES)[number] | 'recording' | 'event_metadata'

/**
 * A property, by its owner and its name. The membership in a cohort is a property, too: its name is
 * the cohort's id, and its value is true for members and missing for others.
 */
export type Property = { type: PropertyType; key: string }

/**
 * A condition on one property. `values` are the values of the request; numbers and booleans are
 * written as text.
 */
export type PropertyFilter = Property & { operator: Operator; values: string[] }
/** Returns the filter of who is in a cohort or, with `is_not`, of who is not. */
export const inCohort = (
  id: number | string,
  operator: 'exact' | 'is_not' = 'exact'
): PropertyFilter => ({ type: 'cohort', key: String(id), operator, values: ['true'] })

export type FilterGroup = { type: 'AND' | 'OR'; values: (FilterGroup | PropertyFilter)[] }

/** Maximum number of filters in one request. */
export const MAX_FILTERS = 40
/** Deepest nesting of groups. */
export const MAX_DEPTH = 5
/** Maximum number of values of one filter. */
export const MAX_VALUES = 1_000
/** Longest name of a property, characters, as in PostHog. */
export const MAX_KEY = 400
/** Longest value, characters. */
export const MAX_VALUE = 10_000

/** Whether a filter can name a property: it has a short name without a null character. */
export const isNameable = (key: string): boolean =>
  key !== '' && key.length <= MAX_KEY && !key.includes('\0')

export const isGroup = (node: FilterGroup | PropertyFilter): node is FilterGroup => !('key' in node)

/** Returns all filters of a group, including those in nested groups. */
export const leavesOf = (group: FilterGroup): PropertyFilter[] =>
  group.values.flatMap((node) => (isGroup(node) ? leavesOf(node) : [node]))

export const isOneOf = <T extends string>(set: readonly T[], value: string): value is T =>
  (set as readonly string[]).includes(value)

/** Returns the error for property filters that cannot be read. */
export const invalid = (detail: string): AppError =>
  new AppError('invalid_input', detail, 'properties')
