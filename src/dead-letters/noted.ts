import { sha256 } from '../hash.ts'

/** The stores of a receipt that count objects of the bucket, one by one. */
type ObjectStore = 'dead_letters' | 'queued_requests' | 'queued_recording_parts'

/**
 * Returns the member of an erasure's `stores` for what one object contains. A member for each
 * object makes the total exact however often a purge is interrupted and repeated.
 */
export const memberOf = (store: ObjectStore, name: string): string =>
  `${store}_${sha256(name).slice(0, 16)}`

/** Returns an erasure's `stores` with the sums of all objects in place of the single ones. */
export function sumObjects(stores: Record<string, number>): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [member, count] of Object.entries(stores)) {
    const store = member.replace(/_[0-9a-f]{16}$/, '')
    sums[store] = (sums[store] ?? 0) + count
  }
  return sums
}
