import type { Db } from '../db/client.ts'
import { pause } from '../pause.ts'
import { CHUNK, decodeNumbers, decodeVersions } from './codec.ts'
import { listChunkVersions, listIdentityColumns } from './erase.store.ts'

/** Columns read per query, about 180 kB each. */
const COLUMNS_AT_ONCE = 8

/** Chunks read per query, about 100 kB each. */
const CHUNKS_AT_ONCE = 8

/** Milliseconds for which the database is left to others after a query. */
const REST_MS = 20

/** Counts the project's segments that have an event of one of these identities. Reads the identities of every segment. */
export async function countSegmentsWith(
  db: Db,
  projectId: number,
  keys: ReadonlySet<number>
): Promise<number> {
  let found = 0
  for (let after: number | undefined = 0; after !== undefined; ) {
    const columns = await listIdentityColumns(db, projectId, after, COLUMNS_AT_ONCE)
    found += columns.filter(({ data }) => decodeNumbers(data).some((key) => keys.has(key))).length
    after = columns.length < COLUMNS_AT_ONCE ? undefined : columns.at(-1)?.id
    if (after !== undefined) {
      await pause(REST_MS)
    }
  }
  return found
}

/** Counts the project's chunks that have versions of one of these identities. */
export async function countVersionChunksWith(
  db: Db,
  projectId: number,
  keys: ReadonlySet<number>
): Promise<number> {
  const chunks = [...new Set([...keys].map((key) => Math.floor(key / CHUNK)))]
  let found = 0
  for (let from = 0; from < chunks.length; from += CHUNKS_AT_ONCE) {
    const some = chunks.slice(from, from + CHUNKS_AT_ONCE)
    for (const { chunk, versions } of await listChunkVersions(db, projectId, some)) {
      const { offsets } = decodeVersions(versions)
      found += offsets.some((offset) => keys.has(chunk * CHUNK + offset)) ? 1 : 0
    }
    await pause(REST_MS)
  }
  return found
}
