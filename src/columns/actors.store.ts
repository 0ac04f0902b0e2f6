import { sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'

/** A chunk; `data` is null if its build is known, and empty while it is built. */
export type ReadChunk = { chunk: number; build: string; data: string | null; moved: number[] }

/**
 * Reads chunks of a project, each with the identities that have moved since it was built.
 * @param known builds of which the data is not read again
 */
export async function readChunks(
  db: Db,
  projectId: number,
  chunks: readonly number[],
  known: readonly string[]
): Promise<ReadChunk[]> {
  const [rows] = await readBatch(
    db,
    query<{ chunk: number; build: string; data: string | null; moved: string }>(sql`
      select c.chunk, c.build, iif(c.build in ${inJson([...known])}, null, c.data) as data, (
        select json_group_array(m.key) from moved_identities m
        where m.project_id = c.project_id and m.key >= c.chunk << 12 and m.key < (c.chunk + 1) << 12) as moved
      from json_each(${JSON.stringify(chunks)}) wanted cross join actor_chunks c
        on c.project_id = ${projectId} and c.chunk = wanted.value`)
  )
  return rows.map(({ moved, ...chunk }) => ({ ...chunk, moved: JSON.parse(moved) }))
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
