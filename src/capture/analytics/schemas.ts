import * as z from 'zod'
import { MAX_DEPTH } from '../../input/scan.ts'
import { MAX_EVENTS } from '../body.ts'
import { MAX_EVENT_BYTES } from '../event.ts'

const UUID = '01a1fc87-dc26-71e7-8a25-7ac44254cc16'

const dateTime = z.iso.datetime({
  offset: true,
  error: 'A date-time such as `2026-10-02T10:11:12.345Z` is required.'
})

/** The required headers besides `Authorization`. */
export const V1Headers = z.object({
  'PostHog-Sdk-Info': z
    .string()
    .regex(/^.+\/.+$/, 'A name and a version such as `posthog-node/5.70.0` are required.')
    .meta({
      description:
        'Name and version of the SDK, such as `posthog-node/5.70.0`; each event gets them as `$lib` and `$lib_version`.'
    }),
  'PostHog-Attempt': z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'A whole number from 1 to 999999 is required.')
    .meta({ description: 'The number of this attempt to send the request, from 1.' }),
  'PostHog-Request-Id': z.string().min(1).max(200).meta({
    description:
      'An id for the request, repeated in the response. Send the same id when you retry the request.'
  }),
  'PostHog-Request-Timestamp': dateTime.meta({
    description: "The client's clock at sending; corrects the times of the events."
  })
})

/** The members of a batch that are checked before its events. */
export const V1Envelope = z.object({
  created_at: dateTime,
  historical_migration: z.boolean().optional(),
  batch: z
    .array(z.looseObject({ uuid: z.guid('A UUID is required.') }))
    .min(1, 'request holds no event')
})

/** Options that an SDK sends next to an event's properties. */
export const V1Options = z.object({
  process_person_profile: z.boolean().optional(),
  cookieless_mode: z.boolean().optional(),
  disable_skew_correction: z.boolean().optional(),
  product_tour_id: z.string().optional()
})

const V1EventJson = z
  .object({
    uuid: z.guid().meta({ description: 'An event is stored once, however often it is sent.' }),
    event: z.string().min(1).max(200).meta({
      description: 'The name of the event; an event with a longer name is dropped.'
    }),
    distinct_id: z.string().min(1).meta({
      description:
        'The distinct id of the user, at most 200 bytes; an event with a longer one is dropped.'
    }),
    timestamp: z.iso.datetime({ offset: true }),
    session_id: z.string().optional(),
    window_id: z.string().optional(),
    options: V1Options.optional(),
    properties: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        description: `The event's properties, at most ${MAX_EVENT_BYTES} bytes, nested at most ${MAX_DEPTH} deep.`
      })
  })
  .meta({ id: 'V1Event' })

export const V1BatchJson = z
  .object({
    created_at: z.iso.datetime({ offset: true }),
    historical_migration: z.boolean().optional(),
    batch: z.array(V1EventJson).min(1).max(MAX_EVENTS)
  })
  .meta({
    id: 'V1Batch',
    examples: [
      {
        created_at: '2026-10-02T10:11:13Z',
        batch: [
          {
            uuid: UUID,
            event: 'report opened',
            distinct_id: 'ada',
            timestamp: '2026-10-02T10:11:12.345Z',
            options: { process_person_profile: true },
            properties: { plan: 'pro' }
          }
        ]
      }
    ]
  })

const V1Result = z
  .object({
    result: z.enum(['ok', 'drop']),
    details: z
      .string()
      .optional()
      .meta({ description: 'Why the event was dropped; only with `drop`.' })
  })
  .meta({ id: 'V1Result' })
export type V1Result = z.infer<typeof V1Result>

export const V1ResultsJson = z
  .object({
    results: z.record(z.string(), V1Result).meta({ description: 'The results by event uuid.' })
  })
  .meta({ id: 'V1Results', examples: [{ results: { [UUID]: { result: 'ok' } } }] })
