import type { Db } from '../db/client.ts'
import { pause } from '../pause.ts'
import { listIdentities } from './actor-chunks.store.ts'
import { type ReadChunk, readActors, readChunks } from './actors.store.ts'
import { CHUNK, type Actors as ChunkActors, decodeActors } from './codec.ts'
import { NumberMap } from './number-map.ts'
import { Recent } from './recent.ts'

/** Chunks read in one statement, and identities looked up in one. */
const CHUNKS_AT_ONCE = 64
const LOOKED_UP_AT_ONCE = 10_000
/** From so many unknown identities in a chunk on, reading all of its rows is quicker than looking each up. */
const SCANNED_FROM = 256

const REST_MS = 1

/** Bytes of chunks that an isolate keeps: a million identities. */
const KEPT_BYTES = 6 * 2 ** 20

/** A chunk that is built never changes: it is built again under another token. */
type Built = { build: string; actors: ChunkActors }
const kept = new Recent<Built>(KEPT_BYTES)

/**
 * Who did something: each actor gets a number from 0 on. An actor is a person as known today, an erased one too, or an
 * identity without a person.
 */
export class Actors {
  readonly #db: Db
  readonly #projectId: number
  /** The number of each identity's actor, counted from 1. */
  readonly #identities = new NumberMap()
  /** The same of persons. */
  readonly #persons = new NumberMap()
  /** 1 for each chunk that has been read. */
  readonly #knownChunks = new NumberMap()
  #size = 0

  constructor(db: Db, projectId: number) {
    this.#db = db
    this.#projectId = projectId
  }

  /** Returns the number of each identity's actor. */
  async of(identities: Uint32Array): Promise<Int32Array> {
    await this.#readChunks(identities)
    const actors = this.#identities.list(identities)
    const unknown = new Set<number>()
    for (let i = 0; i < actors.length; i += 1) {
      if (actors[i] === 0) {
        unknown.add(identities[i] ?? 0)
      }
      actors[i] = (actors[i] ?? 0) - 1
    }
    if (unknown.size === 0) {
      return actors
    }
    await this.#lookUp(unknown)
    for (let i = 0; i < identities.length; i += 1) {
      actors[i] = this.#identities.get(identities[i] ?? 0) - 1
    }
    return actors
  }

  /** Reads the chunks of these identities that have not been read yet. */
  async #readChunks(identities: Uint32Array): Promise<void> {
    const fresh = new Set<number>()
    for (let i = 0; i < identities.length; i += 1) {
      const chunk = Math.floor((identities[i] ?? 0) / CHUNK)
      if (this.#knownChunks.get(chunk) === 0) {
        this.#knownChunks.set(chunk, 1)
        fresh.add(chunk)
      }
    }
    for (const some of inParts([...fresh], CHUNKS_AT_ONCE)) {
      const known = some.flatMap((chunk) => kept.get(this.#keyOf(chunk))?.build ?? [])
      for (const read of await readChunks(this.#db, this.#projectId, some, known)) {
        const actors = this.#actorsOf(read)
        if (actors) {
          this.#takeChunk(read.chunk * CHUNK, actors, new Set(read.moved))
        }
      }
    }
  }

  #keyOf(chunk: number): string {
    return `${this.#projectId} ${chunk}`
  }

  /** Decodes a chunk, or takes the one that is kept. @returns undefined if there is none that can be read */
  #actorsOf({ chunk, build, data }: ReadChunk): ChunkActors | undefined {
    if (data === null) {
      const known = kept.get(this.#keyOf(chunk))
      return known?.build === build ? known.actors : undefined
    }
    if (data === '') {
      return undefined
    }
    const actors = decodeActors(data)
    kept.set(
      this.#keyOf(chunk),
      { build, actors },
      actors.offsets.byteLength + actors.persons.byteLength
    )
    return actors
  }

  #takeChunk(first: number, { offsets, persons }: ChunkActors, moved: ReadonlySet<number>): void {
    for (let i = 0; i < offsets.length; i += 1) {
      const identity = first + (offsets[i] ?? 0)
      if (moved.size === 0 || !moved.has(identity)) {
        this.#set(identity, persons[i] || -identity)
      }
    }
  }

  /** Looks up the identities that no chunk knows. */
  async #lookUp(identities: Iterable<number>): Promise<void> {
    const unknown = [...identities].filter((identity) => this.#identities.get(identity) === 0)
    const left: number[] = []
    for (const [chunk, some] of Map.groupBy(unknown, (identity) => Math.floor(identity / CHUNK))) {
      if (some.length < SCANNED_FROM) {
        left.push(...some)
        continue
      }
      for (const { key, person_id } of await listIdentities(this.#db, {
        project_id: this.#projectId,
        chunk
      })) {
        this.#set(key, person_id ?? -key)
      }
      await pause(REST_MS)
    }
    for (const some of inParts(left, LOOKED_UP_AT_ONCE)) {
      for (const [identity, actor] of await readActors(this.#db, some)) {
        this.#set(identity, actor)
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
