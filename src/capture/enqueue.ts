import { UnavailableError } from '../errors.ts'
import type { CapturedEvent } from './event.ts'
import {
  type CaptureMessage,
  MAX_MESSAGE_BYTES,
  type QueueMessage,
  SPILL_PREFIX,
  splitEvents
} from './message.ts'

/**
 * Hands accepted events to the queue, all or none: returning means that they are durable. What is larger than a queue
 * message lies in R2 and is queued by name.
 * @throws unavailable when queue or bucket cannot take them
 */
export async function enqueueEvents(
  queue: Queue<QueueMessage>,
  bucket: R2Bucket,
  request: Omit<CaptureMessage, 'events'>,
  events: CapturedEvent[]
): Promise<void> {
  const parts = [...splitEvents(events)]
  const [first] = parts
  try {
    if (first && parts.length === 1 && first.bytes <= MAX_MESSAGE_BYTES) {
      return void (await queue.send({ ...request, events: first.events }))
    }
    const messages = []
    for (const part of parts) {
      messages.push({ body: await spill(bucket, { ...request, events: part.events }) })
    }
    await queue.sendBatch(messages)
  } catch (error) {
    throw new UnavailableError('transient error, please retry', error)
  }
}

async function spill(bucket: R2Bucket, message: CaptureMessage): Promise<QueueMessage> {
  const day = new Date(message.received_at).toISOString().slice(0, 10)
  const key = `${SPILL_PREFIX}${day}/${crypto.randomUUID()}.json`
  await bucket.put(key, JSON.stringify(message))
  return { spill: key }
}
