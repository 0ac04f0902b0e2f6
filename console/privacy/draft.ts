import type { DeletionFilters } from './api.ts'

/** The form of a deletion of events. Empty texts and lists are no filters. */
export type Draft = {
  events: string[]
  after: string
  before: string
  distinct_id: string
  session_id: string
  filters: object[]
  what: 'events' | 'properties'
  properties: string[]
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads the form in the address. What cannot be read is left empty. */
export function draftIn(text: string | null): Draft {
  let json: Partial<Record<keyof Draft, unknown>> = {}
  try {
    json = Object(JSON.parse(text ?? '{}'))
  } catch {
    // An address that was cut off: the form is empty.
  }
  return {
    events: textsIn(json.events),
    after: textIn(json.after),
    before: textIn(json.before),
    distinct_id: textIn(json.distinct_id),
    session_id: textIn(json.session_id),
    filters: Array.isArray(json.filters)
      ? json.filters.filter((one) => typeof one === 'object' && one !== null)
      : [],
    what: json.what === 'properties' ? 'properties' : 'events',
    properties: textsIn(json.properties)
  }
}

export type DeletionRequest = DeletionFilters & { properties?: string[] }

/**
 * Returns the request of a form, without `dry_run`. Undefined without any filter, or if properties are to be
 * removed and none is named: the request would delete whole events.
 */
export function requestOf(draft: Draft): DeletionRequest | undefined {
  const { events, filters, what, properties } = draft
  const texts = (['after', 'before', 'distinct_id', 'session_id'] as const)
    .filter((name) => draft[name] !== '')
    .map((name) => [name, draft[name]])
  const wanted: DeletionFilters = {
    ...(events.length > 0 && { events }),
    ...Object.fromEntries(texts),
    ...(filters.length > 0 && { property_filters: filters })
  }
  if (Object.keys(wanted).length === 0) {
    return undefined
  }
  if (what === 'events') {
    return wanted
  }
  return properties.length > 0 ? { ...wanted, properties } : undefined
}
