import { createApp } from './app.ts'
import { runCron } from './jobs/run.ts'
import { runConsumer } from './queues/run.ts'

/** Loads the consumers and jobs: an isolate that only answers requests does without them. */
const loadBackground = () => import('./background.ts')

const clock = () => new Date()

/**
 * Counts for `/readyz`: the queue batches that this isolate is consuming, and the messages that it
 * has returned to their queue for another delivery.
 */
const work = { consuming: 0, retrying: 0 }

export default {
  fetch: createApp(clock, () => work).fetch,
  queue: async (batch, env) =>
    runConsumer((await loadBackground()).CONSUMERS, batch, { env, clock }, work),
  scheduled: async (controller, env) =>
    runCron((await loadBackground()).JOBS, controller, { env, clock })
} satisfies ExportedHandler<Env>
