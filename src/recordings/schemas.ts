import * as z from 'zod'

const EXAMPLE = {
  id: '01a1fc87-dc26-71e7-8a25-7ac44254cc16',
  distinct_id: 'ada',
  viewed: false,
  viewers: ['grace@example.com'],
  recording_duration: 18,
  active_seconds: 0.102,
  inactive_seconds: 17.898,
  start_time: '2026-11-21T05:15:24.740Z',
  end_time: '2026-11-21T05:15:42.262Z',
  click_count: 3,
  keypress_count: 5,
  mouse_activity_count: 19,
  console_log_count: 1,
  console_warn_count: 1,
  console_error_count: 1,
  activity: [4, 0, 11, 9, 0, 0, 2],
  start_url: 'https://shop.example/start',
  person: {
    id: 731,
    name: 'ada@example.com',
    distinct_ids: 'ada',
    properties: { email: 'ada@example.com', plan: 'pro' },
    created_at: '2026-10-02T10:11:12.345Z',
    uuid: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
  },
  storage: 'object_storage',
  snapshot_source: 'web',
  ongoing: false,
  activity_score: 22.76
}

const RecordingPerson = z
  .object({
    id: z.int().nullable().meta({ description: 'Null when no person has the distinct id.' }),
    name: z.string().meta({
      description:
        "The person's name, from its properties or distinct ids; the recording's distinct id if there is no person."
    }),
    distinct_ids: z
      .string()
      .meta({ description: "The recording's own distinct id, without the person's other ids." }),
    properties: z.record(z.string(), z.unknown()),
    created_at: z.iso
      .datetime()
      .meta({ description: 'The start of the recording if there is no person.' }),
    uuid: z.guid().meta({
      description:
        'Without a person, a placeholder that is the same for all recordings of one distinct id in the project.'
    })
  })
  .meta({ id: 'RecordingPerson' })

const SummaryFields = z.object({
  recording_duration: z.int().meta({
    description:
      'Seconds from the first snapshot to the last; both times are rounded down to whole seconds first.'
  }),
  active_seconds: z.number().meta({
    description:
      'Seconds of activity, such as mouse moves, clicks, scrolling and typing, including pauses of up to five seconds.'
  }),
  inactive_seconds: z.number(),
  start_time: z.iso.datetime(),
  end_time: z.iso.datetime(),
  click_count: z.int(),
  keypress_count: z.int(),
  mouse_activity_count: z.int(),
  console_log_count: z.int(),
  console_warn_count: z.int(),
  console_error_count: z.int(),
  activity: z.array(z.int()).meta({
    description:
      'How many mouse moves, clicks, scrolls, inputs and the like there are in each of up to 64 equal slices of the recording, from its first snapshot to its last.'
  }),
  start_url: z
    .string()
    .meta({ description: 'At most 512 characters; empty when no page was recorded.' })
})

/** A recording as every endpoint returns it. */
export const RecordingJson = z
  .object({
    id: z.string(),
    distinct_id: z
      .string()
      .meta({ description: 'Empty if the person was erased and the recording was kept.' }),
    viewed: z
      .boolean()
      .meta({ description: "Whether the key's user has marked the recording as viewed." }),
    viewers: z.array(z.string()).meta({
      description: 'The e-mail addresses of other users who have marked the recording as viewed.'
    }),
    ...SummaryFields.shape,
    person: RecordingPerson,
    storage: z.literal('object_storage'),
    snapshot_source: z.enum(['web', 'mobile']),
    ongoing: z
      .boolean()
      .meta({ description: 'Whether snapshots arrived in the last five minutes.' }),
    activity_score: z.number().meta({
      description:
        '100 × (active seconds + clicks + key presses + console errors) / (duration in seconds + mouse activity + console messages of all levels), as in PostHog; 0 if the divisor is 0.'
    })
  })
  .meta({ id: 'Recording', examples: [EXAMPLE] })
export type RecordingJson = z.infer<typeof RecordingJson>

/** One part of a recording, as the list of its parts shows it. */
export const Source = z.object({
  source: z.literal('blob_v2'),
  blob_key: z.string().meta({
    description:
      'The key of this part: send it as the query parameter `blob_key` to get the snapshots of the part.'
  }),
  start_timestamp: z.iso.datetime(),
  end_timestamp: z.iso.datetime()
})

export const SourcesJson = z.object({ sources: z.array(Source) }).meta({
  id: 'SnapshotSources',
  examples: [
    {
      sources: [
        {
          source: 'blob_v2',
          blob_key: '01a1fc87-edb9-7e53-8071-b177be79cec4',
          start_timestamp: '2026-11-21T05:15:24.740Z',
          end_timestamp: '2026-11-21T05:15:27.142Z'
        }
      ]
    }
  ]
})
export type SourcesJson = z.infer<typeof SourcesJson>
