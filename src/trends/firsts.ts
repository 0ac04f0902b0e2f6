import { DAY } from '../calendar/buckets.ts'
import type { Db } from '../db/client.ts'
import { jsonChunks } from '../db/rows.ts'
import { AppError } from '../errors.ts'
import { sum } from './lines.ts'
import { type Scan, splitFilters } from './scan/store.ts'
import { MAX_ACTORS } from './sliding.ts'
import { planSteps } from './steps.ts'
import { countWindows, findFirst, readFound } from './store.ts'
import { statementsOf, type Window } from './windows.ts'

/** The point of what lies before a trend: whoever has an event there has no first one later. */
const BEFORE = -1
/** Into so many windows the time before a trend is cut. */
const MAX_STEPS = 1_000

/** All of a project's time before a moment, in statements of at most so many events, and how many that is. */
export async function planHistory(
  db: Db,
  scan: Scan,
  until: number,
  most: number
): Promise<{ statements: Window[][]; events: number }> {
  const first = (await findFirst(db, scan.projectId)) ?? until
  const step = Math.max(1, Math.ceil((until - first) / DAY / MAX_STEPS)) * DAY
  const windows: Window[] = []
  for (let from = Math.floor(first / DAY) * DAY; from < until; from += step) {
    windows.push({ from, until: Math.min(from + step, until), point: BEFORE })
  }
  const counts = await countWindows(db, scan, windows)
  return {
    statements: statementsOf(await planSteps(db, scan, windows, counts, most)),
    events: sum(counts)
  }
}

/**
 * Whose first event lies in which statement's windows, and of how many actors it belongs to each point. The statements
 * follow each other, after those of the history.
 * @throws query_too_large, attr `actors`
 */
export async function findFirsts(
  db: Db,
  scan: Scan,
  statements: readonly Window[][],
  points: number
): Promise<{ firsts: Map<Window[], string>; counts: number[] }> {
  const looked: Scan = { ...scan, math: 'dau', breakdowns: [], filters: splitFilters(scan).looked }
  const seen = new Set<number>()
  const firsts = new Map<Window[], string>()
  const counts: number[] = new Array(points).fill(0)
  for (const windows of statements) {
    const fresh: number[] = []
    for await (const found of readFound(db, looked, [windows])) {
      for (const { point, subjects } of found) {
        for (const subject of subjects) {
          const actor = Number(subject)
          if (seen.has(actor)) {
            continue
          }
          seen.add(actor)
          if (point === BEFORE) {
            continue
          }
          fresh.push(actor)
          counts[point] = (counts[point] ?? 0) + 1
        }
      }
    }
    if (seen.size > MAX_ACTORS) {
      throw new AppError(
        'query_too_large',
        `First events are looked for of at most ${MAX_ACTORS} actors.`,
        'actors'
      )
    }
    // Each list of actors has its own statement, even of the same windows: a bound value has an end.
    for (const { json } of jsonChunks(fresh)) {
      firsts.set([...windows], json)
    }
  }
  return { firsts, counts }
}
