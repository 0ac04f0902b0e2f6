const QUOTE_LENGTH = 1
const BACKSLASH = 0x5c

/** Names that are open at first. The lists grow with the names. */
const INITIAL = 64

/**
 * Most digits of a hash by which known names are told from new ones. A bit for each takes 128 kB;
 * the 200,000 names that the limit on memory allows use a fifth of them.
 */
const MAX_DIGITS = 20

/** An odd number whose multiples spread over all 32 bits: 2^32 divided by the golden ratio. */
const SPREAD = 0x9e3779b1

/**
 * The names of the members of a JSON text, while it is read from beginning to end. A name is where
 * it stands in the text, with its quotes, and its hash. The hash differs between texts at random,
 * so that nobody can send many names with the same hash.
 */
export class MemberNames {
  readonly #text: string
  readonly #seed = Math.floor(Math.random() * 2 ** 31)
  readonly #factor = Math.floor(Math.random() * 2 ** 31) | 1
  /** Leading binary digits of a hash by which a name is known, and a bit for each such number. */
  readonly #shift: number
  readonly #seen: Uint32Array
  /**
   * The names of the open objects, in the order of the text: the hash of name and level, and the
   * places.
   */
  #keys = new Int32Array(INITIAL)
  #starts = new Int32Array(INITIAL)
  #ends = new Int32Array(INITIAL)
  #count = 0
  /**
   * A hash table with linear probing: each slot has the index of a name plus 1, or 0. Names are
   * removed in the reverse order, which leaves the table as it was before they were added.
   */
  #slots = new Int32Array(INITIAL * 2)

  constructor(text: string) {
    this.#text = text
    // A text has fewer names than characters.
    const digits = Math.min(MAX_DIGITS, 5 + Math.ceil(Math.log2(text.length / 32 + 1)))
    this.#shift = 32 - digits
    this.#seen = new Uint32Array(2 ** (digits - 5))
  }

  /** The number of names of the open objects. */
  get count(): number {
    return this.#count
  }

  /** Returns the hash of a name, which is the same for `"a"` and `"\u0061"`. */
  hash(from: number, until: number): number {
    const last = until - QUOTE_LENGTH
    const text = this.#text
    const factor = this.#factor
    let hash = this.#seed
    for (let at = from + QUOTE_LENGTH; at < last; at += 1) {
      const char = text.charCodeAt(at)
      if (char === BACKSLASH) {
        return this.#hashOf(nameAt(text, from, until))
      }
      hash = Math.imul(hash ^ char, factor)
    }
    return hash ^ (hash >>> 15)
  }

  #hashOf(name: string): number {
    let hash = this.#seed
    for (let at = 0; at < name.length; at += 1) {
      hash = Math.imul(hash ^ name.charCodeAt(at), this.#factor)
    }
    return hash ^ (hash >>> 15)
  }

  /** Whether a name, by its hash, occurs for the first time in the text. */
  isNew(hash: number): boolean {
    const bit = hash >>> this.#shift
    const word = this.#seen[bit >>> 5] ?? 0
    const mask = 1 << (bit & 31)
    this.#seen[bit >>> 5] = word | mask
    return (word & mask) === 0
  }

  /** Adds a name to the open object at a level; false if the object has it already. */
  add(level: number, hash: number, from: number, until: number): boolean {
    const key = (hash + Math.imul(level, SPREAD)) | 0
    let slot = this.#home(key)
    for (let held = this.#slots[slot]; held; held = this.#slots[slot]) {
      if (this.#keys[held - 1] === key && this.#isSame(held - 1, from, until)) {
        return false
      }
      slot = (slot + 1) & (this.#slots.length - 1)
    }
    this.#keys[this.#count] = key
    this.#starts[this.#count] = from
    this.#ends[this.#count] = until
    this.#count += 1
    this.#slots[slot] = this.#count
    if (this.#count === this.#keys.length) {
      this.#grow()
    }
    return true
  }

  /** Removes the names that were added last, until `count` are left. */
  removeTo(count: number): void {
    while (this.#count > count) {
      const slot = this.#find(this.#keys[this.#count - 1] ?? 0, this.#count)
      this.#slots[slot] = 0
      this.#count -= 1
    }
  }

  #isSame(index: number, from: number, until: number): boolean {
    const other = nameAt(this.#text, this.#starts[index] ?? 0, this.#ends[index] ?? 0)
    return other === nameAt(this.#text, from, until)
  }

  #home(key: number): number {
    return (Math.imul(key, SPREAD) >>> 8) & (this.#slots.length - 1)
  }

  /** Returns the first slot that holds `held`, searched as `add` does. */
  #find(key: number, held: number): number {
    let slot = this.#home(key)
    while (this.#slots[slot] !== held) {
      slot = (slot + 1) & (this.#slots.length - 1)
    }
    return slot
  }

  #grow(): void {
    this.#keys = doubled(this.#keys)
    this.#starts = doubled(this.#starts)
    this.#ends = doubled(this.#ends)
    this.#slots = new Int32Array(this.#slots.length * 2)
    for (let index = 0; index < this.#count; index += 1) {
      this.#slots[this.#find(this.#keys[index] ?? 0, 0)] = index + 1
    }
  }
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2)
  more.set(numbers)
  return more
}

/** Returns the name that stands in a text with its quotes; in invalid JSON, with escapes. */
export function nameAt(text: string, from: number, until: number): string {
  const quoted = text.slice(from, until)
  if (!quoted.includes('\\')) {
    return quoted.slice(1, -1)
  }
  try {
    return JSON.parse(quoted)
  } catch {
    return quoted
  }
}
