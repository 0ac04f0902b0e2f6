import * as z from 'zod'

/** Asks to continue a delivery in a project's ledger; a repetition does no harm. */
export const DeliveryMessage = z.object({ project_id: z.int(), id: z.int() })
export type DeliveryMessage = z.infer<typeof DeliveryMessage>
