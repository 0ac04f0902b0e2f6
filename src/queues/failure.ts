import * as z from 'zod'
import { findConflict } from '../db/client.ts'
import { describeError, UnavailableError } from '../errors.ts'
import { log } from '../log.ts'

/** Longest delay before a message is delivered again, seconds. */
export const MAX_DELAY = 3_600

/** Seconds until a message's next delivery, after this many. */
export const retryDelay = (attempts: number): number => Math.min(MAX_DELAY, 2 ** attempts)

/**
 * A message that the consumer gave up on, with the reason. A message that the platform itself moves to the dead-letter
 * queue, because a consumer died with it at every delivery, comes without this wrapping.
 */
export const DeadMessage = z.object({ error: z.string(), attempts: z.int(), dead: z.unknown() })
export type DeadMessage = z.infer<typeof DeadMessage>

/** A fault of a message that no further delivery will cure. */
export class PoisonError extends Error {}

/**
 * The delivery at which a consumer itself makes a message a dead letter, since it knows the reason: below the queue's
 * `max_retries`, after which the platform would.
 */
export const LAST_ATTEMPT = 12

/** What becomes of a message that its consumer failed with. */
export type Failure = 'retried' | 'dropped' | 'dead_lettered'

/** Decides what becomes of a failed message, and acknowledges it or has it delivered again. */
export type Reaction = (message: Message, error: unknown) => Promise<Failure>

/** Delivers a failed message again, later each time; one that can never succeed is dropped. For queues whose work is a row. */
export const retryOrDrop =
  (queue: string): Reaction =>
  async (message, error) => {
    if (!(error instanceof PoisonError)) {
      return retry(queue, message, error)
    }
    message.ack()
    log('error', 'queue message dropped', describe(queue, message, error))
    return 'dropped'
  }

/**
 * Delivers a failed message again, later each time. One that can never succeed, or that has failed 12 times, becomes a
 * dead letter with the reason.
 */
export const retryOrDeadLetter =
  (queue: string, deadQueue: Queue<DeadMessage>): Reaction =>
  async (message, error) => {
    if (!(error instanceof PoisonError) && message.attempts < LAST_ATTEMPT) {
      return retry(queue, message, error)
    }
    const line = describe(queue, message, error)
    try {
      await deadQueue.send({ error: line.error, attempts: message.attempts, dead: message.body })
      message.ack()
      log('error', 'queue message dead-lettered', line)
      return 'dead_lettered'
    } catch {
      message.retry({ delaySeconds: MAX_DELAY })
      return 'retried'
    }
  }

function retry(queue: string, message: Message, error: unknown): 'retried' {
  message.retry({ delaySeconds: retryDelay(message.attempts) })
  log('warn', 'queue message retried', describe(queue, message, error))
  return 'retried'
}

const describe = (queue: string, { id, attempts }: Message, error: unknown) => ({
  queue,
  id,
  attempts,
  error: describeError(error)
})

/** Whether an error may be the fault of one message: the database and a missing project fail all of a project's messages. */
export const mayBeOfOne = (error: unknown): boolean =>
  !(error instanceof UnavailableError || error instanceof PoisonError || findConflict(error))
