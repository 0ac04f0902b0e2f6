import type { Db } from '../db/client.ts'

type Entry = { value: unknown; bytes: number; usedAt: number }

/** A cache in the isolate's memory, of a number of bytes, for several kinds of values. */
export class Memory {
  readonly #maxBytes: number
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #kinds = 0
  #uses = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The number of uses so far. It serves as a clock: a use with a higher number is later. */
  get now(): number {
    return this.#uses
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
    this.#remove(key)
    this.#add(key, entry.value, entry.bytes)
    return entry.value
  }

  /**
   * Replaces the key's previous value. Makes room by dropping the least recently used values of
   * other keys. If that would drop a value that was used after `since`, drops none of them and does
   * not keep the new value either.
   */
  set(key: string, value: unknown, bytes: number, since: number): void {
    this.#remove(key)
    const dropped = this.#oldestOf(this.#bytes + bytes - this.#maxBytes, since)
    if (!dropped) {
      return
    }
    for (const oldest of dropped) {
      this.#remove(oldest)
    }
    this.#add(key, value, bytes)
  }

  /**
   * Returns the keys of the least recently used values that together take at least this many bytes;
   * undefined if one of them was used after `since`, or if all values together take less.
   */
  #oldestOf(bytes: number, since: number): string[] | undefined {
    const keys: string[] = []
    let left = bytes
    for (const [key, entry] of this.#entries) {
      if (left <= 0) {
        break
      }
      if (entry.usedAt > since) {
        return undefined
      }
      keys.push(key)
      left -= entry.bytes
    }
    return left <= 0 ? keys : undefined
  }

  #add(key: string, value: unknown, bytes: number): void {
    this.#uses += 1
    this.#entries.set(key, { value, bytes, usedAt: this.#uses })
    this.#bytes += bytes
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}

/**
 * Columns in the memory of an isolate: 24 MB of its 128 MB, enough for example for the identities
 * of four million events and the actors of a million identities.
 */
const COLUMNS = new Memory(24 * 2 ** 20)

/**
 * The values of one kind in a cache. The cache never compares them with the database. So either the
 * value of a key never changes, or the reader checks that the value is current: `actors.ts`
 * compares the token of a chunk's build.
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

  /**
   * Keeps a value if dropping values that were not used after `since` makes enough room. Without
   * `since`, any other value may be dropped.
   */
  set(key: string, value: Value, bytes: number, since = this.#memory.now): void {
    this.#memory.set(`${this.#kind} ${key}`, value, bytes, since)
  }
}

/**
 * A computation that reads columns of a project. It never drops columns from the cache that it has
 * used itself: once these fill the cache, further columns are not kept. So when the computation is
 * repeated, it finds the first columns. If each column replaced the least recently used one, it
 * would find none, because it reads the columns in the same order.
 */
export type Scan = {
  db: Db
  projectId: number
  /** When the computation began, as `Memory.now` counts. */
  since: number
}

/** Begins a computation now. */
export const beginScan = (db: Db, projectId: number): Scan => ({
  db,
  projectId,
  since: COLUMNS.now
})

/** What a reader got of a build of a copy: a text, or null if the reader had its content. */
export type ReadText = { build: string; text: string | null }

/**
 * The decoded content of copies, by the copy. The content of a build never changes: a copy that is
 * built again gets another token.
 */
export class KeptBuilds<Content> {
  readonly #kept = new Recent<{ build: string; content: Content }>()

  /** Returns the token of the build whose content is kept. */
  buildOf(key: string): string | undefined {
    return this.#kept.get(key)?.build
  }

  /**
   * Decodes and keeps a text, or takes the content from memory.
   * @param bytesOf returns the memory that the content takes
   * @returns undefined if memory has dropped this build since it was asked for
   */
  open(
    key: string,
    { build, text, since }: ReadText & { since: number },
    decode: (text: string) => Content,
    bytesOf: (content: Content, text: string) => number
  ): Content | undefined {
    if (text === null) {
      const known = this.#kept.get(key)
      return known?.build === build ? known.content : undefined
    }
    const content = decode(text)
    this.#kept.set(key, { build, content }, bytesOf(content, text), since)
    return content
  }
}
