import type { Range } from './buckets.ts'

/** A range of time whose events belong to the point with this index. */
export type Window = Range & { point: number }

/** A statement looks at about so many events, which takes it 150 ms at most. */
export const MAX_STATEMENT_EVENTS = 40_000

/** Windows grouped so that a statement for each group does not look at too many of the events that they are estimated to have. */
export function groupWindows(windows: readonly Window[], events: readonly number[]): Window[][] {
  const groups: Window[][] = []
  let sum = Number.POSITIVE_INFINITY
  windows.forEach((window, i) => {
    sum += events[i] ?? 0
    const group = groups.at(-1)
    if (group && sum <= MAX_STATEMENT_EVENTS) group.push(window)
    else {
      groups.push([window])
      sum = events[i] ?? 0
    }
  })
  return groups
}

/** Windows of which none has too many events for a statement, if they are spread evenly, and how many each then has. */
export function divide(windows: readonly Window[], counts: readonly number[]): [Window[], number[]] {
  const pieces = windows.flatMap((window, i) => {
    const count = counts[i] ?? 0
    const parts = Math.ceil(count / MAX_STATEMENT_EVENTS) || 1
    const at = (n: number) => window.from + Math.floor(((window.until - window.from) * n) / parts)
    return Array.from({ length: parts }, (_, n) => ({
      window: { ...window, from: at(n), until: at(n + 1) },
      count: count / parts
    }))
  })
  return [pieces.map(({ window }) => window), pieces.map(({ count }) => count)]
}
