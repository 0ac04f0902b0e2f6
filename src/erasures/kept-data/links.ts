import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { reserveNumbers } from '../../db/sequences.ts'
import { findLinked, writeUnlinked } from './links.store.ts'

const ERASURES_AT_ONCE = 100

/**
 * Removes the links between erasures and the data that they kept, once this data can no longer be
 * deleted. The tombstones stay under new keys, so that late events still do not recreate the
 * persons.
 * @param isSpent returns true once no further transaction may begin; the next run continues
 * @returns the number of erasures
 */
export async function removeLinks(
  db: Db,
  now: Date,
  isSpent: () => boolean = () => false
): Promise<number> {
  for (let removed = 0; ; ) {
    const count = await retryConflicts(async () => {
      const linked = await findLinked(db, now.getTime(), ERASURES_AT_ONCE)
      if (linked.length === 0) {
        return 0
      }
      const keys = linked.flatMap((erasure) => erasure.keys)
      const next = await reserveNumbers(db, { identity: keys.length, person: linked.length })
      const moved = linked.flatMap(({ id, keys: own }, i) =>
        own.map((key) => ({ key, erasure: id, person: next.person + i }))
      )
      await writeUnlinked(
        db,
        linked.map(({ id }) => id),
        moved.map((row, i) => ({ ...row, tombstone: next.identity + i }))
      )
      return linked.length
    })
    removed += count
    if (count < ERASURES_AT_ONCE || isSpent()) {
      return removed
    }
  }
}
