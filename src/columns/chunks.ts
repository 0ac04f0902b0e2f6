import type { Db } from '../db/client.ts'
import { ACTOR_CHUNKS, findDueChunks } from './actor-chunks.ts'
import { buildCopy } from './copy.ts'
import { Pace } from './pace.ts'
import type { ProjectChunk } from './places.ts'
import { findOutgrown, findUncopied } from './version-chunks.store.ts'
import { VERSION_CHUNKS } from './version-chunks.ts'

type Limits = {
  /** Largest number of chunks whose identities are counted. */
  most?: number
  /** Chunks whose versions are counted, which reads a row for each version. */
  counted: number
}

/** Pause after a statement, as a multiple of its duration. */
const REST = 3

/**
 * Returns the chunks to build: chunks with many new or moved identities, chunks without a copy of
 * their versions, and chunks with many new versions.
 */
export async function findChunks(db: Db, { most, counted }: Limits): Promise<ProjectChunk[]> {
  const due = [
    ...(await findDueChunks(db, most)),
    ...(await findUncopied(db)),
    ...(counted > 0 ? await findOutgrown(db, counted) : [])
  ]
  return [...new Map(due.map((chunk) => [`${chunk.project_id} ${chunk.chunk}`, chunk])).values()]
}

/** Copies the actors of a chunk's identities, and the properties of their versions. */
export async function buildChunks(db: Db, chunk: ProjectChunk): Promise<void> {
  const pace = new Pace(REST)
  await buildCopy(db, ACTOR_CHUNKS, chunk, pace)
  await buildCopy(db, VERSION_CHUNKS, chunk, pace)
}
