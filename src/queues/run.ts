import { newUsage } from '../db/client.ts'
import { log } from '../log.ts'
import type { Outcome } from './consume.ts'
import type { Invocation } from './invocation.ts'
import { type ConsumerName, consumerOf } from './names.ts'

/** Consumes a batch. What it returns is logged. */
export type Consumer = (
  batch: MessageBatch,
  invocation: Invocation
) => Promise<Pick<Outcome, 'messages' | 'retried'>>

/** Batches that this isolate is working on, and messages that it has given back to be delivered again later. */
export type Work = { consuming: number; retrying: number }

/**
 * Has the consumer of the batch's queue consume it, and logs what became of it and what it cost.
 * @param work is kept up to date for `/readyz`
 * @throws when the queue has no consumer
 */
export async function runConsumer(
  consumers: Record<ConsumerName, Consumer>,
  batch: MessageBatch,
  { env, clock }: Pick<Invocation, 'env' | 'clock'>,
  work: Work
): Promise<void> {
  const started = clock()
  const usage = newUsage()
  const again = batch.messages.filter(({ attempts }) => attempts > 1).length
  work.retrying = Math.max(0, work.retrying - again)
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
