import * as z from 'zod'

/** A request for a removal: without events and filters, with the SHA-256 of the list of events. */
export const RemovalEntry = z.object({
  kind: z.literal('event_removal'),
  project: z.int(),
  id: z.guid(),
  events: z.int(),
  digest: z.string(),
  /** The names of the properties to remove; null if the events themselves are removed. */
  properties: z.array(z.string()).nullable(),
  /** ms UTC */
  requested_at: z.int(),
  /** The ids of the user and of the key that made the request; 0 for the service itself. */
  user: z.int(),
  key: z.int()
})
export type RemovalEntry = z.infer<typeof RemovalEntry>
