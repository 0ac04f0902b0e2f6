import { createApp } from './app.ts'
import { consumeCapture } from './capture/consumer.ts'
import { consumeColumns } from './columns/consumer.ts'
import { parkDeadLetters } from './dead-letters/park.ts'
import { consumeErasures } from './erasures/engine/consumer.ts'
import { JOBS } from './jobs/jobs.ts'
import { runCron } from './jobs/run.ts'
import type { ConsumerName } from './queues/names.ts'
import { type Consumer, runConsumer } from './queues/run.ts'
import { consumeRecordings } from './recordings/consumer.ts'
import { consumeDeliveries, logDeadDeliveries } from './subscriptions/consumer.ts'

/** The consumer of each queue. `QUEUE_NAMES` in wrangler.toml maps these names to queues. */
const CONSUMERS: Record<ConsumerName, Consumer> = {
  capture: consumeCapture,
  recordings: consumeRecordings,
  erasures: consumeErasures,
  deliveries: consumeDeliveries,
  columns: consumeColumns,
  capture_dead: parkDeadLetters,
  deliveries_dead: logDeadDeliveries
}

const clock = () => new Date()

/**
 * Counts for `/readyz`: the queue batches that this isolate is consuming, and the messages that it
 * has returned to their queue for another delivery.
 */
const work = { consuming: 0, retrying: 0 }

export default {
  fetch: createApp(clock, () => work).fetch,
  queue: (batch, env) => runConsumer(CONSUMERS, batch, { env, clock }, work),
  scheduled: (controller, env) => runCron(JOBS, controller, { env, clock })
} satisfies ExportedHandler<Env>
