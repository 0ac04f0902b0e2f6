import { putObject } from '../bucket.ts'
import { UnavailableError } from '../errors.ts'
import { discard, PUT_MS } from '../queues/waiting-objects.ts'
import { within } from '../turns.ts'
import type { CapturedEvent } from './event.ts'
import {
  type CaptureMessage,
  MAX_MESSAGE_BYTES,
  newSpillKey,
  type QueuedEvents,
  splitEvents
} from './message.ts'

export type CaptureOutlet = {
  queue: Queue<QueuedEvents>
  bucket: R2Bucket
  /** Whether every request waits in R2: where the queue does not survive a restart. */
  spillsAll: boolean
}

/**
 * Hands accepted events to the queue, all or none; they are durable when this returns. A request
 * larger than a queue message is written to R2 and queued by its key; with `spillsAll`, every
 * request is. If the message of an object is lost, the sweep queues the object again.
 * @throws unavailable when the queue or the R2 bucket does not accept them
 */
export async function enqueueEvents(
  { queue, bucket, spillsAll }: CaptureOutlet,
  request: Omit<CaptureMessage, 'events'>,
  events: CapturedEvent[]
): Promise<void> {
  const parts = [...splitEvents(events)]
  const [first] = parts
  const spilled: string[] = []
  try {
    if (!spillsAll && first && parts.length === 1 && first.bytes <= MAX_MESSAGE_BYTES) {
      await queue.send({ ...request, events: first.events })
      return
    }
    for (const part of parts) {
      const key = newSpillKey(request)
      spilled.push(key)
      const content = JSON.stringify({ ...request, events: part.events })
      await within(PUT_MS, putObject(bucket, key, content))
    }
    await queue.sendBatch(spilled.map((spill) => ({ body: { spill } })))
  } catch (error) {
    // The SDK repeats a refused request, so the sweep must not find these objects.
    await discard(bucket, spilled)
    throw new UnavailableError('transient error, please retry', error)
  }
}
