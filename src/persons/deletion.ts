import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { NotFoundError } from '../errors.ts'
import { hmac } from '../hash.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Actor } from './activity/entry.ts'
import { changePerson } from './apply.ts'
import {
  deleteProperty,
  deletionTime,
  NO_CHANGE,
  type PersonSubject,
  type Request
} from './change.ts'
import { writtenAt } from './properties.ts'
import type { PersonId } from './store.ts'

/** The ledger's entry of a deletion. `property` is a keyed hash of the property's name. */
export const PropertyEntry = z.object({
  kind: z.literal('property'),
  project: z.int(),
  person: z.guid(),
  property: z.string(),
  /** The time of the write that removed the property, ms UTC: values written later stay. */
  until: z.int(),
  /** ms UTC */
  requested_at: z.int(),
  user: z.int(),
  key: z.int()
})
export type PropertyEntry = z.infer<typeof PropertyEntry>

const hashProperty = (secret: string, projectId: number, uuid: string, key: string) =>
  hmac(secret, `property of a person\n${projectId}\n${uuid}\n${key}`)

type Deletion = { id: PersonId; key: string; by: Request; ledger: Ledger; secret: string }

/**
 * If the person has the property, enters its deletion in the ledger and removes the property.
 * @throws not_found, unavailable
 */
export async function deleteNoted(
  db: Db,
  projectId: number,
  { id, key, by, ledger, secret }: Deletion
): Promise<void> {
  // The deletion in the ledger covers values written up to this time, ms UTC. A repetition after a
  // conflict enters it again only if it must cover later values.
  let noted = 0
  await changePerson(db, projectId, id, async (subject) => {
    const until = deletionTime(subject, key, by)
    if (until === undefined) {
      return NO_CHANGE
    }
    if (until > noted) {
      const { uuid } = subject.person
      const entry: PropertyEntry = {
        kind: 'property',
        project: projectId,
        person: uuid,
        property: await hashProperty(secret, projectId, uuid, key),
        until,
        requested_at: by.now,
        user: by.actor?.user.id ?? 0,
        key: by.actor?.key.id ?? 0
      }
      await ledger.append(entry, by.now)
      noted = until
    }
    return deleteProperty(subject, key, by)
  })
}

/** Repeats a removal, except of a later value. @returns the number of removed properties */
export async function deleteAgain(
  db: Db,
  entry: PropertyEntry,
  { actor, secret }: { actor: Actor; secret: string }
): Promise<number> {
  let removed = 0
  const by = { actor, now: entry.requested_at, id: uuidv7({ msecs: entry.requested_at }) }
  try {
    await changePerson(db, entry.project, { uuid: entry.person }, async (subject) => {
      const key = await findProperty(subject, entry, secret)
      removed = key === undefined ? 0 : 1
      return key === undefined ? NO_CHANGE : deleteProperty(subject, key, by)
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
