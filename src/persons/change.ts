import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { JsonObject } from '../input/json.ts'
import type { Announced } from '../ledger/entry.ts'
import { type ActivityEntry, type Actor, propertiesChange } from './activity/entry.ts'
import { stampAt, type Write } from './last-write.ts'
import {
  addVersion,
  MAX_PROPERTIES_BYTES,
  type Person,
  type PersonVersion,
  unsetProperty,
  writePerson
} from './person.ts'
import { nextWriteTime } from './properties.ts'

/** A distinct id and the integer key by which events refer to it. */
export type Identity = { key: number; distinctId: string }

/** A person to change, with its identities in the order in which they were first seen. */
export type PersonSubject = { person: Person; identities: [Identity, ...Identity[]] }

/**
 * The author and the time (`now`, ms UTC) of a change through the API. `id` is a new UUID that
 * orders writes of the same millisecond.
 */
export type Request = { actor: Actor; now: number; id: string }

/** Rows that a change adds. The person itself is changed in place. */
export type PersonChange = {
  versions: PersonVersion[]
  entries: ActivityEntry[]
  /** Persons that were split off, each with its identities. */
  parts: PersonSubject[]
}

export const NO_CHANGE: PersonChange = { versions: [], entries: [], parts: [] }

export const TOO_LARGE = `A person's properties may take at most ${MAX_PROPERTIES_BYTES} bytes of JSON, and the times at which they were set as much again.`

/**
 * Sets properties. Each write is later than all known writes, so that neither stored values nor
 * late events override it.
 * @throws invalid_input, attr `properties`, when the person would become too large
 */
export function setProperties(
  subject: PersonSubject,
  properties: JsonObject,
  by: Request
): PersonChange {
  const { person } = subject
  const writes = Object.entries(properties).map(([key, value]): Write => {
    return { kind: 'set', key, value, stamp: stampOf(person, key, by) }
  })
  return change(subject, by, 'updated', () => {
    const { changed, refused } = writePerson(person, writes)
    if (refused) {
      throw new AppError('invalid_input', TOO_LARGE, 'properties')
    }
    return changed
  })
}

/**
 * The entry of the ledger for the deletion of a person's property. `property` is a keyed hash of
 * the property's name.
 */
export const PropertyEntry = z.object({
  kind: z.literal('property'),
  project: z.int(),
  person: z.guid(),
  property: z.string(),
  /** The time of the write that removed the property: values written later stay, ms UTC. */
  until: z.int(),
  /** ms UTC */
  requested_at: z.int(),
  user: z.int(),
  key: z.int()
})
export type PropertyEntry = z.infer<typeof PropertyEntry>

/**
 * Removes a property, if the person has it, by a write that is later than all known writes. Works
 * on persons of any size.
 */
export function deleteProperty(
  subject: PersonSubject,
  key: string,
  { requested_at: now }: Announced<PropertyEntry>,
  author: Pick<Request, 'actor' | 'id'>
): PersonChange {
  const { person } = subject
  const by = { ...author, now }
  return change(subject, by, 'delete_property', () => {
    if (!person.properties.shown.has(key)) {
      return false
    }
    unsetProperty(person, key, stampOf(person, key, by))
    return true
  })
}

/** Returns the time with which `deleteProperty` would remove a property, ms, if it is there. */
export const deletionTime = ({ person }: PersonSubject, key: string, { now }: Request) =>
  person.properties.shown.has(key) ? nextWriteTime(person.properties, key, now) : undefined

const stampOf = ({ properties }: Person, key: string, { now, id }: Request) =>
  stampAt(nextWriteTime(properties, key, now), { receivedAt: now, uuid: id })

/** Applies `write`. If it has changed properties, adds a version and an activity entry. */
function change(
  { person, identities }: PersonSubject,
  { actor, now }: Request,
  activity: 'updated' | 'delete_property',
  write: () => boolean
): PersonChange {
  const before = new Map(person.properties.shown)
  if (!write()) {
    return NO_CHANGE
  }
  const entry: ActivityEntry = {
    scope: 'Person',
    itemId: person.id,
    activity,
    actor,
    detail: {
      name: activity === 'updated' ? null : person.uuid,
      changes: [propertiesChange(before, person.properties.shown)]
    },
    at: now
  }
  return { versions: [addVersion(person, identities[0].key)], entries: [entry], parts: [] }
}
