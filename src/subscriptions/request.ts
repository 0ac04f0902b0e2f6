import * as z from 'zod'
import { Timezone } from '../access/project.ts'
import { FREQUENCIES, TARGET_TYPES, WEEKDAYS } from '../db/schema.ts'
import { refusing, sameReason } from '../input/fields.ts'

/** The largest signed 32-bit integer, PostHog's limit for `interval` and `count`. */
const INT32 = 2_147_483_647
/** E-mail addresses of one subscription. */
export const MAX_RECIPIENTS = 50

const Id = z.int().nullish()
const DateText = z.string().max(100)

/**
 * Reasons for refusing fields of PostHog and likely wrong names such as `freq`, with the field to
 * send instead, if there is one.
 */
const UNSUPPORTED = {
  integration_id:
    'Not supported: for Slack, send the URL of an incoming webhook as `target_value`.',
  dashboard_export_insights:
    'Not supported: the first ten insights of a dashboard are always delivered.',
  format: 'Not supported: each channel has one format.',
  ...sameReason(
    ['ai_prompt', 'ai_summary', 'summary_enabled', 'summary_prompt_guide'],
    'Not supported: deliveries contain no AI summary.'
  ),
  ...sameReason(
    ['bymonth', 'bymonthday', 'byhour', 'byyearday', 'byweekno'],
    'Not supported: a schedule is made of `frequency`, `interval`, `byweekday`, `bysetpos` and `start_date`, which sets the day and the time.'
  ),
  ...sameReason(['byday', 'days', 'weekdays'], 'Send the weekdays as `byweekday`.'),
  ...sameReason(['time', 'time_of_day', 'hour'], 'Send the time of day in `start_date`.'),
  ...sameReason(['email', 'emails', 'recipients', 'url'], 'Send the recipients as `target_value`.'),
  freq: 'Send the frequency as `frequency`.',
  insight_id: 'Send the insight as `insight`.',
  dashboard_id: 'Send the dashboard as `dashboard`.',
  end_date: 'Send the end of the schedule as `until_date`.',
  ...sameReason(['paused', 'active', 'is_active'], {
    always: 'Pause or resume deliveries with `enabled`.'
  })
}

/** The writable fields of a subscription. Omitted fields do not change. */
export const SubscriptionChange = refusing(
  z
    .object({
      dashboard: Id.meta({
        description: 'The dashboard to deliver: its first ten insights. Null for none.'
      }),
      insight: Id.meta({
        description:
          'The insight to deliver. With a dashboard as well, both are delivered; with neither, nothing is.'
      }),
      target_type: z
        .enum(TARGET_TYPES)
        .meta({ description: 'How the subscription is delivered.' })
        .optional(),
      target_value: z
        .string()
        .trim()
        .min(1)
        .max(20_000)
        .meta({
          description: `Where the subscription is delivered: up to ${MAX_RECIPIENTS} e-mail addresses separated by commas, the URL of a Slack incoming webhook, or the URL of a webhook.`
        })
        .optional(),
      frequency: z
        .enum(FREQUENCIES)
        .meta({ description: 'The unit that `interval` counts.' })
        .optional(),
      interval: z
        .int()
        .min(1)
        .max(INT32)
        .meta({
          description:
            'The schedule repeats every `interval` days, weeks, months or years; by default 1 in a new subscription.'
        })
        .optional(),
      byweekday: z
        .array(z.enum(WEEKDAYS))
        .max(100)
        .transform((days) => [...new Set(days)])
        .nullish()
        .meta({
          description:
            'The weekdays to deliver on. Null for no restriction: a weekly, monthly or yearly schedule then keeps the day of `start_date`, and skips periods without that day.'
        }),
      bysetpos: z.int().min(-366).max(366).nullish().meta({
        description:
          'Selects one of the days in a period that match `byweekday`: 1 is the first, -1 the last. Null for all of them.'
      }),
      count: z.int().min(1).max(INT32).nullish().meta({
        description:
          'The number of occurrences from `start_date` on, delivered or not; null for no limit.'
      }),
      start_date: DateText.meta({
        description:
          'The start of the schedule, ISO 8601; it sets the time of day of all deliveries. A time without an offset is in `timezone`.'
      }).optional(),
      until_date: DateText.nullish().meta({
        description:
          'The time of the last possible occurrence, ISO 8601; null for no end. A date without a time is the beginning of that day.'
      }),
      deleted: z
        .boolean()
        .optional()
        .meta({ description: '`true` deletes the subscription, `false` restores it.' }),
      title: z.string().trim().max(100).nullish().meta({
        description: 'The title of the messages; null for the name of the dashboard or insight.'
      }),
      invite_message: z.string().trim().max(10_000).nullish().meta({
        description: 'A text added to the scheduled deliveries until one of them has succeeded.'
      }),
      timezone: Timezone.optional().meta({
        description:
          "The time zone of the schedule; in a new subscription, by default the project's."
      }),
      enabled: z
        .boolean()
        .optional()
        .meta({ description: '`false` pauses deliveries, `true` resumes them.' })
    })
    .meta({ id: 'SubscriptionChange', examples: [{ title: 'Weekly numbers', enabled: true }] }),
  UNSUPPORTED
)
export type SubscriptionChange = z.infer<typeof SubscriptionChange>

const { shape } = SubscriptionChange

const REQUIRED = {
  target_type: shape.target_type.unwrap(),
  frequency: shape.frequency.unwrap(),
  start_date: shape.start_date.unwrap()
}

const EXAMPLE = {
  insight: 44,
  target_type: 'email' as const,
  target_value: 'ada@example.com, grace@example.com',
  frequency: 'weekly' as const,
  byweekday: ['monday' as const],
  start_date: '2026-11-23T09:00:00+01:00',
  timezone: 'Europe/Berlin'
}

const UNSUPPORTED_AT_FIRST = {
  ...UNSUPPORTED,
  next_delivery_date:
    'The schedule sets the next delivery: send `start_date`, `frequency` and `byweekday`.'
}

export const SubscriptionInput = refusing(
  SubscriptionChange.extend({ ...REQUIRED, target_value: shape.target_value.unwrap() }).meta({
    id: 'SubscriptionInput',
    examples: [EXAMPLE]
  }),
  UNSUPPORTED_AT_FIRST
)

/** A subscription to look at before it is created. */
export const SubscriptionDraft = refusing(
  SubscriptionChange.extend({
    ...REQUIRED,
    target_value: shape.target_value.meta({
      description:
        'Where the subscription would be delivered, as in a new subscription. Without it, the message is shown as one to your own address.'
    })
  }).meta({ id: 'SubscriptionDraft', examples: [EXAMPLE] }),
  UNSUPPORTED_AT_FIRST
)
export type SubscriptionDraft = z.infer<typeof SubscriptionDraft>
