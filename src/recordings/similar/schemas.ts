import * as z from 'zod'

const SimilarRecording = z.object({
  id: z.string(),
  similarity: z.number().min(0).max(1),
  shared_steps: z
    .array(z.string())
    .meta({ description: 'The steps that both sessions have in common, in order.' }),
  step_count: z
    .int()
    .min(0)
    .meta({ description: 'The number of steps in the session of this result.' }),
  start_time: z.iso.datetime(),
  recording_duration: z.int().min(0).meta({ description: 'Whole seconds.' })
})

export const SimilarJson = z
  .object({
    count: z.int().min(0).meta({ description: 'The number of results.' }),
    results: z.array(SimilarRecording).meta({ description: 'The most similar first.' }),
    steps: z.array(z.string()).meta({
      description: 'The steps of the requested session, with which the results are compared.'
    }),
    reason: z.string().nullable().meta({
      description:
        'Why there are no results: this session has too few steps, or other recorded sessions are still open and cannot be found yet. Null if there are results, and if no session is open and none is similar.'
    })
  })
  .meta({
    id: 'SimilarRecordings',
    examples: [
      {
        count: 1,
        results: [
          {
            id: '01a1f000-0000-7000-8000-00000000000a',
            similarity: 0.94,
            shared_steps: ['$pageview /', '$pageview /shoes/:id', 'added to cart'],
            step_count: 4,
            start_time: '2026-11-01T12:00:00Z',
            recording_duration: 82
          }
        ],
        steps: ['$pageview /', '$pageview /shoes/:id', 'added to cart'],
        reason: null
      }
    ]
  })
export type SimilarJson = z.infer<typeof SimilarJson>
