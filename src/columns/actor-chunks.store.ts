import { sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { CHUNK } from './codec.ts'

/** A chunk of a project's identities: those with the keys from `chunk * 4096` on. */
export type ProjectChunk = { project_id: number; chunk: number }

/** Identities of a project from which on it gets a chunk; fewer are quickly looked up. */
const MIN_IDENTITIES = 64

/** Identities that have moved from which on a chunk is built again. */
const MANY_MOVED = 32

/** How many times as many identities as a chunk has it may lack before it is built again. */
const GROWTH = 1.25

/** Characters that an encoded chunk has per identity: 2 and 4 bytes in base64. */
const ENCODED = 8

/** The row of `sequences` with the first chunk that may still get identities. */
const OPEN_CHUNK = 'open_actor_chunk'

/** Returns the first chunk that may still get identities, and the chunk of the newest identity. */
export async function findOpenChunks(db: Db): Promise<{ first: number; last: number }> {
  const open = query<{ first: number; last: number }>(sql`
    select coalesce((select value from sequences where name = ${OPEN_CHUNK}), 0) as first,
      coalesce((select max(key) from distinct_ids) / ${CHUNK}, 0) as last`)
  const [[row]] = await readBatch(db, open)
  return { first: row?.first ?? 0, last: Math.floor(row?.last ?? 0) }
}

/** Notes that no chunk before this one will get identities or has to be built. */
export const noteOpenChunk = (db: Db, chunk: number) =>
  writeBatch(db, [
    sql`insert into sequences (name, value) values (${OPEN_CHUNK}, ${chunk})
        on conflict (name) do update set value = max(value, excluded.value)`
  ])

/** Returns the chunks in `[first, until)` that do not exist or lack many identities, in order. */
export async function findGrown(db: Db, first: number, until: number): Promise<ProjectChunk[]> {
  const grown = query<ProjectChunk>(sql`
    select c.project_id, c.chunk from (
      select project_id, key >> 12 as chunk, count(*) as identities from distinct_ids
      where key >= ${first * CHUNK} and key < ${until * CHUNK} group by 1, 2 having count(*) >= ${MIN_IDENTITIES}
    ) c left join actor_chunks a on a.project_id = c.project_id and a.chunk = c.chunk
    where a.chunk is null or octet_length(a.data) * ${GROWTH} < c.identities * ${ENCODED}
    order by c.chunk, c.project_id`)
  return (await readBatch(db, grown))[0]
}

/** Returns the chunks whose building was cut, and those of which many identities have moved. */
export async function findOutdated(db: Db): Promise<ProjectChunk[]> {
  const outdated = query<ProjectChunk>(sql`
    select project_id, chunk from actor_chunks where data = ''
    union
    select project_id, key >> 12 from moved_identities group by 1, 2 having count(*) >= ${MANY_MOVED}
    order by 2, 1`)
  return (await readBatch(db, outdated))[0]
}

/** Begins to build a chunk: nothing is read from it until it is written, and moves are noted from now on. */
export const beginChunk = (db: Db, { project_id, chunk }: ProjectChunk, build: string) =>
  writeBatch(db, [
    sql`insert into actor_chunks (project_id, chunk, build, data) values (${project_id}, ${chunk}, ${build}, '')
        on conflict (project_id, chunk) do update set build = excluded.build, data = ''`,
    sql`delete from moved_identities
        where project_id = ${project_id} and key >= ${chunk * CHUNK} and key < ${(chunk + 1) * CHUNK}`
  ])

export type Identity = { key: number; person_id: number | null }

/** Lists the identities of a chunk with their persons, in order; erased ones with the persons they had. */
export async function listIdentities(
  db: Db,
  { project_id, chunk }: ProjectChunk
): Promise<Identity[]> {
  const range = sql`key >= ${chunk * CHUNK} and key < ${(chunk + 1) * CHUNK} and +project_id = ${project_id}`
  const identities = query<Identity>(sql`
    select key, person_id from distinct_ids where ${range}
    union all select key, person_id from erased_identities where ${range} order by key`)
  return (await readBatch(db, identities))[0]
}

/** Writes a chunk unless somebody else has begun to build it meanwhile. */
export const writeChunk = (
  db: Db,
  { project_id, chunk }: ProjectChunk,
  build: string,
  data: string
) =>
  writeBatch(db, [
    sql`update actor_chunks set data = ${data}
        where project_id = ${project_id} and chunk = ${chunk} and build = ${build}`
  ])
