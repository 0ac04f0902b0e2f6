import * as z from 'zod'
import { CALCULATION_INTERVALS, TARGET_TYPES } from '../../db/schema.ts'
import { refusing, sameReason } from '../../input/fields.ts'
import { MAX_RECIPIENTS } from '../request.ts'

const Bound = z.number().nullish()

const Condition = z.object({
  type: z.enum(['absolute_value', 'relative_increase', 'relative_decrease', 'no_data']).meta({
    description:
      'What is compared with the bounds: the number of an interval, by how much it rose or fell, or whether there are events at all.'
  }),
  compare_to: z.enum(['previous_interval', 'same_weekday']).optional().meta({
    description:
      'With what a change is compared: the interval before (the default), or the one a week earlier. An extra of this service.'
  })
})

const Threshold = refusing(
  z.object({
    name: z
      .literal('', 'A threshold has no name of its own: name the alert with `name`.')
      .nullish(),
    configuration: z.object({
      type: z.enum(['absolute', 'percentage']).meta({
        description: 'Percentages are fractions: 0.5 is 50%.'
      }),
      bounds: z
        .object({ lower: Bound, upper: Bound })
        .nullish()
        .meta({ description: 'The alert fires below `lower` and above `upper`.' })
    })
  }),
  {},
  ['id', 'created_at']
)

const Config = z.object({
  type: z.literal('TrendsAlertConfig').optional(),
  series_index: z.int().min(0).nullish().meta({
    description: 'The series, or the formula, counted from 0.'
  }),
  check_ongoing_interval: z.literal(false).nullish().meta({
    description: 'Alerts check intervals that are over only.'
  })
})

const UNSUPPORTED = {
  ...sameReason(
    ['detector_config', 'investigation_agent_enabled', 'investigation_gates_notifications'],
    'Not supported: alerts compare numbers with bounds.'
  ),
  schedule_restriction: 'Not supported: use `skip_weekend`, or snooze the alert.',
  ...sameReason(
    ['webhook_url', 'slack_url', 'email', 'emails'],
    'Send the recipients as `target_value`.'
  ),
  frequency: 'Send how often to check as `calculation_interval`.',
  series_index: 'Send it within `config`.'
}

/** The writable fields of an alert. Fields that are left out stay as they are. */
export const AlertChange = refusing(
  z
    .object({
      name: z.string().trim().max(255).optional(),
      insight: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional().meta({
        description: 'The id of an insight with a trend over time.'
      }),
      subscribed_users: z.array(z.int().min(1)).max(MAX_RECIPIENTS).optional().meta({
        description: 'The ids of users of the project, who are told by e-mail.'
      }),
      condition: Condition.optional(),
      threshold: Threshold.nullish(),
      config: Config.nullish(),
      calculation_interval: z.enum(CALCULATION_INTERVALS).optional().meta({
        description:
          'How often the alert checks the intervals of the insight that are over; daily by default.'
      }),
      skip_weekend: z.boolean().nullish().meta({
        description: 'Whether Saturday and Sunday have no checks; Monday checks their intervals.'
      }),
      enabled: z.boolean().optional(),
      snoozed_until: z.string().max(100).nullish().meta({
        description:
          'For how long to stop checking: `2h`, `1d` or `1w`, or an ISO 8601 date-time. Null ends it.'
      }),
      target_type: z.enum(TARGET_TYPES).optional().meta({
        description: 'How the alert tells its recipients; by e-mail by default. An extra.'
      }),
      target_value: z.string().trim().max(20_000).optional().meta({
        description:
          'E-mail addresses separated by commas, besides those of `subscribed_users`; the URL of a Slack incoming webhook; or the URL of a webhook. An extra.'
      })
    })
    .meta({ id: 'AlertChange', examples: [{ snoozed_until: '2h' }] }),
  UNSUPPORTED
)
export type AlertChange = z.infer<typeof AlertChange>

const { shape } = AlertChange

export const AlertInput = refusing(
  AlertChange.extend({
    insight: shape.insight.unwrap(),
    condition: shape.condition.unwrap()
  }).meta({
    id: 'AlertInput',
    examples: [
      {
        name: 'Too few sign-ups',
        insight: 44,
        subscribed_users: [3],
        condition: { type: 'absolute_value' },
        threshold: { configuration: { type: 'absolute', bounds: { lower: 20 } } },
        config: { type: 'TrendsAlertConfig', series_index: 0 },
        calculation_interval: 'daily'
      }
    ]
  }),
  UNSUPPORTED
)
