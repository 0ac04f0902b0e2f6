import * as z from 'zod'
import { hmac } from '../hash.ts'
import { EXTENT } from './extent.ts'

const Request = z.object({
  project: z.int(),
  persons: z.array(z.guid()),
  ...EXTENT,
  /** ms UTC */
  requested_at: z.int(),
  /** The ids of the user and of the key that made the request; 0 for the service itself. */
  user: z.int(),
  key: z.int()
})

/** A request to erase persons. It has their UUIDs, but only hashes of their distinct ids. */
export const ErasureEntry = Request.extend({
  kind: z.literal('erasure'),
  /** The hashes of all distinct ids of these persons. */
  ids: z.array(z.string()),
  /** The UUIDs of visitors among `persons`, by the hash of their distinct id. */
  visitors: z.record(z.string(), z.guid()).optional()
})
export type ErasureEntry = z.infer<typeof ErasureEntry>

/** Ledger entry of a request to delete what earlier erasures of these persons kept. */
export const CompletionEntry = Request.extend({ kind: z.literal('completion') })
export type CompletionEntry = z.infer<typeof CompletionEntry>

/**
 * Hashes a distinct id for the ledger. The key, `RECEIPT_SECRET`, is never changed and not in the
 * database, so the hashes are the same after a restore.
 */
export const hashForLedger = async (
  secret: string,
  projectId: number,
  distinctId: string
): Promise<string> =>
  (await hmac(secret, `erased distinct id\n${projectId}\n${distinctId}`)).slice(0, 32)
