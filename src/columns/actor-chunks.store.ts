import { type SQL, sql } from 'drizzle-orm'
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
import { CHUNK, CHUNK_BITS } from './codec.ts'
import type { BuiltChunk, ProjectChunk } from './places.ts'

/** Fewest identities that get a chunk: looking up fewer is quick. */
const MIN_IDENTITIES = 64

/** Number of moved identities at which a chunk is built again. */
const MANY_MOVED = 32

/**
 * Ratio of the identities in a chunk's range to those in the chunk, above which it is built again.
 */
const GROWTH = 1.25

/** Lowest bits of an identity's key, which are its offset in its chunk. */
const OFFSET_BITS = sql.raw(String(CHUNK_BITS))

/** Characters per identity in a chunk: an offset of 2 bytes and a person of 4, in base64. */
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

/** Returns chunks whose build was interrupted, or of which many identities have moved. */
export async function findOutdated(db: Db): Promise<ProjectChunk[]> {
  const outdated = query<ProjectChunk>(sql`
    select ${actorChunks.projectId}, ${actorChunks.chunk} from ${actorChunks} where not ${isBuilt}
    union
    select ${movedIdentities.projectId}, ${movedIdentities.key} >> ${OFFSET_BITS} from ${movedIdentities}
    group by 1, 2 having count(*) >= ${MANY_MOVED}
    order by 2, 1`)
  return (await readBatch(db, outdated))[0]
}

const isChunk = ({ project_id, chunk }: ProjectChunk): SQL =>
  sql`${actorChunks.projectId} = ${project_id} and ${actorChunks.chunk} = ${chunk}`

/** A chunk has data once it is built. */
const isBuilt = sql`octet_length(${actorChunks.data}) > 0`

const isInside = (
  table: typeof distinctIds | typeof erasedIdentities | typeof movedIdentities,
  { project_id, chunk }: ProjectChunk
): SQL => sql`
  ${table.key} >= ${chunk * CHUNK} and ${table.key} < ${(chunk + 1) * CHUNK}
  and +${table.projectId} = ${project_id}`

/** Begins to build a chunk: moves of its identities are noted from now on. */
export async function beginActors(db: Db, chunk: ProjectChunk): Promise<BuiltChunk> {
  const build = crypto.randomUUID()
  await db.batch([
    db
      .insert(actorChunks)
      .values({ projectId: chunk.project_id, chunk: chunk.chunk, build, data: '' })
      .onConflictDoUpdate({
        target: [actorChunks.projectId, actorChunks.chunk],
        set: { build, data: '' }
      }),
    db.delete(movedIdentities).where(isInside(movedIdentities, chunk))
  ])
  return { ...chunk, build }
}

export type PersonOfIdentity = { key: number; person_id: number | null }

/** Lists a chunk's identities, by key, with their persons; an erased one has its last person. */
export async function listIdentities(db: Db, chunk: ProjectChunk): Promise<PersonOfIdentity[]> {
  return (await readBatch(db, identitiesOf(chunk)))[0]
}

const identitiesOf = (chunk: ProjectChunk) =>
  query<PersonOfIdentity>(sql`
    select ${distinctIds.key}, ${distinctIds.personId} from ${distinctIds}
    where ${isInside(distinctIds, chunk)}
    union all
    select ${erasedIdentities.key}, ${erasedIdentities.personId} from ${erasedIdentities}
    where ${isInside(erasedIdentities, chunk)}
    order by 1`)

/** Writes a chunk, unless another run has begun to build it in the meantime. */
export async function finishActors(
  db: Db,
  { build, ...chunk }: BuiltChunk,
  data: string
): Promise<boolean> {
  const written = await db
    .update(actorChunks)
    .set({ data })
    .where(sql`${isChunk(chunk)} and ${actorChunks.build} = ${build}`)
    .returning({ chunk: actorChunks.chunk })
  return written.length > 0
}

/** Lists chunks that are built, in random order. */
export async function sampleActors(db: Db, limit: number): Promise<ProjectChunk[]> {
  const chunks = query<ProjectChunk>(sql`
    select ${actorChunks.projectId}, ${actorChunks.chunk} from ${actorChunks}
    where ${isBuilt} order by random() limit ${limit}`)
  return (await readBatch(db, chunks))[0]
}

/**
 * A chunk that is built, the keys of its identities that have moved since its build began, and all
 * its identities with their persons, in one snapshot.
 */
export type ActorsCopy = BuiltChunk & {
  data: string
  moved: number[]
  identities: PersonOfIdentity[]
}

/** Reads a chunk that is built; undefined if there is none. */
export async function openActors(db: Db, chunk: ProjectChunk): Promise<ActorsCopy | undefined> {
  const [[stored], moved, identities] = await readBatch(
    db,
    query<{ build: string; data: string }>(sql`
      select ${actorChunks.build}, ${actorChunks.data} from ${actorChunks}
      where ${isChunk(chunk)} and ${isBuilt}`),
    query<{ key: number }>(sql`
      select ${movedIdentities.key} from ${movedIdentities}
      where ${isInside(movedIdentities, chunk)}`),
    identitiesOf(chunk)
  )
  return stored && { ...chunk, ...stored, moved: moved.map(({ key }) => key), identities }
}
