import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const Health = z.object({
  queue: z.object({ backlog: z.int(), consuming: z.int(), retrying: z.int() })
})

/**
 * Waits until the queues of the service at `url` are empty, at most `ms`.
 * @returns a description of the messages left, or undefined
 */
export async function drain(url: string, ms = 20_000): Promise<string | undefined> {
  let left: string | undefined
  let quiet = 0
  for (const end = performance.now() + ms; quiet < 2 && performance.now() < end; await sleep(150)) {
    left = await describeQueues(url).catch(() => 'an unknown number of messages')
    quiet = left ? 0 : quiet + 1
  }
  return left
}

async function describeQueues(url: string): Promise<string | undefined> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })
  const { backlog, consuming, retrying } = Health.parse(await response.json()).queue
  const messages = backlog + retrying
  return messages + consuming > 0
    ? `${messages} messages and ${consuming} batches in progress`
    : undefined
}
