import { sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { CHUNK } from './codec.ts'

/** A chunk; `data` is null if its build is known, and empty while it is built. */
export type ReadChunk = { chunk: number; build: string; data: string | null }

/** A chunk to read, and its build if the data of that is known. */
export type WantedChunk = { chunk: number; build: string | undefined }

/** Reads chunks of a project, and which identities between the first and the last of them have moved since they were built. */
export async function readChunks(
  db: Db,
  projectId: number,
  wanted: readonly WantedChunk[]
): Promise<{ chunks: ReadChunk[]; moved: Set<number> }> {
  const first = wanted.reduce((least, { chunk }) => Math.min(least, chunk), Number.MAX_SAFE_INTEGER)
  const last = wanted.reduce((most, { chunk }) => Math.max(most, chunk), 0)
  const [chunks, moved] = await readBatch(
    db,
    query<ReadChunk>(sql`
      select c.chunk, c.build, iif(c.build = w.value ->> 'build', null, c.data) as data
      from json_each(${JSON.stringify(wanted)}) w cross join actor_chunks c
        on c.project_id = ${projectId} and c.chunk = w.value ->> 'chunk'`),
    query<{ key: number }>(sql`
      select key from moved_identities
      where project_id = ${projectId} and key >= ${first * CHUNK} and key < ${(last + 1) * CHUNK}`)
  )
  return { chunks, moved: new Set(moved.map(({ key }) => key)) }
}

/** Returns the actor of each identity: its person, also an erased one, and else the identity itself, negative. */
export async function readActors(
  db: Db,
  identities: readonly number[]
): Promise<[identity: number, actor: number][]> {
  const [[row]] = await readBatch(
    db,
    query<{ identities: string; actors: string }>(sql`
      select json_group_array(i.value) as identities, json_group_array(coalesce(
               d.person_id, (select person_id from erased_identities where key = i.value), -i.value)) as actors
      from ${inJson([...identities])} i left join distinct_ids d on d.key = i.value`)
  )
  const keys: number[] = JSON.parse(row?.identities ?? '[]')
  const actors: number[] = JSON.parse(row?.actors ?? '[]')
  return keys.map((key, i) => [key, actors[i] ?? -key])
}
