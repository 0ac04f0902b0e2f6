/** Members from which on a bitmap may be smaller than a set. */
const MANY = 256

/** Bytes that a member of a set takes, about. */
const BYTES_OF_MEMBER = 32

/** A set of whole numbers from 0 on: a bitmap once that is smaller than a `Set`. */
export class NumberSet {
  #members: Set<number> | undefined = new Set()
  #bits = new Uint32Array(0)
  #size = 0
  #largest = 0

  get size(): number {
    return this.#members?.size ?? this.#size
  }

  /** Adds a number. @returns whether it is new */
  add(number: number): boolean {
    if (!this.#members) {
      return this.#addBit(number)
    }
    const before = this.#members.size
    this.#members.add(number)
    const { size } = this.#members
    this.#largest = Math.max(this.#largest, number)
    if (size >= MANY && (size & (size - 1)) === 0 && this.#largest / 8 < size * BYTES_OF_MEMBER) {
      this.#toBits(this.#members)
    }
    return size > before
  }

  #toBits(members: ReadonlySet<number>): void {
    this.#members = undefined
    for (const member of members) {
      this.#addBit(member)
    }
  }

  #addBit(number: number): boolean {
    const word = number >>> 5
    const bit = 1 << (number & 31)
    if (word >= this.#bits.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.#bits.length * 2))
      larger.set(this.#bits)
      this.#bits = larger
    }
    const known = this.#bits[word] ?? 0
    if ((known & bit) !== 0) {
      return false
    }
    this.#bits[word] = known | bit
    this.#size += 1
    return true
  }
}
