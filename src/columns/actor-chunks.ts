import type { Db } from '../db/client.ts'
import { pause } from '../turns.ts'
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
import { CHUNK, encodeActors, NO_PERSON } from './codec.ts'
import { placeOfActors } from './places.ts'

/*
 * An identity moves when its person changes. No move is lost, whatever happens while the identity's chunk is built, and
 * wherever the run is interrupted:
 *
 * 1. A batch makes the chunk exist, empty, with a token of this run, and deletes the chunk's moves that were noted so far.
 *    From its commit on, triggers note every move. An empty chunk is not read.
 * 2. The identities' persons are read after this commit: they include every move before it, and every move after it is noted.
 * 3. The last statement writes the chunk if it still has the token. Otherwise another run has begun to build the chunk, and
 *    has deleted noted moves that the persons read in step 2 may not include.
 *
 * New identities are not noted: identities that a chunk lacks are looked up.
 */

/** Chunks whose identities one query counts: 32,768 identities, which takes 10 ms. */
const CHUNKS_AT_ONCE = 8

/** Chunks whose identities one run counts: 1.3 million identities. The next run continues. */
const CHUNKS_PER_RUN = 320

/** Pause after a chunk, ms, so that other requests get the database. */
const REST_MS = 20

/**
 * Returns the chunks to build: chunks that do not exist or lack many identities, and chunks whose build was interrupted or of
 * which many identities have moved. Each new identity gets a higher key, so only the newest chunk still grows. The next run
 * therefore counts from the first chunk that this run found to lack identities or, without one, from where this run stopped.
 * @param most largest number of chunks whose identities are counted
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
  const isOnlyOutdated = ({ project_id, chunk }: ProjectChunk) =>
    !grown.some((other) => other.project_id === project_id && other.chunk === chunk)
  return [...grown, ...outdated.filter(isOnlyOutdated)]
}

/** Builds a chunk. May be interrupted anywhere, and run several times at once. */
export async function buildChunk(db: Db, chunk: ProjectChunk): Promise<void> {
  const build = crypto.randomUUID()
  await beginChunk(db, chunk, build)
  const identities = await listIdentities(db, chunk)
  const offsets = Uint16Array.from(identities, ({ key }) => key - chunk.chunk * CHUNK)
  const persons = Int32Array.from(identities, ({ person_id }) => person_id ?? NO_PERSON)
  const place = placeOfActors({ ...chunk, build })
  await writeChunk(db, chunk, build, encodeActors({ offsets, persons }, place))
  await pause(REST_MS)
}
