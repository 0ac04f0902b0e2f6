import { expectFew } from './limits.ts'

/**
 * A number for each key of each group: how often the key occurs (`add`), or a given number (`set`).
 */
export class Tally {
  readonly #groups = new Map<number, Map<number, number>>()
  #size = 0

  /** @throws query_too_large, attr `actors` */
  add(group: number, key: number): void {
    const counts = this.#countsOf(group)
    const before = counts.get(key)
    if (before === undefined) {
      this.#size += 1
      expectFew(this.#size)
    }
    counts.set(key, (before ?? 0) + 1)
  }

  /** Sets the number of a key, in place of an earlier one. */
  set(group: number, key: number, number: number): void {
    const counts = this.#countsOf(group)
    if (!counts.has(key)) {
      this.#size += 1
      expectFew(this.#size)
    }
    counts.set(key, number)
  }

  groups(): Iterable<[group: number, counts: ReadonlyMap<number, number>]> {
    return this.#groups
  }

  #countsOf(group: number): Map<number, number> {
    let counts = this.#groups.get(group)
    if (!counts) {
      counts = new Map()
      this.#groups.set(group, counts)
    }
    return counts
  }
}

/**
 * Returns a percentile of numbers, interpolated between two of them, from how often each occurs;
 * `place` 0.5 is the median.
 */
export function percentileOf(counts: ReadonlyMap<number, number>, place: number): number {
  const sorted = [...counts].sort(([a], [b]) => a - b)
  const length = sorted.reduce((sum, [, count]) => sum + count, 0)
  return interpolate(length, place, (index) => {
    let seen = 0
    for (const [number, count] of sorted) {
      seen += count
      if (seen > index) {
        return number
      }
    }
    return 0
  })
}

/** Returns a percentile of sorted numbers, interpolated; `place` 0.5 is the median. */
export const percentileOfSorted = (sorted: Float64Array, place: number): number =>
  interpolate(sorted.length, place, (index) => sorted[index] ?? 0)

function interpolate(length: number, place: number, at: (index: number) => number): number {
  const wanted = (length - 1) * place
  const low = Math.floor(wanted)
  const part = wanted - low
  return part === 0 ? at(low) : at(low) * (1 - part) + at(low + 1) * part
}

/** Counts how often each number occurs. */
export function tallyOf(numbers: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>()
  for (const number of numbers) {
    counts.set(number, (counts.get(number) ?? 0) + 1)
  }
  return counts
}
