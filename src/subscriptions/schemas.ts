import * as z from 'zod'
import { UserJson } from '../access/user.ts'
import { toIso } from '../calendar/clock.ts'
import { FREQUENCIES, TARGET_TYPES, WEEKDAYS } from '../db/schema.ts'
import { summarize } from './schedule.ts'
import type { DeliveryRow, SubscriptionRow } from './store.ts'

const EXAMPLE = {
  id: 9,
  dashboard: null,
  insight: 44,
  target_type: 'email',
  target_value: 'ada@example.com',
  frequency: 'weekly',
  interval: 1,
  byweekday: ['monday'],
  bysetpos: null,
  count: null,
  start_date: '2026-11-23T08:00:00Z',
  until_date: null,
  created_at: '2026-11-20T08:00:00.120Z',
  created_by: {
    id: 3,
    uuid: '01a1f000-0000-7000-8000-00000000000a',
    distinct_id: 'grace',
    first_name: 'Grace',
    last_name: '',
    email: 'grace@example.com',
    is_email_verified: true,
    hedgehog_config: {},
    role_at_organization: 'engineering' as const
  },
  deleted: false,
  title: 'Weekly numbers',
  summary: 'sent every week on Monday',
  next_delivery_date: '2026-11-23T08:00:00Z',
  invite_message: null,
  timezone: 'Europe/Berlin',
  enabled: true,
  paused_reason: null
}

export const SubscriptionJson = z
  .object({
    id: z.int(),
    dashboard: z.int().nullable(),
    insight: z.int().nullable(),
    target_type: z.enum(TARGET_TYPES),
    target_value: z.string(),
    frequency: z.enum(FREQUENCIES),
    interval: z.int(),
    byweekday: z.array(z.enum(WEEKDAYS)).nullable(),
    bysetpos: z.int().nullable(),
    count: z.int().nullable(),
    start_date: z.iso.datetime(),
    until_date: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    created_by: UserJson,
    deleted: z.boolean(),
    title: z.string().nullable(),
    summary: z.string().meta({ description: 'The schedule in words.' }),
    next_delivery_date: z.iso.datetime().nullable().meta({
      description: 'Null when the subscription is deleted or paused, or its schedule is over.'
    }),
    invite_message: z.string().nullable(),
    timezone: z.string(),
    enabled: z.boolean().meta({ description: 'Whether deliveries are not paused.' }),
    paused_reason: z
      .string()
      .nullable()
      .meta({ description: 'Why deliveries are paused; null if they are not.' }),
    webhook_secret: z.string().optional().meta({
      description:
        'The secret that signs the requests of a webhook; only in the response that creates the subscription or changes its `target_type` to `webhook`.'
    })
  })
  .meta({ id: 'Subscription', examples: [EXAMPLE] })
export type SubscriptionJson = z.infer<typeof SubscriptionJson>

export const subscriptionToJson = (row: SubscriptionRow): SubscriptionJson => ({
  id: row.id,
  dashboard: row.dashboardId,
  insight: row.insightId,
  target_type: row.targetType,
  target_value: row.targetValue,
  frequency: row.frequency,
  interval: row.interval,
  byweekday: row.byweekday,
  bysetpos: row.bysetpos,
  count: row.count,
  start_date: toIso(row.startDate),
  until_date: row.untilDate === null ? null : toIso(row.untilDate),
  created_at: toIso(row.createdAt),
  created_by: UserJson.parse(row.createdBy),
  deleted: row.deleted,
  title: row.title,
  summary: summarize(row),
  next_delivery_date: row.nextDeliveryDate === null ? null : toIso(row.nextDeliveryDate),
  invite_message: row.inviteMessage,
  timezone: row.timezone,
  enabled: row.pausedReason === null,
  paused_reason: row.pausedReason
})

/**
 * Returns a subscription with its secret, if it is delivered to a webhook: for the response that
 * creates the subscription or makes it a webhook. Other responses do not show the secret.
 */
export const subscriptionWithSecret = (row: SubscriptionRow): SubscriptionJson => ({
  ...subscriptionToJson(row),
  ...(row.targetType === 'webhook' && { webhook_secret: row.secret })
})

export const DeliveryJson = z
  .object({
    id: z.int(),
    kind: z.enum(['scheduled', 'test', 'notice']).meta({
      description: 'A `notice` tells the owner that failures have paused the subscription.'
    }),
    occurrence: z.iso.datetime().meta({
      description:
        'When the delivery was due; for a test, when it was requested; for a notice, when the subscription was paused.'
    }),
    missed: z.int().meta({
      description:
        'The number of earlier occurrences that were missed and that this delivery replaces.'
    }),
    status: z.enum(['queued', 'sending', 'delivered', 'failed', 'skipped']),
    attempts: z.int(),
    next_attempt_at: z.iso.datetime().nullable().meta({
      description: 'When the next attempt is due; null unless `status` is `queued`.'
    }),
    recipients: z.array(
      z.object({
        target: z.string(),
        status: z.enum(['waiting', 'sending', 'sent', 'failed', 'unknown']),
        repeated: z.boolean().meta({
          description:
            'Whether the message was sent again because its outcome was unknown; it may have arrived twice.'
        }),
        error: z.string().nullable()
      })
    ),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable()
  })
  .meta({
    id: 'SubscriptionDelivery',
    examples: [
      {
        id: 21,
        kind: 'scheduled',
        occurrence: '2026-11-23T08:00:00Z',
        missed: 0,
        status: 'delivered',
        attempts: 1,
        next_attempt_at: null,
        recipients: [{ target: 'ada@example.com', status: 'sent', repeated: false, error: null }],
        error: null,
        created_at: '2026-11-23T08:00:12Z',
        finished_at: '2026-11-23T08:00:14Z'
      }
    ]
  })

export const deliveryToJson = (row: DeliveryRow): z.infer<typeof DeliveryJson> => ({
  id: row.id,
  kind: row.kind,
  occurrence: toIso(row.occurrence),
  missed: row.missed,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.status === 'queued' && row.dueAt !== null ? toIso(row.dueAt) : null,
  recipients: row.recipients,
  error: row.error,
  created_at: toIso(row.createdAt),
  finished_at: row.finishedAt === null ? null : toIso(row.finishedAt)
})

export const SubscriptionPreview = z
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

export const SubscriptionDraftPreview = SubscriptionPreview.extend({
  email: z
    .object({
      subject: z.string(),
      html: z.string().meta({ description: 'The e-mail. Its chart is a `data:` URL.' }),
      text: z.string()
    })
    .nullable()
    .meta({ description: 'The e-mail as of now; null for other channels.' }),
  body: z.record(z.string(), z.unknown()).nullable().meta({
    description: 'The JSON that Slack or the webhook would get as of now; null for an e-mail.'
  }),
  warning: z.string().nullable().meta({
    description: 'Why nothing would be delivered; null if there is no reason.'
  })
}).meta({
  id: 'SubscriptionDraftPreview',
  examples: [
    {
      summary: 'sent every week on Monday',
      timezone: 'Europe/Berlin',
      results: ['2026-11-23T08:00:00Z'],
      email: {
        subject: 'Sign-ups',
        html: '<html lang="en">…',
        text: 'Sign-ups\n\nHarbour · 21 Nov 2026, 09:00\n\nSigned up: 132 (+15.8% from 114)'
      },
      body: null,
      warning: null
    }
  ]
})
export type SubscriptionDraftPreview = z.infer<typeof SubscriptionDraftPreview>
