import { type Db, openDb, type Usage } from '../db/client.ts'
import type { Recipient } from '../db/schema.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { findProjects, findUser, type ProjectRow } from '../projects/store.ts'
import { UserJson } from '../projects/user.ts'
import type { Content } from './content.ts'
import {
  beginSending,
  delayAfter,
  endSending,
  faultOf,
  giveUp,
  isOpen,
  MAX_ATTEMPTS,
  MAX_FAILURES,
  type Sent
} from './delivery.ts'
import type { Digest } from './digest.ts'
import { type Sender, send } from './due.ts'
import { sendEmail, toEmail, toNotice } from './email.ts'
import {
  finishDelivery,
  noteProgress,
  type Outcome,
  postpone,
  takeDelivery,
  wasDelivered
} from './ledger/store.ts'
import { DeliveryMessage } from './message.ts'
import { readContent } from './report.ts'
import { recipientsOf } from './request.ts'
import { summarize } from './schedule.ts'
import { sendSlack } from './slack.ts'
import { type DeliveryRow, findSubscription, type SubscriptionRow } from './store.ts'
import { unsubscribeUrl } from './unsubscribe/ticket.ts'
import { sendWebhook } from './webhook.ts'

/** How long a delivery is held by whoever works on it; each message to a recipient begins it anew. */
const LEASE_MS = 60_000

/** Before what may have arrived is sent once more to a channel that cannot tell, in seconds. */
const DOUBT_SECONDS = 600

/** D1 allows 1,000 queries an invocation: after so many no further insight is begun. */
const MAX_QUERIES = 500

export type DeliveryBindings = {
  control: D1Database
  /** The database that a project's row names. */
  database: (name: string) => D1Database
  queue: Sender
  email: SendEmail | undefined
  emailFrom: string
  /** `OUTBOUND_ALLOW` */
  allow: string
  clock: () => Date
}

/** What an attempt came to; `gone`: there was nothing to do, or it is somebody else's. */
type Attempt = Outcome['status'] | 'postponed' | 'gone'

/**
 * Goes on with deliveries of the ledger. Messages may come twice, at once and in any order, and the work may be cut
 * anywhere: to each recipient goes one message, or one more, which is marked, when nobody knows about the first.
 * @returns what became of them
 */
export async function consumeDeliveries(
  batch: MessageBatch<unknown>,
  bindings: DeliveryBindings,
  usage: Usage
) {
  const attempts: Record<Attempt, number> = {
    delivered: 0,
    failed: 0,
    skipped: 0,
    postponed: 0,
    gone: 0
  }
  let retried = 0
  for (const message of batch.messages) {
    try {
      const parsed = DeliveryMessage.safeParse(message.body)
      if (parsed.success) {
        attempts[await attemptDelivery(parsed.data, bindings, usage)] += 1
      } else {
        log('error', 'not a delivery message', { id: message.id })
      }
      message.ack()
    } catch (error) {
      log('warn', 'delivery message retried', { id: message.id, error: describeError(error) })
      message.retry({ delaySeconds: 2 ** Math.min(message.attempts, 10) })
      retried += 1
    }
  }
  return { messages: batch.messages.length, ...attempts, retried }
}

/** A message that was given up on is of no use any more: the ledger has its delivery, which the next minute sends again. */
export function logDeadDeliveries(batch: MessageBatch<unknown>) {
  for (const { id, body } of batch.messages) {
    const { data } = DeliveryMessage.safeParse(body)
    log('error', 'delivery message dead', {
      id,
      project: data?.project_id ?? null,
      delivery: data?.id ?? null
    })
  }
  return { messages: batch.messages.length, retried: 0 }
}

