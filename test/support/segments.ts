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
import type { Db } from '../../src/db/client.ts'
import type { EventKind } from '../../src/rollups/store.ts'

const PIECE = { maxRows: 2_000, maxBytes: 1_000_000 }

/** Seals the events of a name in a range of whole slots, unless a segment lies in it. @returns whether it is sealed */
export async function sealRange(
  db: Db,
  kind: EventKind,
  since: number,
  until: number
): Promise<boolean> {
  const begun = { now: 1, abandonedBefore: 0 }
  const id = await beginSegment(db, kind, { since, until, replaces: [] }, begun)
  if (id === undefined) {
    return false
  }
  const builder = new SegmentBuilder()
  let after: Place | undefined = { timestamp: since, uuid: '' }
  while (after) {
    const { events } = await readEvents(db, kind, { after, until, withProperties: true }, PIECE)
    builder.add(events)
    after = events.at(-1)
  }
  const content = builder.finish()
  await writeColumns(db, id, [...content.columns])
  return sealSegment(db, id, content)
}

/** Removes all segments of a project. */
export const unseal = (db: Db, projectId: number) =>
  db.run(sql`delete from segments where project_id = ${projectId}`)

/** Builds the first chunk of a project's actors and versions, which has the identities with the keys below 4,096. */
export async function buildFirstChunk(db: Db, projectId: number): Promise<void> {
  await buildChunks(db, { project_id: projectId, chunk: 0 })
}
