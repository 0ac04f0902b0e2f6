import { findOldest, MARKER_PREFIX, SPILL_PREFIX } from './waiting-objects.ts'

/** The stores of a receipt that are objects in the R2 bucket, with their prefixes. */
const STORES = { queued_requests: SPILL_PREFIX, queued_recording_parts: MARKER_PREFIX }

/** These stores in a receipt, when nothing accepted before the erasure waits in the R2 bucket. */
export const NOTHING_WAITS = { queued_requests: 0, queued_recording_parts: 0 } satisfies Record<
  keyof typeof STORES,
  number
>

/**
 * Finds when the project's oldest waiting request or part of a recording was accepted, ms UTC; Infinity when nothing
 * waits in the R2 bucket.
 */
export async function findOldestWaiting(bucket: R2Bucket, projectId: number): Promise<number> {
  const found = await Promise.all(
    Object.values(STORES).map((prefix) => findOldest(bucket, prefix, projectId))
  )
  return Math.min(...found.map((acceptedAt) => acceptedAt ?? Number.POSITIVE_INFINITY))
}
