import { AppError } from '../errors.ts'
import type { Range } from './buckets.ts'

/** How many different actors a sliding count keeps in mind. */
export const MAX_ACTORS = 500_000

/** The pieces of time into which the windows' beginnings and ends cut their range; each lies in a window as a whole or not at all. */
export function segmentsOf(windows: readonly Range[]): Range[] {
  const cuts = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b)
  return cuts.slice(1).map((until, i) => ({ from: cuts[i] ?? until, until }))
}

/**
 * Counts the different actors of each of many windows that overlap and follow each other, from the actors of each segment,
 * told in the order of time: each is counted where they are seen, but for the windows that know them already.
 */
export class SlidingCount {
  readonly #windows: readonly Range[]
  readonly #changes: number[]
  /** The last window in which each actor is counted. */
  readonly #last = new Map<number, number>()

  constructor(windows: readonly Range[]) {
    this.#windows = windows
    this.#changes = new Array(windows.length + 1).fill(0)
  }

  /** @throws query_too_large, attr `actors` */
  add(segment: Range, actors: Iterable<number>): void {
    const first = this.#windows.findIndex(({ until }) => until > segment.from)
    const last = this.#windows.findLastIndex(({ from }) => from <= segment.from)
    for (const actor of actors) {
      const begin = Math.max(first, (this.#last.get(actor) ?? -1) + 1)
      if (begin > last) continue
      this.#changes[begin] = (this.#changes[begin] ?? 0) + 1
      this.#changes[last + 1] = (this.#changes[last + 1] ?? 0) - 1
      this.#last.set(actor, last)
    }
    if (this.#last.size > MAX_ACTORS)
      throw new AppError('query_too_large', `A sliding count is of at most ${MAX_ACTORS} actors.`, 'actors')
  }

  /** How many actors each window has. */
  counts(): number[] {
    let count = 0
    return this.#windows.map((_, i) => (count += this.#changes[i] ?? 0))
  }
}
