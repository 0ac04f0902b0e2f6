import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'

/**
 * Returns an expression for the number of segments that a trigger removes when events are removed. It must be evaluated
 * before the `delete`, in the same batch. `chunk` selects `project_id, event_id, timestamp` of exactly the rows that are
 * deleted; it is not read if the project has no segments.
 */
export const countSegmentsOf = (projectId: number, chunk: SQL): SQL =>
  sql`iif(not exists (select 1 from segments where project_id = ${projectId}), 0, (select count(distinct s.id) from (${chunk}) e cross join segments s on s.id = (
      select id from segments where project_id = e.project_id and event_id = e.event_id and since <= e.timestamp
      order by since desc limit 1) and s.until > e.timestamp))`

export type IdentityColumn = { id: number; data: string }

/** Lists the identity columns of a project's segments after the segment `after`, sealed or not, in order of their ids. */
export async function listIdentityColumns(
  db: Db,
  projectId: number,
  after: number,
  limit: number
): Promise<IdentityColumn[]> {
  const columns = query<IdentityColumn>(sql`
    select s.id, c.data from segments s cross join segment_columns c on c.segment_id = s.id and c.name = 'identity'
    where s.id > ${after} and +s.project_id = ${projectId} order by s.id limit ${limit}`)
  return (await readBatch(db, columns))[0]
}

/**
 * Returns an expression for the number of chunks that a trigger removes when versions are removed. It must be evaluated before
 * the `delete`, in the same batch. `piece` selects the ids of the versions.
 */
export const countVersionChunksOf = (projectId: number, piece: SQL): SQL =>
  sql`(select count(*) from version_chunks where project_id = ${projectId} and chunk in (select id >> 36 from (${piece})))`

/** Lists which versions the chunks of a project have that these identities are in. */
export async function listChunkVersions(
  db: Db,
  projectId: number,
  chunks: readonly number[]
): Promise<{ chunk: number; versions: string }[]> {
  const found = query<{ chunk: number; versions: string }>(sql`
    select chunk, versions from version_chunks where project_id = ${projectId} and chunk in ${inJson([...chunks])}`)
  return (await readBatch(db, found))[0]
}
