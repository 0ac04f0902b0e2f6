import { identityOf } from '../db/version-id.ts'
import { AppError } from '../errors.ts'
import { type ActivityEntry, MAX_IDENTITIES } from './activity/entry.ts'
import type { Identity, PersonChange, PersonSubject, Request } from './change.ts'
import { addVersion, newPerson, type PersonVersion } from './person.ts'

/**
 * A split names the only distinct id that stays, or the distinct ids that leave. Without either,
 * all but the first leave.
 */
export type SplitRequest = {
  main_distinct_id?: string | null | undefined
  distinct_ids_to_split?: string[] | null | undefined
}

/**
 * Returns the identities that leave a person. A person with a single identity keeps it.
 * @throws invalid_input, with the field at fault
 */
export function chooseSplit(
  identities: Identity[],
  { main_distinct_id: main, distinct_ids_to_split: leaving }: SplitRequest
): Identity[] {
  if (!leaving) {
    return allBut(identities, main ?? identities[0]?.distinctId)
  }
  if (typeof main === 'string') {
    throw refuseList('Send either `distinct_ids_to_split` or `main_distinct_id`, not both.')
  }
  return allOf(identities, new Set(leaving))
}

/** Returns all identities but that of the distinct id `main`, which must be the person's. */
function allBut(identities: Identity[], main: string | undefined): Identity[] {
  const leaving = identities.filter(({ distinctId }) => distinctId !== main)
  if (leaving.length === identities.length) {
    throw new AppError('invalid_input', notTheirs(main), 'main_distinct_id')
  }
  return leaving
}

/**
 * Returns the identities whose distinct ids are in `leaving`, which must all be the person's. One
 * identity must stay: with a single identity, none leaves.
 */
function allOf(identities: Identity[], leaving: Set<string>): Identity[] {
  const known = new Set(identities.map(({ distinctId }) => distinctId))
  const unknown = [...leaving].find((distinctId) => !known.has(distinctId))
  if (unknown !== undefined) {
    throw refuseList(notTheirs(unknown))
  }
  if (identities.length === 1) {
    return []
  }
  if (leaving.size === identities.length) {
    throw refuseList('At least one distinct id must stay with the person: leave one out.')
  }
  return identities.filter(({ distinctId }) => leaving.has(distinctId))
}

const refuseList = (detail: string) =>
  new AppError('invalid_input', detail, 'distinct_ids_to_split')

const notTheirs = (distinctId = '') =>
  `${JSON.stringify(distinctId)} is not a distinct id of this person.`

/** An identity that leaves a person, and the unused id and uuid of its new person. */
type Leaving = { identity: Identity; id: number; uuid: string }

/** Turns each leaving identity into a person without properties. */
export function splitPerson(
  { person, identities }: PersonSubject,
  leaving: Leaving[],
  { actor, now }: Request
): PersonChange {
  const versions: PersonVersion[] = []
  const parts = leaving.map(({ identity, id, uuid }): PersonSubject => {
    // The identity keeps its versions, so the numbers of new versions must not collide with theirs.
    const part = { ...newPerson(id, uuid, now), versions: person.versions }
    versions.push(addVersion(part, identity.key))
    return { person: part, identities: [identity] }
  })
  const gone = new Set(leaving.map(({ identity }) => identity.key))
  const staying = identities.find(({ key }) => !gone.has(key))
  // A current version that belongs to a leaving identity would disappear once that identity is
  // erased.
  if (staying && gone.has(identityOf(person.version))) {
    versions.push(addVersion(person, staying.key))
  }
  person.touched = true
  const keys = {
    distinct_ids: identities.slice(0, MAX_IDENTITIES).map(({ key }) => key),
    split_off: [...gone].slice(0, MAX_IDENTITIES)
  }
  const entry: ActivityEntry = {
    scope: 'Person',
    itemId: person.id,
    activity: 'split_person',
    actor,
    detail: {
      name: person.uuid,
      changes: [
        {
          type: 'Person',
          action: 'split',
          field: 'distinct_ids',
          before: null,
          after: null,
          identities: keys
        }
      ]
    },
    at: now
  }
  return { versions, entries: [entry], parts }
}
