import type { Tombstone } from '../barred/tombstones/tombstone.ts'
import { byteLength, type JsonObject } from '../input/json.ts'
import type { Person, PersonVersion, StoredPerson } from '../persons/person.ts'
import type { SessionPart } from '../sessions/session.ts'
import type { BegunSession, VisitorSession } from './cookieless/sessions.ts'
import type { CapturedEvent } from './event.ts'
import type { CaptureMessage } from './message.ts'

/** An event to store. `received_at` is ms UTC; `bytes` is the size of its properties as JSON. */
export type Incoming = CapturedEvent & { received_at: number; bytes: number }

/** Measures an event once, because its size is needed several times. */
export const withSize = (event: Omit<Incoming, 'bytes'>): Incoming => ({
  ...event,
  bytes: byteLength(JSON.stringify(event.properties))
})

/** Lists the events of a message. */
export const incomingOf = ({ received_at, events }: CaptureMessage): Incoming[] =>
  events.map((event) => withSize({ ...event, received_at }))

/** Returns the approximate size of an event, bytes. */
export const sizeOf = ({ event, distinct_id, bytes }: Incoming): number =>
  bytes + event.length + distinct_id.length

/** The stored facts about the distinct ids, persons and events that a batch of events touches. */
export type Known = {
  /** UUIDs of the events that are already stored, or that a removal of events has deleted. */
  seen: ReadonlySet<string>
  identities: ReadonlyMap<string, { key: number; personId: number | null }>
  /**
   * Persons of these identities. Persons that are too large together may be left out, but never the
   * persons of the first event.
   */
  persons: ReadonlyMap<number, StoredPerson>
  /**
   * For each person that the events may merge, the number of its distinct ids, counted up to
   * `MAX_FOLDED + 1`. Persons may be left out, but never the persons of the first event.
   */
  identityCounts: ReadonlyMap<number, number>
  eventNames: ReadonlyMap<string, number>
  /** How many names the events of the project have had. */
  eventNameCount: number
  /** When the project last erased a person, ms UTC; 0 for never. */
  lastErasure: number
  /** Raised by each change of the project's suppressions; 0 if it never had one. */
  suppressionSerial: number
  /** Tombstones by distinct id, for the events accepted before the last erasure. */
  tombstones: ReadonlyMap<string, Tombstone[]>
  sessions: readonly VisitorSession[]
}

/**
 * A person with more distinct ids than this is not folded into another: all its ids would have to
 * move, and 1,000 take about 10 ms.
 */
export const MAX_FOLDED = 1_000

/**
 * Names that the events of a project should have at most. Events with further names are stored,
 * counted and found all the same, with a warning: each list and each trend of all events looks at
 * every name.
 */
export const MAX_EVENT_NAMES = 10_000

/** Fresh numbers and UUIDs; a number is never used twice. */
export type Ids = { identity(): number; person(): number; eventName(): number; uuid(): string }

export type NewEventRow = {
  uuid: string
  event_id: number
  timestamp: number
  identity: number
  version: number | null
  session_id: string | null
  window_id: string | null
  properties: JsonObject
}

/** Changes to identities and persons. */
export type IdentityChanges = {
  newPersons: Person[]
  changedPersons: Person[]
  /**
   * Persons folded into another person by an event received at `at`, ms UTC: all their distinct ids
   * move to that person.
   */
  mergedPersons: { id: number; revision: number; into: number; at: number }[]
  newIdentities: { key: number; distinct_id: string; person_id: number | null }[]
  /** Stored identities without a person that get a person. */
  attached: { key: number; person_id: number }[]
  /** Stored identities that must still exist when the changes are written. */
  expectedIdentities: number[]
}

/** Two ids that came to belong to one person by an event accepted at `at`, ms UTC. */
export type Merge = { target: string; source: string; at: number }

/** Everything that has to be written to store the events. */
export type Changes = IdentityChanges & {
  events: NewEventRow[]
  eventNames: { id: number; name: string }[]
  /** The events' contributions to their sessions. */
  sessions: SessionPart[]
  /**
   * Sessions that begin with these events. The write fails if another batch has stored or changed a
   * session of the same visitor within 30 minutes of them.
   */
  begunSessions: BegunSession[]
  /**
   * Keys of the tombstones that late events join, because the erasure has not yet purged all events
   * of the erased person.
   */
  usedTombstones: number[]
  /**
   * Number of late events dropped for each erasure that has already purged its person's events, or
   * that keeps events.
   */
  dropped: { erasure_id: number; count: number }[]
  /**
   * `Known.lastErasure`. If there are new identities, the write fails after a later erasure,
   * because one of them could belong to an erased person.
   */
  lastErasure: number
  /** The merges that led to these changes. */
  merges: Merge[]
  versions: PersonVersion[]
  warnings: { type: Warning; event: string }[]
  /** Events beyond the transaction: to plan again once these changes are written. */
  rest: Incoming[]
}

export type Warning =
  | 'cannot_merge_already_identified'
  | 'cannot_merge_with_illegal_distinct_id'
  | 'event_name_limit_exceeded'
  | 'merge_limit_exceeded'
  | 'person_properties_size_violation'
  | 'person_version_limit_exceeded'
