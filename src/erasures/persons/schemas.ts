import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import { closed, sameReason } from '../../input/fields.ts'
import { Flag } from '../../input/parameters.ts'
import { nextRunAfter } from '../engine/schedule.ts'
import type { ErasureRow } from '../engine/store.ts'
import { EXTENT, extentToJson } from '../extent.ts'
import { completableUntil } from '../kept-data/days.ts'
import { MentionsJson } from '../mentions/schemas.ts'
import { Receipt } from '../receipts/schemas.ts'
import { describeKept } from './receipt.ts'

const EXAMPLE = {
  id: 7,
  person_uuid: '01a1f000-0000-7000-8000-00000000000a',
  completes: null,
  delete_events: true,
  delete_recordings: false,
  completable_until: '2026-12-20T10:00:00Z',
  status: 'running',
  created_at: '2026-11-20T10:00:00Z',
  created_by: {
    user: { id: 1, first_name: 'Ada', email: 'ada@example.com' },
    key: { id: 1, label: 'admin' }
  },
  scheduled_for: '2026-11-22T05:00:00Z',
  events: { found: 1200, removed: 500, remaining: 700, dropped: 0 },
  recordings: null,
  error: null,
  delete_verified_at: null,
  receipt: null
}

/** The deletion of a person: what it deletes, how far it is, and its receipt. */
export const DeletionTask = z
  .object({
    id: z.int(),
    person_uuid: z.guid(),
    completes: z.int().nullable().meta({
      description:
        'The id of the earlier task that kept the data which this task deletes; null without one.'
    }),
    ...EXTENT,
    completable_until: z.iso.datetime().nullable().meta({
      description:
        'Until then, kept data can be deleted with `persons/complete_deletion/`. Null if nothing is kept, if the link to the data is removed, or if a later task `completes` this one.'
    }),
    status: z.enum(['queued', 'running', 'completed', 'failed']).meta({
      description:
        'A task that deletes events is `queued` until its run and `running` during the run; any other task is `queued` until it is `completed`. A task is `completed` once a search of every store has found nothing. A `failed` task is tried again in the next run.'
    }),
    created_at: z.iso.datetime().meta({
      description:
        'The time of the request. With `delete_events`, the events accepted up to then are deleted; with `completes`, those accepted up to the first deletion.'
    }),
    created_by: z
      .looseObject({})
      .meta({ description: 'The user and the key that requested the deletion.' }),
    scheduled_for: z.iso.datetime().meta({
      description:
        'The run that deletes the events; the time of the request if events are not deleted.'
    }),
    events: z.object({
      found: z.int().nullable().meta({
        description:
          'The number of the person’s events when the run began the task, and of all removed events once it is completed. Null before the run, and if the events are kept.'
      }),
      removed: z.int(),
      remaining: z.int().nullable().meta({ description: 'Null as long as `found` is null.' }),
      dropped: z.int().meta({
        description: 'Events that were accepted before the request and dropped instead of stored.'
      })
    }),
    recordings: z.int().nullable().meta({
      description:
        'The number of recordings deleted with the person; null when recordings are kept.'
    }),
    error: z.string().nullable().meta({
      description: 'The last failure, or the reason why the task waits; null without either.'
    }),
    delete_verified_at: z.iso.datetime().nullable().meta({
      description:
        'When every store was searched again, as in the receipt; null until the task is completed.'
    }),
    receipt: Receipt.nullable().meta({ description: 'Null until the task is completed.' })
  })
  .meta({ id: 'DeletionTask', examples: [EXAMPLE] })
export type DeletionTask = z.infer<typeof DeletionTask>

