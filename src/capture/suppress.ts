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
 * Separates the events that name a suppressed distinct id, as their own or as the id that they merge,
 * from the events to store. An event that would merge a suppressed id with another one does not merge them: the other
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
    const [suppressed] = distinctIdsOf(event).flatMap(
      (id) => suppressionAt(all.get(id) ?? [], event.received_at) ?? []
    )
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
  known: Pick<Known, 'identities' | 'persons'>,
  suppressions: Suppressions
): { distinctId: string; suppressed: Suppressed }[] {
  const joins = new Joins(known, suppressions)
  const links = events
    .filter((event) => mergeSource(event) !== undefined)
    .toSorted((a, b) => a.received_at - b.received_at)
  let hasJoined: boolean
  do {
    // Starts over after each join, because an earlier link may name the id that has joined.
    hasJoined = links.some((event) => joins.follow(event))
  } while (hasJoined)
  return joins.list()
}

/** The distinct ids that join suppressions, while the links of a batch are followed. */
class Joins {
  readonly #known: Pick<Known, 'identities' | 'persons'>
  readonly #suppressions: Suppressions
  readonly #joined = new Map<string, Suppressed>()
  /** Suppressions that an id has joined. Their persons count as identified. */
  readonly #grown = new Set<string>()

  constructor(known: Pick<Known, 'identities' | 'persons'>, suppressions: Suppressions) {
    this.#known = known
    this.#suppressions = suppressions
  }

  /** If one id of a link is suppressed, the other joins its suppression. @returns whether an id has joined */
  follow(event: Incoming): boolean {
    const target = event.distinct_id
    const source = mergeSource(event) ?? target
    const ofTarget = this.#find(target, event.received_at)
    const ofSource = this.#find(source, event.received_at)
    const suppressed = ofTarget ?? ofSource
    if (!suppressed || (ofTarget && ofSource)) {
      return false
    }
    if (!isMergeable(target) || !isMergeable(source)) {
      return false
    }
    if (event.event !== '$merge_dangerously' && this.#isIdentified(source, ofSource)) {
      return false
    }
    const other = ofTarget ? source : target
    this.#joined.set(other, { ...suppressed, since: event.received_at, isIdentified: true })
    this.#grown.add(suppressed.suppressionId)
    return true
  }

  list(): { distinctId: string; suppressed: Suppressed }[] {
    return [...this.#joined].map(([distinctId, suppressed]) => ({ distinctId, suppressed }))
  }

  #find(id: string, at: number): Suppressed | undefined {
    const joined = this.#joined.get(id)
    return suppressionAt([...(this.#suppressions.get(id) ?? []), ...(joined ? [joined] : [])], at)
  }

  #isIdentified(id: string, suppressed: Suppressed | undefined): boolean {
    if (suppressed) {
      return suppressed.isIdentified || this.#grown.has(suppressed.suppressionId)
    }
    const personId = this.#known.identities.get(id)?.personId ?? 0
    return this.#known.persons.get(personId)?.isIdentified === true
  }
}
