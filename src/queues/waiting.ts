import { findOldest, MARKER_PREFIX, SPILL_PREFIX } from './waiting-objects.ts'

/** The stores of a receipt that are objects in the bucket, and where they lie. */
const STORES = { queued_requests: SPILL_PREFIX, queued_recording_parts: MARKER_PREFIX }

/** What a receipt says of these stores when a look at the bucket found nothing of its time there. */
export const NOTHING_WAITS = { queued_requests: 0, queued_recording_parts: 0 } satisfies Record<
  keyof typeof STORES,
  number
>

/**
 * When the oldest request or part of a recording was accepted that waits in the bucket to be processed, ms UTC; Infinity
 * when nothing of the project waits there.
 */
export async function findOldestWaiting(bucket: R2Bucket, projectId: number): Promise<number> {
  const found = await Promise.all(
    Object.values(STORES).map((prefix) => findOldest(bucket, prefix, projectId))
  )
  return Math.min(...found.map((acceptedAt) => acceptedAt ?? Number.POSITIVE_INFINITY))
}
