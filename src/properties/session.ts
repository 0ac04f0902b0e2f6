import { CLICK_IDS, UTM_PARAMETERS } from './campaign.ts'
import { PLACE_PROPERTIES } from './place.ts'

/** Properties kept from a session's first event, under names such as `$entry_utm_source`. */
const ENTRY_PARAMETERS = [...UTM_PARAMETERS, ...CLICK_IDS]

/** Event properties by the session property that keeps them: `$entry_gclid` → `gclid`. */
export const FROM_ENTRY: ReadonlyMap<string, string> = new Map<string, string>([
  ['$entry_referrer', '$referrer'],
  ['$entry_referring_domain', '$referring_domain'],
  ...ENTRY_PARAMETERS.map((name) => [`$entry_${name}`, name] as const),
  ...PLACE_PROPERTIES.map((name) => [`$entry_${name.slice(1)}`, name] as const)
])

const ENTRY = [
  '$entry_current_url',
  '$entry_pathname',
  '$entry_hostname',
  ...FROM_ENTRY.keys(),
  '$channel_type'
]
const EXIT = ['$end_current_url', '$end_pathname', '$end_hostname']

const TYPES = {
  DateTime: ['$start_timestamp', '$end_timestamp'],
  String: [...ENTRY, ...EXIT, '$last_external_click_url'],
  Numeric: ['$pageview_count', '$autocapture_count', '$screen_count', '$vitals_lcp'],
  Duration: ['$session_duration'],
  Boolean: ['$is_bounce']
}

export const SESSION_TYPES = ['DateTime', 'String', 'Numeric', 'Duration', 'Boolean'] as const

/** All session properties with their types, in the order in which the API lists them. */
export const SESSION_PROPERTIES = SESSION_TYPES.flatMap((type) =>
  TYPES[type].map((name) => ({ name, type }))
)

export type SessionProperty = (typeof SESSION_PROPERTIES)[number]

const byName = new Map(SESSION_PROPERTIES.map((property) => [property.name, property]))

/** Returns a session property by name, or undefined. */
export const findSessionProperty = (name: string) => byName.get(name)

/** Whether a session property comes from the session's last event. */
export const isOfExit = (name: string): boolean => EXIT.includes(name)
