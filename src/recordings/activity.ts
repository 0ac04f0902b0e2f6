/** Shortest slice, ms. */
const SHORTEST = 1_000

/**
 * The activity of a visit over time: how many snapshots are active in each slice. Times are those of
 * the visitor's clock, which no correction moves, so the counts of parts can be added in any order.
 */
export type Activity = {
  /** Length of a slice, ms: one second, or two, four, … of them. */
  width: number
  /** The number of the first slice, counted from 1970. */
  first: number
  counts: number[]
}

/** Most slices of a recording: more could not be told apart in a list. */
export const MAX_SLICES = 64

export const NO_ACTIVITY: Activity = { width: SHORTEST, first: 0, counts: [] }

/** Counts times, ms, in the slices of the range from `start` to `end`. */
export function countActivity(times: readonly number[], start: number, end: number): Activity {
  let width = SHORTEST
  while (Math.floor(end / width) - Math.floor(start / width) >= MAX_SLICES) {
    width *= 2
  }
  const first = Math.floor(start / width)
  const counts = new Array<number>(Math.floor(end / width) - first + 1).fill(0)
  for (const time of times) {
    const slice = Math.floor(time / width) - first
    counts[slice] = (counts[slice] ?? 0) + 1
  }
  return { width, first, counts }
}

/** Adds two activities, in the shortest slices of which the range of both has few enough. */
export function addActivity(a: Activity, b: Activity): Activity {
  if (a.counts.length === 0 || b.counts.length === 0) {
    return a.counts.length === 0 ? b : a
  }
  const width = Math.max(a.width, b.width)
  const [left, right] = [widen(a, width), widen(b, width)]
  const first = Math.min(left.first, right.first)
  const slices = Math.max(endOf(left), endOf(right)) - first
  if (slices > MAX_SLICES) {
    return addActivity(widen(left, 2 * width), widen(right, 2 * width))
  }
  const countIn = (one: Activity, slice: number) => one.counts[first + slice - one.first] ?? 0
  const counts = Array.from(
    { length: slices },
    (_, slice) => countIn(left, slice) + countIn(right, slice)
  )
  return { width, first, counts }
}

/** The number of the slice after the last. */
const endOf = ({ first, counts }: Activity): number => first + counts.length

/** Counts in longer slices. @param width a multiple of the present one, ms */
function widen({ width: before, first: start, counts }: Activity, width: number): Activity {
  const factor = width / before
  const first = Math.floor(start / factor)
  const last = Math.floor((start + counts.length - 1) / factor)
  const wide = new Array<number>(last - first + 1).fill(0)
  for (const [i, count] of counts.entries()) {
    const slice = Math.floor((start + i) / factor) - first
    wide[slice] = (wide[slice] ?? 0) + count
  }
  return { width, first, counts: wide }
}
