import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { allow } from '../http/auth.ts'
import { createRouter } from '../http/env.ts'
import { describe, type Refusal } from '../http/openapi.ts'
import { PageQuery, pageOf, pageSchema, pageSize } from '../http/page.ts'
import { expectUnchanged } from '../http/unchanged.ts'
import { validateBody, validateHeader, validatePath, validateQuery } from '../http/validation.ts'
import { Flag, KnownId, Whole, wholeFrom } from '../input/parameters.ts'
import { findDashboard } from '../insights/dashboards/store.ts'
import { findInsight } from '../insights/store.ts'
import { userToJson } from '../projects/user.ts'
import { claim } from './due.ts'
import {
  changeTerms,
  expectFuture,
  newTerms,
  SubscriptionChange,
  SubscriptionInput,
  type Terms
} from './request.ts'
import { nextOccurrence, nextOccurrences, summarize } from './schedule.ts'
import { SubscriptionJson, subscriptionToJson } from './schemas.ts'
import { newSecret } from './signature.ts'
import {
  findAnswer,
  getSubscription,
  insertSubscription,
  listSubscriptions,
  ORDERINGS,
  reserveSubscriptionId,
  type SubscriptionRow,
  updateSubscription
} from './store.ts'

const MAX_PREVIEW = 100
const PAUSED_BY_HAND = 'Paused by a user.'

const SubscriptionPath = z.object({ id: KnownId })
const SubscriptionPage = pageSchema('SubscriptionPage', SubscriptionJson)
const LimitOffset = PageQuery.omit({ cursor: true })

const ListQuery = z.object({
  ...LimitOffset.shape,
  dashboard: Whole.optional().meta({ description: 'Only those of this dashboard.' }),
  insight: Whole.optional().meta({ description: 'Only those of this insight.' }),
  deleted: Flag.optional().meta({
    description: '`true` lists those that are deleted, and only those.'
  }),
  search: z.string().max(200).optional().meta({
    description:
      'Part of the title, or of the name of the dashboard or insight; the case of A to Z makes no difference.'
  }),
  ordering: z
    .enum(ORDERINGS.flatMap((name) => [name, `-${name}` as const]))
    .optional()
    .meta({ description: 'The newest first unless given. With `-` from the highest down.' })
})

const IdempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'An idempotency key has 1 to 255 visible ASCII characters.')
    .optional()
    .meta({
      description: 'Of any choice: the same request with the same key within 24 hours is done once.'
    })
})

const PreviewQuery = z.object({
  n: wholeFrom(1)
    .refine((n) => n <= MAX_PREVIEW, `Ensure this value is less than or equal to ${MAX_PREVIEW}.`)
    .default(10)
    .meta({ description: 'How many.' })
})

const Preview = z
  .object({ summary: z.string(), timezone: z.string(), results: z.array(z.iso.datetime()) })
  .meta({
    id: 'SubscriptionPreview',
    examples: [
      {
        summary: 'sent every week on Monday',
        timezone: 'Europe/Berlin',
        results: ['2026-11-23T08:00:00Z']
      }
    ]
  })

const NOT_FOUND: Refusal = ['not_found', 'Not found.']
const WRITE_REFUSALS: Refusal[] = [
  ['does_not_exist', 'Invalid pk "9" - object does not exist.', 'insight'],
  ['max_value', 'Ensure this value is less than or equal to 2147483647.', 'interval']
]

