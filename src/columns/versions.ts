import { inHalves } from '../db/halves.ts'
import { identityOf, numberOf, toId, VERSIONS } from '../db/version-id.ts'
import type { Json } from '../input/json.ts'
import { pause } from '../turns.ts'
import { type Batch, emptyColumn } from './batch.ts'
import { KeptBuilds, type Scan } from './cache.ts'
import { CHUNK, decodeColumn, decodeNames, decodeVersions } from './codec.ts'
import type { Codes, Column } from './column.ts'
import { discardIfDamaged } from './damage.ts'
import { NumberMap } from './number-map.ts'
import { placeOfCold, placeOfColumn, placeOfVersions } from './places.ts'
import { type ReadVersions, readVersionChunks, readVersionValues } from './version-chunks.store.ts'

const CHUNKS_AT_ONCE = 16
const LOOKED_UP_AT_ONCE = 5_000

/** Pause after a statement, ms, so that other requests get the database. */
const REST_MS = 1

/** A chunk's versions: those of identity `first + i` are from `starts[i]` to `starts[i + 1]`. */
type Places = { starts: Uint32Array; numbers: Uint32Array }

const keptPlaces = new KeptBuilds<Places>()
const keptColumns = new KeptBuilds<Column>()

/** A property of a chunk's versions; `values[codes[place]]` is the number of the value. */
type Chunk = Places & { first: number; codes: Codes; values: Uint32Array }

const chunkOf = (identity: number): number => Math.floor(identity / CHUNK)

/** Stands for the number of a value if no chunk has the version. */
const UNKNOWN = -1

/**
 * Stands for the version of an event that has none, because it was sent without a person profile.
 */
const NO_VERSION = -1

/** Event i has the version `shorts[codes[i]]`, in the form of `toShort`, or `NO_VERSION`. */
type Versions = { identities: Uint32Array; codes: Codes; shorts: Float64Array }

/** The number of the value null, which stands for no value. */
const NO_VALUE = 0

/** Finds a property's values in versions of persons: in chunks, or else in rows. */
export class VersionValues {
  readonly #scan: Scan
  readonly #key: string
  /** For each chunk that was read, its place in `#chunks`, counted from 1. */
  readonly #knownChunks = new NumberMap()
  readonly #chunks: (Chunk | undefined)[] = []
  /** The number of the value of each version that was looked up. */
  readonly #lookedUp = new Map<number, number>()
  /** The values by number. */
  readonly #values: Json[] = [null]
  /** The numbers of values other than arrays and objects. */
  readonly #numbers = new Map<Json, number>([[null, NO_VALUE]])

  constructor(scan: Scan, key: string) {
    this.#scan = scan
    this.#key = key
  }

  /**
   * Returns the property's values in the versions of events, each different value listed once,
   * since the caller looks at each.
   * @param versions the version of each event in the form of `toShort`; null for an event that has
   * none
   * @param identities the key of each event's identity
   */
  async of({ codes, values: shorts }: Column, identities: Uint32Array): Promise<Column> {
    const versions = { identities, codes, shorts: toNumbers(shorts) }
    await this.#readChunks([versions])
    const found = await this.#numbersOf(versions)
    // The place of each value in `values`, counted from 1; 0 until the value is listed.
    const places = new Int32Array(this.#values.length)
    const values: Json[] = []
    for (let i = 0; i < found.length; i += 1) {
      const number = found[i] ?? NO_VALUE
      if (places[number] === 0) {
        values.push(this.#values[number] ?? null)
        places[number] = values.length
      }
      found[i] = (places[number] ?? 0) - 1
    }
    return { codes: found, values }
  }

  /** Finds the values for some batches, in as few statements as if they were one batch. */
  async learn(batches: readonly Pick<Batch, 'versions' | 'identities'>[]): Promise<void> {
    const all = batches.map(({ versions: { codes, values }, identities }) => ({
      identities,
      codes,
      shorts: toNumbers(values)
    }))
    await this.#readChunks(all)
    const unknown = new Set<number>()
    for (const versions of all) {
      for (let i = 0; i < versions.codes.length; i += 1) {
        if (this.#findAt(versions, i) === UNKNOWN) {
          unknown.add(idAt(versions, i))
        }
      }
    }
    await this.#lookUp(unknown)
  }

  async #numbersOf(versions: Versions): Promise<Uint32Array> {
    const numbers = new Uint32Array(versions.codes.length)
    const unknown: number[] = []
    for (let i = 0; i < numbers.length; i += 1) {
      const number = this.#findAt(versions, i)
      if (number === UNKNOWN) {
        unknown.push(i)
      } else {
        numbers[i] = number
      }
    }
    await this.#lookUp(new Set(unknown.map((i) => idAt(versions, i))))
    for (const i of unknown) {
      numbers[i] = this.#lookedUp.get(idAt(versions, i)) ?? NO_VALUE
    }
    return numbers
  }

  #findAt({ identities, codes, shorts }: Versions, i: number): number {
    const short = shorts[codes[i] ?? 0] ?? NO_VERSION
    return short < VERSIONS
      ? this.#find(identities[i] ?? 0, short)
      : this.#find(identityOf(short), numberOf(short))
  }

