/** What a session has taken over from the event that it began with, under the names that the event has it by. */
const ENTRY_PARAMETERS = [
  'utm_source',
  'utm_campaign',
  'utm_medium',
  'utm_term',
  'utm_content',
  'gclid',
  'gad_source',
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'fbclid',
  'msclkid',
  'twclid',
  'li_fat_id',
  'mc_cid',
  'igshid',
  'ttclid',
  '_kx',
  'irclid'
] as const

/** The event's property of each of them, by the session property. */
export const FROM_ENTRY: ReadonlyMap<string, string> = new Map<string, string>([
  ['$entry_referrer', '$referrer'],
  ['$entry_referring_domain', '$referring_domain'],
  ...ENTRY_PARAMETERS.map((name) => [`$entry_${name}`, name] as const)
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

/** Every session property, with its type, in the order in which they are listed. */
export const SESSION_PROPERTIES = SESSION_TYPES.flatMap((type) =>
  TYPES[type].map((name) => ({ name, type }))
)

export type SessionProperty = (typeof SESSION_PROPERTIES)[number]

const byName = new Map(SESSION_PROPERTIES.map((property) => [property.name, property]))

/** Undefined for what is no session property. */
export const findSessionProperty = (name: string) => byName.get(name)

/** Whether it is taken from the event that a session ends with. */
export const isOfExit = (name: string): boolean => EXIT.includes(name)
