import { AppError } from '../errors.ts'
import type { JsonObject } from '../input/json.ts'
import { type Actor, type Entry, propertiesChange } from './activity/entry.ts'
import {
  addVersion,
  MAX_PROPERTIES_BYTES,
  type Person,
  unsetProperty,
  type Version,
  writePerson
} from './person.ts'
import { nextWriteTime, type Write } from './properties.ts'

/** A distinct id and the key under which events know it. */
export type Identity = { key: number; distinctId: string }

/** A person with its identities, in the order in which they were first seen, as they were read to be changed. */
export type Subject = { person: Person; identities: [Identity, ...Identity[]] }

/** Who changes something through the API, at `now`, ms UTC; `id` is a fresh uuid that orders writes of one millisecond. */
export type Request = { actor: Actor; now: number; id: string }

/** What a change leaves to be written, beside the person itself, which it changes in place. */
export type PersonChange = {
  versions: Version[]
  entries: Entry[]
  /** New persons, each with the identities that it takes from the person. */
  parts: Subject[]
}

export const NO_CHANGE: PersonChange = { versions: [], entries: [], parts: [] }

export const TOO_LARGE = `A person's properties may take ${MAX_PROPERTIES_BYTES} bytes of JSON, and so may their write times.`

/**
 * Sets properties as the last of all writes known: nothing that is stored wins over it, nor what arrives late.
 * @throws invalid_input, attr `properties`, when the person would become too large
 */
export function setProperties(subject: Subject, properties: JsonObject, by: Request): PersonChange {
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

/** Removes a property as the last of all writes known, however large the person is; without the property, nothing. */
export function deleteProperty(subject: Subject, key: string, by: Request): PersonChange {
  const { person } = subject
  return change(subject, by, 'delete_property', () => {
    if (!person.properties.shown.has(key)) {
      return false
    }
    unsetProperty(person, key, stampOf(person, key, by))
    return true
  })
}

const stampOf = ({ properties }: Person, key: string, { now, id }: Request) => ({
  at: nextWriteTime(properties, key, now),
  id
})

/** Makes a version and an entry of it if `write` says that properties have changed. */
function change(
  { person, identities }: Subject,
  { actor, now }: Request,
  activity: 'updated' | 'delete_property',
  write: () => boolean
): PersonChange {
  const before = new Map(person.properties.shown)
  if (!write()) {
    return NO_CHANGE
  }
  const entry: Entry = {
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
