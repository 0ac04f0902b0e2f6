/** A value of a filter, with its type. */
export type FilterValue = string | number | boolean

/**
 * A condition on a property, as the API takes it in `properties`. `type` is the owner of the property:
 * `event`, `person`, `session`, or another one that a page offers.
 */
export type Filter = {
  type: string
  key: string
  operator: string
  value?: FilterValue | FilterValue[]
}

/** What the operators are called, in the order in which they are offered. */
const OPERATORS = {
  exact: 'is',
  is_not: 'is not',
  icontains: 'contains',
  not_icontains: 'does not contain',
  regex: 'matches',
  not_regex: 'does not match',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  between: 'is between',
  not_between: 'is not between',
  is_date_after: 'is after',
  is_date_before: 'is before',
  is_date_exact: 'is at',
  is_set: 'is set',
  is_not_set: 'is not set',
  in: 'is in',
  not_in: 'is not in',
  min: 'is at least',
  max: 'is at most',
  icontains_multi: 'contains',
  not_icontains_multi: 'does not contain',
  semver_eq: 'is version',
  semver_neq: 'is not version',
  semver_gt: 'is after version',
  semver_gte: 'is at least version',
  semver_lt: 'is before version',
  semver_lte: 'is at most version',
  semver_tilde: 'is a patch of version',
  semver_caret: 'is compatible with version',
  semver_wildcard: 'is like version'
} satisfies Record<string, string>

export type Operator = keyof typeof OPERATORS

export const wordsOf = (operator: string): string =>
  Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator as Operator] : operator

/** The type of the values of a property, as the API's lists of properties name it. */
export type PropertyKind = 'String' | 'Numeric' | 'Boolean' | 'DateTime' | 'Duration'

const NUMBERS: Operator[] = [
  ...(['exact', 'is_not', 'gt', 'gte', 'lt', 'lte', 'between'] as const),
  ...(['is_set', 'is_not_set'] as const)
]
const DATES: Operator[] = ['is_date_after', 'is_date_before', 'is_set', 'is_not_set']

/** Returns the operators that make sense for a type; all common ones if it is unknown. */
export function operatorsFor(kind: PropertyKind | null): Operator[] {
  switch (kind) {
    case 'Numeric':
    case 'Duration':
      return NUMBERS
    case 'Boolean':
      return ['exact', 'is_not', 'is_set', 'is_not_set']
    case 'DateTime':
      return DATES
    default:
      return [
        ...(['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex'] as const),
        ...(kind === null ? (['gt', 'gte', 'lt', 'lte', 'between'] as const) : []),
        ...DATES
      ]
  }
}

/** How the value of an operator is entered. */
export type EntryForm = 'none' | 'list' | 'number' | 'range' | 'date' | 'text'

export function entryOf(operator: string): EntryForm {
  switch (operator) {
    case 'is_set':
    case 'is_not_set':
      return 'none'
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'min':
    case 'max':
      return 'number'
    case 'between':
    case 'not_between':
      return 'range'
    default:
      return entryOfText(operator)
  }
}

const entryOfText = (operator: string): EntryForm => {
  if (operator.startsWith('is_date')) {
    return 'date'
  }
  return operator.startsWith('semver') ? 'text' : 'list'
}

export const valuesOf = ({ value }: Filter): FilterValue[] => {
  if (value === undefined || value === null) {
    return []
  }
  return Array.isArray(value) ? value : [value]
}

/**
 * Gives a text that someone typed the type of the property: `"12"` → 12 for numbers, `"true"` → true
 * for booleans.
 */
export function toValue(text: string, kind: PropertyKind | null): FilterValue {
  if (kind === 'Boolean' && /^(true|false)$/.test(text)) {
    return text === 'true'
  }
  const isNumber = kind === 'Numeric' || kind === 'Duration'
  return isNumber && String(Number(text)) === text ? Number(text) : text
}

/** A part of an address that is no list of filters, as a filter that the API refuses by name. */
const unreadable = (value: string): Filter => ({ type: 'event', key: '', operator: 'exact', value })

/** Whether a value has the members of a filter; what they say is for the API to judge. */
const isFilter = (value: unknown): value is Filter => {
  const { type, key, operator } = Object(value)
  return [type, key, operator].every((member) => typeof member === 'string')
}

/**
 * Reads the filters of an address: JSON, as the API takes it. What cannot be read becomes a filter
 * that the API refuses, so that no link shows more than it says.
 */
export function readFilters(text: string | null): Filter[] {
  if (!text) {
    return []
  }
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list)
      ? list.map((one) => (isFilter(one) ? one : unreadable(JSON.stringify(one))))
      : [unreadable(text)]
  } catch {
    return [unreadable(text)]
  }
}

/** Writes filters for an address; undefined without any. */
export const writeFilters = (filters: readonly Filter[]): string | undefined =>
  filters.length === 0 ? undefined : JSON.stringify(filters)

const isSameProperty = (a: Filter, b: Filter): boolean => a.type === b.type && a.key === b.key

/** Whether the filters ask for exactly this value of a property, or for its absence. */
export const asksFor = (filters: readonly Filter[], wanted: Filter): boolean =>
  filters.some((one) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(wanted)))

const sorted = (filter: Filter) => [
  filter.type,
  filter.key,
  filter.operator,
  valuesOf(filter).map(String).sort()
]

/**
 * Adds a filter in place of those with the same operator on its property, or removes it if the filters
 * have it.
 */
export const toggled = (filters: readonly Filter[], wanted: Filter): Filter[] =>
  asksFor(filters, wanted)
    ? filters.filter((one) => !asksFor([one], wanted))
    : [
        ...filters.filter(
          (one) => !(isSameProperty(one, wanted) && one.operator === wanted.operator)
        ),
        wanted
      ]
