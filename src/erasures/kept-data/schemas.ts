import * as z from 'zod'
import { closed } from '../../input/fields.ts'
import { BodyFlag, DeletionPreview, listOf } from '../persons/schemas.ts'

const Uuids = listOf(z.guid('Must be the UUID of a deleted person.').toLowerCase())

/** The deleted persons, by UUID or distinct id, and which of their kept data to delete. */
export const CompleteDeletion = closed(
  z
    .object({
      ids: Uuids.nullish().meta({ description: 'The UUIDs that the persons had.' }),
      uuids: Uuids.nullish().meta({ description: 'Another name for `ids`.' }),
      distinct_ids: listOf(z.string().min(1).max(1000))
        .nullish()
        .meta({ description: 'Any of the distinct ids that the persons had.' }),
      delete_events: BodyFlag.meta({
        type: 'boolean',
        default: true,
        description: 'Whether to delete the events, in the next weekly run.'
      }),
      delete_recordings: BodyFlag.meta({
        type: 'boolean',
        default: true,
        description: 'Whether to delete the recordings, at once.'
      }),
      dry_run: BodyFlag.meta({
        type: 'boolean',
        description: 'Whether to delete nothing, and only count what would be deleted and kept.'
      })
    })
    .refine(
      ({ ids, uuids, distinct_ids }) => [ids, uuids, distinct_ids].filter(Boolean).length === 1,
      'Provide either ids or distinct_ids.'
    )
    .refine(
      ({ delete_events: events = true, delete_recordings: recordings = true }) =>
        events || recordings,
      { error: 'Delete events, recordings or both.', path: ['delete_events'] }
    )
    .meta({ id: 'CompleteDeletion', examples: [{ distinct_ids: ['user-1', 'user-2'] }] })
)

export const DeletionCompleted = z
  .object({
    persons_found: z.int().meta({
      description:
        'The number of deleted persons whose kept data is deleted, or would be in a dry run.'
    }),
    results: z.array(
      z.object({
        id: z.string().meta({
          description: 'The distinct id from the request, or the UUID in lower case.'
        }),
        result: z.enum(['completing', 'found', 'nothing_kept', 'not_found']).meta({
          description:
            '`completing`, in a dry run `found`: this request deletes data that an earlier deletion kept. `nothing_kept`: earlier requests have deleted, or will delete, everything that this request asks for. `not_found`: no deleted person had this id, or the link to the kept data has been removed.'
        }),
        person_uuids: z.array(z.guid()).meta({
          description:
            'The UUIDs of the deleted persons that had this id: several if a distinct id was used again and its new person deleted, too.'
        })
      })
    ),
    preview: DeletionPreview.optional().meta({ description: 'Only in a dry run.' })
  })
  .meta({
    id: 'DeletionCompleted',
    examples: [
      {
        persons_found: 1,
        results: [
          {
            id: 'user-1',
            result: 'completing',
            person_uuids: ['01a1f000-0000-7000-8000-00000000000a']
          },
          { id: 'user-2', result: 'not_found', person_uuids: [] }
        ]
      }
    ]
  })
