import * as z from 'zod'
import { readFrom, readUntil } from '../../calendar/dates.ts'
import { AppError } from '../../errors.ts'
import { refusing, sameReason } from '../../input/fields.ts'
import { faultOf, type Json, parseJson } from '../../input/json.ts'
import { Flag, jsonText } from '../../input/parameters.ts'
import {
  type FilterGroup,
  leavesOf,
  type PropertyType,
  readFilters
} from '../../properties/filter.ts'
import { Patterns } from '../../properties/pattern.ts'

const Text = z.string().max(1000)
const Texts = jsonText(z.array(Text.min(1)).min(1).max(1000))

const EventJson = z.union([
  Text.min(1),
  refusing(
    z.object({
      id: Text.min(1).nullable(),
      properties: z.union([z.array(z.unknown()), z.looseObject({})]).nullish()
    }),
    sameReason(['event', 'event_name'], 'The name of the event is `id`.')
  )
])

/** A filter of PostHog that is not supported here; clients send it empty. */
const Unsupported = jsonText(
  z
    .union([z.literal(''), z.array(z.unknown()).max(0)], 'This filter is not supported here.')
    .optional()
).meta({ type: 'string', description: 'Not supported; must be empty.' })

/** Sort orders of a list. */
export const ORDERS = [
  'start_time',
  'recording_duration',
  'duration',
  'active_seconds',
  'inactive_seconds',
  'click_count',
  'keypress_count',
  'mouse_activity_count',
  'console_log_count',
  'console_warn_count',
  'console_error_count',
  'activity_score'
] as const

/** Keys of filters of type `recording`. `visited_page` matches any of the recording's pages. */
export const RECORDING_KEYS = [
  ...ORDERS.slice(1),
  'start_url',
  'visited_page',
  'snapshot_source'
] as const

/** Types of the filters in `properties`; filters without a type are of type `event`. */
export const LIST_TYPES = ['event', 'person', 'session', 'recording', 'event_metadata'] as const
/** Types of the filters in `events`. */
const EVENT_TYPES = ['event', 'person', 'session'] as const

/** Keys of filters of type `event_metadata`. */
export const METADATA_KEYS = ['event'] as const

const keys = RECORDING_KEYS.map((key) => `\`${key}\``).join(' ')

/** The filters of a list, except for `properties`. */
export const FiltersQuery = z.object({
  person: Text.optional().meta({
    description: 'Only recordings of this person, given by its integer id or its UUID.'
  }),
  person_uuid: Text.optional().meta({ description: 'The same as `person`.' }),
  distinct_id: Text.optional().meta({
    description: 'Only recordings with exactly this distinct id.'
  }),
  distinct_ids: Texts.optional().meta({
    type: 'string',
    description: 'Only recordings with one of these distinct ids, given as a JSON array.'
  }),
  session_ids: Texts.optional().meta({
    type: 'string',
    description: 'Only recordings of these sessions, given as a JSON array.'
  }),
  date_from: Text.optional().meta({
    description:
      'Only recordings that began at this time or later: `-7d`, `2026-11-20`, or a date-time.'
  }),
  date_to: Text.optional().meta({
    description:
      'Only recordings that began up to this time; a date without a time includes that day.'
  }),
  events: jsonText(z.array(EventJson).max(20)).optional().meta({
    type: 'string',
    description:
      'Only recordings in whose session each of these events happened. A JSON array of event names, or of objects with `id`, the name (null for any event), and `properties`, filters that the event must match.'
  }),
  operand: z.enum(['AND', 'OR']).default('AND').meta({
    description:
      'Whether a recording must match all of `events` and of the filters in `properties`, or one of them. It must always match all other parameters.'
  }),
  filter_test_accounts: Flag.default(false).meta({
    description: "Whether to add the project's filters for test accounts."
  }),
  having_predicates: z
    .string()
    .max(100_000)
    .optional()
    .meta({
      description: `Filters of type \`recording\`, as a JSON array: \`[{"key":"duration","type":"recording","operator":"gt","value":60}]\`. Keys: ${keys}.`
    }),
  actions: Unsupported,
  console_log_filters: Unsupported,
  comment_text: Unsupported,
  order: z
    .string()
    .transform((text) => text.replace(/^-/, ''))
    .pipe(z.enum(ORDERS))
    .default('start_time')
    .meta({
      enum: ORDERS,
      description: 'The field to sort by. A `-` before it is ignored; use `order_direction`.'
    }),
  order_direction: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['asc', 'desc']))
    .default('desc')
    .meta({ enum: ['asc', 'desc'], description: 'The direction to sort in.' })
})
export type FiltersQuery = z.infer<typeof FiltersQuery>

export type PersonFilter = { id: number } | { uuid: string }

/** The filters of a list, all of which a recording must match. Times are ms UTC, `[from, until)`. */
export type RecordingFilters = {
  persons: PersonFilter[]
  /** Lists of distinct ids, each of which must contain the recording's. */
  distinctIds: string[][]
  sessionIds: string[] | undefined
  from: number | undefined
  until: number | undefined
  groups: FilterGroup[]
  /** Whether one of `events` and `chosen` is enough; otherwise a recording must match all of them. */
  isAny: boolean
  /** Events that happened in the session, by name (null for any), with the filters that each must match. */
  events: { name: string | null; group: FilterGroup }[]
  /** The filters of the parameter `properties`. */
  chosen: FilterGroup[]
}

