import type { Db } from '../db/client.ts'
import type { ProjectChunk } from './actor-chunks.store.ts'
import { buildChunk, findDueChunks } from './actor-chunks.ts'
import { findMissing, findOutgrown } from './version-chunks.store.ts'
import { buildVersionChunk } from './version-chunks.ts'

/** Identities whose actors, or the properties of whose versions, have to be copied. */
type Due = {
  /** Chunks of identities counted at most. */
  most?: number
  /** Chunks of which to find out, too, whether they have many new versions; this reads a row for each version. */
  counted: number
}

/** Returns the chunks to build. */
export async function findChunks(db: Db, { most, counted }: Due): Promise<ProjectChunk[]> {
  const due = [
    ...(await findDueChunks(db, most)),
    ...(await findMissing(db)),
    ...(counted > 0 ? await findOutgrown(db, counted) : [])
  ]
  return [...new Map(due.map((chunk) => [`${chunk.project_id} ${chunk.chunk}`, chunk])).values()]
}

/** Copies the actors of a chunk's identities, and the properties of their versions. */
export async function buildChunks(db: Db, chunk: ProjectChunk): Promise<void> {
  await buildChunk(db, chunk)
  await buildVersionChunk(db, chunk)
}
