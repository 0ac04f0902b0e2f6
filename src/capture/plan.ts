import { buriedUnder, type Tombstone } from '../erasures/tombstone.ts'
import type { JsonObject } from '../json.ts'
import {
  addVersion,
  isMergeable,
  loadPerson,
  mergePersons,
  newPerson,
  type Person,
  type StoredPerson,
  type Version,
  writePerson
} from '../persons/person.ts'
import { foldEvents, type SessionPart } from '../sessions/session.ts'
import type { CapturedEvent } from './event.ts'
import { mergeSource } from './merge.ts'
import { hasPersonProfile, writesOf } from './writes.ts'

/** What the database says of the distinct ids, persons and events that a batch of events touches. */
export type Known = {
  seen: ReadonlySet<string>
  identities: ReadonlyMap<string, { key: number; personId: number | null }>
  persons: ReadonlyMap<number, StoredPerson>
  eventNames: ReadonlyMap<string, number>
  /** When the project last erased somebody, ms UTC; 0 for never. */
  lastErasure: number
  /** Of those distinct ids that were erased after one of the events was accepted. */
  tombstones: ReadonlyMap<string, Tombstone[]>
}

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
}

export type Warning =
  | 'cannot_merge_already_identified'
  | 'cannot_merge_with_illegal_distinct_id'
  | 'person_properties_size_violation'

type Identity = {
  key: number
  distinctId: string
  person: Person | undefined
  storedPersonId: number | null | undefined
}

/**
 * Works out what a batch of events changes. Events already stored are left out; the rest is taken in order of time. The
 * outcome for persons does not depend on how events are divided into batches, nor on the order of the batches.
 */
export function planEvents(events: Incoming[], known: Known, ids: Ids): Changes {
  const plan = new Plan(known, ids)
  const fresh = new Map<string, Incoming>()
  for (const event of events) {
    if (!known.seen.has(event.uuid) && !fresh.has(event.uuid)) {
      fresh.set(event.uuid, event)
    }
  }
  for (const event of [...fresh.values()].sort((a, b) => orderOf(a) - orderOf(b))) {
    plan.add(event)
  }
  return plan.changes()
}

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

  constructor(known: Known, ids: Ids) {
    this.#known = known
    this.#ids = ids
  }

  add(event: Incoming): void {
    const tombstone = this.#tombstoneOf(event.distinct_id, event)
    if (tombstone) {
      this.#bury(event, tombstone)
    } else {
      const identity = this.#identity(event.distinct_id)
      const person = hasPersonProfile(event.properties)
        ? this.#applyToPerson(identity, event)
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
    const { uuid, event: name, received_at: receivedAt, properties } = event
    const { $session_id: session, $window_id: window } = properties
    const timestamp = Math.floor(event.timestamp)
    const sessionId = typeof session === 'string' ? session : null
    this.#events.push({
      uuid,
      event_id: this.#eventName(name),
      timestamp,
      identity,
      version,
      session_id: sessionId,
      window_id: typeof window === 'string' ? window : null,
      properties
    })
    foldEvents(
      [{ uuid, name, timestamp, receivedAt, identity, sessionId, properties }],
      this.#sessions
    )
  }

  #applyToPerson(identity: Identity, event: Incoming): Person {
    const happenedAt = Math.floor(Math.min(event.timestamp, event.received_at))
    const merged = this.#merge(identity, event, happenedAt)
    const person = this.#personOf(identity) ?? this.#createPerson(identity, happenedAt)
    if (happenedAt < person.createdAt) {
      person.createdAt = happenedAt
      person.touched = true
      person.changed = true
    }
    const writtenAt = Math.min(orderOf(event), event.received_at)
    const written = writePerson(
      person,
      writesOf(event.event, event.uuid, event.properties, writtenAt)
    )
    if (written.refused) {
      this.#warn('person_properties_size_violation', event)
    }
    if (merged || written.changed || person.version === 0) {
      this.#versions.push(addVersion(person, identity.key))
    }
    return person
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
    const { changed, refused } = mergePersons(kept, folded)
    if (refused) {
      this.#warn('person_properties_size_violation', event)
    }
    this.#mergedInto.set(folded, { person: kept, at: event.received_at })
    return changed
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
    return fresh
  }

  #warn(type: Warning, event: Incoming): void {
    this.#warnings.push({ type, event: event.uuid })
  }

  changes(): Changes {
    const identities = [...this.#identities.values()]
    const persons = [...this.#persons.values()]
    const remaining = persons.filter((person) => !this.#mergedInto.has(person))
    return {
      events: this.#events,
      eventNames: [...this.#eventNames].map(([name, id]) => ({ id, name })),
      sessions: [...this.#sessions.values()],
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
      warnings: this.#warnings
    }
  }
}
