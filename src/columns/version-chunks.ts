import type { Db } from '../db/client.ts'
import { identityOf, numberOf } from '../db/version-id.ts'
import { pause } from '../turns.ts'
import type { ProjectChunk } from './actor-chunks.store.ts'
import { CHUNK, encodeVersions } from './codec.ts'
import { READ_AT_ONCE, REST } from './pace.ts'
import { placeOfCold, placeOfColumn, placeOfVersions } from './places.ts'
import { groupColumns, PropertyColumns } from './property-columns.ts'
import { beginChunk, finishChunk, readVersions, writeColumns } from './version-chunks.store.ts'

/*
 * A chunk that is read equals its versions, whatever happens while it is built, and wherever the run is interrupted:
 *
 * 1. The first batch makes the chunk exist with a token of its own. From its commit on, a trigger removes the chunk when one of
 *    its versions is removed or changed.
 * 2. Versions are read after this commit, and columns written only as long as the chunk exists with this token.
 * 3. The last statement lets the chunk be read, if it still has the token.
 *
 * Versions that are added meanwhile, or later, are not in the chunk: they are looked up.
 */

/**
 * Maximum number of versions of a chunk, 16 per identity, and of bytes of their properties; with more, all its
 * versions are looked up.
 */
const MOST = { versions: 65_536, bytes: 67_108_864 }

/** Copies the properties of a chunk's versions into columns. May be interrupted anywhere, and run several times at once. */
export async function buildVersionChunk(db: Db, chunk: ProjectChunk): Promise<void> {
  const build = crypto.randomUUID()
  await beginChunk(db, chunk, build)
  const ids: number[] = []
  const properties = new PropertyColumns()
  let bytes = 0
  // -1 comes before all ids.
  for (let after: number | undefined = -1; after !== undefined; ) {
    const { versions, ms } = await readVersions(db, chunk, after, READ_AT_ONCE)
    for (const { id, properties: json } of versions) {
      properties.add(ids.length, JSON.parse(json))
      ids.push(id)
      bytes += json.length
    }
    properties.dropLargest()
    if (ids.length > MOST.versions || bytes > MOST.bytes) {
      // The chunk counts as built, but lists no versions: all of them are looked up.
      await finishChunk(db, chunk, build, { count: ids.length, versions: '', cold: null })
      return
    }
    after = versions.at(-1)?.id
    await pause(REST * ms)
  }
  const { cold, columns } = properties.finish(ids.length, {
    placeOfColumn: (name) => placeOfColumn({ build }, name),
    placeOfCold: (names) => placeOfCold({ build }, names)
  })
  for await (const some of groupColumns(columns)) {
    await writeColumns(db, chunk, build, some)
  }
  const offsets = Uint16Array.from(ids, (id) => identityOf(id) - chunk.chunk * CHUNK)
  const numbers = Uint32Array.from(ids, numberOf)
  const versions = encodeVersions({ offsets, numbers }, placeOfVersions({ ...chunk, build }))
  await finishChunk(db, chunk, build, { count: ids.length, versions, cold })
}