export function taskToJson(row: ErasureRow, receipt: Receipt | null): DeletionTask {
  const { found, removed } = row
  const completable = completableUntil(row)
  return {
    id: row.id,
    person_uuid: row.personUuid,
    completes: row.completes,
    ...extentToJson(row),
    completable_until: completable === null ? null : toIso(completable),
    status: row.status,
    created_at: toIso(row.requestedAt),
    created_by: row.requestedBy,
    scheduled_for: toIso(
      row.deleteEvents ? (row.run ?? nextRunAfter(row.requestedAt)) : row.requestedAt
    ),
    events: {
      found,
      removed,
      remaining: found === null ? null : Math.max(0, found - removed),
      dropped: row.dropped
    },
    recordings: row.deleteRecordings ? (row.stores.recordings ?? 0) : null,
    error: row.error,
    delete_verified_at: receipt?.verified_at ?? null,
    receipt
  }
}

/** The filters of the list of deletion tasks. */
export const StatusFilters = z.object({
  status: z
    .enum(['all', 'pending', 'queued', 'running', 'completed', 'failed'])
    .default('all')
    .meta({
      description: '`pending` means every status except `completed`.'
    }),
  person_uuid: z
    .guid('Must be the UUID of a deleted person.')
    .toLowerCase()
    .optional()
    .meta({ description: 'Only tasks of this deleted person.' })
})

/** Maximum number of persons that one request may name. */
export const MAX_PERSONS = 1_000

/** A person's id: an integer, also as a string, or a UUID. */
export const PersonId = z.union(
  [z.int().min(0), z.string().regex(/^\d{1,15}$/), z.guid()],
  'The id of a person must be an integer or a UUID.'
)

/** A list of 1 to 1,000 persons. */
export const listOf = <S extends z.ZodType>(item: S) =>
  z
    .array(item)
    .min(1, `Send between 1 and ${MAX_PERSONS} persons.`)
    .max(MAX_PERSONS, `Send between 1 and ${MAX_PERSONS} persons.`)

const KEPT = 'Persons are always deleted. To delete only events, use `POST events/delete/`.'

/** Refuses fields that ask to keep the persons; `delete_person` always. */
const KEEPING = {
  ...sameReason(['keep_person', 'keep_persons', 'events_only'], KEPT),
  ...sameReason(['delete_person', 'delete_persons'], { always: KEPT })
}

/** What a deletion would delete and keep, by store. */
export const DeletionPreview = z
  .object({
    dry_run: z.literal(true),
    persons_found: z.int().meta({
      description:
        'The number of persons, and of visitors without a person, that would be deleted; for `persons/complete_deletion/`, of deleted persons whose kept data would be deleted.'
    }),
    ...EXTENT,
    scheduled_for: z.iso.datetime().meta({
      description:
        'When the last data would be deleted: in the next weekly run with `delete_events`, otherwise now.'
    }),
    stores: z.array(
      z.object({
        store: z.string().meta({ description: 'The name of the store, as in receipts.' }),
        deleted: z.int().min(0).meta({ description: 'Rows that would be deleted.' }),
        kept: z.int().min(0).meta({ description: 'Rows that would stay, without the person.' })
      })
    ),
    kept: z
      .array(z.string())
      .meta({ description: 'The data that would be kept, and why, as in the receipt.' }),
    mentions: MentionsJson.optional().meta({
      description:
        'What else names the person, as in `persons/{id}/mentions/`. Only in the dry run of `DELETE persons/{id}/`.'
    })
  })
  .meta({
    id: 'DeletionPreview',
    examples: [
      {
        dry_run: true,
        persons_found: 1,
        delete_events: true,
        delete_recordings: false,
        scheduled_for: '2026-11-22T05:00:00Z',
        stores: [
          { store: 'distinct_ids', deleted: 2, kept: 0 },
          { store: 'events', deleted: 1200, kept: 0 },
          { store: 'recordings', deleted: 0, kept: 3 }
        ],
        kept: describeKept(
          { deleteEvents: true, deleteRecordings: false },
          Date.parse('2026-12-20T10:00:00Z')
        )
      }
    ]
  })

/** A boolean in a body; may also be text, as in a query. */
export const BodyFlag = z.union([z.boolean(), Flag], 'Must be a valid boolean.').optional()

