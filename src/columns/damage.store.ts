import { type SQL, sql } from 'drizzle-orm'
import { writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { actorChunks, segments, sequences, versionChunks } from '../db/schema.ts'
import { assign, bare, excluded, insertSelect, updateFrom } from '../db/statements.ts'
import type { BuiltChunk } from './places.ts'

const DAMAGED = 'damaged_columns'

/**
 * Discards a damaged segment: from now on its events are read from rows, and the next run seals
 * them. @returns whether it existed
 */
export const discardSegment = (db: Db, id: number): Promise<boolean> =>
  discard(db, sql`${segments} where ${segments.id} = ${id}`, (source) => sql`delete from ${source}`)

/**
 * Empties a damaged chunk of actors, unless it has been built again: it is not read, and the next
 * run builds it. The new token keeps isolates from using their cached copies of the chunk. @returns
 * whether the chunk existed
 */
export const discardActors = (
  db: Db,
  { project_id, chunk, build }: BuiltChunk
): Promise<boolean> => {
  const isBuild = sql`${actorChunks.projectId} = ${project_id} and ${actorChunks.chunk} = ${chunk}
    and ${actorChunks.build} = ${build}`
  return discard(db, sql`${actorChunks} where ${isBuild}`, () =>
    updateFrom(actorChunks, { set: { data: '', build: crypto.randomUUID() }, where: isBuild })
  )
}

/**
 * Removes a damaged chunk of versions, unless it has been built again; the next run builds it.
 * @returns whether it existed
 */
export const discardVersions = (
  db: Db,
  { project_id, chunk, build }: BuiltChunk
): Promise<boolean> =>
  discard(
    db,
    sql`${versionChunks} where ${versionChunks.projectId} = ${project_id} and ${versionChunks.chunk} = ${chunk}
      and ${versionChunks.build} = ${build}`,
    (source) => sql`delete from ${source}`
  )

/** Discards the row of a source, and counts it if it exists, in one transaction. */
async function discard(db: Db, source: SQL, toDiscard: (source: SQL) => SQL): Promise<boolean> {
  const [, discarded] = await writeBatch(db, [
    sql`${insertSelect(sequences, { name: DAMAGED, value: sql`1` }, source)}
      on conflict (${bare(sequences.name)})
      do update set ${assign(sequences, { value: sql`${sequences.value} + ${excluded(sequences.value)}` })}`,
    sql`${toDiscard(source)} returning 1`
  ])
  return (discarded?.results.length ?? 0) > 0
}

/** Returns how many segments and chunks were discarded since the last nightly verification. */
export async function countDamaged(db: Db): Promise<number> {
  const [row] = await db
    .select({ value: sequences.value })
    .from(sequences)
    .where(sql`${sequences.name} = ${DAMAGED}`)
  return row?.value ?? 0
}

/** Begins to count anew after `counted` segments and chunks, which were reported. */
export const forgetDamaged = (db: Db, counted: number) =>
  db
    .update(sequences)
    .set({ value: sql`${sequences.value} - ${counted}` })
    .where(sql`${sequences.name} = ${DAMAGED}`)
