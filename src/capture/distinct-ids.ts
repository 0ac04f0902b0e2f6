import { readDistinctId } from '../persons/distinct-id.ts'
import type { CapturedEvent } from './event.ts'
import { hasPersonProfile } from './person-writes.ts'

/** The distinct ids that an event names: its own and the one that it merges, if any. */
export function distinctIdsOf(event: CapturedEvent): string[] {
  const source = mergeSource(event)
  return source === undefined ? [event.distinct_id] : [event.distinct_id, source]
}

/** The distinct ids whose persons an event merges; none of an event that does not merge. */
export const mergedIdsOf = (event: CapturedEvent): string[] =>
  mergeSource(event) === undefined ? [] : distinctIdsOf(event)

/** The distinct id that an event folds into its own, if it is one of those that merge. */
export function mergeSource({ event, properties }: CapturedEvent): string | undefined {
  if (!hasPersonProfile(properties)) {
    return undefined
  }
  if (event === '$identify') {
    return readDistinctId(properties.$anon_distinct_id)
  }
  if (event === '$create_alias' || event === '$merge_dangerously') {
    return readDistinctId(properties.alias)
  }
  return undefined
}
