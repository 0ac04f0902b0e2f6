import {
  countDrops,
  type Drops,
  type Suppressed,
  type Suppressions,
  suppressionAt
} from '../barred/suppressions/suppression.ts'
import { isMergeable } from '../persons/person.ts'
import type { Incoming, Known, Merge } from './changes.ts'
import { distinctIdsOf, mergeSource } from './distinct-ids.ts'

/**
 * A distinct id that an event links to a suppressed id. Times are ms UTC; `liftedAt` is null while
 * the suppression is in force.
 */
export type Joined = {
  suppression: string
  distinctId: string
  since: number
  liftedAt: number | null
}

/** The events to store, the numbers of dropped events, and the ids that join suppressions. */
export type Sorted = { kept: Incoming[]; dropped: Drops[]; joined: Joined[] }

/**
 * Drops the events that name a suppressed distinct id, as their own or as the id that they merge,
 * and keeps the others. If an event would merge a suppressed id with another id, the other id joins
 * the suppression instead: all events of the batch that name it and were received at the same time
 * or later are dropped, too. An event whose merge depends on a person that was not read is kept,
 * because the plan leaves every event with such a person for a later part.
 */
export function sortOut(
  events: readonly Incoming[],
  known: Pick<Known, 'seen' | 'identities' | 'persons'>,
  suppressions: Suppressions
): Sorted {
  if (suppressions.size === 0) {
    return { kept: [...events], dropped: [], joined: [] }
  }
  const joins = followLinks(events, known, suppressions)
  const joined = joins.list()
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
    if (!suppressed || joins.isUndecided(event)) {
      kept.push(event)
    } else if (!known.seen.has(event.uuid)) {
      // An event that is stored already is not dropped, so it is not counted.
      dropped.push({ suppression: suppressed.suppressionId, at: event.received_at })
    }
  }
  return {
    kept,
    dropped: countDrops(dropped),
    joined: joined.map(({ distinctId, suppressed }) => toJoined(distinctId, suppressed))
  }
}

/**
 * Finds the ids that join suppressions because they were merged with an id whose suppression began
 * after the merge was received. They join from its beginning, as if the merge had been processed
 * before.
 */
export const findMerged = (merges: readonly Merge[], suppressions: Suppressions): Joined[] =>
  merges.flatMap(({ target, source, at }) => {
    const [ofTarget = [], ofSource = []] = [target, source].map((id) => suppressions.get(id) ?? [])
    const missing = (from: Suppressed[], own: Suppressed[]) =>
      from.filter(
        ({ suppressionId, since }) =>
          since > at &&
          !own.some((one) => one.suppressionId === suppressionId && one.since <= since)
      )
    return [
      ...missing(ofSource, ofTarget).map((suppressed) => toJoined(target, suppressed)),
      ...missing(ofTarget, ofSource).map((suppressed) => toJoined(source, suppressed))
    ]
  })

const toJoined = (
  distinctId: string,
  { suppressionId: suppression, since, liftedAt }: Suppressed
): Joined => ({ distinctId, suppression, since, liftedAt })

/**
 * Finds the ids that join suppressions. A link is an event that names two ids; the links are
 * followed from suppressed ids until no further id joins.
 */
function followLinks(
  events: readonly Incoming[],
  known: Pick<Known, 'identities' | 'persons'>,
  suppressions: Suppressions
): Joins {
  const joins = new Joins(known, suppressions)
  const links = events
    .filter((event) => mergeSource(event) !== undefined)
    .toSorted((a, b) => a.received_at - b.received_at)
  let hasJoined: boolean
  do {
    // Starts over after each join, because an earlier link may name the id that has joined. This
    // ends, because each join covers a time of an id that was not covered.
    hasJoined = links.some((event) => joins.follow(event))
  } while (hasJoined)
  return joins
}

/** The distinct ids that join suppressions, while the links of a batch are followed. */
class Joins {
  readonly #known: Pick<Known, 'identities' | 'persons'>
  readonly #suppressions: Suppressions
  /** The suppressions that each id has joined: several if one was lifted before the next began. */
  readonly #joined = new Map<string, Suppressed[]>()
  /** Suppressions that an id has joined. Their persons count as identified. */
  readonly #grown = new Set<string>()

  constructor(known: Pick<Known, 'identities' | 'persons'>, suppressions: Suppressions) {
    this.#known = known
    this.#suppressions = suppressions
  }

  /** If one id of a link is suppressed, the other joins. @returns whether an id has joined */
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
    const joined = { ...suppressed, since: event.received_at, isIdentified: true }
    this.#joined.set(other, [...(this.#joined.get(other) ?? []), joined])
    this.#grown.add(suppressed.suppressionId)
    return true
  }

  /**
   * Whether an event might merge a person that was not read, so that it is not known yet whether
   * that person is identified.
   */
  isUndecided(event: Incoming): boolean {
    const source = mergeSource(event)
    return (
      source !== undefined &&
      event.event !== '$merge_dangerously' &&
      !this.#find(source, event.received_at) &&
      this.#isUnread(source)
    )
  }

  list(): { distinctId: string; suppressed: Suppressed }[] {
    return [...this.#joined].flatMap(([distinctId, own]) =>
      own.map((suppressed) => ({ distinctId, suppressed }))
    )
  }

  #find(id: string, at: number): Suppressed | undefined {
    const all = [...(this.#suppressions.get(id) ?? []), ...(this.#joined.get(id) ?? [])]
    return suppressionAt(all, at)
  }

  /** Whether a distinct id has a person that was not read. */
  #isUnread(id: string): boolean {
    const personId = this.#known.identities.get(id)?.personId ?? undefined
    return personId !== undefined && !this.#known.persons.has(personId)
  }

  /**
   * Whether `$identify` cannot fold the person of an id into another. A person that was not read
   * counts as identified.
   */
  #isIdentified(id: string, suppressed: Suppressed | undefined): boolean {
    if (suppressed) {
      return suppressed.isIdentified || this.#grown.has(suppressed.suppressionId)
    }
    const personId = this.#known.identities.get(id)?.personId
    const person = personId ? this.#known.persons.get(personId) : undefined
    return this.#isUnread(id) || person?.isIdentified === true
  }
}
