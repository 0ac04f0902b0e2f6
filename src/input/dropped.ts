import * as z from 'zod'

/** An event that was not stored, and why. */
export const Dropped = z
  .object({ uuid: z.string().nullable(), reason: z.string() })
  .meta({ id: 'Dropped' })
export type Dropped = z.infer<typeof Dropped>
