import * as z from 'zod'
import { refusing, sameReason } from '../input/fields.ts'

/**
 * Fields that PostHog's clients send with an event because trends use them to count or show it;
 * ignored here.
 */
const IGNORED = [
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
 * Schema of an event in a request, in the form of PostHog's clients:
 * `{"id":"$pageview","properties":[…]}`. A field with a value is refused unless it is in `shape`,
 * `IGNORED` or `HARMLESS`.
 * @param refusal the message for anything but an object
 */
export const askedEvent = <S extends z.ZodRawShape>(shape: S, refusal?: string) =>
  refusing(
    z.object(shape, refusal),
    sameReason(['event', 'event_name'], 'Send the name of the event as `id`.'),
    IGNORED,
    'Not a field of an event: an event has `id` and `properties`.'
  )
