import { sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import type { Identity, ProjectChunk } from './actor-chunks.store.ts'
import { CHUNK } from './codec.ts'
import type { EncodedColumn } from './property-columns.ts'

/** A sealed segment with its place. */
export type SegmentRow = {
  id: number
  project_id: number
  event_id: number
  since: number
  until: number
  count: number
  slots: string
  cold: string | null
}

/** Lists the ids of sealed segments, in random order. */
export const sampleSegments = async (db: Db, limit: number): Promise<number[]> => {
  const ids = query<{ id: number }>(
    sql`select id from segments where is_sealed order by random() limit ${limit}`
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
      select id, project_id, event_id, since, until, count, slots, cold from segments where id = ${id} and is_sealed`),
    query<EncodedColumn>(sql`select name, data from segment_columns where segment_id = ${id}`)
  )
  return segment && { segment, columns }
}

/** Removes a segment. @returns whether it was there */
export async function removeSegment(db: Db, id: number): Promise<boolean> {
  const [removed] = await writeBatch(db, [sql`delete from segments where id = ${id} returning id`])
  return (removed?.results.length ?? 0) > 0
}

/** Lists chunks that are built, in random order. */
export const sampleChunks = async (db: Db, limit: number): Promise<ProjectChunk[]> => {
  const chunks = query<ProjectChunk>(sql`
    select project_id, chunk from actor_chunks where data <> '' order by random() limit ${limit}`)
  return (await readBatch(db, chunks))[0]
}

export type StoredChunk = { build: string; data: string }

/** Reads a chunk, which of its identities have moved, and whose its identities are; all of one moment. */
export async function readChunk(
  db: Db,
  { project_id, chunk }: ProjectChunk
): Promise<{ stored: StoredChunk | undefined; moved: number[]; identities: Identity[] }> {
  const isInside = sql`key >= ${chunk * CHUNK} and key < ${(chunk + 1) * CHUNK} and +project_id = ${project_id}`
  const [[stored], moved, identities] = await readBatch(
    db,
    query<StoredChunk>(sql`
      select build, data from actor_chunks where project_id = ${project_id} and chunk = ${chunk} and data <> ''`),
    query<{ key: number }>(sql`select key from moved_identities where ${isInside}`),
    query<Identity>(sql`
      select key, person_id from distinct_ids where ${isInside}
      union all select key, person_id from erased_identities where ${isInside}`)
  )
  return { stored, moved: moved.map(({ key }) => key), identities }
}

/** Empties a chunk, so that it is not read and the next run builds it again. */
export const emptyChunk = (db: Db, { project_id, chunk }: ProjectChunk, build: string) =>
  writeBatch(db, [
    sql`update actor_chunks set data = ''
        where project_id = ${project_id} and chunk = ${chunk} and build = ${build}`
  ])
