import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { parseTimestamp, toIso } from '../calendar/clock.ts'
import { retryConflicts } from '../db/retry.ts'
import { TARGET_TYPES } from '../db/schema.ts'
import { mailFaultOf } from '../email.ts'
import { NotFoundError } from '../errors.ts'
import { createRouter } from '../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage } from '../http/page.ts'
import { expectUnchanged } from '../http/read-only-fields.ts'
import {
  expectNoBody,
  validateBody,
  validateHeader,
  validatePath,
  validateQuery
} from '../http/validation.ts'
import type { JsonObject } from '../input/json.ts'
import { Flag, KnownId, Whole, wholeFrom } from '../input/parameters.ts'
import { createSubscription } from './create.ts'
import { previewDraft } from './draft.ts'
import { claim } from './due.ts'
import { CREATE, DESTROY, DRAFT, LIST, PREVIEW, RETRIEVE, UPDATE } from './reference.ts'
import { SubscriptionChange, SubscriptionDraft, SubscriptionInput } from './request.ts'
import { isSameSchedule, resume } from './resume.ts'
import { nextOccurrences, summarize } from './schedule.ts'
import { subscriptionToJson, subscriptionWithSecret } from './schemas.ts'
import {
  getSubscription,
  listSubscriptions,
  ORDERINGS,
  RESOURCE_TYPES,
  updateSubscription
} from './store.ts'
import { expectSubject } from './subject.ts'
import { changeTerms, expectFuture } from './terms.ts'

const MAX_PREVIEW = 100

/**
 * Returns the fields of which a client may send an old value. The cron moves `next_delivery_date`
 * when it is due, so a past value counts as an old one.
 */
function changingFields({ next_delivery_date: sent }: JsonObject, now: Date): string[] {
  const time = typeof sent === 'string' ? parseTimestamp(sent) : undefined
  return time !== undefined && time <= now.getTime() ? ['next_delivery_date'] : []
}

const SubscriptionPath = z.object({ id: KnownId })
/** Schema of a list of ids, such as `4,8` or `[4,8]`. */
const Ids = z
  .string()
  .max(10_000)
  .regex(/^\s*(?:\d{1,15}(?:\s*,\s*\d{1,15})*|\[\s*\d{1,15}(?:\s*,\s*\d{1,15})*\s*\])\s*$/, {
    error: 'A list of ids separated by commas is required, such as `4,8`.'
  })
  .transform((text) => (text.match(/\d+/g) ?? []).map(Number))
const LimitOffset = PageQuery.omit({ cursor: true })

const ListQuery = z.object({
  ...LimitOffset.shape,
  dashboard: Whole.optional().meta({ description: 'Only subscriptions to this dashboard.' }),
  dashboard_tiles: Ids.optional().meta({
    description:
      'Only subscriptions to insights that are on one of these dashboards: ids separated by commas.'
  }),
  insight: Whole.optional().meta({ description: 'Only subscriptions to this insight.' }),
  insights: Ids.optional().meta({
    description: 'Only subscriptions to one of these insights: ids separated by commas.'
  }),
  resource_type: z.enum(RESOURCE_TYPES).optional().meta({
    description: 'Only subscriptions to insights, or only those to dashboards.'
  }),
  target_type: z.enum(TARGET_TYPES).optional().meta({
    description: 'Only subscriptions that are delivered in this way.'
  }),
  created_by: z
    .guid('Must be the UUID of a user.')
    .toLowerCase()
    .optional()
    .meta({ description: 'Only subscriptions of the user with this UUID.' }),
  deleted: Flag.optional().meta({
    description: '`true` lists deleted subscriptions only.'
  }),
  search: z.string().max(200).optional().meta({
    description:
      'Part of the title, or of the name of the dashboard or insight; ignores the case of A to Z.'
  }),
  ordering: z
    .enum(ORDERINGS.flatMap((name) => [name, `-${name}` as const]))
    .optional()
    .meta({ description: 'The field to sort by, with `-` descending. Newest first by default.' })
})

const IdempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'An idempotency key has 1 to 255 visible ASCII characters.')
    .optional()
    .meta({
      description:
        'A key of your choice. A request repeated with the same key within 24 hours takes effect once.'
    })
})

const PreviewQuery = z.object({
  n: wholeFrom(1)
    .refine((n) => n <= MAX_PREVIEW, `Ensure this value is less than or equal to ${MAX_PREVIEW}.`)
    .default(10)
    .meta({ description: 'The number of occurrences to list.' })
})

export const subscriptionRoutes = createRouter()
  .get('/subscriptions', LIST, allow('subscription:read'), validateQuery(ListQuery), async (c) => {
    const { ordering, deleted, ...filters } = c.req.valid('query')
    const page = readPage(c.req.url, NO_CURSOR, filters)
    const by = ORDERINGS.find((name) => ordering?.endsWith(name))
    const listing = {
      ...filters,
      deleted: deleted ?? false,
      ordering: by && { by, isDescending: ordering?.startsWith('-') ?? false }
    }
    const found = await listSubscriptions(c.var, listing, page.rows)
    return answerList(c, page, found, { toJson: subscriptionToJson })
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
      const { 'Idempotency-Key': idempotencyKey } = c.req.valid('header')
      const answer = await createSubscription(db, {
        project,
        user,
        input,
        idempotencyKey,
        origin: new URL(c.req.url).origin,
        outboundAllow: c.env.OUTBOUND_ALLOW,
        now
      })
      return c.json(answer, 201)
    }
  )
  .post(
    '/subscriptions/preview',
    DRAFT,
    // It shows the numbers of insights, as a delivery to one's own address would.
    allow('subscription:write'),
    validateQuery(PreviewQuery),
    validateBody(SubscriptionDraft),
    async (c) => {
      const { db, project, user, usage, now } = c.var
      const { OUTBOUND_ALLOW: outboundAllow } = c.env
      const { origin } = new URL(c.req.url)
      const preview = await previewDraft({
        open: { db, project, usage },
        draft: c.req.valid('json'),
        creation: { user, origin, outboundAllow, now },
        mailFault: mailFaultOf(c.env),
        n: c.req.valid('query').n
      })
      return c.json(preview)
    }
  )
  .get(
    '/subscriptions/:id',
    RETRIEVE,
    allow('subscription:read'),
    validatePath(SubscriptionPath),
    async (c) => c.json(subscriptionToJson(await getSubscription(c.var, c.req.valid('param').id)))
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
        const before = await getSubscription({ db, project }, c.req.valid('param').id)
        const ignored = c.var.ignoredFields
        expectUnchanged(ignored, [subscriptionToJson(before)], changingFields(ignored, now))
        // Stores a delivery for an occurrence that is already due, so that a new schedule does not
        // lose it.
        await claim(db, c.env.DELIVERY_QUEUE, [before], now.getTime())
        const terms = await changeTerms(before, change, c.env.OUTBOUND_ALLOW)
        if (!terms.deleted && !isSameSchedule(before, terms)) {
          await expectFuture(terms, now.getTime())
        }
        await expectSubject({ db, project }, terms, before)
        const state = await resume(before, terms, change, now)
        return [await updateSubscription(db, before, { ...terms, ...state }), before]
      })
      const isNewWebhook = row.targetType === 'webhook' && before.targetType !== 'webhook'
      return c.json(isNewWebhook ? subscriptionWithSecret(row) : subscriptionToJson(row))
    }
  )
  .delete(
    '/subscriptions/:id',
    DESTROY,
    allow('subscription:write'),
    validatePath(SubscriptionPath),
    expectNoBody,
    async (c) => {
      const { db, project } = c.var
      await retryConflicts(async () => {
        const row = await getSubscription({ db, project }, c.req.valid('param').id)
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
      const row = await getSubscription(c.var, c.req.valid('param').id)
      const occurrences = await nextOccurrences(row, c.var.now.getTime(), c.req.valid('query').n)
      const results = occurrences.map((time) => toIso(time))
      return c.json({ summary: summarize(row), timezone: row.timezone, results })
    }
  )
