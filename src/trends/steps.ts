import type { Db } from '../db/client.ts'
import type { Scan } from './scan/store.ts'
import { countWindows } from './store.ts'
import { groupWindows, partsOf, piecesOf, type Step, type Window } from './windows.ts'

/** The windows in steps whose statements look at so many events at most, as far as counts of quarters of an hour tell. */
export async function planSteps(
  db: Db,
  scan: Scan,
  windows: readonly Window[],
  counts: readonly number[],
  most: number
): Promise<Step[]> {
  const steps: Step[] = []
  for (const group of groupWindows(windows, counts, most)) {
    const [window] = group
    const isCut =
      group.length === 1 && window !== undefined && (counts[windows.indexOf(window)] ?? 0) > most
    steps.push({ windows: isCut ? await cut(db, scan, window, most) : group, isCut })
  }
  return steps
}

async function cut(db: Db, scan: Scan, window: Window, most: number): Promise<Window[]> {
  const pieces = piecesOf(window)
  return partsOf(pieces, await countWindows(db, scan, pieces), most)
}
