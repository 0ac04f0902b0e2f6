import { sql } from 'drizzle-orm'
import { buildChunks } from '../../src/columns/chunks.ts'
import { buildCopy } from '../../src/columns/copy.ts'
import { Pace } from '../../src/columns/pace.ts'
import { SEGMENTS } from '../../src/columns/segments.ts'
import type { EventKind } from '../../src/columns/slots/store.ts'
import type { Db } from '../../src/db/client.ts'

/**
 * Seals the events of one event name in `[since, until)`, ms UTC, a range of whole slots. Does nothing if a segment overlaps
 * the range.
 * @returns whether a segment was sealed
 */
export async function sealRange(
  db: Db,
  kind: EventKind,
  since: number,
  until: number
): Promise<boolean> {
  // No segment counts as abandoned.
  const planned = { ...kind, since, until, replaces: [], now: 1, abandonedBefore: 0 }
  return (await buildCopy(db, SEGMENTS, planned, new Pace(0))) !== undefined
}

/** Removes all segments of a project. */
export const unseal = (db: Db, projectId: number) =>
  db.run(sql`delete from segments where project_id = ${projectId}`)

/** Builds a project's first chunk of actors and versions, for the identities whose keys are below 4,096. */
export async function buildFirstChunk(db: Db, projectId: number): Promise<void> {
  await buildChunks(db, { project_id: projectId, chunk: 0 })
}
