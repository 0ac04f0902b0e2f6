import { isMergeable } from '../persons/person.ts'
import {
  countDrops,
  type Drops,
  type Suppressed,
  type Suppressions,
  suppressionAt
} from '../suppressions/suppression.ts'
import type { Incoming, Known } from './changes.ts'
import { distinctIdsOf, mergeSource } from './distinct-ids.ts'

/** A distinct id that an event links to a suppressed id. `since` is ms UTC. */
export type Joined = { suppression: string; distinctId: string; since: number }

/** The events that are stored, how many are dropped, and the ids that join suppressions. */
export type Sorted = { kept: Incoming[]; dropped: Drops[]; joined: Joined[] }

/**
 * Sorts out the events that name a suppressed distinct id, as their own or as the id that they
 * merge. An event that would merge a suppressed id with another one does not merge them: the other
 * id joins the suppression, from the time at which that event was accepted, wherever the event is in
 * the batch.
 */
export function sortOut(
  events: readonly Incoming[],
  known: Pick<Known, 'seen' | 'identities' | 'persons'>,
  suppressions: Suppressions
): Sorted {
  if (suppressions.size === 0) {
    return { kept: [...events], dropped: [], joined: [] }
  }
  const joined = findJoined(events, known, suppressions)
  const all = new Map([...suppressions].map(([id, own]) => [id, [...own]]))
  for (const { distinctId, suppressed } of joined) {
    all.set(distinctId, [...(all.get(distinctId) ?? []), suppressed])
  }
  const kept: Incoming[] = []
  const dropped: { suppression: string; at: number }[] = []
  for (const event of events) {
    const suppressed = distinctIdsOf(event).flatMap(
      (id) => suppressionAt(all.get(id) ?? [], event.received_at) ?? []
    )[0]
    if (!suppressed) {
      kept.push(event)
    } else if (!known.seen.has(event.uuid)) {
      dropped.push({ suppression: suppressed.suppressionId, at: event.received_at })
    }
  }
  return {
    kept,
    dropped: countDrops(dropped),
    joined: joined.map(({ distinctId, suppressed }) => ({
      distinctId,
      suppression: suppressed.suppressionId,
      since: suppressed.since
    }))
  }
}

/** Follows the links of events from suppressed ids, until no further id joins. */
function findJoined(
  events: readonly Incoming[],
  { identities, persons }: Pick<Known, 'identities' | 'persons'>,
  suppressions: Suppressions
): { distinctId: string; suppressed: Suppressed }[] {
  const joined = new Map<string, Suppressed>()
  const identified = new Set<string>()
  const links = events
    .filter((event) => mergeSource(event) !== undefined)
    .toSorted((a, b) => a.received_at - b.received_at)
  const find = (id: string, at: number): Suppressed | undefined => {
    const own = joined.get(id)
    return suppressionAt([...(suppressions.get(id) ?? []), ...(own ? [own] : [])], at)
  }
  const isIdentified = (id: string, suppressed: Suppressed | undefined): boolean =>
    suppressed
      ? suppressed.isIdentified || identified.has(suppressed.suppressionId)
      : persons.get(identities.get(id)?.personId ?? 0)?.isIdentified === true
  /** Makes the other id of a link join the suppression of the first. @returns whether one has joined */
  const follow = (event: Incoming): boolean => {
    const [target, source] = [event.distinct_id, mergeSource(event) ?? event.distinct_id]
    const at = event.received_at
    const [ofTarget, ofSource] = [find(target, at), find(source, at)]
    const suppressed = ofTarget ?? ofSource
    const merges =
      isMergeable(target) &&
      isMergeable(source) &&
      (event.event === '$merge_dangerously' || !isIdentified(source, ofSource))
    if (!suppressed || (ofTarget && ofSource) || !merges) {
      return false
    }
    joined.set(ofTarget ? source : target, { ...suppressed, since: at, isIdentified: true })
    identified.add(suppressed.suppressionId)
    return true
  }
  while (links.some(follow)) {
    // Another id has joined, which earlier links may name.
  }
  return [...joined].map(([distinctId, suppressed]) => ({ distinctId, suppressed }))
}
