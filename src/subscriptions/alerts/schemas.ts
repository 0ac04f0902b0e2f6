import * as z from 'zod'
import { USER_EXAMPLE, UserJson } from '../../access/user.ts'
import { toIso } from '../../calendar/clock.ts'
import { ALERT_STATES, CALCULATION_INTERVALS, TARGET_TYPES } from '../../db/schema.ts'
import { DeliveryJson, deliveryToJson } from '../schemas.ts'
import type { DeliveryRow } from '../store.ts'
import { recipientsOf } from '../terms.ts'
import type { Alert } from './store.ts'

const Interval = z
  .object({ from: z.iso.datetime(), until: z.iso.datetime() })
  .nullable()
  .meta({ description: 'The interval that decided; null if none did.' })

const time = (at: number | null): string | null => (at === null ? null : toIso(at))

const CheckJson = z.object({
  id: z.int(),
  created_at: z.iso.datetime(),
  calculated_value: z.number().nullable().meta({
    description:
      'The number that was compared with the bounds. Null if there was none, or if it is infinite: a percentage of 0.'
  }),
  state: z.enum(ALERT_STATES),
  targets_notified: z.boolean(),
  interval: Interval,
  intervals: z.int().meta({ description: 'The number of intervals that the check evaluated.' }),
  description: z.string(),
  delivery: DeliveryJson.meta({
    description: 'The message of the check; `skipped` if it had nothing to tell.'
  })
})

export function checkToJson(row: DeliveryRow): z.infer<typeof CheckJson> {
  const { verdict } = row
  if (!verdict) {
    throw new Error(`The delivery ${row.id} is not a check.`)
  }
  return {
    id: row.id,
    created_at: toIso(row.createdAt),
    calculated_value: verdict.value,
    state: verdict.state,
    targets_notified: row.status === 'delivered',
    interval: intervalToJson(verdict.interval),
    intervals: verdict.intervals,
    description: verdict.words,
    delivery: deliveryToJson(row)
  }
}

export const intervalToJson = (interval: { from: number; until: number } | null) =>
  interval && { from: toIso(interval.from), until: toIso(interval.until) }

const EXAMPLE_CONFIGURATION = {
  type: 'absolute' as const,
  bounds: { lower: 20, upper: null }
}

export const AlertJson = z
  .object({
    id: z.guid(),
    name: z.string(),
    insight: z.object({
      id: z.int(),
      short_id: z.string(),
      name: z.string().nullable(),
      derived_name: z.string().nullable()
    }),
    subscribed_users: z.array(UserJson),
    condition: z.object({
      type: z.enum(['absolute_value', 'relative_increase', 'relative_decrease', 'no_data']),
      compare_to: z.enum(['previous_interval', 'same_weekday'])
    }),
    threshold: z.object({
      id: z.guid(),
      name: z.literal(''),
      created_at: z.iso.datetime(),
      configuration: z.object({
        type: z.enum(['absolute', 'percentage']),
        bounds: z.object({ lower: z.number().nullable(), upper: z.number().nullable() })
      })
    }),
    config: z.object({
      type: z.literal('TrendsAlertConfig'),
      series_index: z.int(),
      check_ongoing_interval: z.literal(false)
    }),
    calculation_interval: z.enum(CALCULATION_INTERVALS),
    skip_weekend: z.boolean(),
    enabled: z.boolean(),
    paused_reason: z.string().nullable().meta({
      description: 'Why the alert is not enabled; null if it is.'
    }),
    target_type: z.enum(TARGET_TYPES),
    target_value: z.string().meta({
      description: 'All recipients, also the addresses of `subscribed_users`.'
    }),
    state: z.enum(ALERT_STATES),
    snoozed_until: z.iso.datetime().nullable(),
    last_notified_at: z.iso.datetime().nullable(),
    last_checked_at: z.iso.datetime().nullable(),
    next_check_at: z.iso.datetime().nullable(),
    last_value: z.number().nullable(),
    created_by: UserJson,
    created_at: z.iso.datetime(),
    webhook_secret: z.string().optional().meta({
      description:
        'The secret that signs the requests of a webhook; only in the response that creates the alert or changes its `target_type` to `webhook`.'
    }),
    checks: z.array(CheckJson).optional().meta({
      description: 'The last checks; only in the response that retrieves an alert.'
    }),
    checks_total: z.int().optional()
  })
  .meta({
    id: 'Alert',
    examples: [
      {
        id: '01a1f000-0000-7000-8000-0000000000a1',
        name: 'Too few sign-ups',
        insight: { id: 44, short_id: '3f9c1a7be204', name: 'Sign-ups', derived_name: null },
        subscribed_users: [USER_EXAMPLE],
        condition: { type: 'absolute_value', compare_to: 'previous_interval' },
        threshold: {
          id: '01a1f000-0000-7000-8000-0000000000a2',
          name: '',
          created_at: '2026-11-20T08:00:00.120Z',
          configuration: EXAMPLE_CONFIGURATION
        },
        config: { type: 'TrendsAlertConfig', series_index: 0, check_ongoing_interval: false },
        calculation_interval: 'daily',
        skip_weekend: false,
        enabled: true,
        paused_reason: null,
        target_type: 'email',
        target_value: 'grace@example.com',
        state: 'Not firing',
        snoozed_until: null,
        last_notified_at: null,
        last_checked_at: '2026-11-23T00:02:04Z',
        next_check_at: '2026-11-24T00:02:00Z',
        last_value: 31,
        created_by: USER_EXAMPLE,
        created_at: '2026-11-20T08:00:00.120Z'
      }
    ]
  })
