import { byteLength, type Json, type JsonObject } from '../input/json.ts'
import { earnCredit, searchCost } from '../persons/copies.ts'
import {
  isMergeable,
  mergePersons,
  type Person,
  searchText,
  tryVersion,
  writePerson
} from '../persons/person.ts'
import { foldEvents, MAX_SESSION_ID, type SessionPart } from '../sessions/session.ts'
import { type Tombstone, tombstoneFor } from '../tombstones/tombstone.ts'
import {
  type Changes,
  type EventRow,
  type Ids,
  type Incoming,
  type Known,
  MAX_FOLDED,
  sizeOf,
  type Warning
} from './changes.ts'
import { VisitorSessions } from './cookieless/sessions.ts'
import {
  eventCost,
  MAX_COST,
  MOVED_ROW,
  NEW_EVENT_NAME,
  personCost,
  SESSION,
  versionCost
} from './cost.ts'
import { distinctIdsOf, mergedIdsOf, mergeSource } from './distinct-ids.ts'
import type { CapturedEvent } from './event.ts'
import { Identities, type Identity } from './identities.ts'
import { hasPersonProfile, writesOf } from './person-writes.ts'

/**
 * Plans the changes of as many events as one transaction can write quickly, at least one, in order
 * of time. Leaves out events that are stored already. Persons end up the same however the events
 * are divided into batches, and in whatever order the batches arrive.
 */
export function planEvents(events: Incoming[], known: Known, ids: Ids): Changes {
  const plan = new Plan(known, ids)
  const fresh = new Map<string, Incoming>()
  for (const event of events) {
    if (!known.seen.has(event.uuid) && !fresh.has(event.uuid)) {
      fresh.set(event.uuid, event)
    }
  }
  const ordered = inOrder([...fresh.values()])
  let taken = 0
  for (const event of ordered) {
    if (!plan.hasRoomFor(event)) {
      break
    }
    plan.add(event)
    taken += 1
  }
  return plan.changes(ordered.slice(taken))
}

/**
 * Returns the id of a session or window for its column; null for an id that is too long, which
 * stays in the properties only.
 */
const idOf = (value: Json | undefined): string | null =>
  typeof value === 'string' && value.length <= MAX_SESSION_ID ? value : null

/** Sorts events into the order in which they are applied to their persons. */
export const inOrder = (events: Incoming[]): Incoming[] =>
  events.toSorted((a, b) => orderOf(a) - orderOf(b))

const orderOf = ({ written_at, timestamp }: CapturedEvent): number => written_at ?? timestamp

class Plan {
  readonly #known: Known
  readonly #ids: Ids
  readonly #identities: Identities
  readonly #eventNames = new Map<string, number>()
  readonly #events: EventRow[] = []
  readonly #sessions = new Map<string, SessionPart>()
  readonly #versions: Changes['versions'] = []
  readonly #warnings: Changes['warnings'] = []
  readonly #usedTombstones = new Set<number>()
  readonly #dropped = new Map<number, number>()
  /** The cost of writing each person. A person without an entry is not written. */
  readonly #personCosts = new Map<Person, number>()
  /** The new search text of changed persons. */
  readonly #searched = new Map<Person, string>()
  readonly #identityCounts = new Map<Person, number>()
  readonly #visitorSessions: VisitorSessions
  #cost = 0

  constructor(known: Known, ids: Ids) {
    this.#known = known
    this.#ids = ids
    this.#identities = new Identities(known, ids)
    this.#visitorSessions = new VisitorSessions(known.sessions)
  }

