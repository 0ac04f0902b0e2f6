import { log } from '../log.ts'
import { consumeEach } from '../queues/consume.ts'
import { retryOrDrop } from '../queues/failure.ts'
import { readMessage } from '../queues/message.ts'
import { type Attempt, attemptDelivery } from './attempt.ts'
import type { DeliveryInvocation } from './channel.ts'
import { DeliveryMessage } from './message.ts'

/**
 * Attempts stored deliveries. Queue messages may arrive twice, at the same time and in any order,
 * and an attempt may be interrupted anywhere. Even so, a recipient is sent the same digest again
 * only if it is unknown whether the first arrived.
 * @returns the outcomes of the queue messages, and the number of attempts by their result
 */
export async function consumeDeliveries(batch: MessageBatch, invocation: DeliveryInvocation) {
  const attempts: Record<Attempt, number> = {
    delivered: 0,
    failed: 0,
    skipped: 0,
    postponed: 0,
    gone: 0
  }
  const outcome = await consumeEach(
    batch,
    async ({ body }) => {
      const message = readMessage(DeliveryMessage, 'a delivery message', body)
      attempts[await attemptDelivery(message, invocation)] += 1
    },
    retryOrDrop(batch.queue)
  )
  return { ...outcome, ...attempts }
}

/** Logs dead letters. No delivery is lost: it is stored, and a later cron queues it again. */
export async function logDeadDeliveries(batch: MessageBatch) {
  for (const { id, body } of batch.messages) {
    const { data } = DeliveryMessage.safeParse(body)
    log('error', 'delivery message dead', {
      id,
      project: data?.project_id ?? null,
      delivery: data?.id ?? null
    })
  }
  return { messages: batch.messages.length, retried: 0 }
}
