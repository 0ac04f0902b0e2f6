import { byteLength, type Json, type JsonObject } from '../input/json.ts'
import { earnCredit, searchCost } from '../persons/copies.ts'
import {
  isMergeable,
  loadPerson,
  mergePersons,
  newPerson,
  type Person,
  type StoredPerson,
  searchText,
  tryVersion,
  type Version,
  writePerson
} from '../persons/person.ts'
import { foldEvents, MAX_SESSION_ID, type SessionPart } from '../sessions/session.ts'
import { buriedUnder, type Tombstone } from '../tombstones/tombstone.ts'
import { type VisitorSession, VisitorSessions } from './cookieless/sessions.ts'
import {
  eventCost,
  MAX_COST,
  MOVED_ROW,
  NEW_EVENT_NAME,
  NEW_IDENTITY,
  personCost,
  SESSION,
  versionCost
} from './cost.ts'
import { distinctIdsOf, mergedIdsOf, mergeSource } from './distinct-ids.ts'
import type { CapturedEvent } from './event.ts'
import { hasPersonProfile, writesOf } from './person-writes.ts'

/** What the database says of the distinct ids, persons and events that a batch of events touches. */
export type Known = {
  seen: ReadonlySet<string>
  identities: ReadonlyMap<string, { key: number; personId: number | null }>
  /** Of the persons of these identities; some may be left out when together they are large, never those of the first event. */
  persons: ReadonlyMap<number, StoredPerson>
  /** How many distinct ids the persons have that events may merge, those of the first event among them; counted up to `MAX_FOLDED` and one. */
  identityCounts: ReadonlyMap<number, number>
  eventNames: ReadonlyMap<string, number>
  /** When the project last erased somebody, ms UTC; 0 for never. */
  lastErasure: number
  /** Of those distinct ids that were erased after one of the events was accepted. */
  tombstones: ReadonlyMap<string, Tombstone[]>
  /** Stored sessions of visitors without cookies. */
  sessions: readonly VisitorSession[]
}

/** Distinct ids of a person that can still be folded into another: each of them moves, and 1,000 take about 10 ms. */
export const MAX_FOLDED = 1_000

/** Fresh numbers and uuids; a number is never used twice. */
export type Ids = { identity(): number; person(): number; eventName(): number; uuid(): string }

export type Incoming = CapturedEvent & { received_at: number }

export type EventRow = {
  uuid: string
  event_id: number
  timestamp: number
  identity: number
  version: number | null
  session_id: string | null
  window_id: string | null
  properties: JsonObject
}

/** Everything that has to be written so that the events are stored, and nothing else. */
export type Changes = {
  events: EventRow[]
  eventNames: { id: number; name: string }[]
  /** What the events say of their sessions. */
  sessions: SessionPart[]
  /** Sessions that begin here: their visitors may have begun no other near them. */
  begunSessions: VisitorSession[]
  newPersons: Person[]
  changedPersons: Person[]
  /** Persons folded into another, by an event received then: all their distinct ids go there. */
  mergedPersons: { id: number; revision: number; into: number; at: number }[]
  newIdentities: { key: number; distinct_id: string; person_id: number | null }[]
  /** Identities without a person that now have one. */
  attached: { key: number; person_id: number }[]
  /** Identities that were there already and must still be there. */
  usedIdentities: number[]
  /** Erased identities whose events are not all removed yet, which late events join. */
  usedTombstones: number[]
  /** How many late events of which erasure are neither kept nor to be removed any more. */
  dropped: { erasure_id: number; count: number }[]
  /** `Known.lastErasure`: nobody may have been erased since, or a new identity could be an erased one. */
  lastErasure: number
  versions: Version[]
  warnings: { type: Warning; event: string }[]
  /** The later events, which would be too much for one transaction: they are to be planned again once these are written. */
  rest: Incoming[]
}

export type Warning =
  | 'cannot_merge_already_identified'
  | 'cannot_merge_with_illegal_distinct_id'
  | 'merge_limit_exceeded'
  | 'person_properties_size_violation'
  | 'person_version_limit_exceeded'

type Identity = {
  key: number
  distinctId: string
  person: Person | undefined
  storedPersonId: number | null | undefined
}

