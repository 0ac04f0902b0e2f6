import * as z from 'zod'
import { findConflict } from '../db/client.ts'
import { describeError, UnavailableError } from '../errors.ts'
import { log } from '../log.ts'

/** Longest delay before a message is delivered again, seconds. */
export const MAX_DELAY = 3_600

/** Returns the seconds until the next delivery of a message that was delivered `attempts` times. */
export const retryDelay = (attempts: number): number => Math.min(MAX_DELAY, 2 ** attempts)

/**
 * A message that the consumer gave up on, with the reason. The platform itself moves a message to
 * the dead-letter queue if its consumer crashed at every delivery; such a message lacks this
 * wrapper.
 */
export const DeadMessage = z.object({ error: z.string(), attempts: z.int(), dead: z.unknown() })
export type DeadMessage = z.infer<typeof DeadMessage>

/** Thrown for a message that no further delivery can fix: it is malformed, or its project does not exist. */
export class PoisonError extends Error {}

/**
 * The failed delivery after which `retryOrDeadLetter` makes a message a dead letter, with the reason.
 * Must not exceed the queue's `max_retries`: after that many retries, the platform itself moves the
 * message to the dead-letter queue, without a reason.
 */
export const LAST_ATTEMPT = 12

/** The outcome of a failed message. */
export type Failure = 'retried' | 'dropped' | 'dead_lettered'

/** Decides the outcome of a failed message: acknowledges it, or has it delivered again. */
export type Reaction = (message: Message, error: unknown) => Promise<Failure>

/**
 * Has a failed message delivered again, after a longer delay each time; drops a message that can
 * never succeed. For queues whose work is also recorded in the database, where sweeps find it.
 */
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
 * Has a failed message delivered again, after a longer delay each time. A message that can never
 * succeed, or that has failed 12 times, becomes a dead letter with the reason.
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

/**
 * Whether a single message may have caused the error, so that the others succeed without it. An
 * unavailable database, a missing project or a lost race (`ConflictError`) fails all messages that
 * are stored together.
 */
export const mayBeOneMessage = (error: unknown): boolean =>
  !(error instanceof UnavailableError || error instanceof PoisonError || findConflict(error))
