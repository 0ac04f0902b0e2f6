import { type PatternSearch, searchFor } from './pattern.ts'

/** Bytes of cached steps that the other patterns may keep while one pattern is searched for. */
const MAX_KEPT = 8_000_000

/** Keeps the patterns of a request compiled for the next batch of texts. */
export class Searches {
  /** By pattern, the least recently used first. */
  readonly #searches = new Map<string, PatternSearch>()

  /**
   * Returns the search for a pattern. A known pattern keeps the `onStep` of the first call. Beyond
   * `MAX_KEPT`, the least recently used patterns lose their cached steps.
   */
  of(pattern: string, onStep: (units: number) => void): PatternSearch {
    const search = this.#searches.get(pattern) ?? searchFor(pattern, onStep)
    this.#searches.delete(pattern)
    let bytes = 0
    for (const other of [...this.#searches.values()].reverse()) {
      bytes += other.countBytes()
      if (bytes > MAX_KEPT) {
        other.forget()
      }
    }
    this.#searches.set(pattern, search)
    return search
  }
}
