import type { Db } from '../db/client.ts'
import { pause } from '../pause.ts'
import {
  beginChunk,
  findGrown,
  findOpenChunks,
  findOutdated,
  listIdentities,
  noteOpenChunk,
  type ProjectChunk,
  writeChunk
} from './actor-chunks.store.ts'
import { CHUNK, encodeActors } from './codec.ts'

/*
 * No move of an identity is lost, whatever happens while its chunk is built, and wherever the run is interrupted:
 *
 * 1. The first batch makes the chunk exist, empty, with a token of its own, and forgets the moves noted so far. From its
 *    commit on, triggers note every move. An empty chunk is not read.
 * 2. Persons are read after this commit. So the persons that are read include every earlier move, and every later move is noted.
 * 3. The second batch writes the chunk if it still has the token. Otherwise another run has begun to build it, and has
 *    forgotten moves that these persons may lack.
 *
 * New identities are not noted: identities that a chunk lacks are looked up.
 */

/** Chunks counted per query, 32,768 identities; it takes 10 ms. */
const CHUNKS_AT_ONCE = 8

/** Chunks counted per run, 1.3 million identities; the next run counts on. */
const CHUNKS_PER_RUN = 320

/** Milliseconds for which the database is left to others after a chunk. */
const REST_MS = 20

/**
 * Returns the chunks to build. Keys of identities only rise, so only the newest chunk still gets identities. The count begins
 * at the first chunk that has to be built, or at the newest; earlier chunks are never counted again.
 * @param most largest number of chunks to count
 */
export async function findDueChunks(db: Db, most = CHUNKS_PER_RUN): Promise<ProjectChunk[]> {
  const { first, last } = await findOpenChunks(db)
  const end = Math.min(last + 1, first + most)
  const grown: ProjectChunk[] = []
  for (let at = first; at < end; at += CHUNKS_AT_ONCE) {
    grown.push(...(await findGrown(db, at, Math.min(end, at + CHUNKS_AT_ONCE))))
  }
  const open = Math.min(last, end, ...grown.map(({ chunk }) => chunk))
  if (open > first) {
    await noteOpenChunk(db, open)
  }
  const outdated = await findOutdated(db)
  const isNew = ({ project_id, chunk }: ProjectChunk) =>
    !grown.some((other) => other.project_id === project_id && other.chunk === chunk)
  return [...grown, ...outdated.filter(isNew)]
}

/** Builds a chunk; may be cut anywhere, and run several times at once. */
export async function buildChunk(db: Db, chunk: ProjectChunk): Promise<void> {
  const build = crypto.randomUUID()
  await beginChunk(db, chunk, build)
  const identities = await listIdentities(db, chunk)
  const offsets = Uint16Array.from(identities, ({ key }) => key - chunk.chunk * CHUNK)
  const persons = Int32Array.from(identities, ({ person_id }) => person_id ?? 0)
  await writeChunk(db, chunk, build, encodeActors({ offsets, persons }))
  await pause(REST_MS)
}