/** @throws unavailable when the database cannot take the work now */
export async function attemptDelivery(
  message: DeliveryMessage,
  bindings: DeliveryBindings,
  usage: Usage
): Promise<Attempt> {
  const control = openDb(bindings.control, usage).db
  const [project] = await findProjects(control, [message.project_id])
  if (!project) {
    return 'gone'
  }
  const { db } = openDb(bindings.database(project.database), usage)
  const row = await takeDelivery(db, message, LEASE_MS, bindings.clock().getTime())
  if (!row) {
    return 'gone'
  }
  const subscription = await findSubscription(db, project.id, row.subscriptionId)
  if (!subscription) {
    throw new Error(`The delivery ${row.id} is of no subscription.`)
  }

  const delivery = new Delivery(db, bindings, row)
  const idle = whyIdle(row, subscription)
  if (idle) {
    return delivery.finish('skipped', idle)
  }
  if (row.attempts > MAX_ATTEMPTS) {
    return delivery.close()
  }
  try {
    const channel =
      row.kind === 'notice'
        ? await openNotice(control, subscription, bindings)
        : await openChannel(db, project, subscription, row, bindings, usage)
    if (typeof channel === 'string') {
      return await delivery.finish('skipped', channel)
    }
    return await delivery.send(channel)
  } catch (error) {
    log('warn', 'delivery failed', {
      project: project.id,
      delivery: row.id,
      error: describeError(error)
    })
    return delivery.postpone('The service could not make it, and tries again.', 0)
  }
}

/** Why there is no use in a delivery any more. */
function whyIdle(
  { kind }: DeliveryRow,
  { deleted, pausedReason }: SubscriptionRow
): string | undefined {
  if (kind === 'notice') {
    return undefined
  }
  if (deleted) {
    return 'The subscription was deleted before.'
  }
  return kind === 'scheduled' && pausedReason !== null
    ? 'The subscription was paused before.'
    : undefined
}

/** Where digests go, and how. */
type Channel = {
  targets: string[]
  /** Whether a receiver knows a repetition from the first. */
  tellsRepetitions: boolean
  send(target: string): Promise<Sent>
}

async function openNotice(
  control: Db,
  subscription: SubscriptionRow,
  bindings: DeliveryBindings
): Promise<Channel> {
  const author = UserJson.parse(subscription.createdBy)
  const owner = (await findUser(control, author.id)) ?? author
  const { id, projectId, origin } = subscription
  const title = subscription.title || `subscription ${id}`
  const reason = subscription.pausedReason ?? 'It has been resumed since.'
  const email = toNotice(
    title,
    reason,
    `${origin}/api/environments/${projectId}/subscriptions/${id}/`
  )
  return {
    targets: [owner.email],
    tellsRepetitions: false,
    send: (to) => sendEmail(bindings.email, bindings.emailFrom, to, email)
  }
}

/** @returns why there is nothing to send, or the channel */
async function openChannel(
  db: Db,
  project: ProjectRow,
  subscription: SubscriptionRow,
  row: DeliveryRow,
  { email, emailFrom, allow, clock }: DeliveryBindings,
  usage: Usage
): Promise<Channel | string> {
  const content = await readContent(
    db,
    project,
    subscription,
    clock(),
    () => usage.queries > MAX_QUERIES
  )
  if (typeof content === 'string') {
    return content
  }
  const digest = await writeDigest(db, subscription, row, content)
  const { targetType, targetValue, secret } = subscription
  switch (targetType) {
    case 'email':
      return {
        targets: recipientsOf(targetValue),
        tellsRepetitions: false,
        send: async (to) =>
          sendEmail(email, emailFrom, to, toEmail(digest, await unsubscribeUrl(subscription, to)))
      }
    case 'slack':
      return {
        targets: [targetValue],
        tellsRepetitions: false,
        send: (url) => sendSlack(url, digest, allow)
      }
    case 'webhook':
      return {
        targets: [targetValue],
        tellsRepetitions: true,
        send: (url) => sendWebhook(url, secret, digest, { allow, now: clock() })
      }
  }
}

