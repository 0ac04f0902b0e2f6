import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { segmentColumns, segments, versionChunks } from '../db/schema.ts'
import { BITS_BELOW_CHUNK } from './version-chunks.store.ts'

const s = alias(segments, 's')

/**
 * Returns an expression for the number of segments that a trigger removes when events are removed.
 * It must be evaluated before the `delete`, in the same batch. `piece` selects `project_id,
 * event_id, timestamp` of exactly the rows that are deleted; it is not read if the project has no
 * segments.
 */
export const countSegmentsOf = (projectId: number, piece: SQL): SQL =>
  sql`iif(not exists (select 1 from ${segments} where ${segments.projectId} = ${projectId}), 0, (
    select count(distinct ${s.id}) from (${piece}) e
      cross join ${segments} ${s} on ${s.until} > e.timestamp and ${s.id} = (
        select ${segments.id} from ${segments}
        where ${segments.projectId} = e.project_id and ${segments.eventId} = e.event_id and ${segments.since} <= e.timestamp
        order by ${segments.since} desc limit 1)))`

export type IdentityColumn = { id: number; build: string; data: string }

/** Lists the identity columns of a project's segments, sealed or not, after the id `after`. */
export async function listIdentityColumns(
  db: Db,
  projectId: number,
  after: number,
  limit: number
): Promise<IdentityColumn[]> {
  const columns = query<IdentityColumn>(sql`
    select ${segments.id}, ${segments.build}, ${segmentColumns.data}
    from ${segments} cross join ${segmentColumns}
      on ${segmentColumns.segmentId} = ${segments.id} and ${segmentColumns.name} = 'identity'
    where ${segments.id} > ${after} and +${segments.projectId} = ${projectId}
    order by ${segments.id} limit ${limit}`)
  return (await readBatch(db, columns))[0]
}

/**
 * Returns an expression for the number of chunks that a trigger removes when versions are removed.
 * It must be evaluated before the `delete`, in the same batch. `piece` selects the ids of the
 * versions.
 */
export const countVersionChunksOf = (projectId: number, piece: SQL): SQL =>
  sql`(
    select count(*) from ${versionChunks}
    where ${versionChunks.projectId} = ${projectId}
      and ${versionChunks.chunk} in (select id >> ${BITS_BELOW_CHUNK} from (${piece})))`

/** Lists the encoded versions of some chunks of a project, except chunks that list none. */
export async function listChunkVersions(
  db: Db,
  projectId: number,
  chunks: readonly number[]
): Promise<{ chunk: number; build: string; versions: string }[]> {
  const found = query<{ chunk: number; build: string; versions: string }>(sql`
    select ${versionChunks.chunk}, ${versionChunks.build}, ${versionChunks.versions} from ${versionChunks}
    where ${versionChunks.projectId} = ${projectId} and ${versionChunks.chunk} in ${inJson([...chunks])}
      and ${versionChunks.versions} <> ''`)
  return (await readBatch(db, found))[0]
}
