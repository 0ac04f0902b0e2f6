import * as z from 'zod'
import { FUNNEL, FunnelFields, RETENTION, RetentionFields } from '../../questions/legacy-forms.ts'
import type { LegacyForm } from '../../trends/legacy-form.ts'

/**
 * Returns the schema of the parameters of a URL that are the fields of a filter object: all are
 * text, lists and objects are JSON.
 */
const urlParameters = (fields: z.ZodObject, { kind, paths }: LegacyForm) =>
  z.object(
    Object.fromEntries(
      Object.keys(fields.shape).map((name) => [
        name,
        z
          .string()
          .optional()
          .meta({ description: describeField(kind, paths[name]) })
      ])
    )
  )

const describeField = (kind: string, path: string | undefined): string =>
  path === undefined
    ? 'As in the body of the `POST` operation.'
    : `\`${path.replaceAll('__', '.')}\` of a \`${kind}\`; a list or an object as JSON.`

export const FunnelParameters = urlParameters(FunnelFields, FUNNEL).extend({
  events: z.string().meta({
    description: 'The steps, as JSON.',
    example: '[{"id":"signup"},{"id":"pay"}]'
  })
})

export const RetentionParameters = urlParameters(RetentionFields, RETENTION)

const envelope = {
  timezone: z.string(),
  last_refresh: z.iso.datetime(),
  is_cached: z.literal(false),
  timings: z.array(z.unknown()).max(0)
}

const ENVELOPE = {
  timezone: 'UTC',
  last_refresh: '2026-11-27T09:00:00Z',
  is_cached: false,
  timings: []
}

export const LegacyFunnel = z
  .looseObject({
    result: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).meta({
      description:
        'The `results` of the `FunnelsQuery`. If the request has its breakdown as the text `breakdown`, `breakdown` and `breakdown_value` are texts instead of lists.'
    }),
    ...envelope
  })
  .meta({
    id: 'LegacyFunnel',
    examples: [
      {
        result: [
          {
            action_id: 'signup',
            name: 'signup',
            custom_name: null,
            order: 0,
            people: [],
            count: 5,
            type: 'events',
            average_conversion_time: null,
            median_conversion_time: null
          },
          {
            action_id: 'pay',
            name: 'pay',
            custom_name: null,
            order: 1,
            people: [],
            count: 4,
            type: 'events',
            average_conversion_time: 1350,
            median_conversion_time: 900
          }
        ],
        ...ENVELOPE
      }
    ]
  })

export const LegacyRetention = z
  .looseObject({
    result: z.array(z.unknown()).meta({
      description:
        'The `results` of the `RetentionQuery`. Each value also has `people`, an empty list.'
    }),
    ...envelope
  })
  .meta({
    id: 'LegacyRetention',
    examples: [
      {
        result: [
          {
            label: 'Day 0',
            date: '2026-03-01T00:00:00Z',
            breakdown_value: null,
            values: [
              { count: 2, label: 'Day 0', people: [] },
              { count: 1, label: 'Day 1', people: [] }
            ]
          }
        ],
        ...ENVELOPE
      }
    ]
  })
