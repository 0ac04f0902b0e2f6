import { UnavailableError } from '../errors.ts'
import { within } from '../pause.ts'
import { discard, PUT_MS } from '../queues/waiting-objects.ts'
import type { CapturedEvent } from './event.ts'
import {
  type CaptureMessage,
  MAX_MESSAGE_BYTES,
  newSpillKey,
  type QueueMessage,
  splitEvents
} from './message.ts'

export type CaptureOutlet = {
  queue: Queue<QueueMessage>
  bucket: R2Bucket
  /** Whether every request goes through the bucket, because the queue does not survive a restart. */
  spillsAll: boolean
}

/**
 * Hands accepted events to the queue, all or none: returning means that they are durable. What is larger than a queue
 * message, or everything if the outlet says so, lies in R2 and is queued by name; the sweep finds it there if its
 * message is lost.
 * @throws unavailable when queue or bucket cannot take them
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
      return void (await queue.send({ ...request, events: first.events }))
    }
    for (const part of parts) {
      const key = newSpillKey(request)
      spilled.push(key)
      const content = JSON.stringify({ ...request, events: part.events })
      await within(PUT_MS, bucket.put(key, content))
    }
    await queue.sendBatch(spilled.map((spill) => ({ body: { spill } })))
  } catch (error) {
    // What is refused will be sent again: the sweep must not find it as well.
    await discard(bucket, spilled)
    throw new UnavailableError('transient error, please retry', error)
  }
}

/** Whether `SPILL` asks for every request to go through the bucket. @throws for any other value than "all" or none */
export function readSpill(text: string): boolean {
  if (text !== '' && text !== 'all') {
    throw new Error(`SPILL must be empty or "all"; got "${text}".`)
  }
  return text === 'all'
}