  #find(identity: number, version: number): number {
    if (version === NO_VERSION) {
      return NO_VALUE
    }
    const chunk = this.#chunks[this.#knownChunks.get(chunkOf(identity)) - 1]
    if (!chunk) {
      return UNKNOWN
    }
    const offset = identity - chunk.first
    const end = chunk.starts[offset + 1] ?? 0
    for (let place = chunk.starts[offset] ?? end; place < end; place += 1) {
      if (chunk.numbers[place] === version) {
        return chunk.values[chunk.codes[place] ?? 0] ?? UNKNOWN
      }
    }
    return UNKNOWN
  }

  async #readChunks(lists: readonly Versions[]): Promise<void> {
    const fresh = lists.flatMap((versions) => this.#noteChunks(versions))
    for (let from = 0; from < fresh.length; from += CHUNKS_AT_ONCE) {
      const wanted = fresh.slice(from, from + CHUNKS_AT_ONCE).map((chunk) => ({
        chunk,
        versions: keptPlaces.buildOf(this.#placesKey(chunk)),
        column: keptColumns.buildOf(this.#columnKey(chunk))
      }))
      if (from > 0) {
        await pause(REST_MS)
      }
      const { db, projectId } = this.#scan
      for (const read of await readVersionChunks(db, projectId, this.#key, wanted)) {
        this.#chunks[this.#knownChunks.get(read.chunk) - 1] = await this.#openChunk(read)
      }
    }
  }

  /** Notes the chunks of these versions as known. @returns those that were not */
  #noteChunks({ identities, codes, shorts }: Versions): number[] {
    const fresh: number[] = []
    for (let i = 0; i < codes.length; i += 1) {
      const short = shorts[codes[i] ?? 0] ?? NO_VERSION
      const chunk = chunkOf(short < VERSIONS ? (identities[i] ?? 0) : identityOf(short))
      if (short !== NO_VERSION && this.#knownChunks.get(chunk) === 0) {
        fresh.push(chunk)
        this.#chunks.push(undefined)
        this.#knownChunks.set(chunk, this.#chunks.length)
      }
    }
    return fresh
  }

  #placesKey(chunk: number): string {
    return `${this.#scan.projectId} ${chunk}`
  }

  #columnKey(chunk: number): string {
    return `${this.#scan.projectId} ${chunk} ${this.#key}`
  }

  /**
   * Opens a chunk; a damaged one is discarded. @returns undefined if its versions must be looked up
   */
  async #openChunk(read: ReadVersions): Promise<Chunk | undefined> {
    try {
      return this.#toChunk(read)
    } catch (error) {
      const chunk = { project_id: this.#scan.projectId, chunk: read.chunk, build: read.build }
      await discardIfDamaged(this.#scan.db, error, { kind: 'versions', chunk, text: this.#key })
      return undefined
    }
  }

  /**
   * Decodes a chunk, or takes it from the cache.
   * @returns undefined if its versions must be looked up
   * @throws DamageError
   */
  #toChunk({ chunk, build, versions, data, state, with_column }: ReadVersions): Chunk | undefined {
    if (state === 'unlisted') {
      return undefined
    }
    const { projectId, since } = this.#scan
    const places = keptPlaces.open(
      this.#placesKey(chunk),
      { build, text: versions, since },
      (text) => toPlaces(text, placeOfVersions({ project_id: projectId, chunk, build })),
      (_, text) => 2 * text.length
    )
    if (!places || state === 'cold') {
      return undefined
    }
    const { length } = places.numbers
    const column = keptColumns.open(
      this.#columnKey(chunk),
      { build, text: data, since },
      (text) => {
        if (state === 'column') {
          return decodeColumn(text, length, placeOfColumn({ build }, this.#key))
        }
        decodeNames(text, placeOfCold({ build }, JSON.parse(with_column ?? '[]')))
        return emptyColumn(length)
      },
      (_, text) => (state === 'column' ? 2 * text.length : length)
    )
    return (
      column && {
        ...places,
        first: chunk * CHUNK,
        codes: column.codes,
        values: Uint32Array.from(column.values, (value) => this.#numberOf(value))
      }
    )
  }

  /** Returns the number of a value. Arrays and objects get a new one each time. */
  #numberOf(value: Json): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) {
      return known
    }
    const number = this.#values.length
    this.#values.push(value)
    if (typeof value !== 'object') {
      this.#numbers.set(value, number)
    }
    return number
  }

  async #lookUp(ids: ReadonlySet<number>): Promise<void> {
    const unknown = [...ids].filter((id) => !this.#lookedUp.has(id))
    for (let from = 0; from < unknown.length; from += LOOKED_UP_AT_ONCE) {
      const some = unknown.slice(from, from + LOOKED_UP_AT_ONCE)
      for (const id of some) {
        this.#lookedUp.set(id, NO_VALUE)
      }
      const found = await inHalves(some, (half) =>
        readVersionValues(this.#scan.db, this.#scan.projectId, half, this.#key)
      )
      for (const [id, value] of found) {
        this.#lookedUp.set(id, this.#numberOf(value))
      }
      await pause(REST_MS)
    }
  }
}

const idAt = ({ identities, codes, shorts }: Versions, i: number): number =>
  toId(shorts[codes[i] ?? 0] ?? NO_VERSION, identities[i] ?? 0)

/** Returns the id of the version of each event; undefined for an event that has none. */
export function versionsOf({
  versions,
  identities
}: Pick<Batch, 'versions' | 'identities'>): (number | undefined)[] {
  const { codes } = versions
  const shorts = toNumbers(versions.values)
  return Array.from(codes, (code, i) =>
    shorts[code] === NO_VERSION ? undefined : idAt({ identities, codes, shorts }, i)
  )
}

const toNumbers = (shorts: readonly Json[]): Float64Array =>
  Float64Array.from(shorts, (short) => (short === null ? NO_VERSION : Number(short)))

function toPlaces(text: string, place: string): Places {
  const { offsets, numbers } = decodeVersions(text, place)
  const starts = new Uint32Array(CHUNK + 1)
  for (const offset of offsets) {
    starts[offset + 1] = (starts[offset + 1] ?? 0) + 1
  }
  for (let i = 1; i < starts.length; i += 1) {
    starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0)
  }
  return { starts, numbers }
}
