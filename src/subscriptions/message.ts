import * as z from 'zod'
import type { Content } from './content.ts'

/** Asks to go on with a delivery in a project's ledger; a repetition does no harm. */
export const DeliveryMessage = z.object({ project_id: z.int(), id: z.int() })
export type DeliveryMessage = z.infer<typeof DeliveryMessage>

/** What a channel sends to each recipient of a delivery. */
export type Letter = {
  subscriptionId: number
  deliveryId: number
  isTest: boolean
  /** When it was due, ms UTC, and how many before it had been missed. */
  occurrence: number
  missed: number
  /** The schedule in words. */
  summary: string
  /** Of the subscription, in the first one. */
  invite: string | null
  content: Content
}

export const subjectOf = ({ isTest, content }: Letter): string =>
  `${isTest ? 'Test: ' : ''}${content.name}`

/** What a reader should know of the delivery before its numbers. */
export function notesOf({ isTest, missed, invite }: Letter): string[] {
  const times = missed === 1 ? 'One earlier delivery was' : `${missed} earlier deliveries were`
  return [
    ...(isTest ? ['This is a test: somebody asked for it, beside the schedule.'] : []),
    ...(missed > 0 ? [`${times} missed; this one stands for all.`] : []),
    ...(invite ? [invite] : [])
  ]
}
