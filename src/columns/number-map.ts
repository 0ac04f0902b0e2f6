/** Numbers there is room for at first. */
const FIRST_SIZE = 4_096

/**
 * A whole number for each key, 0 at first. Keys are whole numbers from 0 on with few gaps: the numbers are in a list, where
 * looking one up takes a tenth of the time of a `Map`.
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

  /** Sets the number of each key in a part of a list; skips negative keys. @returns how many keys had another number before */
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
