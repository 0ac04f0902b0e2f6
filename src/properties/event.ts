import * as z from 'zod'
import { refusing, sameReason } from '../input/fields.ts'

/** Fields that say how other requests of PostHog's clients count or show an event; ignored here. */
const DISPLAYED = [
  'name',
  'custom_name',
  'order',
  'uuid',
  'math',
  'math_property',
  'math_property_type',
  'math_hogql',
  'math_group_type_index'
]

/**
 * Schema of an event that a request asks for, in the form of PostHog's clients: `{"id":"$pageview","properties":[…]}`. An
 * unknown field with a value is refused.
 * @param refusal the message for anything but an object
 */
export const askedEvent = <S extends z.ZodRawShape>(shape: S, refusal?: string) =>
  refusing(
    z.object(shape, refusal),
    sameReason(['event', 'event_name'], 'Send the name of the event as `id`.'),
    DISPLAYED,
    'Not a field of an event: an event has `id` and `properties`.'
  )
