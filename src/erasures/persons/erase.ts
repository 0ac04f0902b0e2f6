import { v7 as uuidv7 } from 'uuid'
import { hashDistinctId } from '../../barred/tombstones/tombstone.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { reserveNumbers } from '../../db/sequences.ts'
import type { Announce } from '../../ledger/ledger.ts'
import { type Actor, idsOfActor } from '../../persons/activity/entry.ts'
import type { Sender } from '../../queues/send.ts'
import { enqueueErasures } from '../engine/enqueue.ts'
import type { ErasureMessage } from '../engine/message.ts'
import { type ErasureEntry, hashForLedger } from '../entries.ts'
import { type Extent, extentToJson } from '../extent.ts'
import { type CompletionSetting, linkedUntil } from '../kept-data/days.ts'
import type { MentionCount } from '../mentions/schemas.ts'
import { hashForReceipt, saltOf } from '../receipts/subject.ts'
import {
  findPersonsToErase,
  findVisitors,
  type IdentityToErase,
  type NewErasures,
  type PersonToErase,
  type Selection,
  writeErasures
} from './erase.store.ts'

type Project = { id: number; erasureSalt: string }

/** A request to erase persons. Each person must be selected by one of the requests only. */
export type ErasureRequest = Extent & {
  selection: Selection
  /** Visitors without a person, by distinct id: the UUIDs that an entry of the ledger gave them. */
  visitors?: ReadonlyMap<string, string>
  actor: Actor
  /** What else names the person, for the receipt; undefined if the request did not look for it. */
  mentions?: readonly MentionCount[] | undefined
  /** Enters the request in the ledger. */
  announce: Announce<ErasureEntry>
  now: Date
}

type Settings = {
  /** The secret behind the salts of receipts and the hashes in the ledger. */
  secret: string
  /** How long data that an erasure keeps can still be deleted. */
  setting: CompletionSetting
}

/**
 * Deletes the selected persons, and visitors without a person who have one of the selected distinct
 * ids, their distinct ids and the property values in their activity log, and creates their erasures
 * in the same transaction. The queue's consumer then purges the versions of their properties and,
 * if requested, their recordings; the weekly run purges their events if requested.
 * @returns the persons and visitors that existed
 */
export async function erasePersons(
  db: Db,
  queue: Sender<ErasureMessage>,
  project: Project,
  requests: readonly ErasureRequest[],
  { secret, setting }: Settings
): Promise<PersonToErase[]> {
  const planned = requests.map(({ visitors = new Map(), ...request }) => {
    const requestedAt = request.now.getTime()
    return {
      ...request,
      visitors,
      requestedAt,
      // Read before the ledger gets an entry: an invalid setting must fail before anything is
      // recorded.
      linkedUntil: linkedUntil(request, setting, requestedAt),
      numbering: new Numbering(visitors, requestedAt)
    }
  })
  const selected = {
    ids: requests.flatMap(({ selection }) => selection.ids ?? []),
    uuids: requests.flatMap(({ selection }) => selection.uuids ?? []),
    distinctIds: requests.flatMap(({ selection }) => selection.distinctIds ?? [])
  }
  const names = [...selected.distinctIds, ...planned.flatMap((one) => [...one.visitors.keys()])]
  const { persons, erasures } = await retryConflicts(async () => {
    const stored = await findPersonsToErase(db, project.id, selected)
    const unstored = await findVisitors(db, project.id, names, stored)
    const all: NewErasures[] = []
    for (const { selection, visitors, numbering, announce, ...request } of planned) {
      const isVisitor = ({ distinctId }: { distinctId: string }) =>
        visitors.has(distinctId) || selection.distinctIds?.includes(distinctId)
      const persons = [
        ...stored.filter(isIn(selection)),
        ...(await numbering.asPersons(db, unstored.filter(isVisitor)))
      ]
      if (persons.length > 0) {
        const { requestedAt, actor } = request
        const hashed = await hashIdentities(project, persons, { secret, requestedAt })
        const entry = await announce({
          kind: 'erasure',
          project: project.id,
          persons: persons.map(({ uuid }) => uuid),
          ids: hashed.map(({ ledger_hash }) => ledger_hash),
          ...visitorsOf(hashed),
          ...extentToJson(request),
          requested_at: requestedAt,
          ...idsOfActor(actor)
        })
        const identities = hashed.map(({ ledger_hash: _, ...identity }) => identity)
        all.push({ ...request, entry, persons, identities })
      }
    }
    const persons = all.flatMap((one) => one.persons)
    return { persons, erasures: await writeErasures(db, project.id, all) }
  })
  await enqueueErasures(queue, project.id, erasures)
  return persons
}

function isIn({ ids, uuids, distinctIds }: Selection): (person: PersonToErase) => boolean {
  const names = new Set(distinctIds)
  return ({ id, uuid, identities }) =>
    (ids?.includes(id) ?? false) ||
    (uuids?.includes(uuid) ?? false) ||
    identities.some(({ distinctId }) => names.has(distinctId))
}

/** Gives visitors the ids and UUIDs under which they are erased, the same in each try. */
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

/** An identity, with the hash of its distinct id in the ledger, too. */
type Hashed = IdentityToErase & { ledger_hash: string }

/** Returns the member of a ledger entry about visitors without a person; {} if there are none. */
function visitorsOf(hashed: Hashed[]): Pick<ErasureEntry, 'visitors'> {
  const visitors = hashed.filter((one) => one.stored_person === null)
  const uuids = visitors.map((one) => [one.ledger_hash, one.person_uuid])
  return uuids.length > 0 ? { visitors: Object.fromEntries(uuids) } : {}
}

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
