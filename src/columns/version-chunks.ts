import type { Db } from '../db/client.ts'
import { identityOf, numberOf, versionId } from '../db/version-id.ts'
import { CHUNK, decodeColumn, decodeNames, decodeVersions, encodeVersions } from './codec.ts'
import { CopiedProperties } from './copied-properties.ts'
import type { CopyBuilder, CopyVerifier, EncodedCopy } from './copy.ts'
import { discardVersions } from './damage.store.ts'
import { inPages, type Pace, READ_AT_ONCE } from './pace.ts'
import {
  type BuiltChunk,
  type ProjectChunk,
  placeOfCold,
  placeOfColumn,
  placeOfVersions
} from './places.ts'
import { PropertyColumns } from './property-columns.ts'
import {
  beginVersions,
  finishVersions,
  openVersions,
  readVersionRows,
  sampleVersions,
  type VersionsContent,
  type VersionsCopy,
  writeVersions
} from './version-chunks.store.ts'

/**
 * Chunks of versions: the properties of persons. A trigger removes a chunk when one of its versions
 * is removed or changed. Versions that are added while it is built, or later, are not in the chunk:
 * they are looked up.
 */
export const VERSION_CHUNKS: CopyBuilder<ProjectChunk, BuiltChunk, VersionsContent> &
  CopyVerifier<ProjectChunk, VersionsCopy> = {
  begin: beginVersions,
  encode: encodeChunk,
  write: writeVersions,
  finish: finishVersions,
  sample: sampleVersions,
  open: openVersions,
  findDifference,
  discard: discardVersions
}

/**
 * Maximum number of versions of a chunk, 16 per identity, and of bytes of their properties; with
 * more, all its versions are looked up.
 */
const MOST = { versions: 65_536, bytes: 67_108_864 }

const BEGINNING = { id: -1 }

async function encodeChunk(
  db: Db,
  chunk: BuiltChunk,
  pace: Pace
): Promise<EncodedCopy<VersionsContent>> {
  const ids: number[] = []
  const properties = new PropertyColumns()
  let bytes = 0
  const read = (after: { id: number }) => readVersionRows(db, chunk, after, READ_AT_ONCE)
  for await (const versions of inPages(pace, BEGINNING, read)) {
    for (const { id, properties: json } of versions) {
      properties.add(ids.length, JSON.parse(json))
      ids.push(id)
      bytes += json.length
    }
    properties.dropLargest()
    if (ids.length > MOST.versions || bytes > MOST.bytes) {
      return { content: { count: ids.length, versions: undefined, cold: null }, columns: [] }
    }
  }
  const { cold, columns } = properties.finish(ids.length, {
    placeOfColumn: (name) => placeOfColumn(chunk, name),
    placeOfCold: (names) => placeOfCold(chunk, names)
  })
  const offsets = Uint16Array.from(ids, (id) => identityOf(id) - chunk.chunk * CHUNK)
  const numbers = Uint32Array.from(ids, numberOf)
  const versions = encodeVersions({ offsets, numbers }, placeOfVersions(chunk))
  return { content: { count: ids.length, versions, cold }, columns }
}

async function findDifference(
  db: Db,
  chunk: VersionsCopy,
  pace: Pace
): Promise<string | undefined> {
  const { rows, properties } = decodeCopy(chunk)
  const read = (after: { id: number }) => readVersionRows(db, chunk, after, READ_AT_ONCE)
  let compared = 0
  for await (const versions of inPages(pace, BEGINNING, read)) {
    for (const { id, properties: json } of versions) {
      const row = rows.get(id)
      const difference = row === undefined ? undefined : properties.findDifference(row, json)
      if (difference !== undefined) {
        return difference
      }
      compared += row === undefined ? 0 : 1
    }
  }
  return compared === rows.size ? undefined : 'count'
}

/** The row of each version in the columns, and the properties in them. */
type CopiedVersions = { rows: ReadonlyMap<number, number>; properties: CopiedProperties }

function decodeCopy({ versions, cold, columns: encoded, ...chunk }: VersionsCopy): CopiedVersions {
  const { offsets, numbers } =
    versions === null
      ? { offsets: new Uint16Array(), numbers: new Uint32Array() }
      : decodeVersions(versions, placeOfVersions(chunk))
  const first = chunk.chunk * CHUNK
  const idOf = (row: number) => versionId(first + (offsets[row] ?? 0), numbers[row] ?? 0)
  const columns = new Map(
    encoded.map(({ name, data }) => [
      name,
      decodeColumn(data, offsets.length, placeOfColumn(chunk, name))
    ])
  )
  const place = placeOfCold(chunk, [...columns.keys()])
  return {
    rows: new Map(Array.from(offsets, (_, row) => [idOf(row), row])),
    properties: new CopiedProperties(columns, cold === null ? undefined : decodeNames(cold, place))
  }
}
