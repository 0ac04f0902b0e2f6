import type { Db } from '../db/client.ts'
import { pause } from '../turns.ts'
import {
  type ActorsCopy,
  beginActors,
  findGrown,
  findOpenChunks,
  findOutdated,
  finishActors,
  listIdentities,
  noteOpenChunk,
  openActors,
  sampleActors
} from './actor-chunks.store.ts'
import { CHUNK, decodeActors, encodeActors, NO_PERSON } from './codec.ts'
import type { CopyBuilder, CopyVerifier, EncodedCopy } from './copy.ts'
import { discardActors } from './damage.store.ts'
import { type BuiltChunk, type ProjectChunk, placeOfActors } from './places.ts'

/**
 * Chunks of actors: which person each identity belongs to. An identity moves when its person
 * changes. When a build begins, the chunk's moves that were noted so far are deleted; from then on,
 * triggers note every move. The persons that are read afterwards include every move before, and
 * every move after is noted. If the chunk has another token at the end, another run has begun to
 * build it, and has deleted moves that these persons may not include.
 *
 * New identities are not noted: identities that a chunk lacks are looked up.
 */
export const ACTOR_CHUNKS: CopyBuilder<ProjectChunk, BuiltChunk, string> &
  CopyVerifier<ProjectChunk, ActorsCopy> = {
  begin: beginActors,
  encode: encodeChunk,
  // All is in the content.
  write: async () => ({ ms: 0 }),
  finish: finishActors,
  sample: sampleActors,
  open: openActors,
  findDifference: async (_, copy) => findDifference(copy),
  discard: discardActors
}

/** Chunks whose identities one query counts: 32,768 identities, which takes 10 ms. */
const CHUNKS_AT_ONCE = 8

/** Chunks whose identities one run counts: 1.3 million identities. The next run continues. */
const CHUNKS_PER_RUN = 320

/** Pause after the identities of a chunk are read, ms, so that other requests get the database. */
const REST_MS = 20

/**
 * Returns the chunks to build: chunks that do not exist or lack many identities, and chunks whose
 * build was interrupted or of which many identities have moved. Each new identity gets a higher
 * key, so only the newest chunk still grows. The next run therefore counts from the first chunk
 * that this run found to lack identities or, without one, from where this run stopped.
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

async function encodeChunk(db: Db, chunk: BuiltChunk): Promise<EncodedCopy<string>> {
  const identities = await listIdentities(db, chunk)
  await pause(REST_MS)
  const offsets = Uint16Array.from(identities, ({ key }) => key - chunk.chunk * CHUNK)
  const persons = Int32Array.from(identities, ({ person_id }) => person_id ?? NO_PERSON)
  return { content: encodeActors({ offsets, persons }, placeOfActors(chunk)), columns: [] }
}

function findDifference({ data, moved, identities, ...chunk }: ActorsCopy): string | undefined {
  const actors = decodeActors(data, placeOfActors(chunk))
  const personOf = new Map(identities.map(({ key, person_id }) => [key, person_id ?? NO_PERSON]))
  const hasMoved = new Set(moved)
  const isRight = actors.offsets.every((offset, i) => {
    const key = chunk.chunk * CHUNK + offset
    return hasMoved.has(key) || personOf.get(key) === actors.persons[i]
  })
  return isRight ? undefined : 'actors'
}
