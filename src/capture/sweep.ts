import { SPILL_PREFIX } from './message.ts'

/** Longer than a queue keeps a message: what a spilled object still waits for then will not come. */
const KEPT_DAYS = 15

/**
 * Removes spilled objects that no message names any more: a request that failed between bucket and queue, or a deletion
 * that failed after its events were stored. @returns how many
 */
export async function sweepSpilled(bucket: R2Bucket, now: Date): Promise<number> {
  const before = now.getTime() - KEPT_DAYS * 86_400_000
  let removed = 0
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix: SPILL_PREFIX, ...(cursor && { cursor }) })
    const stale = page.objects
      .filter(({ uploaded }) => uploaded.getTime() < before)
      .map(({ key }) => key)
    if (stale.length > 0) {
      await bucket.delete(stale)
    }
    removed += stale.length
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor)
  return removed
}
