import * as z from 'zod'

/**
 * The ledger's entry for the deletion of one recording. It names the session by a keyed hash,
 * because a client may make its session ids from personal data.
 */
export const RecordingEntry = z.object({
  kind: z.literal('recording'),
  project: z.int(),
  session: z.string(),
  /** When the recording began and ended, ms UTC. */
  from: z.int(),
  to: z.int(),
  /** ms UTC */
  requested_at: z.int()
})
export type RecordingEntry = z.infer<typeof RecordingEntry>

/**
 * The ledger's entry for recordings deleted because of their age: those that began before `until`,
 * ms UTC.
 */
export const RetentionEntry = z.object({
  kind: z.literal('retention'),
  project: z.int(),
  until: z.int()
})
export type RetentionEntry = z.infer<typeof RetentionEntry>
