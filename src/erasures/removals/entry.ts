import * as z from 'zod'

/** The request of a removal. The ledger names neither events nor filters, but the SHA-256 of the list of events. */
export const RemovalEntry = z.object({
  kind: z.literal('event_removal'),
  project: z.int(),
  id: z.guid(),
  events: z.int(),
  digest: z.string(),
  properties: z.array(z.string()).nullable(),
  /** ms UTC */
  requested_at: z.int(),
  user: z.int(),
  key: z.int()
})
export type RemovalEntry = z.infer<typeof RemovalEntry>