  /** Whether the plan has room for another event and all rows that the event needs were read. */
  hasRoomFor(event: Incoming): boolean {
    const personsOf = (distinctIds: string[]) =>
      distinctIds.flatMap((distinctId) => this.#known.identities.get(distinctId)?.personId ?? [])
    return (
      this.#cost + this.#identities.cost < MAX_COST &&
      personsOf(distinctIdsOf(event)).every((id) => this.#known.persons.has(id)) &&
      personsOf(mergedIdsOf(event)).every((id) => this.#known.identityCounts.has(id))
    )
  }

  add(event: Incoming): void {
    this.#cost += eventCost(event.bytes)
    const tombstone = this.#tombstoneOf(event.distinct_id, event)
    if (tombstone) {
      this.#storeOrDrop(event, tombstone)
    } else {
      const identity = this.#identities.of(event.distinct_id)
      const person = hasPersonProfile(event.properties)
        ? this.#applyToPerson(identity, event)
        : undefined
      this.#store(event, identity.key, person?.version ?? null)
    }
  }

  /** Stores a late event of an erased person if it will be purged with the others, and drops it otherwise. */
  #storeOrDrop(event: Incoming, { key, erasureId, isOpen }: Tombstone): void {
    if (isOpen) {
      this.#usedTombstones.add(key)
      this.#store(event, key, null)
    } else {
      this.#dropped.set(erasureId, (this.#dropped.get(erasureId) ?? 0) + 1)
    }
  }

  #tombstoneOf(distinctId: string, event: Incoming): Tombstone | undefined {
    return tombstoneFor(this.#known.tombstones.get(distinctId) ?? [], event.received_at)
  }

  #store(event: Incoming, identity: number, version: number | null): void {
    const { uuid, event: name, received_at: receivedAt } = event
    const timestamp = Math.floor(event.timestamp)
    const properties = this.#inSession(event, timestamp)
    const { $session_id: session, $window_id: window } = properties
    const sessionId = idOf(session)
    this.#events.push({
      uuid,
      event_id: this.#eventName(name),
      timestamp,
      identity,
      version,
      session_id: sessionId,
      window_id: idOf(window),
      properties
    })
    const sessions = this.#sessions.size
    foldEvents(
      [{ uuid, name, timestamp, receivedAt, identity, sessionId, properties }],
      this.#sessions
    )
    this.#cost += (this.#sessions.size - sessions) * SESSION
  }

  /**
   * Returns the event's properties; adds the session of the event's time for a visitor without
   * cookies.
   */
  #inSession({ visitor, properties }: Incoming, timestamp: number): JsonObject {
    return visitor === undefined
      ? properties
      : { ...properties, $session_id: this.#visitorSessions.sessionOf(visitor, timestamp) }
  }

  /** Applies an event to its person, which may be new. */
  #applyToPerson(identity: Identity, event: Incoming): Person {
    const happenedAt = Math.floor(Math.min(event.timestamp, event.received_at))
    const merged = this.#merge(identity, event, happenedAt)
    const person =
      this.#identities.personOf(identity) ?? this.#identities.createPerson(identity, happenedAt)
    if (happenedAt < person.createdAt) {
      person.createdAt = happenedAt
      person.touched = true
      person.changed = true
    }
    const writtenAt = Math.min(orderOf(event), event.received_at)
    const written = writePerson(person, writesOf(event, writtenAt))
    if (written.refused) {
      this.#warn('person_properties_size_violation', event)
    }
    person.copyCredit = earnCredit(person.copyCredit, sizeOf(event), person.properties.bytes.shown)
    if (merged || written.changed) {
      this.#payForSearch(person)
    }
    if (merged || written.changed || person.version === 0 || person.isVersionStale) {
      this.#addVersion(person, identity, event)
    }
    this.#countCost(person)
    return person
  }

  /**
   * Charges text added to the search index to the person's credit for copies, because both take
   * space in the database.
   */
  #payForSearch(person: Person): void {
    const before = this.#searched.get(person) ?? person.indexed
    const now = searchText(person.properties.shown)
    person.copyCredit -= searchCost(Math.max(0, byteLength(now) - byteLength(before)))
    this.#searched.set(person, now)
  }

  #addVersion(person: Person, identity: Identity, event: Incoming): void {
    const version = tryVersion(person, identity.key)
    if (version) {
      this.#versions.push(version)
      this.#cost += versionCost(person.properties.bytes.shown)
    } else {
      this.#warn('person_version_limit_exceeded', event)
    }
  }

  #countCost(person: Person): void {
    if (!person.touched) {
      return
    }
    const now = this.#searched.get(person) ?? person.indexed
    const isSearchedAnew = now !== person.indexed
    const cost = personCost(
      person.properties.bytes,
      isSearchedAnew ? { out: byteLength(person.indexed), in: byteLength(now) } : undefined
    )
    this.#cost += cost - (this.#personCosts.get(person) ?? 0)
    this.#personCosts.set(person, cost)
  }

  /**
   * Merges the two persons that an event names. @returns whether the properties of the remaining
   * person changed
   */
  #merge(target: Identity, event: Incoming, at: number): boolean {
    const source = mergeSource(event)
    if (source === undefined || source === target.distinctId) {
      return false
    }
    if (!isMergeable(source) || !isMergeable(target.distinctId)) {
      this.#warn('cannot_merge_with_illegal_distinct_id', event)
      return false
    }
    if (this.#tombstoneOf(source, event)) {
      this.#identify(this.#identities.personOf(target) ?? this.#identities.createPerson(target, at))
      return false
    }
    const from = this.#identities.of(source)
    const [folded, kept] = [this.#identities.personOf(from), this.#identities.personOf(target)]
    if (!folded || !kept) {
      const person = kept ?? folded ?? this.#identities.createPerson(target, at)
      from.person = person
      target.person = person
      person.isIdentified = true
      // Writing the person makes the batch fail if another batch merges or deletes the person at
      // the same moment.
      person.touched = true
      return false
    }
    if (folded !== kept && folded.isIdentified && event.event !== '$merge_dangerously') {
      this.#warn('cannot_merge_already_identified', event)
      this.#identify(kept)
      return false
    }
    this.#identify(kept)
    if (folded === kept) {
      return false
    }
    const moved = this.#identityCountOf(folded)
    if (moved > MAX_FOLDED) {
      this.#warn('merge_limit_exceeded', event)
      return false
    }
    this.#cost += moved * MOVED_ROW
    this.#identityCounts.set(kept, this.#identityCountOf(kept) + moved)
    const { changed, refused } = mergePersons(kept, folded)
    if (refused) {
      this.#warn('person_properties_size_violation', event)
    }
    this.#identities.merge(folded, kept, event.received_at)
    return changed
  }

  /**
   * Counts the stored distinct ids that would move with the person. New distinct ids are stored
   * with the right person at once.
   */
  #identityCountOf(person: Person): number {
    return this.#identityCounts.get(person) ?? this.#known.identityCounts.get(person.id) ?? 0
  }

  #identify(person: Person): void {
    if (person.isIdentified) {
      return
    }
    person.isIdentified = true
    person.touched = true
  }

  #eventName(name: string): number {
    const id = this.#known.eventNames.get(name) ?? this.#eventNames.get(name)
    if (id !== undefined) {
      return id
    }
    const fresh = this.#ids.eventName()
    this.#eventNames.set(name, fresh)
    this.#cost += NEW_EVENT_NAME
    return fresh
  }

  #warn(type: Warning, event: Incoming): void {
    this.#warnings.push({ type, event: event.uuid })
  }

  changes(rest: Incoming[]): Changes {
    return {
      ...this.#identities.changes(),
      events: this.#events,
      eventNames: [...this.#eventNames].map(([name, id]) => ({ id, name })),
      sessions: [...this.#sessions.values()],
      begunSessions: this.#visitorSessions.begun,
      usedTombstones: [...this.#usedTombstones],
      dropped: [...this.#dropped].map(([erasure_id, count]) => ({ erasure_id, count })),
      lastErasure: this.#known.lastErasure,
      versions: this.#versions,
      warnings: this.#warnings,
      rest
    }
  }
}
