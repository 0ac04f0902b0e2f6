import * as z from 'zod'
import { findConflict, isRefusedValue } from '../db/client.ts'
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
export const DeadMessage = z.object({
  error: z.string(),
  attempts: z.int(),
  /** The message; a text if it is not JSON. */
  dead: z.unknown(),
  /** The key of the object in which the message has waited, if it cannot be read. */
  waited_as: z.string().optional()
})
export type DeadMessage = z.infer<typeof DeadMessage>

/** A message that no further delivery can fix: unreadable, or of no project. */
export class PoisonError extends Error {}

/** The errors of computing with a value of the wrong type, size or form. */
const FAULTS_OF_VALUES = [TypeError, RangeError, SyntaxError, z.ZodError]

/**
 * Whether the same message would fail in the same way again: it cannot be read, or the database
 * never takes its values. All other failures are transient: the database, the bucket or a queue did
 * not do its work, and may do it later.
 */
export const isPermanent = (error: unknown): boolean =>
  error instanceof PoisonError ||
  FAULTS_OF_VALUES.some((kind) => error instanceof kind) ||
  isRefusedValue(error)

/**
 * The failed delivery after which `retryOrDeadLetter` makes a message a dead letter, with the
 * reason. Must not exceed the queue's `max_retries`: after that many retries, the platform itself
 * moves the message to the dead-letter queue, without a reason.
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
    if (!isPermanent(error)) {
      return retry(queue, message, error)
    }
    message.ack()
    log('error', 'queue message dropped', describe(queue, message, error))
    return 'dropped'
  }

/**
 * Makes a message that can never succeed a dead letter with the reason, at its first delivery. Has
 * any other failed message delivered again, after a longer delay each time; after 12 failures, it
 * becomes a dead letter, too.
 */
export const retryOrDeadLetter =
  (queue: string, deadQueue: Queue<DeadMessage>): Reaction =>
  async (message, error) => {
    if (!isPermanent(error) && message.attempts < LAST_ATTEMPT) {
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
 * Whether a single message may have caused the error, so that the others succeed without it. A
 * missing project, an unavailable database or a lost race (`ConflictError`) fails all messages that
 * are stored together.
 */
export function mayBeOneMessage(error: unknown): boolean {
  if (error instanceof PoisonError) {
    return false
  }
  return isPermanent(error) || !(error instanceof UnavailableError || findConflict(error))
}
