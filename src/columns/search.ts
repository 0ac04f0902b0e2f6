import type { Db } from '../db/client.ts'
import { pause } from '../turns.ts'
import { CHUNK, decodeNumbers, decodeVersions } from './codec.ts'
import { type Damaged, discardIfDamaged } from './damage.ts'
import { listChunkVersions, listIdentityColumns } from './erase.store.ts'
import { placeOfColumn, placeOfVersions } from './places.ts'

/** Columns read per query, about 180 kB each. */
const COLUMNS_AT_ONCE = 8

/** Chunks read per query, about 100 kB each. */
const CHUNKS_AT_ONCE = 8

/** Milliseconds for which the database is left to others after a query. */
const REST_MS = 20

/**
 * Counts the project's segments that have an event of one of these identities. Reads the identities
 * of every segment. Discards damaged segments.
 */
export async function countSegmentsWith(
  db: Db,
  projectId: number,
  keys: ReadonlySet<number>
): Promise<number> {
  let found = 0
  for (let after: number | undefined = 0; after !== undefined; ) {
    const columns = await listIdentityColumns(db, projectId, after, COLUMNS_AT_ONCE)
    for (const { data, ...segment } of columns) {
      const hasOne = await has(db, { kind: 'segment', segment, text: 'identity' }, () =>
        decodeNumbers(data, placeOfColumn(segment, 'identity')).some((key) => keys.has(key))
      )
      found += hasOne ? 1 : 0
    }
    after = columns.length < COLUMNS_AT_ONCE ? undefined : columns.at(-1)?.id
    if (after !== undefined) {
      await pause(REST_MS)
    }
  }
  return found
}

/** Counts the chunks that have versions of these identities. Discards damaged chunks. */
export async function countVersionChunksWith(
  db: Db,
  projectId: number,
  keys: ReadonlySet<number>
): Promise<number> {
  const chunks = [...new Set([...keys].map((key) => Math.floor(key / CHUNK)))]
  let found = 0
  for (let from = 0; from < chunks.length; from += CHUNKS_AT_ONCE) {
    const some = chunks.slice(from, from + CHUNKS_AT_ONCE)
    for (const { versions, ...copy } of await listChunkVersions(db, projectId, some)) {
      const chunk = { ...copy, project_id: projectId }
      const hasOne = await has(db, { kind: 'versions', chunk, text: 'versions' }, () =>
        decodeVersions(versions, placeOfVersions(chunk)).offsets.some((offset) =>
          keys.has(chunk.chunk * CHUNK + offset)
        )
      )
      found += hasOne ? 1 : 0
    }
    await pause(REST_MS)
  }
  return found
}

/** Discards a damaged copy. If that fails, it may have what is searched for. */
async function has(db: Db, damaged: Damaged, search: () => boolean): Promise<boolean> {
  try {
    return search()
  } catch (error) {
    return !(await discardIfDamaged(db, error, damaged))
  }
}
