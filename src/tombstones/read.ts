import type { Db } from '../db/client.ts'
import { findTombstones } from './store.ts'
import { hashDistinctId, type Tombstone } from './tombstone.ts'

/**
 * What is left of those among these distinct ids that were erased, by distinct id; of none, at the cost of nothing.
 * Whoever stores what was accepted earlier asks, when somebody was erased since: that may not bring anybody back.
 */
export async function readTombstones(
  db: Db,
  project: { id: number; erasureSalt: string },
  distinctIds: Iterable<string>
): Promise<ReadonlyMap<string, Tombstone[]>> {
  const byHash = new Map<string, string>()
  for (const id of new Set(distinctIds)) {
    byHash.set(await hashDistinctId(project.erasureSalt, project.id, id), id)
  }
  if (byHash.size === 0) {
    return new Map()
  }
  const found = await findTombstones(db, project.id, [...byHash.keys()])
  return Map.groupBy(found, ({ hash }) => byHash.get(hash) ?? '')
}
