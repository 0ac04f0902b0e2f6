import { type EventKey, newestFirst } from './key.ts'

/** Where a source continues: `before` is the last key that was read of it. */
export type Continued = { id: number; before: EventKey }

/** Reads the keys of some sources: of each the newest ones before a key, at most `limit`. */
export type ReadKeys = (
  sources: readonly Continued[],
  limit: number
) => Promise<Map<number, EventKey[]>>

/** Keys that are read of all sources together at first; of many sources, one each. */
const FIRST_KEYS = 2_000
/** Sources that are continued in one statement, and the keys that are read of each, at least. */
const CONTINUED = 10
const CONTINUED_KEYS = 100

/**
 * Merges sources that are sorted by time, such as the events of each name, into one list, newest first. Reads about as many keys
 * as it returns, and at least one of each source.
 */
export class Merge {
  readonly #read: ReadKeys
  readonly #firstLimit: number
  /** Keys that were read and not returned yet, newest first. */
  #keys: EventKey[] = []
  /** The last key that was read of each source that may have more. */
  readonly #open: Map<number, EventKey>
  #hasBegun = false

  /** @param before where all sources begin */
  constructor(ids: readonly number[], before: EventKey, count: number, read: ReadKeys) {
    this.#read = read
    this.#firstLimit = Math.min(count, Math.max(1, Math.floor(FIRST_KEYS / ids.length)))
    this.#open = new Map(ids.map((id) => [id, before]))
  }

  /** Returns the next keys; fewer than `count` only at the end. */
  async next(count: number): Promise<EventKey[]> {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      await this.#continue([...this.#open.keys()], this.#firstLimit)
    }
    while (this.#open.size > 0 && this.#known() < count) {
      const newest = [...this.#open].sort(([, a], [, b]) => newestFirst(a, b))
      await this.#continue(
        newest.slice(0, CONTINUED).map(([id]) => id),
        Math.max(CONTINUED_KEYS, Math.ceil(count / newest.length))
      )
    }
    return this.#keys.splice(0, Math.min(count, this.#known()))
  }

  /** Counts the keys that come before all that have not been read. */
  #known(): number {
    let horizon: EventKey | undefined
    for (const last of this.#open.values()) {
      if (!horizon || newestFirst(last, horizon) < 0) {
        horizon = last
      }
    }
    if (!horizon) {
      return this.#keys.length
    }
    const end = horizon
    const place = this.#keys.findIndex((key) => newestFirst(key, end) > 0)
    return place < 0 ? this.#keys.length : place
  }

  async #continue(ids: readonly number[], limit: number): Promise<void> {
    const sources = ids.flatMap((id) => {
      const before = this.#open.get(id)
      return before ? [{ id, before }] : []
    })
    const found = await this.#read(sources, limit)
    for (const { id } of sources) {
      const keys = found.get(id) ?? []
      const last = keys.at(-1)
      if (last && keys.length === limit) {
        this.#open.set(id, last)
      } else {
        this.#open.delete(id)
      }
      this.#keys.push(...keys)
    }
    this.#keys.sort(newestFirst)
  }
}
