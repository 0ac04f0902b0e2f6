/** Keys in a page, as a power of two. */
const BITS = 12
const SIZE = 1 << BITS

/**
 * A whole number for each key, 0 at first. Keys are whole numbers that mostly lie close together, which makes this much quicker
 * than a `Map`.
 */
export class Pages {
  readonly #pages: (Int32Array | undefined)[] = []

  get(key: number): number {
    return this.#pages[key >>> BITS]?.[key & (SIZE - 1)] ?? 0
  }

  set(key: number, value: number): void {
    let page = this.#pages[key >>> BITS]
    if (!page) {
      page = new Int32Array(SIZE)
      this.#pages[key >>> BITS] = page
    }
    page[key & (SIZE - 1)] = value
  }
}
