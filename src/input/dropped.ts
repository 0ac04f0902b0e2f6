import * as z from 'zod'

/** What of a request is not kept, and why. */
export const Dropped = z
  .object({ uuid: z.string().nullable(), reason: z.string() })
  .meta({ id: 'Dropped' })
export type Dropped = z.infer<typeof Dropped>
