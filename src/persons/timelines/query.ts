import * as z from 'zod'
import { type Calendar, INTERVALS } from '../../calendar/buckets.ts'
import { goBack } from '../../calendar/clock.ts'
import { noDate, readFrom, readUntil } from '../../calendar/dates.ts'
import { AppError, naming } from '../../errors.ts'
import { isEmpty, type Json } from '../../input/json.ts'
import { jsonText } from '../../input/parameters.ts'
import { askedEvent } from '../../properties/event.ts'
import { leavesOf, PROPERTY_TYPES } from '../../properties/filter.ts'
import { readFilters } from '../../properties/read-filters.ts'

/** Maximum number of events, and of properties of a breakdown, in one request. */
const MAX_ENTITIES = 100

const Text = z.string().max(400)
/** Schema of `type` or `kind`: only values that mean an event, an empty text or null. */
const only = (...values: string[]) =>
  Text.refine(
    (value) => value === '' || values.includes(value),
    'Only events are supported.'
  ).nullish()

/** An event to count: its name, or an object with it as `id`, where null means all. */
const Entity = z.preprocess(
  (value) => (typeof value === 'string' ? { id: value } : value),
  askedEvent(
    {
      id: Text.min(1).nullable(),
      type: only('events', 'event'),
      kind: only('EventsNode'),
      properties: z.unknown().optional()
    },
    'An event must be a name, or an object with the name as `id`.'
  )
)

/** The query parameters of a timeline; lists and objects are JSON text. */
export const TimelineParameters = z.object({
  events: jsonText(z.array(Entity).max(MAX_ENTITIES)).optional().meta({
    type: 'string',
    description:
      'The events to count: `[{"id":"$pageview","properties":[…]}]` or `["$pageview"]`; all events by default, and with an `id` of null.'
  }),
  actions: jsonText(z.array(z.unknown()).max(0, 'Actions are not supported: use `events`.'))
    .optional()
    .meta({ type: 'string', description: 'Not supported: only an empty list is allowed.' }),
  breakdown: jsonText(
    z.union(
      [Text, z.array(Text).max(MAX_ENTITIES)],
      'A breakdown must be the name of a property, or a list of names.'
    )
  )
    .optional()
    .meta({ type: 'string', description: 'The name of a property, or a list of names.' }),
  breakdown_type: z
    .enum(PROPERTY_TYPES)
    .default('event')
    .meta({ description: 'The type of the breakdown’s property. Only `person` has an effect.' }),
  date_from: Text.optional().meta({
    description: 'The start of the timeline: 7 days ago by default; `all` for the first event.'
  }),
  date_to: Text.optional().meta({
    description: 'The last day of the timeline, or an exact time; today by default.'
  }),
  interval: z.enum(INTERVALS).optional().meta({
    description: 'The length of the timeline if `date_from` and `date_to` are equal.'
  }),
  display: Text.optional().meta({ description: 'Has no effect.' })
})
export type TimelineParameters = z.output<typeof TimelineParameters>

/** The start of a range with `date_from=all`: before every event. */
export const BEGINNING = Number.MIN_SAFE_INTEGER

/**
 * `events` are the names of the events to count, undefined for all. A change of one of
 * `crucialKeys` starts a new point.
 */
export type TimelineQuery = {
  from: number
  until: number
  events: string[] | undefined
  crucialKeys: string[]
}

/**
 * Reads a request. `properties` are its property filters as JSON; the keys of person properties in
 * them are crucial.
 * @throws invalid_input, attr the parameter
 */
export function readTimelineQuery(
  parameters: TimelineParameters,
  properties: Json | undefined,
  calendar: Calendar,
  now: Date
): TimelineQuery {
  const keysOf = (filters: unknown, attr: string) =>
    personKeys(filters, attr, calendar.timezone, now)
  const entities = parameters.events ?? []
  const names = entities.flatMap(({ id }) => id ?? [])
  const breakdowns =
    parameters.breakdown_type === 'person' ? [parameters.breakdown ?? []].flat() : []
  return {
    ...readRange(parameters, calendar, now),
    // One `id` of null is enough to count all events.
    events: entities.length > 0 && names.length === entities.length ? names : undefined,
    crucialKeys: [
      ...new Set([
        ...keysOf(properties, 'properties'),
        ...entities.flatMap((entity, i) =>
          'properties' in entity ? keysOf(entity.properties, `events__${i}__properties`) : []
        ),
        ...breakdowns.filter((key) => key !== '')
      ])
    ]
  }
}

/** The unit of `goBack` for each interval. */
const UNITS = { minute: 'M', hour: 'h', day: 'd', week: 'w', month: 'm' }

function readRange(
  { date_from, date_to, interval }: TimelineParameters,
  calendar: Calendar,
  now: Date
) {
  // The interval `minute` makes a date-time an exact end; `day` moves every other date to the end
  // of its day.
  const isExact = /\d[T ]\d/.test(date_to ?? '')
  const until = readUntil(date_to || undefined, isExact ? 'minute' : 'day', calendar, now)
  if (until === undefined) {
    throw noDate(date_to, 'date_to')
  }
  if (date_from === 'all') {
    return { from: BEGINNING, until }
  }
  const from = readFrom(date_from || '-7d', calendar, now)
  if (from === undefined) {
    throw noDate(date_from, 'date_from')
  }
  if (date_from && date_from === date_to && interval) {
    return { from, until: goBack(from, -1, UNITS[interval], calendar.timezone) }
  }
  if (from >= until) {
    throw new AppError(
      'invalid_input',
      '`date_from` must be earlier than the end of the range.',
      'date_from'
    )
  }
  return { from, until }
}

function personKeys(filters: unknown, attr: string, timezone: string, now: Date): string[] {
  if (filters === undefined || filters === null || isEmpty(filters)) {
    return []
  }
  // The cast is safe: the filters were parsed from JSON.
  const read = () => readFilters(filters as Json, { timezone, now, types: PROPERTY_TYPES })
  return leavesOf(naming(attr, read)).flatMap(({ type, key }) => (type === 'person' ? [key] : []))
}