export type Settings = { timezone: string; weekStart: number; testAccountFilters: unknown[] }

/**
 * Reads the filters of a list.
 * @param properties the parameter `properties`, parsed
 * @throws invalid_input, attr is the parameter
 */
export function readRecordingFilters(
  query: FiltersQuery,
  properties: Json | undefined,
  settings: Settings,
  now: Date
): RecordingFilters {
  const {
    person,
    person_uuid,
    distinct_id,
    distinct_ids,
    session_ids,
    date_from,
    date_to,
    operand
  } = query
  const patterns = new Patterns()
  const read = (input: Json, types: readonly PropertyType[]) =>
    checkKeys(readFilters(input, { timezone: settings.timezone, now, types, patterns }))
  const having = query.having_predicates
  const persons = [readPerson(person, 'person'), readPerson(person_uuid, 'person_uuid')]
  return {
    persons: persons.filter((one) => one !== undefined),
    distinctIds: [...(distinct_id ? [[distinct_id]] : []), ...(distinct_ids ? [distinct_ids] : [])],
    sessionIds: session_ids,
    from: readDate(date_from, 'date_from', (text) => readFrom(text, settings, now)),
    until: readDate(date_to, 'date_to', (text) => readUntil(text, 'minute', settings, now)),
    groups: [
      ...(having ? [naming('having_predicates', () => read(parse(having), ['recording']))] : []),
      // Both the project's filters and the properties of events were parsed from JSON.
      ...(query.filter_test_accounts
        ? [
            naming('filter_test_accounts', () =>
              read(settings.testAccountFilters as Json, LIST_TYPES)
            )
          ]
        : [])
    ],
    isAny: operand === 'OR',
    events: (query.events ?? []).map((event) => {
      const { id, properties: filters } =
        typeof event === 'string' ? { id: event, properties: null } : event
      return { name: id, group: naming('events', () => read((filters ?? []) as Json, EVENT_TYPES)) }
    }),
    chosen: readChosen(properties, operand, (input) => read(input, LIST_TYPES))
  }
}

/** Reads the filters in `properties`. The operand joins those of a list; a group says itself how its filters are joined. */
function readChosen(
  properties: Json | undefined,
  operand: FilterGroup['type'],
  read: (input: Json) => FilterGroup
): FilterGroup[] {
  if (properties === undefined) {
    return []
  }
  const group = read(properties)
  if (group.values.length === 0) {
    return []
  }
  return [Array.isArray(properties) ? { ...group, type: operand } : group]
}

/** Types with a fixed set of keys; the others take any key. */
const KNOWN_KEYS: Partial<Record<PropertyType, readonly string[]>> = {
  recording: RECORDING_KEYS,
  event_metadata: METADATA_KEYS
}

function checkKeys(group: FilterGroup): FilterGroup {
  for (const { type, key } of leavesOf(group)) {
    const known = KNOWN_KEYS[type]
    if (known && !known.includes(key)) {
      throw new AppError(
        'invalid_input',
        `${JSON.stringify(key)} is not a property of type ${type}; send one of ${known.join(', ')}.`,
        'properties'
      )
    }
  }
  return group
}

/** Reads filters, and names the parameter they came in when they are refused. */
function naming(attr: string, read: () => FilterGroup): FilterGroup {
  try {
    return read()
  } catch (error) {
    throw error instanceof AppError ? new AppError(error.code, error.message, attr) : error
  }
}

function parse(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw new AppError('invalid_input', faultOf(error))
  }
}

function readPerson(text: string | undefined, attr: string): PersonFilter | undefined {
  if (!text) {
    return undefined
  }
  if (/^\d{1,15}$/.test(text)) {
    return { id: Number(text) }
  }
  if (z.guid().safeParse(text).success) {
    return { uuid: text.toLowerCase() }
  }
  throw new AppError(
    'invalid_input',
    `The id of a person must be an integer or a UUID; got ${JSON.stringify(text)}.`,
    attr
  )
}

function readDate(
  text: string | undefined,
  attr: string,
  read: (text: string) => number | undefined
): number | undefined {
  if (!text || text === 'all') {
    return undefined
  }
  const time = read(text)
  if (time === undefined) {
    throw new AppError(
      'invalid_input',
      `${attr} must be an ISO date or a relative date such as -7d; got ${JSON.stringify(text)}.`,
      attr
    )
  }
  return time
}

/** Whether the filters match all recordings. */
export const isUnfiltered = ({
  persons,
  distinctIds,
  sessionIds,
  from,
  until,
  ...asked
}: RecordingFilters): boolean =>
  [persons, distinctIds, asked.events].every((list) => list.length === 0) &&
  asked.chosen.length === 0 &&
  asked.groups.every((group) => group.values.length === 0) &&
  [sessionIds, from, until].every((value) => value === undefined)
