import { type Filter, readFilters, writeFilters } from '../filters/filter.ts'

/** Filters of which one, or all, must match; they may be groups too. */
export type FilterGroup = { type: 'AND' | 'OR'; values: (FilterGroup | Filter)[] }

/** What a list of recordings shows, as the address holds it. */
export type Wanted = {
  filters: Filter[]
  /** Filters with alternatives, which came from words. */
  groups: FilterGroup[]
  from: string
  to: string
  /** The person's uuid. */
  person: string
  distinctIds: string[]
  order: string
}

/** Parameters of the address, or of a request. */
type Parameters = Record<string, string | undefined>

/** The period of a list that says none. */
export const PERIOD = '-7d'

/** The orders of a list: the field, and whether it ascends. */
export const ORDERS = {
  '': 'Newest',
  oldest: 'Oldest',
  recording_duration: 'Longest',
  active_seconds: 'Most active',
  click_count: 'Most clicks',
  console_error_count: 'Most errors'
} as const

const isGroup = (value: unknown): value is FilterGroup => {
  const { type, values } = Object(value)
  return ['AND', 'OR'].includes(type) && Array.isArray(values)
}

function readList(text: string | null): unknown[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** Reads what a list shows from the parameters of the address. */
export const readWanted = (parameters: URLSearchParams): Wanted => ({
  filters: readFilters(parameters.get('filters')),
  groups: readList(parameters.get('groups')).filter(isGroup),
  from: parameters.get('from') ?? PERIOD,
  to: parameters.get('to') ?? '',
  person: parameters.get('person') ?? '',
  distinctIds: readList(parameters.get('ids')).map(String),
  order: parameters.get('order') ?? ''
})

/** Returns the parameters of the address for a list. */
export const writeWanted = (wanted: Wanted): Parameters => ({
  filters: writeFilters(wanted.filters),
  groups: wanted.groups.length > 0 ? JSON.stringify(wanted.groups) : undefined,
  from: wanted.from === PERIOD ? undefined : wanted.from,
  to: wanted.to,
  person: wanted.person,
  ids: wanted.distinctIds.length > 0 ? JSON.stringify(wanted.distinctIds) : undefined,
  order: wanted.order
})

/** Returns the parameters of `GET session_recordings/` for a list. */
export function queryOf(wanted: Wanted): Parameters {
  const values = [...wanted.filters, ...wanted.groups]
  const isOldest = wanted.order === 'oldest'
  return {
    properties: values.length > 0 ? JSON.stringify({ type: 'AND', values }) : undefined,
    date_from: wanted.from === 'all' ? undefined : wanted.from,
    date_to: wanted.to,
    person_uuid: wanted.person,
    distinct_ids: wanted.distinctIds.length > 0 ? JSON.stringify(wanted.distinctIds) : undefined,
    order: isOldest ? undefined : wanted.order,
    order_direction: isOldest ? 'asc' : undefined
  }
}

/** What `session_recordings/ai/filters/` makes of words. */
export type FromWords = {
  result: 'filter' | 'question'
  data: {
    question: string
    date_from: string
    date_to: string
    distinct_ids: string[]
    filter_group: FilterGroup
  }
}

/** Adds the filters that words have become to a list. */
export function addWords(wanted: Wanted, { data }: FromWords): Wanted {
  const found = termsOf(data.filter_group)
  const known = new Set([...wanted.filters, ...wanted.groups].map((one) => JSON.stringify(one)))
  const added = found.filter((one) => !known.has(JSON.stringify(one)))
  const hasDates = data.date_from !== '' || data.date_to !== ''
  return {
    ...wanted,
    filters: [...wanted.filters, ...added.filter((one): one is Filter => !isGroup(one))],
    groups: [...wanted.groups, ...added.filter(isGroup)],
    ...(hasDates && { from: data.date_from || 'all', to: data.date_to }),
    distinctIds: [...new Set([...wanted.distinctIds, ...data.distinct_ids])]
  }
}

/** Returns the filters and groups that must all match. */
function termsOf({ type, values }: FilterGroup): (FilterGroup | Filter)[] {
  if (type === 'OR' && values.length > 1) {
    return [{ type, values }]
  }
  return values.flatMap((value) => (isGroup(value) ? termsOf(value) : [value]))
}

/** Lists the filters of a group, and of the groups in it. */
export const filtersOf = (group: FilterGroup): Filter[] =>
  group.values.flatMap((value) => (isGroup(value) ? filtersOf(value) : [value]))
