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

/** Seconds for which test queues gather a batch, instead of those in wrangler.toml. */
const BATCH_TIMEOUT = 0.1

/** The queue consumers of wrangler.toml as Miniflare options, but without waiting for a full batch or before a retry. */
export function quickConsumers() {
  const { queues } = Config.parse(parse(readFileSync('wrangler.toml', 'utf8')))
  return Object.fromEntries(
    queues.consumers.map((consumer) => [
      consumer.queue,
      {
        maxBatchSize: consumer.max_batch_size,
        maxBatchTimeout: BATCH_TIMEOUT,
        maxRetries: consumer.max_retries,
        // A delayed message is not in the backlog: it could arrive in a later file.
        retryDelay: 0,
        ...(consumer.dead_letter_queue && { deadLetterQueue: consumer.dead_letter_queue })
      }
    ])
  )
}
