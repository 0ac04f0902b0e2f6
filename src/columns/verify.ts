import type { Db } from '../db/client.ts'
import { ACTOR_CHUNKS } from './actor-chunks.ts'
import { verifyCopies } from './copy.ts'
import { Pace } from './pace.ts'
import type { ProjectChunk } from './places.ts'
import type { SegmentCopy } from './seal.store.ts'
import { SEGMENTS } from './segments.ts'
import { VERSION_CHUNKS } from './version-chunks.ts'

/** Maximum number of wrong segments, and of wrong chunks of either kind, that are returned. */
const MAX_SHOWN = 100

/** Pause after a statement, as a multiple of its duration. */
const REST = 3

/**
 * A segment that differed from its rows. `column` says where: the name of a column, or `count`,
 * `cold` or `encoding`.
 */
export type WrongSegment = Pick<SegmentCopy, 'project_id' | 'event_id' | 'since' | 'until'> & {
  column: string
}

export type VerifiedColumns = {
  segments: number
  wrong_segments: number
  first_segments: WrongSegment[]
  chunks: number
  wrong_chunks: number
  first_chunks: ProjectChunk[]
  version_chunks: number
  wrong_version_chunks: number
  first_version_chunks: ProjectChunk[]
}

/**
 * Compares copies of each kind with their rows: see `verifyCopies`.
 * @param most largest number of copies of each kind to compare
 * @param isSpent returns true once no further copy may be compared
 */
export async function verifyColumns(
  db: Db,
  most: number,
  isSpent: () => boolean = () => false
): Promise<VerifiedColumns> {
  const limits = { most, isSpent, pace: new Pace(REST) }
  const segments = await verifyCopies(db, SEGMENTS, limits)
  const actors = await verifyCopies(db, ACTOR_CHUNKS, limits)
  const versions = await verifyCopies(db, VERSION_CHUNKS, limits)
  return {
    segments: segments.compared,
    wrong_segments: segments.wrong.length,
    first_segments: segments.wrong.slice(0, MAX_SHOWN).map(toWrongSegment),
    chunks: actors.compared,
    wrong_chunks: actors.wrong.length,
    first_chunks: actors.wrong.slice(0, MAX_SHOWN).map(toWrongChunk),
    version_chunks: versions.compared,
    wrong_version_chunks: versions.wrong.length,
    first_version_chunks: versions.wrong.slice(0, MAX_SHOWN).map(toWrongChunk)
  }
}

const toWrongSegment = (wrong: { copy: SegmentCopy; difference: string }): WrongSegment => {
  const { project_id, event_id, since, until } = wrong.copy
  return { project_id, event_id, since, until, column: wrong.difference }
}

const toWrongChunk = ({ copy }: { copy: ProjectChunk }): ProjectChunk => ({
  project_id: copy.project_id,
  chunk: copy.chunk
})

/** Counts what differed from the rows. */
export const countWrong = (verified: VerifiedColumns): number =>
  verified.wrong_segments + verified.wrong_chunks + verified.wrong_version_chunks
