import type { Db } from '../../db/client.ts'
import { findTombstones } from './store.ts'
import { hashDistinctId, type Tombstone } from './tombstone.ts'

/**
 * Reads the tombstones of distinct ids, by distinct id; without distinct ids, reads nothing. Call
 * it before storing data that was accepted before the last erasure, so that late events and
 * recordings do not recreate an erased person.
 */
export async function readTombstones(
  db: Db,
  project: { id: number; erasureSalt: string },
  distinctIds: Iterable<string>
): Promise<ReadonlyMap<string, Tombstone[]>> {
  const byHash = new Map<string, string>()
  for (const id of new Set(distinctIds)) {
    byHash.set(hashDistinctId(project.erasureSalt, project.id, id), id)
  }
  if (byHash.size === 0) {
    return new Map()
  }
  const found = await findTombstones({ db, project }, [...byHash.keys()])
  return Map.groupBy(found, ({ hash }) => byHash.get(hash) ?? '')
}
