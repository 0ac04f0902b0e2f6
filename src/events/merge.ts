import { type EventKey, newestFirst } from './key.ts'

/** A source, and the last key that was read of it: its next keys are older than `before`. */
export type Continued = { id: number; before: EventKey }

/** Reads the next keys of each source, newest first, at most `limit` of each. */
export type ReadKeys = (
  sources: readonly Continued[],
  limit: number
) => Promise<Map<number, EventKey[]>>

/** Keys read at first, of all sources together; at least one of each source. */
const FIRST_KEYS = 2_000
/** Sources that are continued in one statement. */
const CONTINUED = 10
/** Fewest keys read of a source that is continued. */
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

  /**
   * @param before the key than which all keys are older
   * @param count the number of keys that the caller takes first
   */
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

  /** Counts the keys that are newer than every key that has not been read. */
  #known(): number {
    const [newest, ...others] = this.#open.values()
    if (!newest) {
      return this.#keys.length
    }
    const horizon = others.reduce((a, b) => (newestFirst(a, b) <= 0 ? a : b), newest)
    const place = this.#keys.findIndex((key) => newestFirst(key, horizon) > 0)
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
