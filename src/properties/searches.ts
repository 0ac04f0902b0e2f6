import { type Search, searchFor } from './pattern.ts'

/** Bytes of steps that the patterns of a request may keep while another pattern is searched for. */
const MAX_KEPT = 8_000_000

/** Keeps the patterns of a request compiled, since texts to search come in many batches. */
export class Searches {
  readonly #searches = new Map<string, Search>()

  /** Returns the search for a pattern. The patterns that were searched for the longest ago lose steps that need room. */
  of(pattern: string, onStep: (units: number) => void): Search {
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
