import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const Health = z.object({
  queue: z.object({ backlog: z.int(), consuming: z.int(), retrying: z.int() })
})

/** Pause after a check, ms. If less time than this is left, no further check begins: it would probably be cut off. */
const PAUSE_MS = 150

/** How long one check may take, ms. */
const CHECK_MS = 5000

const UNKNOWN = 'an unknown number of messages'

/**
 * Waits until two checks in a row find the queues of the service at `url` empty, at most `ms`.
 * @returns a description of the messages left; undefined only after two such checks
 */
export async function drain(url: string, ms = 20_000): Promise<string | undefined> {
  const end = performance.now() + ms
  let left: string | undefined
  let quiet = 0
  let rest = ms
  while (quiet < 2 && rest > PAUSE_MS) {
    left = await describeQueues(url, Math.min(rest, CHECK_MS)).catch(() => UNKNOWN)
    quiet = left ? 0 : quiet + 1
    await sleep(PAUSE_MS)
    rest = end - performance.now()
  }
  return quiet < 2 ? (left ?? UNKNOWN) : undefined
}

async function describeQueues(url: string, ms: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(Math.ceil(ms))
  const response = await fetch(`${url}/readyz`, { signal })
  const { backlog, consuming, retrying } = Health.parse(await response.json()).queue
  const messages = backlog + retrying
  return messages + consuming > 0
    ? `${messages} messages and ${consuming} batches in progress`
    : undefined
}