/**
 * Works out what a batch of events changes: of all of them, or of as many as one transaction can write quickly, at least
 * one. Events already stored are left out; the others are taken in order of time. The outcome for persons does not depend
 * on how events are divided into batches, nor on the order of the batches.
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

/** A session's or window's id that an event is stored with; a longer one is only among its properties. */
const idOf = (value: Json | undefined): string | null =>
  typeof value === 'string' && value.length <= MAX_SESSION_ID ? value : null

/** Events in the order in which they are applied to their persons. */
export const inOrder = (events: Incoming[]): Incoming[] =>
  events.toSorted((a, b) => orderOf(a) - orderOf(b))

const orderOf = ({ written_at, timestamp }: CapturedEvent): number => written_at ?? timestamp

class Plan {
  readonly #known: Known
  readonly #ids: Ids
  readonly #identities = new Map<string, Identity>()
  readonly #persons = new Map<number, Person>()
  readonly #mergedInto = new Map<Person, { person: Person; at: number }>()
  readonly #eventNames = new Map<string, number>()
  readonly #events: EventRow[] = []
  readonly #sessions = new Map<string, SessionPart>()
  readonly #versions: Changes['versions'] = []
  readonly #warnings: Changes['warnings'] = []
  readonly #usedTombstones = new Set<number>()
  readonly #dropped = new Map<number, number>()
  /** What writing each person costs; none is written without an entry. */
  readonly #personCosts = new Map<Person, number>()
  /** What search looks in, of persons that changed. */
  readonly #searched = new Map<Person, string>()
  readonly #identityCounts = new Map<Person, number>()
  readonly #visitorSessions: VisitorSessions
  #cost = 0

  constructor(known: Known, ids: Ids) {
    this.#known = known
    this.#visitorSessions = new VisitorSessions(known.sessions)
    this.#ids = ids
  }

  /** Whether what is planned so far may become more, and enough is known of the event's persons. */
  hasRoomFor(event: Incoming): boolean {
    const personsOf = (distinctIds: string[]) =>
      distinctIds.flatMap((distinctId) => this.#known.identities.get(distinctId)?.personId ?? [])
    return (
      this.#cost < MAX_COST &&
      personsOf(distinctIdsOf(event)).every((id) => this.#known.persons.has(id)) &&
      personsOf(mergedIdsOf(event)).every((id) => this.#known.identityCounts.has(id))
    )
  }

  add(event: Incoming): void {
    const bytes = byteLength(JSON.stringify(event.properties))
    this.#cost += eventCost(bytes)
    const tombstone = this.#tombstoneOf(event.distinct_id, event)
    if (tombstone) {
      this.#bury(event, tombstone)
    } else {
      const identity = this.#identity(event.distinct_id)
      const person = hasPersonProfile(event.properties)
        ? this.#applyToPerson(
            identity,
            event,
            bytes + event.event.length + event.distinct_id.length
          )
        : undefined
      this.#store(event, identity.key, person?.version ?? null)
    }
  }

  /** An event of somebody erased after it was accepted goes where all their events go, and changes no person. */
  #bury(event: Incoming, { key, erasureId, isOpen }: Tombstone): void {
    if (isOpen) {
      this.#usedTombstones.add(key)
      this.#store(event, key, null)
    } else {
      this.#dropped.set(erasureId, (this.#dropped.get(erasureId) ?? 0) + 1)
    }
  }

  #tombstoneOf(distinctId: string, event: Incoming): Tombstone | undefined {
    return buriedUnder(this.#known.tombstones.get(distinctId) ?? [], event.received_at)
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

  /** The event's properties; of a visitor without cookies with the session that the time makes it part of. */
  #inSession({ visitor, properties }: Incoming, timestamp: number): JsonObject {
    return visitor === undefined
      ? properties
      : { ...properties, $session_id: this.#visitorSessions.sessionOf(visitor, timestamp) }
  }

  /** `received` are the event's bytes. */
  #applyToPerson(identity: Identity, event: Incoming, received: number): Person {
    const happenedAt = Math.floor(Math.min(event.timestamp, event.received_at))
    const merged = this.#merge(identity, event, happenedAt)
    const person = this.#personOf(identity) ?? this.#createPerson(identity, happenedAt)
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
    person.copyCredit = earnCredit(person.copyCredit, received, person.properties.bytes.shown)
    if (merged || written.changed) {
      this.#payForSearch(person)
    }
    if (merged || written.changed || person.version === 0 || person.isVersionStale) {
      this.#addVersion(person, identity, event)
    }
    this.#countCost(person)
    return person
  }

  /** What becomes searchable takes from the credit for copies, since it is stored beside them. */
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

  /** @returns whether the person's properties changed by it */
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
      this.#identify(this.#personOf(target) ?? this.#createPerson(target, at))
      return false
    }
    const from = this.#identity(source)
    const [folded, kept] = [this.#personOf(from), this.#personOf(target)]
    if (!folded || !kept) {
      const person = kept ?? folded ?? this.#createPerson(target, at)
      from.person = person
      target.person = person
      person.isIdentified = true
      // A distinct id that joins a person must notice when that person is merged or deleted at the same moment.
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
    this.#mergedInto.set(folded, { person: kept, at: event.received_at })
    return changed
  }

  /** How many stored distinct ids would move with the person; those that are new are stored where they belong. */
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

  #identity(distinctId: string): Identity {
    const present = this.#identities.get(distinctId)
    if (present) {
      return present
    }
    const stored = this.#known.identities.get(distinctId)
    const identity: Identity = {
      key: stored?.key ?? this.#ids.identity(),
      distinctId,
      person: stored?.personId ? this.#person(stored.personId) : undefined,
      storedPersonId: stored?.personId
    }
    this.#identities.set(distinctId, identity)
    this.#cost += stored ? 0 : NEW_IDENTITY
    return identity
  }

