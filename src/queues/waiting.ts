import { findOldest, MARKER_PREFIX, SPILL_PREFIX } from './waiting-objects.ts'

/** The stores of a receipt that count objects waiting in R2, each with the prefix of its objects' keys. */
const STORES = { queued_requests: SPILL_PREFIX, queued_recording_parts: MARKER_PREFIX }

/** The counts of these stores in every receipt: no receipt is written while an object accepted before the erasure waits. */
export const NO_WAITING_OBJECTS = {
  queued_requests: 0,
  queued_recording_parts: 0
} satisfies Record<keyof typeof STORES, number>

/**
 * Returns the acceptance time (ms UTC) of the project's oldest waiting request or recording part; Infinity if none waits.
 */
export async function findOldestWaiting(bucket: R2Bucket, projectId: number): Promise<number> {
  const found = await Promise.all(
    Object.values(STORES).map((prefix) => findOldest(bucket, prefix, projectId))
  )
  return Math.min(...found.map((acceptedAt) => acceptedAt ?? Number.POSITIVE_INFINITY))
}
