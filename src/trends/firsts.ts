import type { Db } from '../db/client.ts'
import { jsonChunks } from '../db/rows.ts'
import { AppError } from '../errors.ts'
import { DAY } from './buckets.ts'
import { sum } from './lines.ts'
import { MAX_ACTORS } from './sliding.ts'
import { countWindows, findFirst, readActors, type Scan, splitFilters } from './store.ts'
import { divide, groupWindows, type Window } from './windows.ts'

/** The point of what lies before a trend: whoever has an event there has no first one later. */
const BEFORE = -1
/** Into so many windows the time before a trend is cut. */
const MAX_STEPS = 1_000

/** All of a project's time before a moment in steps, and how many events that is. */
export async function planHistory(db: Db, scan: Scan, until: number): Promise<{ groups: Window[][]; events: number }> {
  const first = (await findFirst(db, scan.projectId)) ?? until
  const step = Math.max(1, Math.ceil((until - first) / DAY / MAX_STEPS)) * DAY
  const windows: Window[] = []
  for (let from = Math.floor(first / DAY) * DAY; from < until; from += step)
    windows.push({ from, until: Math.min(from + step, until), point: BEFORE })
  const counts = await countWindows(db, scan, windows)
  return { groups: groupWindows(...divide(windows, counts)), events: sum(counts) }
}

/**
 * Whose first event lies in which group of windows, and of how many actors it belongs to each point. The groups follow
 * each other, after those of the history.
 * @throws query_too_large, attr `actors`
 */
export async function findFirsts(
  db: Db,
  scan: Scan,
  history: readonly Window[][],
  groups: readonly Window[][],
  points: number
): Promise<{ firsts: Map<Window[], string>; counts: number[] }> {
  const looked: Scan = { ...scan, math: 'dau', breakdowns: [], filters: splitFilters(scan).looked }
  const seen = new Set<number>()
  const firsts = new Map<Window[], string>()
  const counts: number[] = new Array(points).fill(0)
  for (const windows of [...history, ...groups]) {
    const fresh: number[] = []
    for await (const { point, actors } of readActors(db, looked, [windows]))
      for (const actor of actors) {
        if (seen.has(actor)) continue
        seen.add(actor)
        if (point === BEFORE) continue
        fresh.push(actor)
        counts[point] = (counts[point] ?? 0) + 1
      }
    if (seen.size > MAX_ACTORS)
      throw new AppError('query_too_large', `First events are looked for of at most ${MAX_ACTORS} actors.`, 'actors')
    // Each list of actors has its own group, even of the same windows: a bound value has an end.
    for (const { json } of jsonChunks(fresh)) firsts.set([...windows], json)
  }
  return { firsts, counts }
}
