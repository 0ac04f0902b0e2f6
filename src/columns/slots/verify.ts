import type { Db } from '../../db/client.ts'
import { compareCounts, findSteps, shuffleKinds, type WrongCount } from './store.ts'

const STEP = 100_000
const FIRST = -1e9
const LAST = 1e9
/** Wrong counts listed in `first`; `wrong` counts all of them. */
const MAX_SHOWN = 100

/**
 * Counts events again and compares the results with `event_counts`, name by name in random order.
 * Events may arrive in the meantime: each statement reads events and counts at the same moment.
 * @param queries largest number of queries to spend: one for the list of names, one for each name,
 * and one for each step
 * @returns the number of `kinds` (event names of a project) that were compared completely; the
 * number of `wrong` counts, also of a name that was compared only in part; and the `first` 100 of
 * these
 */
export async function verifyCounts(
  db: Db,
  queries = Number.POSITIVE_INFINITY
): Promise<{ kinds: number; wrong: number; first: WrongCount[] }> {
  const kinds = await shuffleKinds(db)
  const all: WrongCount[] = []
  let left = queries - 1
  let compared = 0
  for (const kind of kinds) {
    // A name takes at least two queries: one finds its steps, one compares the first step.
    if (left < 2) {
      break
    }
    const [, ...ends] = await findSteps(db, kind, STEP)
    left -= 1
    const steps = [...ends, LAST]
    compared += steps.length <= left ? 1 : 0
    let from = FIRST
    for (const until of steps.slice(0, left)) {
      all.push(...(await compareCounts(db, kind, from, until)))
      left -= 1
      from = until
    }
  }
  const first = all
    .sort((a, b) => a.project_id - b.project_id || a.event_id - b.event_id || a.slot - b.slot)
    .slice(0, MAX_SHOWN)
  return { kinds: compared, wrong: all.length, first }
}
