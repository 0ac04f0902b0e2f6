/** Numbers for which there is room before the map grows; 16 KB. */
const FIRST_SIZE = 4_096

/**
 * Maps keys to 32-bit integers, 0 until set. Keys are integers from 0 with few gaps: the numbers are in an array, where
 * a lookup takes a tenth of the time that it takes in a `Map`.
 */
export class NumberMap {
  #numbers = new Int32Array(FIRST_SIZE)

  get(key: number): number {
    return this.#numbers[key] ?? 0
  }

  set(key: number, number: number): void {
    if (key >= this.#numbers.length) {
      this.#grow(key)
    }
    this.#numbers[key] = number
  }

  /**
   * Sets the number of every key in `keys` from index `from` up to but not including `until`; skips negative keys.
   * @returns how many keys had another number before, each counted once
   */
  setEach(keys: Int32Array, from: number, until: number, number: number): number {
    let numbers = this.#numbers
    let changed = 0
    for (let i = from; i < until; i += 1) {
      const key = keys[i] ?? -1
      if (key < 0) {
        continue
      }
      if (key >= numbers.length) {
        numbers = this.#grow(key)
      }
      if (numbers[key] !== number) {
        numbers[key] = number
        changed += 1
      }
    }
    return changed
  }

  #grow(key: number): Int32Array<ArrayBuffer> {
    const larger = new Int32Array(Math.max(key + 1, this.#numbers.length * 2))
    larger.set(this.#numbers)
    this.#numbers = larger
    return larger
  }
}
