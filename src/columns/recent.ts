/**
 * A cache in the isolate's memory, shared by several kinds of values. It keeps the most recently used values, up to a number
 * of bytes.
 */
export class Memory {
  readonly #maxBytes: number
  /** In the order of their last use. */
  readonly #entries = new Map<string, { value: unknown; bytes: number }>()
  #bytes = 0
  #kinds = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns a number for one more kind of values. */
  nextKind(): number {
    this.#kinds += 1
    return this.#kinds
  }

  get(key: string): unknown {
    const entry = this.#entries.get(key)
    if (!entry) {
      return undefined
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: unknown, bytes: number): void {
    this.#remove(key)
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) {
        return
      }
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

/**
 * Columns in the memory of an isolate: 24 MB of its 128 MB, enough for example for the identities of four million events and
 * the actors of a million identities.
 */
const COLUMNS = new Memory(24 * 2 ** 20)

/**
 * The values of one kind in a cache. They are never compared with the database here, so a key must stand for one value for
 * ever, unless the value carries the build that it was read from, and its user compares builds as `actors.ts` does.
 */
export class Recent<Value> {
  readonly #memory: Memory
  readonly #kind: number

  constructor(memory = COLUMNS) {
    this.#memory = memory
    this.#kind = memory.nextKind()
  }

  get(key: string): Value | undefined {
    return this.#memory.get(`${this.#kind} ${key}`) as Value | undefined
  }

  set(key: string, value: Value, bytes: number): void {
    this.#memory.set(`${this.#kind} ${key}`, value, bytes)
  }
}
