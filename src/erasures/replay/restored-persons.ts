import { readTombstones } from '../../barred/tombstones/read.ts'
import type { Db } from '../../db/client.ts'
import { log } from '../../log.ts'
import { type ErasureEntry, hashForLedger } from '../entries.ts'
import { findPersonsToErase } from '../persons/erase.store.ts'
import { listDistinctIds } from './restore.store.ts'

/** Distinct ids hashed per query. */
const IDS_AT_ONCE = 5_000

type Project = { id: number; erasureSalt: string }

/** An entry, and hashes of distinct ids that it names. */
type Wanted = {
  hashes: { has(hash: string): boolean }
  entry: ErasureEntry
  secret: string
}

/**
 * Finds persons whom a restore has brought back under another UUID: at the time of the backup they
 * were not merged yet with a person who was erased later. `hashes` are those that do not belong to
 * the persons whom the entry names by UUID.
 * @returns the ids of persons who have no other distinct ids; others are only logged
 */
export async function findReturned(db: Db, project: Project, wanted: Wanted): Promise<number[]> {
  const isWanted = async (distinctId: string) =>
    wanted.hashes.has(await hashForLedger(wanted.secret, project.id, distinctId))
  const found = new Set<number>()
  for await (const { personId } of returnedIds(db, project, wanted)) {
    found.add(personId)
  }
  const ids = []
  for (const person of await findPersonsToErase(db, project.id, { ids: [...found] })) {
    const own = await Promise.all(person.identities.map((one) => isWanted(one.distinctId)))
    if (own.every(Boolean)) {
      ids.push(person.id)
    } else {
      const { uuid } = person
      log('warn', 'a restored person has erased distinct ids and others', { person: uuid })
    }
  }
  return ids
}

/**
 * Finds the visitors without a person whom an entry names, and who are still there.
 * @param uuids their UUIDs in the entry, by the hash of the distinct id
 * @returns these UUIDs, by the distinct id
 */
export async function findRemainingVisitors(
  db: Db,
  project: Project,
  { uuids, entry, secret }: Omit<Wanted, 'hashes'> & { uuids: ReadonlyMap<string, string> }
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (uuids.size === 0) {
    return found
  }
  for await (const { distinctId, personId, hash } of returnedIds(db, project, {
    hashes: uuids,
    entry,
    secret
  })) {
    const uuid = uuids.get(hash)
    if (personId === 0 && uuid !== undefined) {
      found.set(distinctId, uuid)
    }
  }
  return found
}

/** Yields distinct ids with these hashes that were not erased with the entry or later. */
async function* returnedIds(db: Db, project: Project, { hashes, entry, secret }: Wanted) {
  for await (const { distinctId, personId } of distinctIdsOf(db, project.id)) {
    const hash = await hashForLedger(secret, project.id, distinctId)
    if (hashes.has(hash) && !(await isUsedAgain(db, project, distinctId, entry))) {
      yield { distinctId, personId, hash }
    }
  }
}

/** Whether a distinct id was erased with the entry or later, so that a new person has it now. */
async function isUsedAgain(
  db: Db,
  project: Project,
  distinctId: string,
  { requested_at }: ErasureEntry
): Promise<boolean> {
  const tombstones = await readTombstones(db, project, [distinctId])
  return (tombstones.get(distinctId) ?? []).some(({ erasedAt }) => erasedAt >= requested_at)
}

async function* distinctIdsOf(db: Db, projectId: number) {
  for (let after = ''; ; ) {
    const rows = await listDistinctIds(db, projectId, after, IDS_AT_ONCE)
    yield* rows
    if (rows.length < IDS_AT_ONCE) {
      return
    }
    after = rows.at(-1)?.distinctId ?? after
  }
}
