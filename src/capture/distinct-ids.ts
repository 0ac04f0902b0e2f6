import { readDistinctId } from '../persons/distinct-id.ts'
import { type CapturedEvent, MERGED_ID } from './event.ts'
import { hasPersonProfile } from './person-writes.ts'

/**
 * Returns the distinct ids that an event names: its own, and the distinct id that it merges, if
 * any.
 */
export function distinctIdsOf(event: CapturedEvent): string[] {
  const source = mergeSource(event)
  return source === undefined ? [event.distinct_id] : [event.distinct_id, source]
}

/** Returns the distinct ids whose persons an event merges: two, or none. */
export const mergedIdsOf = (event: CapturedEvent): string[] =>
  mergeSource(event) === undefined ? [] : distinctIdsOf(event)

/**
 * Returns the second distinct id of an event that merges two persons: the person of this id is
 * folded into the person of the event's `distinct_id`. Undefined for any other event.
 */
export function mergeSource({ event, properties }: CapturedEvent): string | undefined {
  const member = MERGED_ID.get(event)
  return member !== undefined && hasPersonProfile(properties)
    ? readDistinctId(properties[member])
    : undefined
}
