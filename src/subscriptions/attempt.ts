import { MINUTE } from '../calendar/units.ts'
import type { Db } from '../db/client.ts'
import type { Recipient } from '../db/schema.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import type { Sent } from '../outbound.ts'
import { openProjectOf } from '../queues/message.ts'
import { type Channel, type DeliveryInvocation, openChannel } from './channel.ts'
import {
  finishDelivery,
  noteProgress,
  type Outcome,
  postpone,
  takeDelivery
} from './deliveries/attempts.store.ts'
import { queueDeliveries } from './due.ts'
import type { DeliveryMessage } from './message.ts'
import {
  beginSending,
  delayAfter,
  endSending,
  faultOf,
  giveUp,
  MAX_ATTEMPTS,
  MAX_FAILURES
} from './outcome.ts'
import { type DeliveryRow, findSubscription, type SubscriptionRow } from './store.ts'

/** Time for which an attempt holds its delivery, ms; each message to a recipient begins it anew. */
const LEASE_MS = MINUTE

/** Seconds before a message that may have arrived goes again to a receiver that cannot tell. */
const DOUBT_SECONDS = 600

/** The result of an attempt. `gone`: the delivery is finished, not due, or held by another. */
export type Attempt = Outcome['status'] | 'postponed' | 'gone'

/**
 * Attempts a stored delivery, if it is due and no other attempt holds it.
 * @throws PoisonError if the project does not exist, HeldError while it is held back, AppError
 * `unavailable` when the database cannot take the work now
 */
export async function attemptDelivery(
  message: DeliveryMessage,
  invocation: DeliveryInvocation
): Promise<Attempt> {
  const open = await openProjectOf(message.project_id, invocation)
  const row = await takeDelivery(open.db, message, LEASE_MS, invocation.clock().getTime())
  if (!row) {
    return 'gone'
  }
  const subscription = await findSubscription(open, row.subscriptionId)
  if (!subscription) {
    throw new Error(`The delivery ${row.id} has no subscription.`)
  }

  const delivery = new Delivery(open.db, row, invocation)
  const unwanted = whyUnwanted(row, subscription)
  if (unwanted) {
    return delivery.finish('skipped', unwanted)
  }
  if (row.attempts > MAX_ATTEMPTS) {
    // A fault of this service ended the last attempt before it could close the delivery.
    return delivery.close()
  }
  try {
    const opened = await openChannel({ open, subscription, row }, invocation)
    if ('skipped' in opened) {
      return await delivery.finish('skipped', opened.skipped)
    }
    return await delivery.sendThrough(opened.channel)
  } catch (error) {
    log('warn', 'delivery failed', {
      project: open.project.id,
      delivery: row.id,
      error: describeError(error)
    })
    return delivery.postpone('A fault of this service stopped the attempt.', 0)
  }
}

/**
 * Returns why a delivery is no longer wanted; undefined while it is. A notice is sent even if the
 * subscription has been deleted, a test even if the subscription is paused.
 */
function whyUnwanted(
  { kind }: DeliveryRow,
  { deleted, pausedReason, checks }: SubscriptionRow
): string | undefined {
  const noun = checks ? 'alert' : 'subscription'
  if (kind === 'notice') {
    return undefined
  }
  if (deleted) {
    return `The ${noun} had been deleted.`
  }
  return kind === 'scheduled' && pausedReason !== null ? `The ${noun} had been paused.` : undefined
}

/** A delivery while an attempt holds it, which finishes or postpones it. */
class Delivery {
  readonly #db: Db
  readonly #row: DeliveryRow
  readonly #invocation: DeliveryInvocation
  #recipients: Recipient[]

  constructor(db: Db, row: DeliveryRow, invocation: DeliveryInvocation) {
    this.#db = db
    this.#row = row
    this.#invocation = invocation
    this.#recipients = row.recipients
  }

