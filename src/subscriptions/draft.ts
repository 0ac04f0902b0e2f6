import type { OpenProject } from '../access/open.ts'
import { toIso } from '../calendar/clock.ts'
import type { Email } from '../email.ts'
import { isSpent } from '../queues/invocation.ts'
import { DELIVERY_QUERIES, writeDigest } from './channel.ts'
import { type Creation, composeSubscription } from './create.ts'
import { toEmail } from './email.ts'
import { paintChart } from './picture/picture.ts'
import { readContent } from './report.ts'
import type { SubscriptionDraft } from './request.ts'
import { nextOccurrences, summarize } from './schedule.ts'
import type { SubscriptionDraftPreview } from './schemas.ts'
import { toBlocks } from './slack.ts'
import type { DeliveryRow, SubscriptionRow } from './store.ts'
import { recipientsOf } from './terms.ts'
import { unsubscribeUrl } from './unsubscribe/ticket.ts'
import { toPayload } from './webhook.ts'

/** The id of a subscription, and of a delivery, that are not stored. */
const UNSTORED = 0

type Drafting = {
  open: OpenProject
  draft: SubscriptionDraft
  creation: Pick<Creation, 'user' | 'origin' | 'outboundAllow' | 'now'>
  /** Why this deployment cannot send e-mails; null if it can. */
  mailFault: string | null
  /** The number of occurrences to list. */
  n: number
}

/**
 * Shows when a subscription would be delivered, and its first message with the numbers of now.
 * Nothing is stored, so the links of the message lead nowhere.
 * @throws invalid_input, does_not_exist, as creating the subscription would; unavailable
 */
export async function previewDraft({
  open,
  draft,
  creation,
  mailFault,
  n
}: Drafting): Promise<SubscriptionDraftPreview> {
  const now = creation.now.getTime()
  const subscription = await composeDraft(open, draft, creation)
  const [first = now, ...others] = await nextOccurrences(subscription, now, Math.max(2, n))
  const coming = { ...subscription, nextDeliveryDate: others[0] ?? null }
  const shown = {
    summary: summarize(subscription),
    timezone: subscription.timezone,
    results: [first, ...others].slice(0, n).map((time) => toIso(time))
  }
  const report = await readContent(open, coming, creation.now, () =>
    isSpent(open.usage, DELIVERY_QUERIES)
  )
  if ('skipped' in report) {
    return { ...shown, email: null, body: null, warning: report.skipped }
  }
  const attempted = { open, subscription: coming, row: deliveryAt(coming, first) }
  const digest = await writeDigest(attempted, report, null)
  switch (coming.targetType) {
    case 'email': {
      const painted = await paintChart(open, report, () => isSpent(open.usage, DELIVERY_QUERIES))
      const [to = ''] = recipientsOf(coming.targetValue)
      const unsubscribe = await unsubscribeUrl(coming, to)
      const { subject, text, ...email } = toEmail(digest, painted, { to, unsubscribe })
      return {
        ...shown,
        email: { subject, text, html: withPictures(email) },
        body: null,
        warning: mailFault
      }
    }
    case 'slack':
      return { ...shown, email: null, body: toBlocks(digest), warning: null }
    case 'webhook':
      return { ...shown, email: null, body: toPayload(digest), warning: null }
  }
}

/** Without recipients, the draft is checked as an e-mail to its author. */
async function composeDraft(
  { db, project }: OpenProject,
  draft: SubscriptionDraft,
  creation: Drafting['creation']
): Promise<SubscriptionRow> {
  const { target_value: target = creation.user.email } = draft
  const targetType = draft.target_value === undefined ? 'email' : draft.target_type
  const input = { ...draft, target_type: targetType, target_value: target }
  const row = await composeSubscription(db, { project, ...creation, input }, async () => UNSTORED)
  return { ...row, targetType: draft.target_type }
}

/** The first delivery of a subscription. */
const deliveryAt = ({ id, projectId }: SubscriptionRow, occurrence: number): DeliveryRow => ({
  id: UNSTORED,
  projectId,
  subscriptionId: id,
  kind: 'scheduled',
  occurrence,
  missed: 0,
  status: 'queued',
  attempts: 0,
  dueAt: occurrence,
  recipients: [],
  error: null,
  verdict: null,
  createdAt: occurrence,
  finishedAt: null
})

/** Returns the HTML of an e-mail with its attached pictures in it. */
const withPictures = ({ html, attachments }: Pick<Email, 'html' | 'attachments'>): string =>
  attachments.reduce(
    (page, { contentId, type, content }) =>
      page.replaceAll(`cid:${contentId}`, `data:${type};base64,${content}`),
    html
  )
