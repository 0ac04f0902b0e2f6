import type { Db } from '../../db/client.ts'
import { hashDistinctId } from '../tombstones/tombstone.ts'
import { findSuppressed } from './store.ts'
import type { Suppressions } from './suppression.ts'

/** Reads the suppressions of distinct ids; nothing if `serial` is 0: there never was one. */
export async function readSuppressions(
  db: Db,
  project: { id: number; erasureSalt: string },
  serial: number,
  distinctIds: Iterable<string>
): Promise<Suppressions> {
  if (serial === 0) {
    return new Map()
  }
  const byHash = new Map<string, string>()
  for (const id of new Set(distinctIds)) {
    byHash.set(hashDistinctId(project.erasureSalt, project.id, id), id)
  }
  const found = await findSuppressed({ db, project }, [...byHash.keys()])
  return Map.groupBy(found, ({ hash }) => byHash.get(hash) ?? '')
}
