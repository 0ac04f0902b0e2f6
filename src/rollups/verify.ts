import type { Db } from '../db/client.ts'
import { compareCounts, findStep, listKinds, type WrongCount } from './store.ts'

/** Events compared in one statement, roughly. */
const STEP = 100_000
/** Slots before and after those of all events. */
const [FIRST, LAST] = [-1e9, 1e9]
/** Wrong counts returned; all are counted. */
const MAX_SHOWN = 100

/**
 * Counts all events again and compares the result with the stored counts. Events may arrive meanwhile: each statement reads
 * both at the same moment.
 */
export async function verifyCounts(
  db: Db
): Promise<{ kinds: number; wrong: number; first: WrongCount[] }> {
  const kinds = await listKinds(db)
  const all: WrongCount[] = []
  for (const kind of kinds) {
    for (let from: number | undefined = FIRST; from !== undefined; ) {
      const until = await findStep(db, kind, from, STEP)
      all.push(...(await compareCounts(db, kind, from, until ?? LAST)))
      from = until
    }
  }
  return { kinds: kinds.length, wrong: all.length, first: all.slice(0, MAX_SHOWN) }
}
