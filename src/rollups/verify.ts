import type { Db } from '../db/client.ts'
import { compareCounts, findStep, listKinds, type WrongCount } from './store.ts'

/** A statement compares about so many events. */
const STEP = 100_000
/** Slots of any time that an event may have. */
const [FIRST, LAST] = [-1e9, 1e9]
const MAX_SHOWN = 100

/**
 * Counts all events again and compares with the counts that queries are answered from. What is stored while it runs may
 * not disturb it: a statement compares both as they are at one moment.
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
