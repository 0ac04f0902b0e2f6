import type { Range } from '../calendar/buckets.ts'
import { SLOT } from '../rollups/store.ts'

/** A range of time whose events belong to the point with this index. */
export type Window = Range & { point: number }

/** What is read together: some windows by one statement or, if it is cut, the parts of one window by a statement each. */
export type Step = { windows: Window[]; isCut: boolean }

/** A statement looks at about so many events, which takes it 150 ms at most. */
export const STATEMENT_EVENTS = 40_000

/** Into so many pieces a window is cut at most before their events are counted. */
const MAX_PIECES = 1_000

/** The windows that each statement of these steps looks at. */
export const statementsOf = (steps: readonly Step[]): Window[][] =>
  steps.flatMap(({ windows, isCut }) => (isCut ? windows.map((window) => [window]) : [windows]))

/** Windows in runs of which none has more events than that in all. */
export function groupWindows(
  windows: readonly Window[],
  counts: readonly number[],
  most: number
): Window[][] {
  const groups: Window[][] = []
  let sum = Number.POSITIVE_INFINITY
  windows.forEach((window, i) => {
    sum += counts[i] ?? 0
    const group = groups.at(-1)
    if (group && sum <= most) {
      group.push(window)
    } else {
      groups.push([window])
      sum = counts[i] ?? 0
    }
  })
  return groups
}

/** A window in pieces whose events are known from counts: whole quarters of an hour, but for its ends. */
export function piecesOf(window: Window): Window[] {
  const { from, until } = window
  const step = Math.ceil((until - from) / SLOT / MAX_PIECES) * SLOT
  const cuts = [from]
  for (let at = (Math.floor(from / SLOT) + 1) * SLOT; at < until; at += step) {
    cuts.push(at)
  }
  return cuts.map((cut, i) => ({ ...window, from: cut, until: cuts[i + 1] ?? until }))
}

/** The pieces of a window joined, or cut further as if their events were spread evenly, so that each part has at most so many. */
export function partsOf(
  pieces: readonly Window[],
  counts: readonly number[],
  most: number
): Window[] {
  const even = pieces.flatMap((piece, i) => divide(piece, counts[i] ?? 0, most))
  const groups = groupWindows(
    even.map(({ window }) => window),
    even.map(({ count }) => count),
    most
  )
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)]
    return first && last ? { ...first, until: last.until } : []
  })
}

function divide(window: Window, count: number, most: number): { window: Window; count: number }[] {
  const { from, until } = window
  const parts = Math.min(Math.ceil(count / most) || 1, until - from)
  const at = (n: number) => from + Math.floor(((until - from) * n) / parts)
  return Array.from({ length: parts }, (_, n) => ({
    window: { ...window, from: at(n), until: at(n + 1) },
    count: count / parts
  }))
}
