const BLOCK = 131_072

/** Lists of numbers for reuse, because memory of typed arrays is freed late. */
export class Scratch {
  readonly #blocks: Int32Array[] = []
  /** The block that the next list is taken from, and the numbers of it that are taken. */
  #block = 0
  #taken = 0

  /** Returns a list with arbitrary content. It belongs to the caller until `release`. */
  take(length: number): Int32Array {
    const block = this.#blocks[this.#block] ?? new Int32Array(Math.max(length, BLOCK))
    this.#blocks[this.#block] = block
    if (this.#taken + length > block.length) {
      this.#block += 1
      this.#taken = 0
      return this.take(length)
    }
    this.#taken += length
    return block.subarray(this.#taken - length, this.#taken)
  }

  /** Takes all lists back. */
  release(): void {
    this.#block = 0
    this.#taken = 0
  }
}
