import type { Range } from '../calendar/buckets.ts'
import { AppError } from '../errors.ts'
import { type Cell, MAX_SUBJECTS, type Value } from './cells.ts'

/** How many different actors sliding counts keep in mind, of each value those that it has. */
export const MAX_ACTORS = 500_000

/** The pieces of time into which the windows' beginnings and ends cut their range; each lies in a window as a whole or not at all. */
export function segmentsOf(windows: readonly Range[]): Range[] {
  const cuts = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort(
    (a, b) => a - b
  )
  return cuts.slice(1).map((until, i) => ({ from: cuts[i] ?? until, until }))
}

/**
 * Counts the different actors, or sessions, of each of many windows that overlap and follow each other, from those of each segment,
 * told in the order of time: each is counted where they are seen, but for the windows that know them already.
 */
export class SlidingCount {
  readonly #windows: readonly Range[]
  /** By how much the count of a window differs from that of the one before, where it does. */
  readonly #changes = new Map<number, number>()
  /** The last window in which each actor is counted, as long as there are later ones that may know them. */
  readonly #last = new Map<number | string, number>()
  readonly #overlap: boolean
  #first = 0

  constructor(windows: readonly Range[]) {
    this.#windows = windows
    this.#overlap = windows.some(({ from }, i) => from < (windows[i - 1]?.until ?? from))
  }

  /** How many actors are kept in mind. */
  get size(): number {
    return this.#last.size
  }

  add(segment: Range, actors: Iterable<number | string>): void {
    const first = this.#windows.findIndex(({ until }) => until > segment.from)
    const last = this.#windows.findLastIndex(({ from }) => from <= segment.from)
    if (!this.#overlap && first !== this.#first) {
      this.#last.clear()
    }
    this.#first = first
    const begun: number[] = new Array(last - first + 1).fill(0)
    for (const actor of actors) {
      const begin = Math.max(first, (this.#last.get(actor) ?? -1) + 1)
      if (begin > last) {
        continue
      }
      begun[begin - first] = (begun[begin - first] ?? 0) + 1
      this.#last.set(actor, last)
    }
    begun.forEach((count, i) => {
      this.#change(first + i, count)
      this.#change(last + 1, -count)
    })
  }

  /** How many actors each window has. */
  counts(): number[] {
    let count = 0
    return this.#windows.map((_, i) => {
      count += this.#changes.get(i) ?? 0
      return count
    })
  }

  #change(window: number, by: number): void {
    this.#changes.set(window, (this.#changes.get(window) ?? 0) + by)
  }
}

/** Of windows that grow, how many each has more than the one before. */
export const toIncrements = (cells: readonly Cell[]): Cell[] =>
  cells.map((cell, i) => {
    const before = cells[i - 1]?.result ?? 0
    return { ...cell, result: cell.result - before, size: cell.size - before }
  })

/** A value takes as much room as so many actors. */
const VALUE_SIZE = 10

/** A sliding count for each value of a breakdown. */
export class SlidingCounts {
  readonly #windows: readonly Range[]
  readonly #counts = new Map<Value, SlidingCount>()
  readonly #most: number
  #size = 0

  /** `areTexts` is what takes more room than the numbers of actors. */
  constructor(windows: readonly Range[], areTexts: boolean) {
    this.#windows = windows
    this.#most = areTexts ? MAX_SUBJECTS : MAX_ACTORS
  }

  /** @throws query_too_large, attr `actors` */
  add(segment: Range, value: Value, actors: Iterable<number | string>): void {
    let count = this.#counts.get(value)
    if (!count) {
      count = new SlidingCount(this.#windows)
      this.#counts.set(value, count)
      this.#size += VALUE_SIZE
    }
    this.#size -= count.size
    count.add(segment, actors)
    this.#size += count.size
    if (this.#size > this.#most) {
      throw new AppError(
        'query_too_large',
        `A sliding or cumulative count is of at most ${this.#most} different actors or sessions.`,
        'actors'
      )
    }
  }

  /** Those of each value. */
  *cells(): Generator<Cell[]> {
    for (const [value, count] of this.#counts) {
      yield count.counts().map((result, point) => ({ point, value, result, size: result }))
    }
  }
}
