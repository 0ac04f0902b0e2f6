import * as z from 'zod'
import type { Calendar } from '../../calendar/buckets.ts'
import { AppError, naming } from '../../errors.ts'
import { readRange } from '../../events/range.ts'
import type { EventFilters } from '../../events/scan.ts'
import type { Json } from '../../input/json.ts'
import { clean } from '../../persons/distinct-id.ts'
import { isOneOf, leavesOf, PRESENCE, PROPERTY_TYPES } from '../../properties/filter.ts'
import { readFilters } from '../../properties/read-filters.ts'

/** Maximum number of event names in a filter. */
export const MAX_FILTER_NAMES = 100

/** Filters of events. An event must match all that are given. */
export const Filters = z.object({
  events: z
    .array(z.string().min(1).max(1000))
    .min(1, 'Name at least one event.')
    .max(MAX_FILTER_NAMES, `Name at most ${MAX_FILTER_NAMES} events.`)
    .optional()
    .meta({ description: 'Names of events; an event has one of them.' }),
  after: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Only events at this time or later.' }),
  before: z.string().min(1).max(100).optional().meta({
    description: 'Only events before this time; without it, the time of the dry run.'
  }),
  distinct_id: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'Only events with exactly this distinct id.' }),
  session_id: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'Only events of this session.' }),
  property_filters: z
    .union(
      [z.array(z.looseObject({})), z.looseObject({})],
      'Send a list of filters, one filter or a group.'
    )
    .optional()
    .meta({
      description:
        'Filters by properties: a list, all of which must match, one filter, or a group, as in `properties` of `GET events/`. The default `type` is `event`.'
    })
})
export type Filters = z.infer<typeof Filters>

/**
 * Reads filters as of `now`. The dry run and the deletion both pass the time of the dry run, so
 * that relative dates mean the same in both.
 * @throws invalid_input, attr the filter; required without any filter
 */
export function readEventFilters(filters: Filters, project: Calendar, now: Date): EventFilters {
  const { events, distinct_id: distinctId, session_id: session } = filters
  const range = { before: now.toISOString(), ...filters }
  const { from, until } = readRange(range, project, now)
  const properties = naming('property_filters', () =>
    readFilters((filters.property_filters ?? []) as Json, {
      timezone: project.timezone,
      now,
      types: PROPERTY_TYPES
    })
  )
  for (const { key, operator, values } of leavesOf(properties)) {
    if (values.length === 0 && !isOneOf(PRESENCE, operator)) {
      throw new AppError(
        'invalid_input',
        `The filter of \`${key}\` has no values, so it would match every event: give it a value, or leave the filter out.`,
        'property_filters'
      )
    }
  }
  const { property_filters: _, ...others } = filters
  if (Object.keys(others).length === 0 && leavesOf(properties).length === 0) {
    throw new AppError('required', 'Give at least one filter, for example `events` or `before`.')
  }
  return {
    events,
    person: undefined,
    distinctId: distinctId && clean(distinctId),
    session,
    from,
    until,
    properties
  }
}
