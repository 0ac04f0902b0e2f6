import * as z from 'zod'
import { USER_EXAMPLE, UserJson } from '../access/user.ts'
import { refusing } from '../input/fields.ts'
import { isObject, type JsonObject } from '../input/json.ts'

/** Persons that one request adds to a cohort. */
export const MAX_ADDED = 10_000

/** Identifiers of an answer that found nobody: examples, not all. */
export const MAX_UNMATCHED = 10

const FILTERS_EXAMPLE = {
  properties: {
    type: 'AND',
    values: [
      { type: 'person', key: 'plan', operator: 'exact', value: 'pro' },
      {
        type: 'behavioral',
        value: 'performed_event_multiple',
        key: 'report_opened',
        event_type: 'events',
        operator: 'gte',
        operator_value: 3,
        time_value: 30,
        time_interval: 'day'
      }
    ]
  }
}

const ObjectJson = z
  .custom<JsonObject>(isObject, 'Expected an object.')
  .meta({ type: 'object', additionalProperties: true })

const Uuids = z
  .array(z.guid('Must be a valid UUID.'))
  .max(MAX_ADDED, `At most ${MAX_ADDED} persons may be added at once.`)

const FIELDS = {
  name: z.string().max(400).nullish(),
  description: z.string().max(1_000).nullish(),
  filters: ObjectJson.nullish().meta({
    description:
      'Who is in a cohort that is not static: `{"properties": {"type": "AND", "values": […]}}`, groups (AND, OR) of filters of the types `person`, `cohort` and `behavioral`. `negation: true` inverts a filter.'
  })
}

const REFUSED = {
  groups: 'Send the filters of a cohort as `filters`.',
  properties: 'Send the filters of a cohort as `filters`: `{"properties": {…}}`.',
  _create_in_folder: 'There are no folders.'
}

export const CohortInput = refusing(
  z
    .object({
      ...FIELDS,
      is_static: z.boolean().default(false).meta({
        description:
          'Whether the cohort has members of its own. Otherwise, its filters say who is in it now. Cannot be changed.'
      }),
      _create_static_person_ids: Uuids.nullish().meta({
        description: 'The UUIDs of the members of a static cohort.'
      }),
      csv: z.string().nullish().meta({
        description:
          'The members of a static cohort, as CSV: the first line names a column `person_id` (a UUID), `distinct_id` or `email`, or every line is a distinct id. Larger files are sent as a form (`multipart/form-data`) with the fields of this object and the file `csv`.'
      }),
      query: ObjectJson.nullish().meta({
        description:
          'The members of a static cohort: all persons that an `ActorsQuery` finds now, whatever its `limit`. Needs `person:read`, too.'
      })
    })
    .meta({
      id: 'CohortInput',
      examples: [
        {
          name: 'Beta testers',
          is_static: true,
          _create_static_person_ids: ['0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071']
        },
        { name: 'Power users', filters: FILTERS_EXAMPLE }
      ]
    }),
  REFUSED
)
export type CohortInput = z.infer<typeof CohortInput>

/** The fields of a cohort that can be changed. Fields that are left out stay as they are. */
export const CohortChange = refusing(
  z
    .object({
      ...FIELDS,
      deleted: z.boolean().optional().meta({ description: '`true` deletes the cohort.' })
    })
    .meta({ id: 'CohortChange', examples: [{ name: 'Power users' }] }),
  {
    ...REFUSED,
    query: 'Only a new cohort takes a query.',
    csv: 'Only a new cohort takes a file.',
    _create_static_person_ids:
      'Only a new cohort takes members: add them with `PATCH cohorts/{id}/add_persons_to_static_cohort/`.'
  }
)
export type CohortChange = z.infer<typeof CohortChange>

export const MembersInput = refusing(
  z.object({ person_ids: Uuids.min(1, 'This list may not be empty.') }).meta({
    id: 'CohortMembersInput',
    examples: [{ person_ids: ['0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'] }]
  }),
  { person_id: 'Send the UUIDs of the persons as `person_ids`.' }
)

export const MemberInput = refusing(
  z.object({ person_id: z.guid('Must be a valid UUID.') }).meta({
    id: 'CohortMemberInput',
    examples: [{ person_id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071' }]
  }),
  { person_ids: 'Send the UUID of one person as `person_id`.' }
)

export const UploadJson = z.object({
  matched: z.int().meta({ description: 'Identifiers that belong to a person.' }),
  unmatched: z.int().meta({ description: 'Identifiers that belong to no person.' }),
  duplicates: z.int().meta({ description: 'Identifiers that occur more than once.' }),
  unmatched_examples: z
    .array(z.string())
    .meta({ description: `The first ${MAX_UNMATCHED} identifiers that belong to no person.` })
})
export type UploadJson = z.infer<typeof UploadJson>

const UPLOAD_EXAMPLE = { matched: 1, unmatched: 0, duplicates: 0, unmatched_examples: [] }

export const AddedJson = z
  .object({ success: z.literal(true), ...UploadJson.shape })
  .meta({ id: 'CohortMembersAdded', examples: [{ success: true, ...UPLOAD_EXAMPLE }] })

export const CohortJson = z
  .object({
    id: z.int(),
    name: z.string().nullable(),
    description: z.string(),
    groups: z.array(z.unknown()).max(0).meta({ description: 'Always empty: see `filters`.' }),
    deleted: z.boolean(),
    filters: z.record(z.string(), z.unknown()).nullable(),
    is_calculating: z.literal(false).meta({
      description: 'A cohort is never stale: who is in it is found whenever it is used.'
    }),
    created_by: UserJson,
    created_at: z.iso.datetime(),
    last_calculation: z.iso.datetime().nullable().meta({
      description:
        'For a static cohort, when members were last added or removed by a request; for others, when `count` was counted.'
    }),
    errors_calculating: z.int(),
    last_error_message: z.string().nullable().meta({
      description: 'Why the persons cannot be counted, and the filters not be used.'
    }),
    count: z.int().nullable().meta({
      description:
        'The persons in the cohort now. Null in lists for cohorts that are not static, whose persons are only counted one cohort at a time.'
    }),
    is_static: z.boolean(),
    upload: UploadJson.optional().meta({
      description: 'In the answer to the creation of a static cohort: what was found.'
    })
  })
  .meta({
    id: 'Cohort',
    examples: [
      {
        id: 12,
        name: 'Power users',
        description: '',
        groups: [],
        deleted: false,
        filters: FILTERS_EXAMPLE,
        is_calculating: false,
        created_by: USER_EXAMPLE,
        created_at: '2026-03-02T09:01:12.345Z',
        last_calculation: '2026-03-02T09:01:12.345Z',
        errors_calculating: 0,
        last_error_message: null,
        count: 128,
        is_static: false
      }
    ]
  })
export type CohortJson = z.infer<typeof CohortJson>