/** The body of a DELETE; it may contain the parameters of the URL. */
export const DeleteBody = closed(
  z.object({
    delete_events: BodyFlag,
    delete_recordings: BodyFlag,
    search_mentions: BodyFlag,
    dry_run: BodyFlag
  }),
  KEEPING
)

export const BulkDelete = closed(
  z
    .object({
      ids: listOf(PersonId).nullish().meta({ description: 'UUIDs or integer ids.' }),
      distinct_ids: listOf(z.string().min(1).max(1000)).nullish(),
      delete_events: BodyFlag.meta({
        type: 'boolean',
        description: 'Whether to delete the events, too, in the next weekly run.'
      }),
      delete_recordings: BodyFlag.meta({
        type: 'boolean',
        description: 'Whether to delete the recordings of their sessions, too, at once.'
      }),
      dry_run: BodyFlag.meta({
        type: 'boolean',
        description: 'Whether to delete nothing, and only count what would be deleted and kept.'
      })
    })
    .refine(
      ({ ids, distinct_ids }) => Boolean(ids) !== Boolean(distinct_ids),
      'Provide either ids or distinct_ids.'
    )
    .meta({
      id: 'BulkDelete',
      examples: [{ distinct_ids: ['user-1', 'user-2'], delete_events: true }]
    }),
  {
    ...KEEPING,
    ...sameReason(
      ['id', 'uuid', 'uuids', 'person_id', 'person_ids'],
      'Name the persons in `ids` or `distinct_ids`.'
    )
  }
)

export const BulkDeleted = z
  .object({
    persons_found: z.int().meta({ description: 'Includes visitors without a person.' }),
    persons_deleted: z.int().meta({ description: 'Includes visitors without a person.' }),
    events_queued_for_deletion: z.boolean(),
    recordings_queued_for_deletion: z.boolean(),
    deletion_errors: z.array(z.string()).max(0),
    results: z.array(
      z.object({
        id: z
          .union([z.string(), z.int()])
          .meta({ description: 'The id or distinct id from the request.' }),
        result: z
          .enum(['deleted', 'found', 'not_found'])
          .meta({ description: '`found` instead of `deleted` in a dry run.' }),
        person_uuid: z.guid().nullable().meta({
          description:
            'Null for `not_found`, and in a dry run for a visitor without a person, who gets a UUID by the deletion.'
        })
      })
    ),
    preview: DeletionPreview.optional().meta({ description: 'Only in a dry run.' })
  })
  .meta({
    id: 'BulkDeleted',
    examples: [
      {
        persons_found: 1,
        persons_deleted: 1,
        events_queued_for_deletion: true,
        recordings_queued_for_deletion: false,
        deletion_errors: [],
        results: [
          { id: 'user-1', result: 'deleted', person_uuid: '01a1f000-0000-7000-8000-00000000000a' },
          { id: 'user-2', result: 'not_found', person_uuid: null }
        ]
      }
    ]
  })

export const DeleteQuery = z.object({
  dry_run: Flag.optional().meta({
    type: 'boolean',
    description: 'Whether to delete nothing, and only count what would be deleted and kept.'
  }),
  delete_recordings: Flag.optional().meta({
    type: 'boolean',
    description: 'Whether to delete the recordings of the person’s sessions, too, at once.'
  }),
  delete_events: Flag.optional().meta({
    type: 'boolean',
    description: 'Whether to delete the events, too, in the next weekly run (Sunday 05:00 UTC).'
  })
})

/** The parameters of the deletion of one person. */
export const DeleteOneQuery = DeleteQuery.extend({
  search_mentions: Flag.optional().meta({
    type: 'boolean',
    description:
      'Whether to look for what else names the person, as `persons/{id}/mentions/` does, so that the receipt says how much was found. A dry run always does. The deletion then takes a few seconds longer.'
  })
})
