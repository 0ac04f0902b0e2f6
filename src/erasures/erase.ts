import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Actor } from '../persons/activity/entry.ts'
import type { Sender } from '../queues/send.ts'
import { hashDistinctId } from '../tombstones/tombstone.ts'
import { type CompletionSetting, linkedUntil } from './completions/days.ts'
import { enqueueErasures } from './enqueue.ts'
import { type ErasureEntry, hashForLedger } from './entries.ts'
import {
  findPersonsToErase,
  type Identity,
  type NewErasures,
  type PersonToErase,
  type Selection,
  writeErasures
} from './erase.store.ts'
import type { ErasureMessage } from './message.ts'
import { hashForReceipt, saltOf } from './receipts/subject.ts'

type Project = { id: number; erasureSalt: string }

/** A request to erase persons. */
export type ErasureRequest = {
  selection: Selection
  deleteEvents: boolean
  deleteRecordings: boolean
  actor: Actor
  now: Date
}

type Settings = {
  /** The secret behind the salts of receipts and the hashes in the ledger. */
  secret: string
  /** How long data that an erasure keeps can still be deleted. */
  setting: CompletionSetting
}

type Erasure = ErasureRequest &
  Settings & {
    /** Gets an entry before anything is deleted. */
    ledger: Ledger
  }

/**
 * Deletes the selected persons, their distinct ids and the property values in their activity log, and creates their
 * erasures in the same transaction. The queue's consumer then purges the versions of their properties and, if requested,
 * their recordings; the weekly run purges their events if requested.
 * @returns the persons that existed
 */
export async function erasePersons(
  db: Db,
  queue: Sender<ErasureMessage>,
  project: Project,
  { selection, secret, setting, ledger, now, ...options }: Erasure
): Promise<PersonToErase[]> {
  const requestedAt = now.getTime()
  // Read before the ledger gets an entry: an invalid setting must fail before anything is recorded.
  const until = linkedUntil(options, setting, requestedAt)
  // The UUIDs and hashes in the last entry: a retry writes another entry only if they have changed.
  let written = ''
  const { persons, erasures } = await retryConflicts(async () => {
    const persons = await findPersonsToErase(db, project.id, selection)
    if (persons.length === 0) {
      return { persons, erasures: [] }
    }
    const hashed = await hashIdentities(project, persons, { secret, requestedAt })
    const uuids = persons.map(({ uuid }) => uuid)
    const ids = hashed.map((identity) => identity.ledger_hash)
    const named = [...uuids, ...ids].join()
    if (named !== written) {
      const { actor, deleteEvents, deleteRecordings } = options
      const entry: ErasureEntry = {
        kind: 'erasure',
        project: project.id,
        persons: uuids,
        ids,
        delete_events: deleteEvents,
        delete_recordings: deleteRecordings,
        requested_at: requestedAt,
        user: actor?.user.id ?? 0,
        key: actor?.key.id ?? 0
      }
      await ledger.append(entry, requestedAt)
      written = named
    }
    const identities = hashed.map(({ ledger_hash: _, ...identity }) => identity)
    const erasure = { persons, identities, ...options, linkedUntil: until, now: requestedAt }
    return { persons, erasures: await writeErasures(db, project.id, [erasure]) }
  })
  await enqueueErasures(queue, project.id, erasures)
  return persons
}

/**
 * Erases persons like `erasePersons`, for requests that the ledger has already, all in one transaction. Each person must be
 * selected by one request only, by its id or its UUID.
 * @returns the persons that existed
 */
export async function repeatErasures(
  db: Db,
  queue: Sender<ErasureMessage>,
  project: Project,
  requests: readonly ErasureRequest[],
  { secret, setting }: Settings
): Promise<PersonToErase[]> {
  const selected = {
    ids: requests.flatMap(({ selection }) => selection.ids ?? []),
    uuids: requests.flatMap(({ selection }) => selection.uuids ?? [])
  }
  const { persons, erasures } = await retryConflicts(async () => {
    const persons = await findPersonsToErase(db, project.id, selected)
    const all: NewErasures[] = []
    for (const { selection, now, ...options } of requests) {
      const own = persons.filter(
        ({ id, uuid }) => selection.ids?.includes(id) || selection.uuids?.includes(uuid)
      )
      if (own.length > 0) {
        const requestedAt = now.getTime()
        const hashed = await hashIdentities(project, own, { secret, requestedAt })
        const identities = hashed.map(({ ledger_hash: _, ...identity }) => identity)
        const until = linkedUntil(options, setting, requestedAt)
        all.push({ persons: own, identities, ...options, linkedUntil: until, now: requestedAt })
      }
    }
    return { persons, erasures: await writeErasures(db, project.id, all) }
  })
  await enqueueErasures(queue, project.id, erasures)
  return persons
}

/** An identity with all hashes of its distinct id: for the tombstone, for the receipt and for the ledger. */
type Hashed = Identity & { ledger_hash: string }

/** Hashes every distinct id of the persons. */
async function hashIdentities(
  project: Project,
  persons: PersonToErase[],
  { secret, requestedAt }: { secret: string; requestedAt: number }
): Promise<Hashed[]> {
  const hashed = []
  for (const person of persons) {
    const salt = await saltOf(secret, {
      projectId: project.id,
      subjectId: person.uuid,
      requestedAt
    })
    for (const { key, distinctId } of person.identities) {
      hashed.push({
        key,
        hash: hashDistinctId(project.erasureSalt, project.id, distinctId),
        receipt_hash: hashForReceipt(salt, distinctId),
        ledger_hash: await hashForLedger(secret, project.id, distinctId),
        person_id: person.id,
        person_uuid: person.uuid
      })
    }
  }
  return hashed
}
