/** A seeded random generator (sfc32): the same seed gives the same sequence on every machine. */
export class Random {
  readonly #state: [number, number, number, number]

  constructor(seed: string) {
    this.#state = [hash(seed, 1), hash(seed, 2), hash(seed, 3), 1]
    for (let round = 0; round < 12; round += 1) {
      this.next()
    }
  }

  /** Returns 32 random bits. */
  next(): number {
    const [a, b, c, counter] = this.#state
    const result = (a + b + counter) | 0
    this.#state[0] = b ^ (b >>> 9)
    this.#state[1] = (c + (c << 3)) | 0
    this.#state[2] = (((c << 21) | (c >>> 11)) + result) | 0
    this.#state[3] = (counter + 1) | 0
    return result >>> 0
  }

  /** Returns a number from 0 up to, but not including, 1. */
  fraction(): number {
    return this.next() / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** Returns an integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** Picks one item at random. @throws for an empty list */
  pick<T>(items: readonly T[]): T {
    return this.weighted(items.map((item) => ({ item, weight: 1 }))).item
  }

  /** Picks one item with probability proportional to its weight. @throws for an empty list */
  weighted<T extends { weight: number }>(items: readonly T[]): T {
    const [first] = items
    if (!first) {
      throw new Error('The list is empty.')
    }
    let rest = this.fraction() * items.reduce((sum, { weight }) => sum + weight, 0)
    for (const item of items) {
      rest -= item.weight
      if (rest < 0) {
        return item
      }
    }
    // Reached only through a rounding error.
    return first
  }

  /** Returns a version 7 UUID: the time, in whole ms, and random digits. */
  uuid(time: number): string {
    const word = () => this.next().toString(16).padStart(8, '0')
    const [a, b, c] = [word(), word(), word()]
    const moment = time.toString(16).padStart(12, '0')
    return [
      moment.slice(0, 8),
      moment.slice(8),
      `7${a.slice(0, 3)}`,
      `a${b.slice(0, 3)}`,
      `${b.slice(3, 7)}${c}`
    ].join('-')
  }
}

/** Hashes by FNV-1a with the final mix of MurmurHash3. Each `variant` gives another hash of the same text. */
function hash(text: string, variant: number): number {
  let value = 0x811c9dc5 ^ variant
  for (const byte of new TextEncoder().encode(text)) {
    value = Math.imul(value ^ byte, 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}
