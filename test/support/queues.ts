import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { z } from 'zod'

const Config = z.object({
  queues: z.object({
    consumers: z.array(
      z.object({
        queue: z.string(),
        max_batch_size: z.int(),
        max_retries: z.int(),
        dead_letter_queue: z.string().optional()
      })
    )
  })
})

/** Seconds for which a test queue waits for a full batch; in wrangler.toml, it is 1 or 5. */
const BATCH_TIMEOUT = 0.1

/**
 * Returns the queue consumers of wrangler.toml as Miniflare options. Queues wait only briefly for a
 * full batch, and deliver a retried message at once unless the Worker asks for a delay.
 */
export function quickConsumers() {
  const { queues } = Config.parse(parse(readFileSync('wrangler.toml', 'utf8')))
  return Object.fromEntries(
    queues.consumers.map((consumer) => [
      consumer.queue,
      {
        maxBatchSize: consumer.max_batch_size,
        maxBatchTimeout: BATCH_TIMEOUT,
        maxRetries: consumer.max_retries,
        // `untilQuiet` does not wait for delayed messages, because they are not in the backlog, and
        // they could arrive during a later test file. So none is delayed by default.
        retryDelay: 0,
        ...(consumer.dead_letter_queue && { deadLetterQueue: consumer.dead_letter_queue })
      }
    ])
  )
}
