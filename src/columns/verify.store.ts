import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import {
  actorChunks,
  distinctIds,
  erasedIdentities,
  movedIdentities,
  segmentColumns,
  segments
} from '../db/schema.ts'
import type { Identity, ProjectChunk } from './actor-chunks.store.ts'
import { CHUNK } from './codec.ts'
import type { EncodedColumn } from './property-columns.ts'

/** A sealed segment without its columns; `columns/codec.ts` decodes `slots`. */
export type SegmentRow = {
  id: number
  build: string
  project_id: number
  event_id: number
  since: number
  until: number
  count: number
  slots: string
  /** The encoded names of the properties without a column; null if they are not all listed. */
  cold: string | null
}

/** Lists the ids of sealed segments, in random order. */
export const sampleSegments = async (db: Db, limit: number): Promise<number[]> => {
  const ids = query<{ id: number }>(
    sql`select ${segments.id} from ${segments} where ${segments.isSealed} order by random() limit ${limit}`
  )
  return (await readBatch(db, ids))[0].map(({ id }) => id)
}

/** Reads a sealed segment and its columns; undefined if it is gone. */
export async function readSegment(
  db: Db,
  id: number
): Promise<{ segment: SegmentRow; columns: EncodedColumn[] } | undefined> {
  const [[segment], columns] = await readBatch(
    db,
    query<SegmentRow>(sql`
      select ${segments.id}, ${segments.build}, ${segments.projectId}, ${segments.eventId}, ${segments.since}, ${segments.until},
        ${segments.count}, ${segments.slots}, ${segments.cold}
      from ${segments} where ${segments.id} = ${id} and ${segments.isSealed}`),
    query<EncodedColumn>(sql`
      select ${segmentColumns.name}, ${segmentColumns.data} from ${segmentColumns}
      where ${segmentColumns.segmentId} = ${id}`)
  )
  return segment && { segment, columns }
}

/** A chunk has data once it is built. */
const isBuilt = sql`${actorChunks.data} <> ''`

const isChunk = ({ project_id, chunk }: ProjectChunk): SQL =>
  sql`${actorChunks.projectId} = ${project_id} and ${actorChunks.chunk} = ${chunk}`

/** Lists chunks that are built, in random order. */
export const sampleChunks = async (db: Db, limit: number): Promise<ProjectChunk[]> => {
  const chunks = query<ProjectChunk>(sql`
    select ${actorChunks.projectId}, ${actorChunks.chunk} from ${actorChunks}
    where ${isBuilt} order by random() limit ${limit}`)
  return (await readBatch(db, chunks))[0]
}

export type StoredChunk = { build: string; data: string }

/**
 * Reads a chunk, the keys of its identities that have moved since its build began, and all its identities with their
 * persons, in one snapshot. An erased identity has its last person. `stored` is undefined if the chunk is gone or not built.
 */
export async function readChunk(
  db: Db,
  { project_id, chunk }: ProjectChunk
): Promise<{ stored: StoredChunk | undefined; moved: number[]; identities: Identity[] }> {
  const since = chunk * CHUNK
  const until = (chunk + 1) * CHUNK
  const isInside = (table: typeof distinctIds | typeof erasedIdentities | typeof movedIdentities) =>
    sql`${table.key} >= ${since} and ${table.key} < ${until} and +${table.projectId} = ${project_id}`
  const [[stored], moved, identities] = await readBatch(
    db,
    query<StoredChunk>(sql`
      select ${actorChunks.build}, ${actorChunks.data} from ${actorChunks}
      where ${isChunk({ project_id, chunk })} and ${isBuilt}`),
    query<{ key: number }>(sql`
      select ${movedIdentities.key} from ${movedIdentities} where ${isInside(movedIdentities)}`),
    query<Identity>(sql`
      select ${distinctIds.key}, ${distinctIds.personId} from ${distinctIds} where ${isInside(distinctIds)}
      union all
      select ${erasedIdentities.key}, ${erasedIdentities.personId} from ${erasedIdentities}
      where ${isInside(erasedIdentities)}`)
  )
  return { stored, moved: moved.map(({ key }) => key), identities }
}
