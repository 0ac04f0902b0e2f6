import { findOldest, MARKER_PREFIX, SPILL_PREFIX } from './waiting-objects.ts'

/** Stores in a receipt that count waiting R2 objects, with the prefixes of their keys. */
const STORES = { queued_requests: SPILL_PREFIX, queued_recording_parts: MARKER_PREFIX }

/** The counts in a receipt once no object accepted before the erasure waits in R2. */
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
