import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { type AccessEntry, MAX_NAMED, READ_OBJECTS } from './entry.ts'

export const AccessJson = z
  .object({
    id: z.guid(),
    at: z.iso.datetime().meta({ description: 'When the request arrived, UTC.' }),
    key: z.object({ id: z.int(), label: z.string() }).nullable().meta({
      description: 'The API key, with its label then; null for somebody who opened a shared link.'
    }),
    user: z
      .object({ id: z.int(), email: z.string() })
      .nullable()
      .meta({ description: 'The owner of the key, with the address then.' }),
    operation: z
      .string()
      .meta({ description: 'The operation of this reference, such as `persons_retrieve`.' }),
    object: z
      .enum(READ_OBJECTS)
      .meta({ description: 'What was read: one object, or a list of persons or their data.' }),
    object_id: z.string().nullable().meta({
      description:
        'The UUID of the person, or the id of the session or the receipt; null for a list.'
    }),
    filters: z.record(z.string(), z.unknown()).meta({
      description:
        'The parameters of a list. `…` stands for values that may name a person: the log names persons by their UUIDs only.'
    }),
    count: z
      .int()
      .min(0)
      .meta({ description: 'The number of rows that a list had; 1 for any other object.' }),
    persons: z.array(z.guid()).meta({
      description: `The UUIDs of the persons who were read about, the first ${MAX_NAMED} of a list.`
    }),
    request_id: z.string().meta({ description: 'The `X-Request-Id` of the answer.' })
  })
  .meta({
    id: 'AccessLogEntry',
    examples: [
      {
        id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
        at: '2026-11-20T10:11:12.345Z',
        key: { id: 3, label: 'support' },
        user: { id: 1, email: 'grace@example.com' },
        operation: 'persons_retrieve',
        object: 'person',
        object_id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072',
        filters: {},
        count: 1,
        persons: ['0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072'],
        request_id: '9b2f7c1e-3d4a-4b5c-8d6e-7f8091a2b3c4'
      }
    ]
  })

export const AccessPageJson = z
  .object({
    next: z
      .url()
      .nullable()
      .meta({ description: 'The absolute URL of the next page; null on the last page.' }),
    searched_until: z.iso.datetime().nullable().meta({
      description:
        'Set if the page ended early: everything at or after this time has been searched, and `next` continues before it. Null otherwise.'
    }),
    results: z.array(AccessJson)
  })
  .meta({
    id: 'AccessLogPage',
    examples: [
      {
        next: null,
        searched_until: null,
        results: [
          {
            id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
            at: '2026-11-20T10:11:12.345Z',
            key: { id: 3, label: 'support' },
            user: { id: 1, email: 'grace@example.com' },
            operation: 'persons_retrieve',
            object: 'person',
            object_id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072',
            filters: {},
            count: 1,
            persons: ['0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072'],
            request_id: '9b2f7c1e-3d4a-4b5c-8d6e-7f8091a2b3c4'
          }
        ]
      }
    ]
  })

/** Returns an entry as the API shows it. */
export const accessToJson = ({ at, project_id: _, ...entry }: AccessEntry) =>
  ({ ...entry, at: toIso(at) }) satisfies z.infer<typeof AccessJson>
