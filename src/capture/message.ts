import * as z from 'zod'
import { byteLength } from '../input/json.ts'
import { SPILL_PREFIX, waitingKey } from '../queues/waiting-objects.ts'
import { CapturedEvent } from './event.ts'

/** What one capture request (or a part of a large one) asks to be stored. `received_at` is ms UTC. */
export const CaptureMessage = z.object({
  project_id: z.int(),
  received_at: z.int(),
  events: z.array(CapturedEvent).min(1)
})
export type CaptureMessage = z.infer<typeof CaptureMessage>

/** A new key for a request, or a part of one, that waits in R2. Earlier versions wrote `capture/<day>/<uuid>.json`. */
export const newSpillKey = ({ project_id, received_at }: Omit<CaptureMessage, 'events'>): string =>
  waitingKey(SPILL_PREFIX, project_id, received_at, crypto.randomUUID())

/** A message whose events lie in R2 names their object. */
export const SpilledMessage = z.object({ spill: z.string().startsWith(SPILL_PREFIX) })

export type QueueMessage = z.infer<typeof SpilledMessage> | CaptureMessage

/** A queue takes 128,000 bytes, about 100 of them for itself. */
export const MAX_MESSAGE_BYTES = 120_000

/** What a consumer stores in one batch of statements: bound values end at 2 MB. */
export const MAX_PART_BYTES = 1_000_000
export const MAX_PART_EVENTS = 1_000

/** Cuts a request into parts that are each stored at once, in order; one part for almost every request. */
export function* splitEvents(
  events: CapturedEvent[]
): Generator<{ events: CapturedEvent[]; bytes: number }> {
  let part: CapturedEvent[] = []
  let bytes = 0
  for (const event of events) {
    const size = byteLength(JSON.stringify(event)) + 1
    if (part.length > 0 && (bytes + size > MAX_PART_BYTES || part.length === MAX_PART_EVENTS)) {
      yield { events: part, bytes }
      part = []
      bytes = 0
    }
    part.push(event)
    bytes += size
  }
  if (part.length > 0) {
    yield { events: part, bytes }
  }
}
