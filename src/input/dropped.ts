import * as z from 'zod'

/** An event of a request that is not stored, and why. */
export const Dropped = z
  .object({ uuid: z.string().nullable(), reason: z.string() })
  .meta({ id: 'Dropped' })
export type Dropped = z.infer<typeof Dropped>
