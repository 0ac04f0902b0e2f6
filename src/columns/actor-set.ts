/** Words for which there is room before a set grows: 4 KB, for the numbers of 16,384 persons. */
const FIRST_WORDS = 1_024

/** Bits of a word. */
const BITS = 32

/**
 * A set of actors by the numbers of `numberOfActor`, a bit for each: a million persons take 250 kB.
 * A set may be inverted: it then has all actors but these, also actors that nobody knows yet.
 */
export class ActorSet {
  #words = new Uint32Array(FIRST_WORDS)
  readonly isInverted: boolean

  constructor(isInverted = false) {
    this.isInverted = isInverted
  }

  /** Notes the number of an actor: one that is in the set or, if it is inverted, that is not. */
  note(number: number): void {
    const place = number >>> 5
    if (place >= this.#words.length) {
      const larger = new Uint32Array(Math.max(place + 1, this.#words.length * 2))
      larger.set(this.#words)
      this.#words = larger
    }
    this.#words[place] = (this.#words[place] ?? 0) | (1 << (number & (BITS - 1)))
  }

  has(number: number): boolean {
    const isNoted = (((this.#words[number >>> 5] ?? 0) >>> (number & (BITS - 1))) & 1) === 1
    return isNoted !== this.isInverted
  }

  /** Returns the set of all other actors. Both share their memory: note nothing afterwards. */
  inverse(): ActorSet {
    const inverse = new ActorSet(!this.isInverted)
    inverse.#words = this.#words
    return inverse
  }

  /** Returns the actors that are in all of some sets (AND), or in at least one of them (OR). */
  static join(sets: readonly ActorSet[], type: 'AND' | 'OR'): ActorSet {
    const isAnd = type === 'AND'
    const isInverted = isAnd
      ? sets.every((set) => set.isInverted)
      : sets.some((set) => set.isInverted)
    const joined = new ActorSet(isInverted)
    const length = Math.max(FIRST_WORDS, ...sets.map((set) => set.#words.length))
    joined.#words = new Uint32Array(length).fill(isAnd ? -1 : 0)
    for (const set of sets) {
      const flip = set.isInverted ? -1 : 0
      for (let i = 0; i < length; i += 1) {
        const word = (set.#words[i] ?? 0) ^ flip
        const before = joined.#words[i] ?? 0
        joined.#words[i] = isAnd ? before & word : before | word
      }
    }
    return isInverted ? joined.#flipped() : joined
  }

  /** Lists the noted numbers in order. */
  *noted(): Generator<number> {
    for (const [place, word] of this.#words.entries()) {
      for (let rest = word; rest !== 0; rest = (rest & (rest - 1)) >>> 0) {
        yield place * BITS + (BITS - 1 - Math.clz32(rest & -rest))
      }
    }
  }

  #flipped(): this {
    for (let i = 0; i < this.#words.length; i += 1) {
      this.#words[i] = ~(this.#words[i] ?? 0)
    }
    return this
  }
}
