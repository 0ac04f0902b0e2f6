import { v7 as uuidv7 } from 'uuid'
import { hashDistinctId } from '../barred/tombstones/tombstone.ts'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { reserveNumbers } from '../db/sequences.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { OwnSecret } from '../ledger/secret.ts'
import type { Actor } from '../persons/activity/entry.ts'
import type { Sender } from '../queues/send.ts'
import { type CompletionSetting, linkedUntil } from './completions/days.ts'
import { enqueueErasures } from './enqueue.ts'
import { type ErasureEntry, hashForLedger } from './entries.ts'
import {
  findPersonsToErase,
  findVisitors,
  type Identity,
  type NewErasures,
  type PersonToErase,
  type Selection,
  writeErasures
} from './erase.store.ts'
import type { MentionCount } from './mentions/schemas.ts'
import type { ErasureMessage } from './message.ts'
import { hashForReceipt, saltOf } from './receipts/subject.ts'

type Project = { id: number; erasureSalt: string }

/** A request to erase persons. */
export type ErasureRequest = {
  selection: Selection
  /** Visitors without a person, by distinct id: the UUIDs that an entry of the ledger gave them. */
  visitors?: ReadonlyMap<string, string>
  deleteEvents: boolean
  deleteRecordings: boolean
  actor: Actor
  /** What else names the person, for the receipt; undefined if the request did not look for it. */
  mentions?: readonly MentionCount[] | undefined
  now: Date
}

type Settings<Secret> = {
  /** The secret behind the salts of receipts and the hashes in the ledger. */
  secret: Secret
  /** How long data that an erasure keeps can still be deleted. */
  setting: CompletionSetting
}

type Erasure = ErasureRequest &
  Settings<OwnSecret> & {
    /** Gets an entry before anything is deleted. */
    ledger: Ledger
  }

/**
 * Deletes the selected persons, and visitors without a person who have one of the selected distinct
 * ids, their distinct ids and the property values in their activity log, and creates their erasures in
 * the same transaction. The queue's consumer then purges the versions of their properties and, if
 * requested, their recordings; the weekly run purges their events if requested.
 * @returns the persons and visitors that existed
 */
export async function erasePersons(
  db: Db,
  queue: Sender<ErasureMessage>,
  project: Project,
  { selection, visitors = new Map(), secret, setting, ledger, now, ...options }: Erasure
): Promise<PersonToErase[]> {
  const requestedAt = now.getTime()
  // Read before the ledger gets an entry: an invalid setting must fail before anything is recorded.
  const until = linkedUntil(options, setting, requestedAt)
  // The UUIDs and hashes in the last entry: a retry writes another entry only if they have changed.
  let written = ''
  const numbering = new Numbering(visitors, requestedAt)
  const { persons, erasures } = await retryConflicts(async () => {
    const names = [...(selection.distinctIds ?? []), ...visitors.keys()]
    const stored = await findPersonsToErase(db, project.id, selection)
    const unstored = await findVisitors(db, project.id, names, stored)
    const persons = [...stored, ...(await numbering.asPersons(db, unstored))]
    if (persons.length === 0) {
      return { persons, erasures: [] }
    }
    const hashed = await hashIdentities(project, persons, { secret: secret.value, requestedAt })
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
        ...visitorsOf(hashed),
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
 * selected by one request only, by its id or its UUID, and each visitor without a person by its distinct id.
 * @returns the persons and visitors that existed
 */
export async function repeatErasures(
  db: Db,
  queue: Sender<ErasureMessage>,
  project: Project,
  requests: readonly ErasureRequest[],
  { secret, setting }: Settings<string>
): Promise<PersonToErase[]> {
  const selected = {
    ids: requests.flatMap(({ selection }) => selection.ids ?? []),
    uuids: requests.flatMap(({ selection }) => selection.uuids ?? [])
  }
  const names = requests.flatMap(({ visitors }) => [...(visitors?.keys() ?? [])])
  const numbered = requests.map(({ visitors = new Map(), ...request }) => ({
    ...request,
    isNamed: ({ distinctId }: { distinctId: string }) => visitors.has(distinctId),
    numbering: new Numbering(visitors, request.now.getTime())
  }))
  const { persons, erasures } = await retryConflicts(async () => {
    const stored = await findPersonsToErase(db, project.id, selected)
    const unstored = await findVisitors(db, project.id, names, stored)
    const all: NewErasures[] = []
    for (const { selection, isNamed, numbering, now, ...options } of numbered) {
      const selectedHere = stored.filter(
        ({ id, uuid }) => selection.ids?.includes(id) || selection.uuids?.includes(uuid)
      )
      const visitors = await numbering.asPersons(db, unstored.filter(isNamed))
      const own = [...selectedHere, ...visitors]
      if (own.length > 0) {
        const requestedAt = now.getTime()
        const hashed = await hashIdentities(project, own, { secret, requestedAt })
        const identities = hashed.map(({ ledger_hash: _, ...identity }) => identity)
        const until = linkedUntil(options, setting, requestedAt)
        all.push({ persons: own, identities, ...options, linkedUntil: until, now: requestedAt })
      }
    }
    const persons = all.flatMap((one) => one.persons)
    return { persons, erasures: await writeErasures(db, project.id, all) }
  })
  await enqueueErasures(queue, project.id, erasures)
  return persons
}

/** Gives visitors without a person the ids and UUIDs under which they are erased, the same ones in each try of a request. */
class Numbering {
  readonly #uuids: ReadonlyMap<string, string>
  readonly #requestedAt: number
  readonly #persons = new Map<number, PersonToErase>()

  /** @param uuids UUIDs of visitors who have one, by distinct id */
  constructor(uuids: ReadonlyMap<string, string>, requestedAt: number) {
    this.#uuids = uuids
    this.#requestedAt = requestedAt
  }

  async asPersons(db: Db, visitors: PersonToErase['identities']): Promise<PersonToErase[]> {
    const fresh = visitors.filter(({ key }) => !this.#persons.has(key))
    if (fresh.length > 0) {
      const { person: first } = await reserveNumbers(db, { person: fresh.length })
      for (const [i, visitor] of fresh.entries()) {
        const uuid = this.#uuids.get(visitor.distinctId) ?? uuidv7({ msecs: this.#requestedAt })
        const person = { id: first + i, uuid, identities: [visitor], isStored: false }
        this.#persons.set(visitor.key, person)
      }
    }
    return visitors.flatMap(({ key }) => this.#persons.get(key) ?? [])
  }
}

/** An identity with all hashes of its distinct id: for the tombstone, for the receipt and for the ledger. */
type Hashed = Identity & { ledger_hash: string }

/** Returns the member of a ledger entry about visitors without a person; {} if there are none. */
function visitorsOf(hashed: Hashed[]): Pick<ErasureEntry, 'visitors'> {
  const visitors = hashed.filter((one) => one.stored_person === null)
  const uuids = visitors.map((one) => [one.ledger_hash, one.person_uuid])
  return uuids.length > 0 ? { visitors: Object.fromEntries(uuids) } : {}
}

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
        person_uuid: person.uuid,
        stored_person: person.isStored ? person.id : null
      })
    }
  }
  return hashed
}