const LIST = describe({
  id: 'subscriptions_list',
  tag: 'Subscriptions',
  summary: 'List subscriptions',
  answers: { 200: { text: 'A page of subscriptions.', schema: SubscriptionPage } }
})
const CREATE = describe({
  id: 'subscriptions_create',
  tag: 'Subscriptions',
  summary: 'Create a subscription',
  description: `Delivers insights to e-mail addresses, a Slack channel or a webhook, when its schedule says: an iCalendar \
recurrence on the clock of \`timezone\`, also after clocks change. An hour that the clock skips becomes the moment after \
it, and one that it repeats counts once. Of a webhook the answer has the secret that signs its requests, once.`,
  answers: { 201: { text: 'The subscription.', schema: SubscriptionJson } },
  refusals: [
    ...WRITE_REFUSALS,
    ['invalid_input', 'This address is in a private network.', 'target_value'],
    ['conflict', 'This idempotency key was used for another request.', 'Idempotency-Key']
  ]
})
const RETRIEVE = describe({
  id: 'subscriptions_retrieve',
  tag: 'Subscriptions',
  summary: 'Retrieve a subscription',
  answers: { 200: { text: 'The subscription, also a deleted one.', schema: SubscriptionJson } },
  refusals: [NOT_FOUND]
})
const UPDATE = describe({
  id: 'subscriptions_partial_update',
  tag: 'Subscriptions',
  summary: 'Change a subscription',
  description: `Changes what the body names. \`deleted\` and \`paused\` stop it and, with \`false\`, have it go on with the \
next occurrence. What is due already is delivered.`,
  answers: { 200: { text: 'The subscription.', schema: SubscriptionJson } },
  refusals: [NOT_FOUND, ...WRITE_REFUSALS]
})
const DESTROY = describe({
  id: 'subscriptions_destroy',
  tag: 'Subscriptions',
  summary: 'Delete a subscription',
  description:
    'Nothing is delivered any more, not what is under way either. PATCH with `deleted: false` brings it back.',
  answers: { 204: { text: 'It is deleted.' } },
  refusals: [NOT_FOUND]
})
const PREVIEW = describe({
  id: 'subscriptions_preview',
  tag: 'Subscriptions',
  summary: 'Say when it will be delivered',
  description: 'The next occurrences; of a paused or deleted one those that it would have.',
  answers: { 200: { text: 'The next occurrences.', schema: Preview } },
  refusals: [NOT_FOUND, ['min_value', 'Ensure this value is greater than or equal to 1.', 'n']]
})

export const subscriptionRoutes = createRouter()
  .get('/subscriptions', LIST, allow('subscription:read'), validateQuery(ListQuery), async (c) => {
    const { limit, offset, ordering, deleted, ...filters } = c.req.valid('query')
    const size = pageSize(limit)
    const by = ORDERINGS.find((name) => ordering?.endsWith(name))
    const listing = {
      ...filters,
      deleted: deleted ?? false,
      ordering: by && { by, isDescending: ordering?.startsWith('-') ?? false }
    }
    const { rows, count } = await listSubscriptions(c.var.db, c.var.project.id, listing, {
      limit: size,
      offset
    })
    const results = rows.map(subscriptionToJson)
    return c.json(
      pageOf(c.req.url, { results, count, size, offset, hasMore: offset + rows.length < count })
    )
  })
  .post(
    '/subscriptions',
    CREATE,
    allow('subscription:write'),
    validateHeader(IdempotencyHeader),
    validateBody(SubscriptionInput),
    async (c) => {
      const { db, project, user, now } = c.var
      const input = c.req.valid('json')
      const { 'Idempotency-Key': key } = c.req.valid('header')
      const hash = await sha256(JSON.stringify(input))
      const answer = await retryConflicts(async () => {
        const asked =
          key === undefined ? undefined : { projectId: project.id, userId: user.id, key }
        const earlier = asked && (await findAnswer(db, asked, now))
        if (earlier && earlier.hash !== hash) {
          throw new AppError(
            'conflict',
            'This idempotency key was used for another request.',
            'Idempotency-Key'
          )
        }
        if (earlier) {
          return SubscriptionJson.parse(JSON.parse(earlier.answer))
        }

        const terms = changeTerms(newTerms(project.timezone), input, c.env.OUTBOUND_ALLOW)
        if (!terms.deleted) {
          expectFuture(terms, now.getTime())
        }
        await expectContents(db, project.id, terms, undefined)
        const row: SubscriptionRow = {
          ...terms,
          id: await reserveSubscriptionId(db),
          projectId: project.id,
          createdBy: userToJson(user),
          createdAt: now.getTime(),
          nextDeliveryDate: terms.deleted ? null : nextOccurrence(terms, now.getTime()),
          failures: 0,
          pausedReason: null,
          secret: newSecret(),
          origin: new URL(c.req.url).origin,
          revision: 0
        }
        const answer = toAnswer(row)
        await insertSubscription(
          db,
          row,
          asked && { ...asked, hash, answer: JSON.stringify(answer) }
        )
        return answer
      })
      return c.json(answer, 201)
    }
  )
  .get(
    '/subscriptions/:id',
    RETRIEVE,
    allow('subscription:read'),
    validatePath(SubscriptionPath),
    async (c) =>
      c.json(
        subscriptionToJson(
          await getSubscription(c.var.db, c.var.project.id, c.req.valid('param').id)
        )
      )
  )
  .patch(
    '/subscriptions/:id',
    UPDATE,
    allow('subscription:write'),
    validatePath(SubscriptionPath),
    validateBody(SubscriptionChange),
    async (c) => {
      const { db, project, now } = c.var
      const change = c.req.valid('json')
      const [row, before] = await retryConflicts(async () => {
        const before = await getSubscription(db, project.id, c.req.valid('param').id)
        expectUnchanged(c.var.passedOver, [subscriptionToJson(before)])
        await claim(db, c.env.DELIVERY_QUEUE, [before], now.getTime())
        const terms = changeTerms(before, change, c.env.OUTBOUND_ALLOW)
        if (!terms.deleted && !isSameSchedule(before, terms)) {
          expectFuture(terms, now.getTime())
        }
        await expectContents(db, project.id, terms, before)
        return [
          await updateSubscription(db, before, { ...terms, ...resume(before, terms, change, now) }),
          before
        ]
      })
      const isNewWebhook = row.targetType === 'webhook' && before.targetType !== 'webhook'
      return c.json(isNewWebhook ? toAnswer(row) : subscriptionToJson(row))
    }
  )
  .delete(
    '/subscriptions/:id',
    DESTROY,
    allow('subscription:write'),
    validatePath(SubscriptionPath),
    async (c) => {
      const { db, project } = c.var
      await retryConflicts(async () => {
        const row = await getSubscription(db, project.id, c.req.valid('param').id)
        if (row.deleted) {
          throw new NotFoundError()
        }
        await updateSubscription(db, row, { deleted: true, nextDeliveryDate: null })
      })
      return c.body(null, 204)
    }
  )
  .get(
    '/subscriptions/:id/preview',
    PREVIEW,
    allow('subscription:read'),
    validatePath(SubscriptionPath),
    validateQuery(PreviewQuery),
    async (c) => {
      const row = await getSubscription(c.var.db, c.var.project.id, c.req.valid('param').id)
      const occurrences = nextOccurrences(row, c.var.now.getTime(), c.req.valid('query').n)
      const results = occurrences.map((time) => toIso(time))
      return c.json({ summary: summarize(row), timezone: row.timezone, results })
    }
  )

