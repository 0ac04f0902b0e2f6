import { newUsage } from '../db/client.ts'
import { log } from '../log.ts'
import type { BatchOutcome } from './consume.ts'
import type { Invocation } from './invocation.ts'
import { type ConsumerName, consumerOf } from './names.ts'

/** Consumes a batch and returns the counts to log. */
export type Consumer = (
  batch: MessageBatch,
  invocation: Invocation
) => Promise<Pick<BatchOutcome, 'messages' | 'retried'>>

/** Counts in this isolate: batches in progress, and messages that wait for another delivery. */
export type ConsumerWork = { consuming: number; retrying: number }

/**
 * Passes a batch to the consumer of its queue, and logs the outcome and the cost.
 * @param work counts that `/readyz` reports, updated here
 * @throws when the queue has no consumer
 */
export async function runConsumer(
  consumers: Record<ConsumerName, Consumer>,
  batch: MessageBatch,
  { env, clock }: Pick<Invocation, 'env' | 'clock'>,
  work: ConsumerWork
): Promise<void> {
  const started = clock()
  const usage = newUsage()
  const redelivered = batch.messages.filter(({ attempts }) => attempts > 1).length
  work.retrying = Math.max(0, work.retrying - redelivered)
  work.consuming += 1
  try {
    const consume = consumers[consumerOf(env.QUEUE_NAMES, batch.queue)]
    const summary = await consume(batch, { env, usage, clock })
    work.retrying += summary.retried
    log('info', 'queue batch', {
      queue: batch.queue,
      ...summary,
      ms: clock().getTime() - started.getTime(),
      longest_ms: usage.longestMs,
      rows_read: usage.rowsRead,
      rows_written: usage.rowsWritten
    })
  } finally {
    work.consuming -= 1
  }
}
