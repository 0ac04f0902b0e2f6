import type { Db } from '../../db/client.ts'
import { rebuildSessions } from '../../sessions/upkeep/rebuild.ts'
import type { Pieces } from '../pieces.ts'
import { readList } from './list.ts'
import { type RemovalRow, removePart } from './store.ts'

type Tools = { bucket: R2Bucket; pieces: Pieces; clock: () => Date }

/**
 * Removes the listed events that are left, or their properties, and works out anew the sessions that they were in. Goes as
 * far as one invocation's limits allow.
 * @returns whether nothing is left
 * @throws ConflictError when somebody else removes them at the same time
 */
export async function removeListed(
  db: Db,
  removal: RemovalRow,
  { bucket, pieces, clock }: Tools
): Promise<boolean> {
  const uuids = await readList(bucket, removal)
  let { position } = removal
  const isRemoved = await pieces.run(async (limit) => {
    const part = uuids.slice(position, position + limit)
    if (part.length === 0) {
      return { removed: 0, ms: 0 }
    }
    const next = position + part.length
    const now = clock().getTime()
    const results = await removePart(
      db,
      { ...removal, position },
      { uuids: part, position: next, now }
    )
    position = next
    return { removed: part.length, ms: Math.max(...results.map(({ meta }) => meta.duration)) }
  })
  return isRemoved && pieces.repeat(() => rebuildSessions(db, removal.projectId))
}