  /**
   * Sends to each recipient that still needs a message. Before each message, stores the recipient
   * as `sending` and the outcomes of the messages before, so that the next attempt knows which
   * messages may have arrived.
   */
  async sendThrough(channel: Channel): Promise<Attempt> {
    const { targets, recognisesRepeats } = channel
    this.#recipients = addressees(this.#recipients, targets)
    const asSending = (recipient: Recipient) =>
      targets.includes(recipient.target) ? beginSending(recipient, recognisesRepeats) : undefined
    let retryAfter = 0
    for (const [i, recipient] of this.#recipients.entries()) {
      const begun = asSending(recipient)
      if (!begun) {
        continue
      }
      // If this write throws, nothing is sent: so the recipient keeps its old state until the write
      // has succeeded.
      if (!(await this.#noteProgress(this.#recipients.with(i, begun)))) {
        return 'gone'
      }
      this.#recipients[i] = begun
      const sent = await channel.send(begun.target)
      this.#recipients[i] = endSending(begun, sent)
      retryAfter = Math.max(retryAfter, secondsBeforeRetry(sent, channel))
    }
    const isUnfinished = this.#recipients.some((recipient) => asSending(recipient) !== undefined)
    if (!isUnfinished || this.#row.attempts >= MAX_ATTEMPTS) {
      return this.close()
    }
    return this.postpone(faultOf(this.#recipients) ?? '', retryAfter)
  }

  /** Finishes the delivery for good: recipients that still wait for their message have failed. */
  close(): Promise<Attempt> {
    const fault = this.#row.error ?? 'Each attempt was cut off.'
    const recipients = this.#recipients.map((recipient) => giveUp(recipient, fault))
    const error = recipients.length > 0 ? faultOf(recipients) : fault
    return this.finish(error === null ? 'delivered' : 'failed', error, recipients)
  }

  /** Finishes the delivery. If its failure pauses the subscription, queues the notice too. */
  async finish(
    status: Outcome['status'],
    error: string | null,
    recipients = this.#recipients
  ): Promise<Attempt> {
    const outcome = { status, recipients, error }
    const limits = { maxFailures: MAX_FAILURES, now: this.#now() }
    const notice = await finishDelivery(this.#db, this.#row, outcome, limits)
    if (notice) {
      await queueDeliveries(this.#invocation.env.DELIVERY_QUEUE, [notice])
    }
    return status
  }

  /** @param retryAfter least delay, seconds; see `secondsBeforeRetry` */
  async postpone(error: string, retryAfter: number): Promise<Attempt> {
    const { id, projectId, attempts } = this.#row
    const seconds = delayAfter(attempts, retryAfter)
    const dueAt = this.#now() + seconds * 1000
    await postpone(this.#db, this.#row, { recipients: this.#recipients, error, dueAt })
    // A second later than stored, so that the delivery is due when its message arrives.
    const { DELIVERY_QUEUE } = this.#invocation.env
    await queueDeliveries(DELIVERY_QUEUE, [{ id, project_id: projectId }], seconds + 1)
    return 'postponed'
  }

  /** Stores the recipients' states, holds the delivery a minute more. @returns if it was held */
  #noteProgress(recipients: Recipient[]): Promise<boolean> {
    return noteProgress(this.#db, this.#row, recipients, this.#now() + LEASE_MS)
  }

  #now(): number {
    return this.#invocation.clock().getTime()
  }
}

/**
 * Returns the seconds before a message may be sent again: as the receiver asks, or ten minutes if
 * the message may have arrived and the receiver would not recognise its repetition.
 */
function secondsBeforeRetry(sent: Sent, { recognisesRepeats }: Channel): number {
  if (sent.kind === 'transient') {
    return sent.retryAfter ?? 0
  }
  return sent.kind === 'uncertain' && !recognisesRepeats ? DOUBT_SECONDS : 0
}

/**
 * Returns a recipient for each target: the known one, or a new one. Known recipients that are no
 * longer targets come first, but only those that have failed, and those whom a message has reached
 * or may have reached.
 */
function addressees(known: Recipient[], targets: string[]): Recipient[] {
  // A recipient with `repeated` waits for a further message, but an earlier one may have arrived.
  const isKept = ({ status, repeated }: Recipient) => status !== 'waiting' || repeated
  const former = known.filter(
    (recipient) => !targets.includes(recipient.target) && isKept(recipient)
  )
  const current = targets.map(
    (target): Recipient =>
      known.find((recipient) => recipient.target === target) ?? {
        target,
        status: 'waiting',
        repeated: false,
        error: null
      }
  )
  return [...former, ...current]
}
