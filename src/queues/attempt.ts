import * as z from 'zod'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'

/** Longest delay of a queue's message, seconds. */
export const MAX_DELAY = 3_600

/** Seconds until a message's next delivery, after this many. */
export const retryDelay = (attempts: number): number => Math.min(MAX_DELAY, 2 ** attempts)

/**
 * A message that the consumer gave up on, with the reason. What the platform itself moves to the dead-letter queue,
 * because a consumer died with it at every delivery, comes without this wrapping.
 */
export const DeadMessage = z.object({ error: z.string(), attempts: z.int(), dead: z.unknown() })
export type DeadMessage = z.infer<typeof DeadMessage>

/** A fault that no repetition will mend. */
export class PoisonError extends Error {}

/** Below the queue's `max_retries`: the consumer itself buries a message at this delivery, because it knows why. */
export const LAST_ATTEMPT = 12

/** Has a message that could not be processed come again later or, after the last time, buries it with the reason. */
export async function giveBack(
  message: Message,
  deadQueue: Queue<DeadMessage>,
  error: unknown
): Promise<'retried' | 'buried'> {
  const line = { id: message.id, attempts: message.attempts, error: describeError(error) }
  if (!(error instanceof PoisonError) && message.attempts < LAST_ATTEMPT) {
    message.retry({ delaySeconds: retryDelay(message.attempts) })
    log('warn', 'capture message retried', line)
    return 'retried'
  }
  try {
    await deadQueue.send({ error: line.error, attempts: message.attempts, dead: message.body })
    message.ack()
    log('error', 'capture message buried', line)
    return 'buried'
  } catch {
    message.retry({ delaySeconds: MAX_DELAY })
    return 'retried'
  }
}