  #person(id: number): Person {
    const stored = this.#known.persons.get(id)
    if (!stored) {
      throw new Error(`person ${id} was not read`)
    }
    const person = this.#persons.get(id) ?? loadPerson(stored)
    this.#persons.set(id, person)
    return person
  }

  #personOf({ person }: Identity): Person | undefined {
    return person && this.#survivor(person)
  }

  #survivor(person: Person): Person {
    const into = this.#mergedInto.get(person)
    return into ? this.#survivor(into.person) : person
  }

  #createPerson(identity: Identity, createdAt: number): Person {
    const person = newPerson(this.#ids.person(), this.#ids.uuid(), createdAt)
    this.#persons.set(person.id, person)
    identity.person = person
    return person
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
    const identities = [...this.#identities.values()]
    const persons = [...this.#persons.values()]
    const remaining = persons.filter((person) => !this.#mergedInto.has(person))
    return {
      events: this.#events,
      eventNames: [...this.#eventNames].map(([name, id]) => ({ id, name })),
      sessions: [...this.#sessions.values()],
      begunSessions: this.#visitorSessions.begun,
      newPersons: remaining.filter((person) => person.revision === undefined),
      changedPersons: remaining.filter((person) => person.revision !== undefined && person.touched),
      mergedPersons: [...this.#mergedInto].flatMap(([person, { at }]) =>
        person.revision === undefined
          ? []
          : [{ id: person.id, revision: person.revision, into: this.#survivor(person).id, at }]
      ),
      newIdentities: identities
        .filter(({ storedPersonId }) => storedPersonId === undefined)
        .map((identity) => ({
          key: identity.key,
          distinct_id: identity.distinctId,
          person_id: this.#personOf(identity)?.id ?? null
        })),
      attached: identities.flatMap((identity) => {
        const person = this.#personOf(identity)
        return identity.storedPersonId === null && person
          ? [{ key: identity.key, person_id: person.id }]
          : []
      }),
      usedIdentities: identities
        .filter(({ storedPersonId }) => storedPersonId !== undefined)
        .map(({ key }) => key),
      usedTombstones: [...this.#usedTombstones],
      dropped: [...this.#dropped].map(([erasure_id, count]) => ({ erasure_id, count })),
      lastErasure: this.#known.lastErasure,
      versions: this.#versions,
      warnings: this.#warnings,
      rest
    }
  }
}