/** With the secret of a webhook, for whoever has just made it one. */
const toAnswer = (row: SubscriptionRow): SubscriptionJson => ({
  ...subscriptionToJson(row),
  ...(row.targetType === 'webhook' && { webhook_secret: row.secret })
})

/** @throws does_not_exist for a dashboard or insight that is not there; one that has been deleted since stays */
async function expectContents(
  db: Db,
  projectId: number,
  terms: Terms,
  before: Terms | undefined
): Promise<void> {
  const { dashboardId, insightId } = terms
  const missing = (id: number, attr: string) =>
    new AppError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr)
  if (
    dashboardId !== null &&
    dashboardId !== before?.dashboardId &&
    !(await findDashboard(db, projectId, dashboardId))
  ) {
    throw missing(dashboardId, 'dashboard')
  }
  if (insightId === null || insightId === before?.insightId) {
    return
  }
  const insight = await findInsight(db, projectId, insightId)
  if (!insight || insight.deleted) {
    throw missing(insightId, 'insight')
  }
}

/** What a change means for the next delivery: nothing, unless it concerns the schedule, or stops or resumes it. */
function resume(
  before: SubscriptionRow,
  terms: Terms,
  { paused }: SubscriptionChange,
  now: Date
): Partial<SubscriptionRow> {
  const wasPaused = before.pausedReason !== null
  const isPaused = paused ?? wasPaused
  const pausedReason = isPaused ? (before.pausedReason ?? PAUSED_BY_HAND) : null
  const isAsBefore = isSameSchedule(before, terms) && before.deleted === terms.deleted
  if (isAsBefore && isPaused === wasPaused) {
    return {}
  }
  const isStopped = terms.deleted || isPaused
  return {
    pausedReason,
    nextDeliveryDate: isStopped ? null : nextOccurrence(terms, now.getTime()),
    ...(wasPaused && !isPaused && { failures: 0 })
  }
}

const isSameSchedule = (a: Terms, b: Terms): boolean =>
  JSON.stringify(toSchedule(a)) === JSON.stringify(toSchedule(b))

const toSchedule = (terms: Terms) => [
  terms.frequency,
  terms.interval,
  terms.byweekday,
  terms.bysetpos,
  terms.count,
  terms.startDate,
  terms.untilDate,
  terms.timezone
]
