/** Smallest length of a list, elements. */
const MIN_LENGTH = 32_768

/** Lists of numbers for reuse: memory of typed arrays is freed late, and a trend would allocate a list for each batch. */
export class Scratch {
  readonly #lists: Int32Array[] = []
  #taken = 0

  /** Returns a list with arbitrary content. It belongs to the caller until `release`. */
  take(length: number): Int32Array {
    let list = this.#lists[this.#taken]
    if (!list || list.length < length) {
      list = new Int32Array(Math.max(length, MIN_LENGTH))
      this.#lists[this.#taken] = list
    }
    this.#taken += 1
    return list.subarray(0, length)
  }

  /** Takes all lists back. */
  release(): void {
    this.#taken = 0
  }
}
