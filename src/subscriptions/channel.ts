import type { OpenProject } from '../access/open.ts'
import { findUser } from '../access/store.ts'
import { UserJson } from '../access/user.ts'
import { openControl } from '../db/client.ts'
import { sendEmail } from '../email.ts'
import { onOneLine } from '../input/show.ts'
import type { Sent } from '../outbound.ts'
import { type Invocation, isSpent } from '../queues/invocation.ts'
import type { Sender } from '../queues/send.ts'
import { checkAlert } from './alerts/open.ts'
import { describeChecks } from './alerts/schedule.ts'
import { findAlertOf } from './alerts/store.ts'
import type { InsightPart } from './content.ts'
import { wasDelivered } from './deliveries/attempts.store.ts'
import type { AlertNews, Digest } from './digest.ts'
import { toEmail, toNotice } from './email.ts'
import type { DeliveryMessage } from './message.ts'
import { paintChart, picturesOf } from './picture/picture.ts'
import { pageUrl } from './picture/ticket.ts'
import { type Report, readContent } from './report.ts'
import { summarize } from './schedule.ts'
import { sendSlack } from './slack.ts'
import type { DeliveryRow, SubscriptionRow } from './store.ts'
import { recipientsOf } from './terms.ts'
import { unsubscribeUrl } from './unsubscribe/ticket.ts'
import { sendWebhook } from './webhook.ts'

/**
 * Queries after which a delivery starts no further insight: one insight may take hundreds, and D1
 * allows 1,000 per invocation.
 */
export const DELIVERY_QUERIES = 500

export type DeliveryInvocation = Invocation<
  Pick<Env, 'DB' | 'EMAIL_FROM' | 'OUTBOUND_ALLOW'> & {
    DELIVERY_QUEUE: Sender<DeliveryMessage>
    EMAIL?: SendEmail
  }
>

/** A delivery being attempted, with its project and subscription. */
export type Attempted = { open: OpenProject; subscription: SubscriptionRow; row: DeliveryRow }

/** The targets of a delivery, and the function that sends the delivery to one of them. */
export type Channel = {
  targets: string[]
  /** Whether the receiver can recognise a repeated message. */
  recognisesRepeats: boolean
  send(target: string): Promise<Sent>
}

/** A channel, or the reason to skip the delivery. */
export type ChannelOrSkip = { channel: Channel } | { skipped: string }

/**
 * Composes the message of a delivery and returns its channel, or the reason to skip the delivery.
 */
export async function openChannel(
  attempted: Attempted,
  invocation: DeliveryInvocation
): Promise<ChannelOrSkip> {
  if (attempted.row.kind === 'notice') {
    return openNotice(attempted, invocation)
  }
  const { open, subscription } = attempted
  const { usage, clock } = invocation
  const news = subscription.checks
    ? await checkAlert(attempted, { checks: subscription.checks, now: clock() })
    : null
  if (news && 'skipped' in news) {
    return news
  }
  const report = await readContent(open, subscription, clock(), () =>
    isSpent(usage, DELIVERY_QUERIES)
  )
  if ('skipped' in report) {
    return report
  }
  const digest = await writeDigest(attempted, report, news)
  return { channel: await channelOf(attempted, report, digest, invocation) }
}

/**
 * Returns the channel of the e-mail that tells the owner that the subscription was paused. Once the
 * subscription is resumed, returns the reason to skip the e-mail.
 */
async function openNotice(
  { open, subscription }: Attempted,
  { env, usage }: DeliveryInvocation
): Promise<ChannelOrSkip> {
  const { id, projectId, origin, pausedReason } = subscription
  if (pausedReason === null) {
    return { skipped: 'The subscription had been resumed.' }
  }
  // `createdBy` has the author's address of that time; the notice goes to the current one.
  const author = UserJson.parse(subscription.createdBy)
  const owner = (await findUser(openControl(env, usage).db, author.id)) ?? author
  const alert = subscription.checks ? await findAlertOf(open.db, subscription) : undefined
  const noun = alert ? 'alert' : 'subscription'
  const path = alert ? `alerts/${alert.id}` : `subscriptions/${id}`
  const paused = {
    title: onOneLine(subscription.title || `${noun} ${alert?.id ?? id}`),
    url: `${origin}/api/environments/${projectId}/${path}/`,
    noun
  } as const
  const email = toNotice(paused, pausedReason)
  const channel: Channel = {
    targets: [owner.email],
    recognisesRepeats: false,
    send: (to) => sendEmail(env.EMAIL, env.EMAIL_FROM, to, email)
  }
  return { channel }
}

async function channelOf(
  { open, subscription }: Attempted,
  report: Exclude<Report, { skipped: string }>,
  digest: Digest,
  { env, usage, clock }: DeliveryInvocation
): Promise<Channel> {
  const { targetType, targetValue, secret } = subscription
  const allow = env.OUTBOUND_ALLOW
  switch (targetType) {
    case 'email': {
      const painted = await paintChart(open, report, () => isSpent(usage, DELIVERY_QUERIES))
      return {
        targets: recipientsOf(targetValue),
        recognisesRepeats: false,
        async send(to) {
          const unsubscribe = await unsubscribeUrl(subscription, to)
          const email = toEmail(digest, painted, { to, unsubscribe })
          return sendEmail(env.EMAIL, env.EMAIL_FROM, to, email)
        }
      }
    }
    case 'slack':
      return {
        targets: [targetValue],
        recognisesRepeats: false,
        send: (url) => sendSlack(url, digest, { allow, now: clock() })
      }
    case 'webhook':
      return {
        targets: [targetValue],
        recognisesRepeats: true,
        send: (url) => sendWebhook(url, secret, digest, { allow, now: clock() })
      }
  }
}

/** Writes the message of a delivery from its content. */
export async function writeDigest(
  { open, subscription, row }: Attempted,
  { content, charted }: Exclude<Report, { skipped: string }>,
  news: AlertNews | null
): Promise<Digest> {
  const isCharted =
    subscription.targetType === 'webhook'
      ? () => true
      : ({ insight }: InsightPart) => insight === charted?.insight
  return {
    subscriptionId: subscription.id,
    deliveryId: row.id,
    isTest: row.kind === 'test',
    occurrence: row.occurrence,
    missed: row.missed,
    summary: subscription.checks ? describeChecks(subscription.checks) : summarize(subscription),
    next: subscription.nextDeliveryDate,
    invite:
      subscription.inviteMessage && (await isInviting(open, row))
        ? subscription.inviteMessage
        : null,
    content: news ? { ...content, name: headlineOf(content.name, news) } : content,
    charts: await picturesOf(subscription, { ...content, parts: content.parts.filter(isCharted) }),
    page: await pageUrl(subscription, content.at),
    alert: news
  }
}

const EVENTS = { firing: 'Alert', over: 'Over', error: 'Cannot be checked' }

/** `Alert: Too few sign-ups`, `Over: Too few sign-ups` */
const headlineOf = (name: string, { verdict }: AlertNews): string =>
  `${EVENTS[verdict.event ?? 'firing']}: ${name}`

/**
 * Whether a delivery has the subscription's invite message: the first scheduled one, and tests,
 * which show what the first one looks like. Failed deliveries do not count.
 */
const isInviting = async ({ db }: OpenProject, row: DeliveryRow): Promise<boolean> =>
  row.kind === 'test' || (row.kind === 'scheduled' && !(await wasDelivered(db, row)))
