import { call } from '../api.ts'
import { project } from '../session.ts'
import { count, nameOf } from '../words.ts'
import type { PropertyKind } from './filter.ts'

/** A property that an editor of filters offers. */
export type OfferedProperty = {
  type: string
  key: string
  /** Without a kind, it can be anything. */
  kind: PropertyKind | null
  /** What it is called, if `nameOf` does not know it. */
  name?: string
  /** Its operators, if they are not those of its kind. */
  operators?: string[]
  /** Whether it has one value at most, also with an operator that takes several. */
  isSingle?: boolean
  /** Its values, if the project's events don't tell them. */
  values?: () => Promise<OfferedValues>
}

export type OfferedValue = { value: string; hint?: string }

/** Values, the most frequent first. `isWhole`: there are no others. */
export type OfferedValues = { values: OfferedValue[]; isWhole: boolean }

/** Owners of properties that events can be filtered by. */
export const EVENT_TYPES = ['event', 'person', 'session'] as const

/** The headings of the owners. */
export const OWNERS: Record<string, string> = {
  event: 'Event',
  person: 'Person, at the time of the event',
  session: 'Session'
}

/** The country is filtered by its code, which is what the countries of the Overview are. */
const NAMES: Record<string, string> = {
  $geoip_country_code: 'Country',
  $geoip_country_name: 'Country name',
  $initial_geoip_country_code: 'First country',
  $initial_geoip_country_name: 'First country name'
}

export const propertyName = (key: string): string => NAMES[key] ?? nameOf(key)

/** Shows a value of a property: `DE` of a country is `Germany`. */
export function valueName(key: string, value: string): string {
  if (/geoip_country_code$/.test(key) && /^[A-Z]{2}$/.test(value)) {
    return new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' }).of(value) ?? value
  }
  if (key === 'event') {
    return nameOf(value)
  }
  return key === '$entry_referring_domain' && value === '$direct' ? 'Direct' : value
}

type Definitions = { results: { name: string; property_type: PropertyKind | null }[] }

/** Most properties that are offered of an owner. */
const MAX_PROPERTIES = '1000'

/** The lists that were loaded, by project and owner. They are asked for once per visit. */
const known = new Map<string, Promise<OfferedProperty[]>>()

/** Lists the properties of an owner, those that are not the SDK's first. @throws ApiError */
export function listProperties(type: string): Promise<OfferedProperty[]> {
  const name = `${project.value?.id} ${type}`
  const found = known.get(name) ?? load(type)
  known.set(name, found)
  found.catch(() => known.delete(name))
  return found
}

async function load(type: string): Promise<OfferedProperty[]> {
  const { results } = await (type === 'session'
    ? call<Definitions>('GET', 'sessions/property_definitions/')
    : call<Definitions>('GET', 'property_definitions/', { query: { type, limit: MAX_PROPERTIES } }))
  return results
    .map(({ name, property_type }) => ({ type, key: name, kind: property_type }))
    .sort((a, b) => Number(a.key.startsWith('$')) - Number(b.key.startsWith('$')))
}

/** Most values that are offered. */
const MAX_VALUES = 100

type Counted = { results: { breakdown_value: string; aggregated_value: number }[] }
type SessionValues = { results: { name: string; count?: number }[] }

/** PostHog's mark of events without a value. */
const NONE = '$$_posthog_breakdown_null_$$'

/**
 * Lists the most frequent values of a property that contain a text: of sessions ever, of events in
 * the last 30 days.
 * @throws ApiError
 */
export async function listValues(
  { type, key }: OfferedProperty,
  text: string,
  signal: AbortSignal
): Promise<OfferedValues> {
  if (type === 'session') {
    const query = { key, value: text }
    const { results } = await call<SessionValues>('GET', 'sessions/values/', { query, signal })
    return { values: results.map(({ name }) => ({ value: name })), isWhole: false }
  }
  const { results } = await call<Counted>('POST', 'query/', {
    signal,
    body: {
      query: {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: null, math: 'total' }],
        dateRange: { date_from: '-30d' },
        trendsFilter: { display: 'ActionsTable' },
        breakdownFilter: {
          breakdown: key,
          breakdown_type: type,
          breakdown_limit: MAX_VALUES,
          breakdown_hide_other_aggregation: true
        },
        properties: text === '' ? [] : [{ type, key, operator: 'icontains', value: text }]
      }
    }
  })
  const values = results
    .filter(({ breakdown_value: value }) => value !== NONE)
    .map(({ breakdown_value, aggregated_value }) => ({
      value: breakdown_value,
      hint: count(aggregated_value)
    }))
  return { values, isWhole: values.length < MAX_VALUES }
}
