import { pause } from '../turns.ts'
import { listIdentities } from './actor-chunks.store.ts'
import { ActorNumbers } from './actor-numbers.ts'
import { type ReadActors, readActorChunks, readActors } from './actors.store.ts'
import { KeptBuilds, type Scan } from './cache.ts'
import { CHUNK, CHUNK_BITS, type ChunkActors, decodeActors } from './codec.ts'
import { discardIfDamaged } from './damage.ts'
import { NumberMap } from './number-map.ts'
import { placeOfActors } from './places.ts'

const CHUNKS_AT_ONCE = 64
const LOOKED_UP_AT_ONCE = 10_000
/** Unknown identities of a chunk from which on reading its whole range is quicker. */
const SCANNED_FROM = 256

/** Pause after each lookup, ms, so that other requests get the database. */
const REST_MS = 1

const kept = new KeptBuilds<ChunkActors>()

/**
 * Looks up the actor of each identity, and numbers the actors. An actor is the identity's present
 * person (for an erased identity, its last person), or the identity itself if it has no person.
 */
export class Actors {
  readonly #scan: Scan
  readonly #numbers = new ActorNumbers()
  /** 1 for each chunk that has been read. */
  readonly #knownChunks = new NumberMap()

  constructor(scan: Scan) {
    this.#scan = scan
  }

  /** Writes the number of each identity's actor into `numbers`, at the identity's index. */
  async list(identities: Uint32Array, numbers: Int32Array): Promise<void> {
    if (this.#numbers.list(identities, numbers)) {
      return
    }
    await this.learn([identities])
    if (!this.#numbers.list(identities, numbers)) {
      throw new Error('The actor of an identity is unknown after its lookup.')
    }
  }

  /** Finds the actors of some lists, in as few statements as if they were one list. */
  async learn(lists: readonly Uint32Array[]): Promise<void> {
    await this.#readChunks(lists)
    const unknown = new Set<number>()
    for (const identities of lists) {
      for (let i = 0; i < identities.length; i += 1) {
        const identity = identities[i] ?? 0
        if (!this.#numbers.isKnown(identity)) {
          unknown.add(identity)
        }
      }
    }
    await this.#lookUp([...unknown])
  }

  /** Reads the chunks of these identities, except chunks that were read before. */
  async #readChunks(lists: readonly Uint32Array[]): Promise<void> {
    const fresh: number[] = []
    for (const identities of lists) {
      for (let i = 0; i < identities.length; i += 1) {
        const chunk = (identities[i] ?? 0) >>> CHUNK_BITS
        if (this.#knownChunks.get(chunk) === 0) {
          this.#knownChunks.set(chunk, 1)
          fresh.push(chunk)
        }
      }
    }
    this.#numbers.makeRoom(
      CHUNK * (1 + fresh.reduce((most, chunk) => Math.max(most, chunk), 0)) - 1
    )
    for (const some of inParts(fresh, CHUNKS_AT_ONCE)) {
      const wanted = some.map((chunk) => ({ chunk, build: kept.buildOf(this.#keyOf(chunk)) }))
      const { chunks, moved } = await readActorChunks(this.#scan.db, this.#scan.projectId, wanted)
      for (const read of chunks) {
        await this.#addChunk(read, moved)
      }
    }
  }

  async #addChunk(read: ReadActors, moved: ReadonlySet<number>): Promise<void> {
    try {
      const actors = this.#openChunk(read)
      if (actors) {
        this.#numbers.addChunk(read.chunk * CHUNK, actors, moved)
      }
    } catch (error) {
      const chunk = { project_id: this.#scan.projectId, chunk: read.chunk, build: read.build }
      await discardIfDamaged(this.#scan.db, error, { kind: 'actors', chunk, text: 'actors' })
    }
  }

  #keyOf(chunk: number): string {
    return `${this.#scan.projectId} ${chunk}`
  }

  /**
   * @returns undefined if memory has dropped this build since it was asked for @throws DamageError
   */
  #openChunk({ chunk, build, data }: ReadActors): ChunkActors | undefined {
    const { projectId, since } = this.#scan
    return kept.open(
      this.#keyOf(chunk),
      { build, text: data, since },
      (text) => decodeActors(text, placeOfActors({ project_id: projectId, chunk, build })),
      ({ offsets, persons }) => offsets.byteLength + persons.byteLength
    )
  }

  /**
   * Looks up the identities that are in no chunk, whose chunk could not be opened, or whose person
   * has changed since their chunk was built.
   */
  async #lookUp(unknown: readonly number[]): Promise<void> {
    const byChunk = Map.groupBy(unknown, (identity) => Math.floor(identity / CHUNK))
    for (const [chunk, wanted] of byChunk) {
      if (wanted.length < SCANNED_FROM) {
        continue
      }
      const range = { project_id: this.#scan.projectId, chunk }
      for (const { key, person_id } of await listIdentities(this.#scan.db, range)) {
        this.#numbers.add(key, person_id ?? -key)
      }
      await pause(REST_MS)
    }
    const left = unknown.filter((identity) => !this.#numbers.isKnown(identity))
    for (const some of inParts(left, LOOKED_UP_AT_ONCE)) {
      for (const [identity, actor] of await readActors(this.#scan.db, some)) {
        this.#numbers.add(identity, actor)
      }
      await pause(REST_MS)
    }
  }
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) {
    yield items.slice(from, from + size)
  }
}
