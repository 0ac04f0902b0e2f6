import { type Db, findConflict } from '../../db/client.ts'
import { SESSIONS, sessionRebuilder } from '../../sessions/upkeep/rebuild.ts'
import type { PacedWork } from '../engine/paced-work.ts'
import { readList } from './list.ts'
import { findRemoval, type RemovalRow, removePart } from './store.ts'

type Tools = { bucket: R2Bucket; work: PacedWork; clock: () => Date }

/**
 * Removes the listed events that are left, or their properties, and rebuilds their sessions, as far
 * as one invocation's limits allow.
 * @returns whether nothing is left
 */
export async function removeListed(
  db: Db,
  removal: RemovalRow,
  { bucket, work, clock }: Tools
): Promise<boolean> {
  const uuids = await readList(bucket, removal)
  let { position } = removal
  const isRemoved = await work.run(async (limit) => {
    const part = uuids.slice(position, position + limit)
    if (part.length === 0) {
      return { rows: 0, isLast: true }
    }
    const next = position + part.length
    const wanted = { uuids: part, position: next, now: clock().getTime() }
    try {
      await removePart(db, { ...removal, position }, wanted)
      position = next
      return { rows: part.length, isLast: position === uuids.length }
    } catch (error) {
      if (!findConflict(error)) {
        throw error
      }
      // Another invocation removed this part at the same time. Continues where that one is now.
      position = (await findRemoval(db, removal.projectId, removal.id))?.position ?? uuids.length
      return { rows: part.length, isLast: false }
    }
  })
  const scope = { db, project: { id: removal.projectId } }
  return isRemoved && work.runAnyway(sessionRebuilder(scope), SESSIONS)
}
