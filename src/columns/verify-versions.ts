import type { Db } from '../db/client.ts'
import { versionId } from '../db/version-id.ts'
import { isObject, isSame, type Json } from '../input/json.ts'
import { pause } from '../turns.ts'
import type { ProjectChunk } from './actor-chunks.store.ts'
import { CHUNK, decodeColumn, decodeNames, decodeVersions } from './codec.ts'
import type { Column } from './column.ts'
import { discardVersions } from './damage.store.ts'
import { READ_AT_ONCE, REST } from './pace.ts'
import { placeOfCold, placeOfColumn, placeOfVersions } from './places.ts'
import {
  readChunk,
  readVersions,
  type StoredChunk,
  sampleChunks,
  type VersionRow
} from './version-chunks.store.ts'

/**
 * Compares the properties in chunks of versions with their rows, in random order. Wrong chunks are removed, and the next run
 * rebuilds them.
 * @param most largest number of chunks to compare
 */
export async function verifyVersions(
  db: Db,
  most: number
): Promise<{ compared: number; wrong: ProjectChunk[] }> {
  const sample = await sampleChunks(db, most)
  const wrong: ProjectChunk[] = []
  for (const chunk of sample) {
    const read = await readChunk(db, chunk)
    // When a version is removed, its chunk goes too: a chunk that is still there is wrong.
    if (
      read &&
      !(await isEqual(db, chunk, read)) &&
      (await discardVersions(db, { ...chunk, build: read.stored.build }))
    ) {
      wrong.push(chunk)
    }
  }
  return { compared: sample.length, wrong }
}

async function isEqual(
  db: Db,
  chunk: ProjectChunk,
  { stored, columns }: NonNullable<Awaited<ReturnType<typeof readChunk>>>
): Promise<boolean> {
  let copy: Copy
  try {
    copy = new Copy(chunk, stored, columns)
  } catch {
    return false
  }
  let compared = 0
  // -1 comes before all ids.
  for (let after: number | undefined = -1; after !== undefined; ) {
    const { versions, ms } = await readVersions(db, chunk, after, READ_AT_ONCE)
    for (const version of versions) {
      if (copy.has(version.id)) {
        compared += 1
        if (!copy.isEqual(version)) {
          return false
        }
      }
    }
    after = versions.at(-1)?.id
    await pause(REST * ms)
  }
  return compared === copy.size
}

/** The versions of a chunk that lists none, because it has too many. */
const NO_VERSIONS = { offsets: new Uint16Array(), numbers: new Uint32Array() }

/** The versions of a chunk as its columns have them. */
class Copy {
  /** The row of each version in the columns. */
  readonly #rows: ReadonlyMap<number, number>
  readonly #columns: ReadonlyMap<string, Column>
  readonly #cold: ReadonlySet<string> | null

  /** @throws when a column is damaged */
  constructor(
    chunk: ProjectChunk,
    { build, versions, cold }: StoredChunk,
    columns: readonly { name: string; data: string }[]
  ) {
    const first = chunk.chunk * CHUNK
    const { offsets, numbers } =
      versions === '' ? NO_VERSIONS : decodeVersions(versions, placeOfVersions({ ...chunk, build }))
    const idOf = (row: number) => versionId(first + (offsets[row] ?? 0), numbers[row] ?? 0)
    this.#rows = new Map(Array.from(offsets, (_, row) => [idOf(row), row]))
    this.#columns = new Map(
      columns.map(({ name, data }) => [
        name,
        decodeColumn(data, offsets.length, placeOfColumn({ build }, name))
      ])
    )
    const place = placeOfCold({ build }, [...this.#columns.keys()])
    this.#cold = cold === null ? null : new Set(decodeNames(cold, place))
  }

  get size(): number {
    return this.#rows.size
  }

  has(id: number): boolean {
    return this.#rows.has(id)
  }

  isEqual({ id, properties }: VersionRow): boolean {
    const row = this.#rows.get(id) ?? -1
    const stored: Json = JSON.parse(properties)
    const members = isObject(stored) ? stored : {}
    for (const [name, { codes, values }] of this.#columns) {
      const copied = values[codes[row] ?? 0] ?? null
      if (!isSame(copied, Object.hasOwn(members, name) ? (members[name] ?? null) : null)) {
        return false
      }
    }
    const cold = this.#cold
    return (
      cold === null ||
      Object.keys(members).every((name) => this.#columns.has(name) || cold.has(name))
    )
  }
}
