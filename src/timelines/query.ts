import * as z from 'zod'
import { type Calendar, INTERVALS } from '../calendar/buckets.ts'
import { goBack } from '../calendar/clock.ts'
import { readFrom, readUntil } from '../calendar/dates.ts'
import { AppError } from '../errors.ts'
import { refusing, sameReason } from '../input/fields.ts'
import { isEmpty, type Json } from '../input/json.ts'
import { jsonText } from '../input/parameters.ts'
import { leavesOf, PROPERTY_TYPES, readFilters } from '../properties/filter.ts'

const MAX_ENTITIES = 100

const Text = z.string().max(400)
/** Only an explicit null is all events. */
const Entity = z.preprocess(
  (value) => (typeof value === 'string' ? { id: value } : value),
  refusing(
    z.object(
      { id: Text.min(1).nullable(), properties: z.unknown().optional() },
      'An event is a name, or an object with the name as id.'
    ),
    sameReason(['event', 'event_name'], 'The name of the event is `id`.')
  )
)

/** The parameters of a timeline; lists and objects are JSON text. */
export const TimelineParameters = z.object({
  events: jsonText(z.array(Entity).max(MAX_ENTITIES)).optional().meta({
    type: 'string',
    description:
      'Only these events count: `[{"id":"$pageview","properties":[…]}]` or `["$pageview"]`. Else all do, as with an `id` of null.'
  }),
  actions: jsonText(z.array(z.unknown()).max(0, 'Actions are not supported: only events are.'))
    .optional()
    .meta({ type: 'string', description: 'Not supported: only an empty list is allowed.' }),
  breakdown: jsonText(
    z.union(
      [Text, z.array(Text).max(MAX_ENTITIES)],
      'A breakdown is the name of a property, or a list of names.'
    )
  )
    .optional()
    .meta({ type: 'string', description: 'A property, or a list of them.' }),
  breakdown_type: z
    .enum(PROPERTY_TYPES)
    .default('event')
    .meta({ description: 'Whose property the breakdown is: only a person’s is looked at.' }),
  date_from: Text.optional().meta({
    description: 'Where the timeline begins, 7 days ago unless given; `all` is possible.'
  }),
  date_to: Text.optional().meta({
    description: 'The day with which it ends, today unless given, or the exact time.'
  }),
  interval: z.enum(INTERVALS).optional().meta({
    description: 'How long the timeline is whose `date_from` and `date_to` are the same.'
  }),
  display: Text.optional().meta({ description: 'Makes no difference.' })
})
export type TimelineParameters = z.output<typeof TimelineParameters>

/** `events` are the names that count, undefined for all; a change of one of `crucialKeys` starts a new point. */
export type TimelineQuery = {
  from: number
  until: number
  events: string[] | undefined
  crucialKeys: string[]
}

/**
 * What a request asks for; `properties` are its property filters as JSON, of which the persons' keys count.
 * @throws invalid_input, attr the parameter
 */
export function readTimelineQuery(
  asked: TimelineParameters,
  properties: Json | undefined,
  calendar: Calendar,
  now: Date
): TimelineQuery {
  const keysOf = (filters: unknown, attr: string) =>
    personKeys(filters, attr, calendar.timezone, now)
  const entities = asked.events ?? []
  const names = entities.flatMap(({ id }) => id ?? [])
  const breakdowns = asked.breakdown_type === 'person' ? [asked.breakdown ?? []].flat() : []
  return {
    ...readRange(asked, calendar, now),
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

const LETTERS = { minute: 'M', hour: 'h', day: 'd', week: 'w', month: 'm' }

function readRange(
  { date_from, date_to, interval }: TimelineParameters,
  calendar: Calendar,
  now: Date
) {
  const isExact = /\d[T ]\d/.test(date_to ?? '')
  const until = readUntil(date_to || undefined, isExact ? 'minute' : 'day', calendar, now)
  if (until === undefined) {
    throw noDate(date_to, 'date_to')
  }
  if (date_from === 'all') {
    return { from: Number.MIN_SAFE_INTEGER, until }
  }
  const from = readFrom(date_from || '-7d', calendar, now)
  if (from === undefined) {
    throw noDate(date_from, 'date_from')
  }
  if (date_from && date_from === date_to && interval) {
    return { from, until: goBack(from, -1, LETTERS[interval], calendar.timezone) }
  }
  if (from >= until) {
    throw new AppError('invalid_input', 'The range ends before it begins.', 'date_from')
  }
  return { from, until }
}

const noDate = (text: string | undefined, attr: string) =>
  new AppError('invalid_input', `${JSON.stringify(text)} is not a date.`, attr)

function personKeys(filters: unknown, attr: string, timezone: string, now: Date): string[] {
  if (filters === undefined || filters === null || isEmpty(filters)) {
    return []
  }
  try {
    // What came as JSON is JSON.
    const group = readFilters(filters as Json, { timezone, now, types: PROPERTY_TYPES })
    return leavesOf(group).flatMap(({ type, key }) => (type === 'person' ? [key] : []))
  } catch (error) {
    if (error instanceof AppError) {
      throw new AppError(error.code, error.message, attr)
    }
    throw error
  }
}
