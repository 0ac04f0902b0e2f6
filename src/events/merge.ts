import { byTime, type EventKey, type EventOrder, type EventPosition } from './key.ts'

/** A source to read from: its next keys come after the place `after`. */
export type Continued = { id: number; after: EventPosition }

/** Reads the next keys of each source, in the order of the list, at most `limit` of each. */
export type ReadKeys = (
  sources: readonly Continued[],
  limit: number
) => Promise<Map<number, EventKey[]>>

/** Keys of the first read, over all sources together; at least one per source. */
const FIRST_KEYS = 2_000
/** Keys of a later read, over all of its sources together, unless the caller takes more. */
const CONTINUED_KEYS = 1_000
/** Sources of a later read; of very many sources, each has few of the next keys. */
const CONTINUED = { few: 10, many: 100 }
/** Number of sources from which on they are many. */
const MANY = 200

/**
 * Merges sources that are sorted by time, such as the events of each name, into one list. Reads
 * about as many keys as it returns, and at least one of each source.
 */
export class KeyMerger {
  readonly #read: ReadKeys
  readonly #firstLimit: number
  readonly #compare: (a: EventPosition, b: EventPosition) => number
  /** Keys that were read and not returned yet, in order. */
  #keys: EventKey[] = []
  /** The last key read from each source that may have more; `after` until the first read. */
  readonly #open: Map<number, EventPosition>
  #hasBegun = false

  /**
   * @param after all returned keys come after this place
   * @param count the number of keys that the first `next` takes
   */
  constructor(
    ids: readonly number[],
    { order, after, count }: { order: EventOrder; after: EventPosition; count: number },
    read: ReadKeys
  ) {
    this.#read = read
    this.#compare = byTime(order)
    this.#firstLimit = Math.min(count, Math.max(1, Math.floor(FIRST_KEYS / ids.length)))
    this.#open = new Map(ids.map((id) => [id, after]))
  }

  /** Returns the next keys; fewer than `count` only at the end. */
  async next(count: number): Promise<EventKey[]> {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      await this.#continue([...this.#open.keys()], this.#firstLimit)
    }
    while (this.#open.size > 0 && this.#countReady() < count) {
      const missing = this.#findMissing(count)
      const sources = this.#open.size < MANY ? CONTINUED.few : CONTINUED.many
      await this.#continue(
        missing.slice(0, sources),
        Math.max(CONTINUED_KEYS / sources, Math.ceil(count / missing.length))
      )
    }
    return this.#keys.splice(0, Math.min(count, this.#countReady()))
  }

  /** Puts keys back that `next` has returned last; it returns them again. */
  putBack(keys: EventKey[]): void {
    this.#keys.unshift(...keys)
  }

  /**
   * Returns the sources, in order, whose unread keys may come before the last of the next `count`
   * keys that were read. The keys that were read of all others suffice.
   */
  #findMissing(count: number): number[] {
    const last = this.#keys[count - 1]
    return [...this.#open]
      .filter(([, place]) => !last || this.#compare(place, last) < 0)
      .sort(([, a], [, b]) => this.#compare(a, b))
      .map(([id]) => id)
  }

  /**
   * Counts the keys that can be returned now, because no key that is still unread comes before
   * them.
   */
  #countReady(): number {
    const [first, ...others] = this.#open.values()
    if (!first) {
      return this.#keys.length
    }
    // Every unread key comes after the first of these.
    const horizon = others.reduce((a, b) => (this.#compare(a, b) <= 0 ? a : b), first)
    const place = this.#keys.findIndex((key) => this.#compare(key, horizon) > 0)
    return place < 0 ? this.#keys.length : place
  }

  async #continue(ids: readonly number[], limit: number): Promise<void> {
    const sources = ids.flatMap((id) => {
      const after = this.#open.get(id)
      return after ? [{ id, after }] : []
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
    this.#keys.sort(this.#compare)
  }
}
