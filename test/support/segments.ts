import { sql } from 'drizzle-orm'
import { SegmentBuilder } from '../../src/columns/build.ts'
import { buildChunks } from '../../src/columns/chunks.ts'
import {
  beginSegment,
  type Place,
  readEvents,
  sealSegment,
  writeColumns
} from '../../src/columns/seal.store.ts'
import type { EventKind } from '../../src/columns/slots/store.ts'
import type { Db } from '../../src/db/client.ts'

/** Maximum number of rows read at a time, and of bytes of their properties. */
const PIECE = { maxRows: 2_000, maxBytes: 1_000_000 }

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
  const start = { now: 1, abandonedBefore: 0 }
  const segment = await beginSegment(db, kind, { since, until, replaces: [] }, start)
  if (!segment) {
    return false
  }
  const { id, build } = segment
  const builder = new SegmentBuilder()
  let after: Place | undefined = { timestamp: since, uuid: '' }
  while (after) {
    const { events } = await readEvents(db, kind, { after, until, withProperties: true }, PIECE)
    builder.add(events)
    after = events.at(-1)
  }
  const { project_id: projectId, event_id: eventId } = kind
  const content = builder.finish({ build, projectId, eventId, since, until })
  await writeColumns(db, id, [...content.columns])
  return sealSegment(db, id, content)
}

/** Removes all segments of a project. */
export const unseal = (db: Db, projectId: number) =>
  db.run(sql`delete from segments where project_id = ${projectId}`)

/** Builds a project's first chunk of actors and versions, for the identities whose keys are below 4,096. */
export async function buildFirstChunk(db: Db, projectId: number): Promise<void> {
  await buildChunks(db, { project_id: projectId, chunk: 0 })
}
