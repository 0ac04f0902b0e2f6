import { type Tombstone, tombstoneFor } from '../barred/tombstones/tombstone.ts'
import type { Json, JsonObject } from '../input/json.ts'
import { foldEvents, MAX_SESSION_ID, type SessionPart } from '../sessions/session.ts'
import {
  type Changes,
  type Ids,
  type Incoming,
  type Known,
  MAX_EVENT_NAMES,
  type NewEventRow
} from './changes.ts'
import { VisitorSessions } from './cookieless/sessions.ts'
import { eventCost, MAX_COST, NEW_EVENT_NAME, SESSION } from './cost.ts'
import { distinctIdsOf, mergedIdsOf } from './distinct-ids.ts'
import { Identities } from './identities.ts'
import { PersonPlan } from './person-plan.ts'
import { hasPersonProfile } from './person-writes.ts'
import { inOrder } from './write-order.ts'

/**
 * Plans the changes of as many events as one transaction can write quickly, in order of time.
 * Leaves out events that are stored already. Plans no event if rows that the first new event needs
 * were not read. Persons end up the same however the events are divided into batches, and in
 * whatever order the batches arrive.
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

class Plan {
  readonly #known: Known
  readonly #ids: Ids
  readonly #identities: Identities
  readonly #eventNames = new Map<string, number>()
  readonly #events: NewEventRow[] = []
  readonly #warnings: Changes['warnings'] = []
  readonly #sessions = new Map<string, SessionPart>()
  readonly #usedTombstones = new Set<number>()
  readonly #dropped = new Map<number, number>()
  readonly #persons: PersonPlan
  readonly #visitorSessions: VisitorSessions
  #cost = 0

  constructor(known: Known, ids: Ids) {
    this.#known = known
    this.#ids = ids
    this.#identities = new Identities(known, ids)
    const isErased = (distinctId: string, event: Incoming) =>
      this.#tombstoneOf(distinctId, event) !== undefined
    this.#persons = new PersonPlan(this.#identities, known.identityCounts, isErased)
    this.#visitorSessions = new VisitorSessions(known.sessions)
  }

  /** Whether the plan has room for another event and all rows that the event needs were read. */
  hasRoomFor(event: Incoming): boolean {
    const personsOf = (distinctIds: string[]) =>
      distinctIds.flatMap((distinctId) => this.#known.identities.get(distinctId)?.personId ?? [])
    return (
      this.#cost + this.#identities.cost + this.#persons.cost < MAX_COST &&
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
        ? this.#persons.apply(identity, event)
        : undefined
      this.#store(event, identity.key, person?.version ?? null)
    }
  }

  /** Stores a late event if it will be purged with the person's others; else drops it. */
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
      event_id: this.#eventName(event),
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
   * Returns the event's properties. For a visitor without cookies, adds the id of the session that
   * the visitor had at the time of the event.
   */
  #inSession({ visitor, properties }: Incoming, timestamp: number): JsonObject {
    return visitor === undefined
      ? properties
      : { ...properties, $session_id: this.#visitorSessions.sessionOf(visitor, timestamp) }
  }

  #eventName({ event: name, uuid }: Incoming): number {
    const id = this.#known.eventNames.get(name) ?? this.#eventNames.get(name)
    if (id !== undefined) {
      return id
    }
    const fresh = this.#ids.eventName()
    this.#eventNames.set(name, fresh)
    this.#cost += NEW_EVENT_NAME
    if (this.#known.eventNameCount + this.#eventNames.size > MAX_EVENT_NAMES) {
      this.#warnings.push({ type: 'event_name_limit_exceeded', event: uuid })
    }
    return fresh
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
      merges: this.#persons.merges,
      versions: this.#persons.versions,
      warnings: [...this.#persons.warnings, ...this.#warnings],
      rest
    }
  }
}
