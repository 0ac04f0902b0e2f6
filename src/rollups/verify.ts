import type { Db } from '../db/client.ts'
import { compareCounts, findStep, listKinds, type WrongCount } from './store.ts'

/** Approximate number of events compared in one statement. */
const STEP = 100_000
/** A slot before all events. */
const FIRST = -1e9
/** A slot after all events. */
const LAST = 1e9
/** Most wrong counts that are returned; all of them are counted. */
const MAX_SHOWN = 100

/**
 * Counts all events again and compares the results with the stored counts. Events may arrive in the
 * meantime: each statement reads events and counts at the same moment.
 */
export async function verifyCounts(
  db: Db
): Promise<{ kinds: number; wrong: number; first: WrongCount[] }> {
  const kinds = await listKinds(db)
  const all: WrongCount[] = []
  for (const kind of kinds) {
    let from: number | undefined = FIRST
    while (from !== undefined) {
      const until = await findStep(db, kind, from, STEP)
      all.push(...(await compareCounts(db, kind, from, until ?? LAST)))
      from = until
    }
  }
  return { kinds: kinds.length, wrong: all.length, first: all.slice(0, MAX_SHOWN) }
}
