import { sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { actorChunks, distinctIds, erasedIdentities, movedIdentities } from '../db/schema.ts'
import { CHUNK } from './codec.ts'

/** A chunk as read: `data` is null if the reader has the data of this build. */
export type ReadActors = { chunk: number; build: string; data: string | null }

/** A chunk to read, and the build whose data the reader has, if any. */
export type WantedActors = { chunk: number; build: string | undefined }

/**
 * Reads chunks of a project that are built. `moved` holds the identities, from the first wanted
 * chunk to the last, whose person has changed since their chunk was built.
 */
export async function readActorChunks(
  db: Db,
  projectId: number,
  wanted: readonly WantedActors[]
): Promise<{ chunks: ReadActors[]; moved: Set<number> }> {
  const first = wanted.reduce((least, { chunk }) => Math.min(least, chunk), Number.MAX_SAFE_INTEGER)
  const last = wanted.reduce((most, { chunk }) => Math.max(most, chunk), 0)
  const [chunks, moved] = await readBatch(
    db,
    query<ReadActors>(sql`
      select ${actorChunks.chunk}, ${actorChunks.build},
        iif(${actorChunks.build} = w.value ->> 'build', null, ${actorChunks.data}) as data
      from json_each(${JSON.stringify(wanted)}) w cross join ${actorChunks}
        on ${actorChunks.projectId} = ${projectId} and ${actorChunks.chunk} = w.value ->> 'chunk'
        and octet_length(${actorChunks.data}) > 0`),
    query<{ key: number }>(sql`
      select ${movedIdentities.key} from ${movedIdentities}
      where ${movedIdentities.projectId} = ${projectId}
        and ${movedIdentities.key} >= ${first * CHUNK} and ${movedIdentities.key} < ${(last + 1) * CHUNK}`)
  )
  return { chunks, moved: new Set(moved.map(({ key }) => key)) }
}

/** Returns each identity's actor: the id of its person, erased or not, or its negated key. */
export async function readActors(
  db: Db,
  identities: readonly number[]
): Promise<[identity: number, actor: number][]> {
  const [[row]] = await readBatch(
    db,
    query<{ identities: string; actors: string }>(sql`
      select json_group_array(i.value) as identities,
        json_group_array(coalesce(${distinctIds.personId}, (
          select ${erasedIdentities.personId} from ${erasedIdentities} where ${erasedIdentities.key} = i.value
        ), -i.value)) as actors
      from ${inJson([...identities])} i left join ${distinctIds} on ${distinctIds.key} = i.value`)
  )
  const keys: number[] = JSON.parse(row?.identities ?? '[]')
  const actors: number[] = JSON.parse(row?.actors ?? '[]')
  return keys.map((key, i) => [key, actors[i] ?? -key])
}
