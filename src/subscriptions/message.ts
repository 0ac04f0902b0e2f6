import * as z from 'zod'

/** Asks to continue a stored delivery of a project; a repetition does no harm. */
export const DeliveryMessage = z.object({ project_id: z.int(), id: z.int() })
export type DeliveryMessage = z.infer<typeof DeliveryMessage>
