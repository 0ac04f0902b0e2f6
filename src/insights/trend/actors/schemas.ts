import * as z from 'zod'
import { PersonJson } from '../../../persons/schemas.ts'

/** Someone who is counted at a point. */
export const ActorJson = z
  .object({
    type: z.enum(['person', 'distinct_id', 'erased']).meta({
      description:
        '`distinct_id`: an identity without a person. `erased`: a person whose data was erased but whose events were kept.'
    }),
    id: z.int().nullable(),
    uuid: z.guid().nullable(),
    name: z.string(),
    distinct_ids: PersonJson.shape.distinct_ids,
    distinct_ids_truncated: PersonJson.shape.distinct_ids_truncated,
    properties: PersonJson.shape.properties,
    created_at: z.iso.datetime().nullable(),
    count: z.int().min(1).meta({ description: 'The number of events that count at the point.' }),
    recordings: z.url().nullable().meta({
      description:
        'The URL that lists the recordings of this person that began in the range of the point; null for an erased person.'
    })
  })
  .meta({
    id: 'TrendActor',
    examples: [
      {
        type: 'person',
        id: 731,
        uuid: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
        name: 'ada@example.com',
        distinct_ids: ['ada'],
        properties: { email: 'ada@example.com', plan: 'pro' },
        created_at: '2026-10-02T10:11:12.345Z',
        count: 4,
        recordings:
          'https://analytics.example.com/api/projects/1/session_recordings/?person=731&date_from=2026-11-20T00%3A00%3A00Z&date_to=2026-11-20T23%3A59%3A59.999Z'
      }
    ]
  })
export type ActorJson = z.infer<typeof ActorJson>
