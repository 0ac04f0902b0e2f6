import * as z from 'zod'
import { Flag, IdentifyingText, jsonText } from '../../input/parameters.ts'
import { clean } from '../../persons/distinct-id.ts'
import { askedEvent } from '../../properties/event.ts'

const Text = z.string().max(1000)
/** Schema of a list of texts, or of one JSON text with such a list. */
const listOf = (text: z.ZodType<string>) => jsonText(z.array(text).min(1).max(1000))

const EventJson = z.union([
  Text.min(1),
  askedEvent({
    id: Text.min(1).nullable(),
    type: Text.nullish(),
    kind: Text.nullish(),
    properties: z.union([z.array(z.unknown()), z.looseObject({})]).nullish()
  })
])

/** Schema of a PostHog filter that is not supported here; clients send it empty. */
const Unsupported = jsonText(
  z
    .union(
      [z.literal(''), z.array(z.unknown()).max(0)],
      'This filter is not supported here: leave it out.'
    )
    .optional()
).meta({ type: 'string', description: 'Not supported; must be empty.' })

/** Fields to sort by; `start_time` is first, because `RECORDING_KEYS` leaves out the first. */
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

/**
 * Keys of filters of type `recording`: all of `ORDERS` but `start_time`, and three more.
 * `visited_page` matches any of the recording's pages.
 */
export const RECORDING_KEYS = [
  ...ORDERS.slice(1),
  'start_url',
  'visited_page',
  'snapshot_source'
] as const

/** Types of the filters in `properties`; filters without a type are of type `event`. */
export const LIST_TYPES = ['event', 'person', 'session', 'recording', 'event_metadata'] as const
/** Types of the filters of an event in `events`, in its `properties`. */
export const EVENT_TYPES = ['event', 'person', 'session'] as const

/** Keys of filters of type `event_metadata`. */
export const METADATA_KEYS = ['event'] as const

const keys = RECORDING_KEYS.map((key) => `\`${key}\``).join(' ')

/** The filters and the order of a list, except for `properties`. */
export const FiltersQuery = z.object({
  person: IdentifyingText.optional().meta({
    description: 'Only recordings of this person: an integer id or a UUID.'
  }),
  person_uuid: IdentifyingText.optional().meta({ description: 'The same as `person`.' }),
  distinct_id: IdentifyingText.transform(clean).optional().meta({
    description: 'Only recordings with exactly this distinct id.'
  }),
  distinct_ids: listOf(Text.min(1).transform(clean)).optional().meta({
    type: 'string',
    description: 'Only recordings with one of these distinct ids, a JSON array.'
  }),
  session_ids: listOf(Text.min(1)).optional().meta({
    type: 'string',
    description: 'Only recordings of these sessions, a JSON array of ids.'
  }),
  date_from: Text.optional().meta({
    description:
      'Only recordings that began at this time or later: `-7d`, `2026-11-20`, or a date-time.'
  }),
  date_to: Text.optional().meta({
    description:
      'Only recordings that began up to this time; a date without a time includes the whole day.'
  }),
  events: jsonText(z.array(EventJson).max(20)).optional().meta({
    type: 'string',
    description:
      'Only recordings in whose session all of these events happened (any of them with `operand=OR`). A JSON array of at most 20 event names or objects: `id` is the name (null for any event), `properties` the filters that the event must match.'
  }),
  operand: z.enum(['AND', 'OR']).default('AND').meta({
    description:
      '`AND`: a recording must match all of `events` and all filters in `properties`. `OR`: one of these events and filters is enough. A group in `properties` counts as one filter; its own `type`, `AND` or `OR`, says how the filters in the group are combined. A recording must always match all other parameters.'
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
