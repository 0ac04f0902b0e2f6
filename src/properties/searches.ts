import { type Search, searchFor } from './pattern.ts'

/** Bytes of cached steps that patterns keep while another pattern is searched for. */
const MAX_KEPT = 8_000_000

/** Keeps the patterns of a request compiled for the next batch of texts. */
export class Searches {
  readonly #searches = new Map<string, Search>()

  /** Returns the search for a pattern. Patterns not searched for in a while lose their steps. */
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
