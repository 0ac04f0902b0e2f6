import { v7 as uuidv7 } from 'uuid'
import type { Scope } from '../access/open.ts'
import type { Db } from '../db/client.ts'
import { NotFoundError } from '../errors.ts'
import { hmac } from '../hash.ts'
import type { Announced } from '../ledger/entry.ts'
import type { Announce } from '../ledger/ledger.ts'
import { type Actor, idsOfActor } from './activity/entry.ts'
import { changePerson } from './apply.ts'
import {
  deleteProperty,
  deletionTime,
  NO_CHANGE,
  type PersonSubject,
  type PropertyEntry,
  type Request
} from './change.ts'
import { writtenAt } from './properties.ts'
import type { PersonId } from './store.ts'

const hashProperty = (secret: string, projectId: number, uuid: string, key: string) =>
  hmac(secret, `property of a person\n${projectId}\n${uuid}\n${key}`)

type Deletion = {
  id: PersonId
  key: string
  by: Request
  announce: Announce<PropertyEntry>
  secret: string
}

/**
 * If the person has the property, enters its deletion in the ledger and removes the property.
 * @throws not_found, unavailable
 */
export async function removeProperty(
  { db, project }: Scope,
  { id, key, by, announce, secret }: Deletion
): Promise<void> {
  await changePerson({ db, project }, id, async (subject) => {
    const until = deletionTime(subject, key, by)
    if (until === undefined) {
      return NO_CHANGE
    }
    const { uuid } = subject.person
    const entry = await announce({
      kind: 'property',
      project: project.id,
      person: uuid,
      property: await hashProperty(secret, project.id, uuid, key),
      until,
      requested_at: by.now,
      ...idsOfActor(by.actor)
    })
    return deleteProperty(subject, key, entry, by)
  })
}

/**
 * Removes a property again, unless a later value was written. @returns the number of removed
 * properties
 */
export async function removePropertyAgain(
  db: Db,
  entry: Announced<PropertyEntry>,
  { actor, secret }: { actor: Actor; secret: string }
): Promise<number> {
  const scope = { db, project: { id: entry.project } }
  let removed = 0
  const by = { actor, id: uuidv7({ msecs: entry.requested_at }) }
  try {
    await changePerson(scope, { uuid: entry.person }, async (subject) => {
      const key = await findProperty(subject, entry, secret)
      removed = key === undefined ? 0 : 1
      return key === undefined ? NO_CHANGE : deleteProperty(subject, key, entry, by)
    })
  } catch (error) {
    if (!(error instanceof NotFoundError)) {
      throw error
    }
  }
  return removed
}

/**
 * Finds the property that an entry names. Undefined if the person lacks it, or if its value was
 * written after the deletion.
 */
async function findProperty(
  { person }: PersonSubject,
  { project, property, until }: PropertyEntry,
  secret: string
): Promise<string | undefined> {
  for (const key of person.properties.shown.keys()) {
    const isEarlier = (writtenAt(person.properties, key) ?? 0) < until
    if (isEarlier && (await hashProperty(secret, project, person.uuid, key)) === property) {
      return key
    }
  }
  return undefined
}
