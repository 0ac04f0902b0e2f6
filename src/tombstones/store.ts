import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { eachChunk, expectRows, inJson } from '../db/rows.ts'
import type { Tombstone } from './tombstone.ts'

/** Finds the tombstones with these hashes. */
export async function findTombstones(
  db: Db,
  projectId: number,
  hashes: string[]
): Promise<(Tombstone & { hash: string })[]> {
  const [rows] = await readBatch(
    db,
    query<{
      hash: string
      key: number
      erasure_id: number
      erased_at: number
      is_open: number
      delete_recordings: number
    }>(sql`
      select t.hash, t.key, t.erasure_id, t.erased_at, e.delete_events and e.status <> 'completed' as is_open,
             e.delete_recordings
      from erased_identities t cross join erasures e on e.id = t.erasure_id
      where t.project_id = ${projectId} and t.hash in ${inJson(hashes)}`)
  )
  return rows.map(({ hash, key, erasure_id, erased_at, is_open, delete_recordings }) => ({
    hash,
    key,
    erasureId: erasure_id,
    erasedAt: erased_at,
    isOpen: is_open === 1,
    deletesRecordings: delete_recordings === 1
  }))
}

/**
 * Rolls the batch back as a conflict unless the project's last erasure was at `at`, ms UTC (0 for
 * never).
 */
export const expectLastErasure = (projectId: number, at: number): SQL =>
  sql`insert into guard select null where ${at} <>
        coalesce((select value from counters where project_id = ${projectId} and name = 'last_erasure'), 0)`

/**
 * Rolls the batch back as a conflict if the events of one of these erased identities are no longer
 * waiting for their purge.
 */
export const expectOpenErasures = (projectId: number, keys: number[]): SQL[] =>
  eachChunk(keys, (rows, count) => [
    expectRows(
      count,
      sql`json_each(${rows}) as used
          cross join erased_identities t on t.key = used.value and t.project_id = ${projectId}
          cross join erasures e on e.id = t.erasure_id and e.delete_events and e.status <> 'completed'`
    )
  ])

/** Adds the number of dropped late events to their erasures. */
export const countDropped = (
  projectId: number,
  dropped: { erasure_id: number; count: number }[]
): SQL[] =>
  eachChunk(dropped, (rows) => [
    sql`update erasures set dropped = dropped + late.value ->> 'count' from json_each(${rows}) as late
        where erasures.id = late.value ->> 'erasure_id' and +erasures.project_id = ${projectId}`
  ])

/**
 * Adds the number of rows purged outside the project's database to their erasures, for the
 * receipts. `store` is the key in `erasures.stores`.
 */
export const countRemoved = (
  db: Db,
  projectId: number,
  store: string,
  rowsByErasure: Map<number, number>
) => {
  const path = `$.${store}`
  const rows = [...rowsByErasure].map(([erasure_id, count]) => ({ erasure_id, count }))
  return writeBatch(
    db,
    eachChunk(rows, (json) => [
      sql`update erasures
          set stores = json_set(stores, ${path}, coalesce(stores ->> ${path}, 0) + (removed.value ->> 'count'))
          from json_each(${json}) as removed
          where erasures.id = removed.value ->> 'erasure_id' and +erasures.project_id = ${projectId}`
    ])
  )
}
