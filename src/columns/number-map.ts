/** Numbers for which there is room before the map grows; 16 KB. */
const FIRST_SIZE = 4_096

/**
 * Maps keys to 32-bit integers, 0 until set. Keys are integers from 0 with few gaps: the numbers
 * are in an array, where a lookup takes a tenth of the time that it takes in a `Map`.
 */
export class NumberMap {
  #numbers = new Int32Array(FIRST_SIZE)

  get(key: number): number {
    // Reading past the end would make this slow from then on.
    return key < this.#numbers.length ? (this.#numbers[key] ?? 0) : 0
  }

  set(key: number, number: number): void {
    if (key >= this.#numbers.length) {
      this.#grow(key)
    }
    this.#numbers[key] = number
  }

  #grow(key: number): void {
    const larger = new Int32Array(Math.max(key + 1, this.#numbers.length * 2))
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}