async function writeDigest(
  db: Db,
  subscription: SubscriptionRow,
  row: DeliveryRow,
  content: Content
): Promise<Digest> {
  const { inviteMessage } = subscription
  const invite =
    inviteMessage && row.kind === 'scheduled' && !(await wasDelivered(db, row))
      ? inviteMessage
      : null
  return {
    subscriptionId: subscription.id,
    deliveryId: row.id,
    isTest: row.kind === 'test',
    occurrence: row.occurrence,
    missed: row.missed,
    summary: summarize(subscription),
    invite,
    content
  }
}

/** One attempt of a delivery that this consumer holds. */
class Delivery {
  readonly #db: Db
  readonly #bindings: DeliveryBindings
  readonly #row: DeliveryRow
  #recipients: Recipient[]

  constructor(db: Db, bindings: DeliveryBindings, row: DeliveryRow) {
    this.#db = db
    this.#bindings = bindings
    this.#row = row
    this.#recipients = row.recipients
  }

  /** Sends to each recipient that needs it, noting before and after, so that whoever comes next knows what is certain. */
  async send({ targets, tellsRepetitions, send }: Channel): Promise<Attempt> {
    this.#recipients = addressees(this.#recipients, targets)
    let retryAfter = 0
    for (const [i, recipient] of this.#recipients.entries()) {
      const begun = beginSending(recipient, tellsRepetitions)
      if (!begun) {
        continue
      }
      this.#recipients[i] = begun
      const isHeld = await noteProgress(
        this.#db,
        this.#row,
        this.#recipients,
        this.#now() + LEASE_MS
      )
      if (!isHeld) {
        return 'gone'
      }
      const sent = await send(begun.target)
      this.#recipients[i] = endSending(begun, sent)
      if (sent.kind === 'transient') {
        retryAfter = Math.max(retryAfter, sent.retryAfter ?? 0)
      }
      if (sent.kind === 'uncertain' && !tellsRepetitions) {
        retryAfter = Math.max(retryAfter, DOUBT_SECONDS)
      }
    }
    const isUnfinished = this.#recipients.some((recipient) => isOpen(recipient, tellsRepetitions))
    if (!isUnfinished || this.#row.attempts >= MAX_ATTEMPTS) {
      return this.close()
    }
    return this.postpone(faultOf(this.#recipients) ?? '', retryAfter)
  }

  /** There is no further attempt. */
  close(): Promise<Attempt> {
    const recipients = this.#recipients.map(giveUp)
    const error = recipients.length > 0 ? faultOf(recipients) : 'Each attempt was cut off.'
    return this.finish(error === null ? 'delivered' : 'failed', error, recipients)
  }

  async finish(
    status: Outcome['status'],
    error: string | null,
    recipients = this.#recipients
  ): Promise<Attempt> {
    const notice = await finishDelivery(
      this.#db,
      this.#row,
      { status, recipients, error },
      MAX_FAILURES,
      this.#now()
    )
    if (notice) {
      await send(this.#bindings.queue, [notice])
    }
    return status
  }

  /** @param retryAfter seconds that the receiver asks for */
  async postpone(error: string, retryAfter: number): Promise<Attempt> {
    const seconds = delayAfter(this.#row.attempts, retryAfter)
    await postpone(this.#db, this.#row, this.#recipients, error, this.#now() + seconds * 1000)
    // A second later than the ledger says, so that it is due when it arrives.
    await send(
      this.#bindings.queue,
      [{ id: this.#row.id, project_id: this.#row.projectId }],
      seconds + 1
    )
    return 'postponed'
  }

  #now(): number {
    return this.#bindings.clock().getTime()
  }
}

/** Those who are to get it now, as far as it is known what they got, and those of before who have got it or failed. */
function addressees(known: Recipient[], targets: string[]): Recipient[] {
  const former = known.filter(
    ({ target, status }) => !targets.includes(target) && /sent|failed/.test(status)
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