export type AlertJson = z.infer<typeof AlertJson>

/** What the answer has of an alert's insight. */
export type AlertInsight = AlertJson['insight']

/** Returns an alert in the format of the API. */
export function alertToJson(
  { alert, subscription }: Alert,
  { insight, users, now }: { insight: AlertInsight; users: UserJson[]; now: number }
): AlertJson {
  const { rule, snoozedUntil } = alert
  const isSnoozed = snoozedUntil !== null && snoozedUntil > now
  const addresses = recipientsOf(subscription.targetValue.toLowerCase())
  return {
    id: alert.id,
    name: subscription.title ?? '',
    insight,
    // A user who has unsubscribed is no longer among the recipients.
    subscribed_users: users.filter(
      ({ id, email }) =>
        alert.subscribedUsers.includes(id) && addresses.includes(email.toLowerCase())
    ),
    ...rule,
    calculation_interval: subscription.checks?.every ?? 'daily',
    skip_weekend: subscription.checks?.skipsWeekends ?? false,
    enabled: whyPaused(subscription) === null,
    paused_reason: whyPaused(subscription),
    target_type: subscription.targetType,
    target_value: subscription.targetValue,
    state: stateOf(alert, isSnoozed),
    snoozed_until: isSnoozed ? time(snoozedUntil) : null,
    last_notified_at: time(alert.lastNotifiedAt),
    last_checked_at: time(alert.lastCheckedAt),
    next_check_at: time(subscription.nextDeliveryDate),
    last_value: alert.lastValue,
    created_by: UserJson.parse(subscription.createdBy),
    created_at: toIso(subscription.createdAt)
  }
}

/** Returns why an alert is not checked; null if it is. */
export const whyPaused = ({ deleted, pausedReason }: Alert['subscription']): string | null =>
  deleted ? 'All recipients have unsubscribed.' : pausedReason

function stateOf({ isFiring, error }: Alert['alert'], isSnoozed: boolean): AlertJson['state'] {
  if (isSnoozed) {
    return 'Snoozed'
  }
  if (error !== null) {
    return 'Errored'
  }
  return isFiring ? 'Firing' : 'Not firing'
}

export const AlertPreview = z
  .object({
    checks: z.int().meta({ description: 'The number of checks in the last 30 days.' }),
    fired: z.array(
      z.object({
        at: z.iso.datetime().meta({ description: 'When the alert would have told so.' }),
        over_at: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'When it would have said that it is over; null if it is not.' }),
        calculated_value: z.number().nullable(),
        interval: Interval,
        description: z.string()
      })
    )
  })
  .meta({
    id: 'AlertPreview',
    examples: [
      {
        checks: 30,
        fired: [
          {
            at: '2026-11-15T00:02:00Z',
            over_at: '2026-11-16T00:02:00Z',
            calculated_value: 12,
            interval: { from: '2026-11-14T00:00:00Z', until: '2026-11-15T00:00:00Z' },
            description: 'Signed up: 12; below 20'
          }
        ]
      }
    ]
  })
