import { sha256 } from '../hash.ts'

/** The stores of a receipt that count objects of the bucket, one by one. */
const STORES = ['dead_letters', 'queued_requests', 'queued_recording_parts'] as const
type Store = (typeof STORES)[number]

/**
 * Returns the member of an erasure's `stores` for what one object contains. A member for each
 * object makes the total exact however often a purge is interrupted and repeated.
 */
export const memberOf = (store: Store, name: string): string =>
  `${store}_${sha256(name).slice(0, 16)}`

/** Returns an erasure's `stores` with the sums of all objects in place of the single ones. */
export function sumObjects(stores: Record<string, number>): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [member, count] of Object.entries(stores)) {
    const store = STORES.find((name) => member.startsWith(`${name}_`)) ?? member
    sums[store] = (sums[store] ?? 0) + count
  }
  return sums
}
