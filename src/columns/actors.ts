import type { Db } from '../db/client.ts'
import { pause } from '../pause.ts'
import { readActors, readChunks, scanPersons } from './actors.store.ts'
import { decodeActors } from './codec.ts'
import { Pages } from './pages.ts'

/** Keys in a chunk, as a power of two. */
const BITS = 12
const SIZE = 1 << BITS

/** Chunks read in one statement, and identities looked up in one. */
const CHUNKS_AT_ONCE = 64
const LOOKED_UP_AT_ONCE = 10_000
/** From so many unknown identities in a chunk on, reading all of its rows is quicker than looking each up. */
const SCANNED_FROM = 256

const REST_MS = 1

/**
 * Who did something: each actor gets a number from 0 on. An actor is a person as known today, an erased one too, or an
 * identity without a person.
 */
export class Actors {
  readonly #db: Db
  readonly #projectId: number
  /** The number of each identity's actor, counted from 1. */
  readonly #identities = new Pages()
  /** The same of persons. */
  readonly #persons = new Pages()
  readonly #knownChunks = new Set<number>()
  #size = 0

  constructor(db: Db, projectId: number) {
    this.#db = db
    this.#projectId = projectId
  }

  /** Returns the number of each identity's actor. */
  async of(identities: Uint32Array): Promise<Int32Array> {
    await this.#readChunks(identities)
    await this.#lookUp(identities)
    const actors = new Int32Array(identities.length)
    for (let i = 0; i < identities.length; i += 1) {
      actors[i] = this.#identities.get(identities[i] ?? 0) - 1
    }
    return actors
  }

  /** Reads the chunks of these identities that have not been read yet. */
  async #readChunks(identities: Uint32Array): Promise<void> {
    const fresh = new Set<number>()
    for (const key of identities) {
      if (!this.#knownChunks.has(key >>> BITS)) {
        fresh.add(key >>> BITS)
        this.#knownChunks.add(key >>> BITS)
      }
    }
    for (const some of inParts([...fresh], CHUNKS_AT_ONCE)) {
      for (const { chunk, data, moved } of await readChunks(this.#db, this.#projectId, some)) {
        this.#takeChunk(chunk << BITS, data, new Set(moved))
      }
      await pause(REST_MS)
    }
  }

  #takeChunk(first: number, data: string, moved: ReadonlySet<number>): void {
    const { offsets, persons } = decodeActors(data)
    for (let i = 0; i < offsets.length; i += 1) {
      const key = first + (offsets[i] ?? 0)
      if (!moved.has(key)) {
        this.#set(key, persons[i] || -key)
      }
    }
  }

  /** Looks up the identities that no chunk knows. */
  async #lookUp(identities: Uint32Array): Promise<void> {
    const unknown = new Set<number>()
    for (const key of identities) {
      if (this.#identities.get(key) === 0) {
        unknown.add(key)
      }
    }
    const byChunk = Map.groupBy(unknown, (key) => key >>> BITS)
    const left: number[] = []
    for (const [chunk, keys] of byChunk) {
      if (keys.length < SCANNED_FROM) {
        left.push(...keys)
        continue
      }
      const from = chunk << BITS
      for (const [key, person] of await scanPersons(this.#db, this.#projectId, from, from + SIZE)) {
        this.#set(key, person ?? -key)
      }
      left.push(...keys.filter((key) => this.#identities.get(key) === 0))
      await pause(REST_MS)
    }
    for (const some of inParts(left, LOOKED_UP_AT_ONCE)) {
      for (const [key, actor] of await readActors(this.#db, some)) {
        this.#set(key, actor)
      }
      await pause(REST_MS)
    }
  }

  /** Notes the actor of an identity: its person, or else a negative number. */
  #set(identity: number, actor: number): void {
    if (this.#identities.get(identity) !== 0) {
      return
    }
    let number = actor > 0 ? this.#persons.get(actor) : 0
    if (number === 0) {
      this.#size += 1
      number = this.#size
    }
    this.#identities.set(identity, number)
    if (actor > 0) {
      this.#persons.set(actor, number)
    }
  }
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) {
    yield items.slice(from, from + size)
  }
}
