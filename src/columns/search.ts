import type { Db } from '../db/client.ts'
import { pause } from '../turns.ts'
import { CHUNK, decodeNumbers, decodeVersions } from './codec.ts'
import { discardIfDamaged } from './damage.ts'
import { type IdentityColumn, listChunkVersions, listIdentityColumns } from './erase.store.ts'
import { type BuiltChunk, placeOfColumn, placeOfVersions } from './places.ts'

/** Columns read per query, about 180 kB each. */
const COLUMNS_AT_ONCE = 8

/** Chunks read per query, about 100 kB each. */
const CHUNKS_AT_ONCE = 8

/** Milliseconds for which the database is left to others after a query. */
const REST_MS = 20

/**
 * Counts the project's segments that have an event of one of these identities. Reads the identities of every segment. Discards
 * damaged segments.
 */
export async function countSegmentsWith(
  db: Db,
  projectId: number,
  keys: ReadonlySet<number>
): Promise<number> {
  let found = 0
  for (let after: number | undefined = 0; after !== undefined; ) {
    const columns = await listIdentityColumns(db, projectId, after, COLUMNS_AT_ONCE)
    for (const column of columns) {
      found += (await hasOneOf(db, column, keys)) ? 1 : 0
    }
    after = columns.length < COLUMNS_AT_ONCE ? undefined : columns.at(-1)?.id
    if (after !== undefined) {
      await pause(REST_MS)
    }
  }
  return found
}

/** Whether a segment has an event of one of these identities. A damaged segment is discarded; if that fails, it may have one. */
async function hasOneOf(
  db: Db,
  { data, ...segment }: IdentityColumn,
  keys: ReadonlySet<number>
): Promise<boolean> {
  try {
    const identities = decodeNumbers(data, placeOfColumn(segment, 'identity'))
    return identities.some((key) => keys.has(key))
  } catch (error) {
    return !(await discardIfDamaged(db, error, { kind: 'segment', segment, text: 'identity' }))
  }
}

/** Counts the project's chunks that have versions of one of these identities. Discards damaged chunks. */
export async function countVersionChunksWith(
  db: Db,
  projectId: number,
  keys: ReadonlySet<number>
): Promise<number> {
  const chunks = [...new Set([...keys].map((key) => Math.floor(key / CHUNK)))]
  let found = 0
  for (let from = 0; from < chunks.length; from += CHUNKS_AT_ONCE) {
    const some = chunks.slice(from, from + CHUNKS_AT_ONCE)
    for (const { versions, ...chunk } of await listChunkVersions(db, projectId, some)) {
      const built = { ...chunk, project_id: projectId }
      found += (await hasVersionOfOne(db, built, versions, keys)) ? 1 : 0
    }
    await pause(REST_MS)
  }
  return found
}

/** Whether a chunk has versions of one of these identities. A damaged chunk is discarded; if that fails, it may have some. */
async function hasVersionOfOne(
  db: Db,
  chunk: BuiltChunk,
  versions: string,
  keys: ReadonlySet<number>
): Promise<boolean> {
  try {
    const { offsets } = decodeVersions(versions, placeOfVersions(chunk))
    return offsets.some((offset) => keys.has(chunk.chunk * CHUNK + offset))
  } catch (error) {
    return !(await discardIfDamaged(db, error, { kind: 'versions', chunk, text: 'versions' }))
  }
}
