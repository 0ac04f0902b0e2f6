import { and, eq, gte, lt, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import {
  actorChunks,
  distinctIds,
  erasedIdentities,
  movedIdentities,
  sequences
} from '../db/schema.ts'
import { excluded } from '../db/statements.ts'
import { CHUNK } from './codec.ts'

/** A chunk of a project's identities: those with the keys from `chunk * 4096` on. */
export type ProjectChunk = { project_id: number; chunk: number }

/** Minimum number of a project's identities in a chunk's range. Fewer get no chunk, because looking them up is quick. */
const MIN_IDENTITIES = 64

/** Number of moved identities at which a chunk is built again. */
const MANY_MOVED = 32

/** Ratio of the identities in a chunk's range to those in the chunk, above which it is built again. */
const GROWTH = 1.25

/** Lowest bits of an identity's key, which are its offset in its chunk: `CHUNK` is 2 ** 12. */
const OFFSET_BITS = sql.raw('12')

/** Characters that an encoded chunk has per identity: an offset of 2 bytes and a person of 4, in base64. */
const ENCODED = 8

/** The row of `sequences` with the first chunk that may still get identities. */
const OPEN_CHUNK = 'open_actor_chunk'

/** Returns the first chunk that may still get identities, and the chunk of the newest identity. */
export async function findOpenChunks(db: Db): Promise<{ first: number; last: number }> {
  const open = query<{ first: number; last: number }>(sql`
    select coalesce((select ${sequences.value} from ${sequences} where ${sequences.name} = ${OPEN_CHUNK}), 0) as first,
      coalesce((select max(${distinctIds.key}) from ${distinctIds}) / ${CHUNK}, 0) as last`)
  const [[row]] = await readBatch(db, open)
  return { first: row?.first ?? 0, last: Math.floor(row?.last ?? 0) }
}

/** Notes that no chunk before this one will get identities or has to be built. */
export const noteOpenChunk = (db: Db, chunk: number) =>
  db
    .insert(sequences)
    .values({ name: OPEN_CHUNK, value: chunk })
    .onConflictDoUpdate({
      target: sequences.name,
      set: { value: sql`max(${sequences.value}, ${excluded(sequences.value)})` }
    })

/** Returns the chunks in `[first, until)` that do not exist or lack many identities, in order. */
export async function findGrown(db: Db, first: number, until: number): Promise<ProjectChunk[]> {
  const grown = query<ProjectChunk>(sql`
    select c.project_id, c.chunk from (
      select ${distinctIds.projectId}, ${distinctIds.key} >> ${OFFSET_BITS} as chunk, count(*) as identities
      from ${distinctIds}
      where ${distinctIds.key} >= ${first * CHUNK} and ${distinctIds.key} < ${until * CHUNK}
      group by 1, 2 having count(*) >= ${MIN_IDENTITIES}
    ) c left join ${actorChunks} on ${actorChunks.projectId} = c.project_id and ${actorChunks.chunk} = c.chunk
    where ${actorChunks.chunk} is null or octet_length(${actorChunks.data}) * ${GROWTH} < c.identities * ${ENCODED}
    order by c.chunk, c.project_id`)
  return (await readBatch(db, grown))[0]
}

/** Returns the chunks whose build was interrupted, and the chunks of which many identities have moved. */
export async function findOutdated(db: Db): Promise<ProjectChunk[]> {
  const outdated = query<ProjectChunk>(sql`
    select ${actorChunks.projectId}, ${actorChunks.chunk} from ${actorChunks} where ${actorChunks.data} = ''
    union
    select ${movedIdentities.projectId}, ${movedIdentities.key} >> ${OFFSET_BITS} from ${movedIdentities}
    group by 1, 2 having count(*) >= ${MANY_MOVED}
    order by 2, 1`)
  return (await readBatch(db, outdated))[0]
}

/** Begins to build a chunk: nothing is read from it until it is written, and moves are noted from now on. */
export const beginChunk = (db: Db, { project_id, chunk }: ProjectChunk, build: string) =>
  db.batch([
    db
      .insert(actorChunks)
      .values({ projectId: project_id, chunk, build, data: '' })
      .onConflictDoUpdate({
        target: [actorChunks.projectId, actorChunks.chunk],
        set: { build, data: '' }
      }),
    db
      .delete(movedIdentities)
      .where(
        and(
          eq(movedIdentities.projectId, project_id),
          gte(movedIdentities.key, chunk * CHUNK),
          lt(movedIdentities.key, (chunk + 1) * CHUNK)
        )
      )
  ])

export type Identity = { key: number; person_id: number | null }

/** Lists the identities of a chunk with their persons, in order of their keys; an erased identity has its last person. */
export async function listIdentities(
  db: Db,
  { project_id, chunk }: ProjectChunk
): Promise<Identity[]> {
  const isInside = (table: typeof distinctIds | typeof erasedIdentities) => sql`
    ${table.key} >= ${chunk * CHUNK} and ${table.key} < ${(chunk + 1) * CHUNK} and +${table.projectId} = ${project_id}`
  const identities = query<Identity>(sql`
    select ${distinctIds.key}, ${distinctIds.personId} from ${distinctIds} where ${isInside(distinctIds)}
    union all
    select ${erasedIdentities.key}, ${erasedIdentities.personId} from ${erasedIdentities}
    where ${isInside(erasedIdentities)}
    order by 1`)
  return (await readBatch(db, identities))[0]
}

/** Writes a chunk, unless another run has begun to build it in the meantime. */
export const writeChunk = (
  db: Db,
  { project_id, chunk }: ProjectChunk,
  build: string,
  data: string
) =>
  db
    .update(actorChunks)
    .set({ data })
    .where(
      and(
        eq(actorChunks.projectId, project_id),
        eq(actorChunks.chunk, chunk),
        eq(actorChunks.build, build)
      )
    )
