import * as z from 'zod'
import { byteLength } from '../input/json.ts'
import { SPILL_PREFIX, waitingKey } from '../queues/waiting-objects.ts'
import { CapturedEvent } from './event.ts'

/** The events of a capture request, or of one part of a large request. `received_at` is ms UTC. */
export const CaptureMessage = z.object({
  project_id: z.int(),
  received_at: z.int(),
  events: z.array(CapturedEvent).min(1)
})
export type CaptureMessage = z.infer<typeof CaptureMessage>

/** Makes the R2 key under which the events of a message wait. */
export const newSpillKey = ({ project_id, received_at }: Omit<CaptureMessage, 'events'>): string =>
  waitingKey(SPILL_PREFIX, project_id, received_at, crypto.randomUUID())

/** A message whose events wait in R2, under the key `spill`. */
export const SpilledMessage = z.object({ spill: z.string().startsWith(SPILL_PREFIX) })

export type QueuedEvents = z.infer<typeof SpilledMessage> | CaptureMessage

/**
 * Largest total size of the events in a queue message, bytes of JSON. Cloudflare Queues accept
 * 128,000 bytes per message, including its other fields.
 */
export const MAX_MESSAGE_BYTES = 120_000

/**
 * Largest total size of the events stored in one batch of statements, bytes of JSON: D1 binds
 * values of at most 2 MB. A larger event is stored in a batch of its own.
 */
export const MAX_PART_BYTES = 1_000_000
/** Maximum number of events stored in one batch of statements. */
export const MAX_PART_EVENTS = 1_000

/**
 * Splits the events of a request, in order, into parts that are stored one at a time. Almost every
 * request is one part. `bytes` is the size of the part's events as JSON.
 */
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
