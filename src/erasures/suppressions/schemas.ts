import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import { closed, sameReason } from '../../input/fields.ts'
import { IdentifyingText } from '../../input/parameters.ts'
import { clean } from '../../persons/distinct-id.ts'
import { listOf, PersonId } from '../persons/schemas.ts'
import { Hash, SIGNED } from '../receipts/schemas.ts'
import type { SuppressionRow } from './store.ts'

/** The persons or distinct ids to suppress. */
export const SuppressRequest = closed(
  z
    .object({
      ids: listOf(PersonId).nullish().meta({
        description: 'UUIDs or integer ids of persons; UUIDs of deleted persons, too.'
      }),
      distinct_ids: listOf(z.string().min(1).max(1000)).nullish().meta({
        description:
          'Distinct ids. An id that a person has, or had before its deletion, suppresses the person with all its ids.'
      })
    })
    .refine(
      ({ ids, distinct_ids }) => Boolean(ids) !== Boolean(distinct_ids),
      'Provide either ids or distinct_ids.'
    )
    .meta({ id: 'SuppressRequest', examples: [{ distinct_ids: ['user-1'] }] }),
  sameReason(
    ['id', 'uuid', 'uuids', 'person_id', 'person_ids'],
    'Name the persons in `ids` or `distinct_ids`.'
  )
)

const ID = '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
const PERSON = '01a1f000-0000-7000-8000-00000000000a'
const ACTOR = {
  user: { id: 1, first_name: 'Ada', email: 'ada@example.com' },
  key: { id: 1, label: 'admin' }
}

export const SuppressAnswer = z
  .object({
    persons_suppressed: z.int().meta({
      description:
        'The number of new suppressions, including those of distinct ids that no person has.'
    }),
    results: z.array(
      z.object({
        id: z
          .union([z.string(), z.int()])
          .meta({ description: 'The id or distinct id from the request.' }),
        result: z.enum(['suppressed', 'already_suppressed', 'not_found']).meta({
          description:
            '`already_suppressed`: all distinct ids of the person are covered. `not_found` is only for `ids`: a distinct id without a person is suppressed by itself.'
        }),
        person_uuid: z.guid().nullable().meta({
          description:
            'Null for `not_found`, and for a distinct id that no person has or had. One of the persons if several deleted persons had the distinct id.'
        }),
        suppressions: z.array(z.guid()).meta({
          description:
            'The ids of the new suppressions: one, or several if several deleted persons had the distinct id. For `already_suppressed`, the ids of all suppressions that cover the distinct ids.'
        })
      })
    )
  })
  .meta({
    id: 'SuppressAnswer',
    examples: [
      {
        persons_suppressed: 1,
        results: [{ id: 'user-1', result: 'suppressed', person_uuid: PERSON, suppressions: [ID] }]
      }
    ]
  })

const Who = z.looseObject({})

const shape = {
  id: z.guid(),
  person_uuid: z.guid().nullable().meta({
    description:
      'The person that had the distinct ids at the time of the request, or had them when it was deleted; null for a distinct id that no person has or had.'
  }),
  distinct_ids: z.int().min(1).meta({
    description:
      'The number of distinct ids, including those that joined later. Only keyed hashes of them are stored.'
  }),
  since: z.iso.datetime().meta({
    description:
      'The time of the request: data received from then on is dropped. Data of a distinct id that joined later is dropped from the time when it joined.'
  }),
  created_by: Who.meta({ description: 'The user and the key that requested the suppression.' }),
  lifted_at: z.iso.datetime().nullable().meta({
    description:
      'Data received from then on is stored again; null while the suppression is in force.'
  }),
  lifted_by: Who.nullable().meta({
    description: 'The user and the key that lifted it; null while the suppression is in force.'
  }),
  events_dropped: z.int().min(0),
  recording_parts_dropped: z.int().min(0),
  last_dropped_at: z.iso.datetime().nullable().meta({
    description:
      'When the last dropped event or part of a recording was received; null if nothing was dropped.'
  })
}

const EXAMPLE = {
  id: ID,
  person_uuid: PERSON,
  distinct_ids: 2,
  since: '2026-11-20T10:00:00Z',
  created_by: ACTOR,
  lifted_at: null,
  lifted_by: null,
  events_dropped: 12,
  recording_parts_dropped: 3,
  last_dropped_at: '2026-11-21T08:15:00Z'
}

export const Suppression = z.object(shape).meta({ id: 'Suppression', examples: [EXAMPLE] })
export type Suppression = z.infer<typeof Suppression>

const HEX = {
  salt: 'c0535e4be2b79ffd93291305436bf889314e4a3faec05ecffcbb7df31ad9e51a',
  id: '8dbae2ca6d0d6d9e5f1b6b5d4f5cf2d17a1e8e3c7d0b7c5a9b3f2e1d0c4b5a69',
  key: '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9'
}

/** The signed statement about a suppression. */
export const SuppressionReceipt = z
  .object({
    kind: z.literal('suppression'),
    project_id: z.int(),
    ...shape,
    stated_at: z.iso.datetime().meta({ description: 'The time to which the receipt refers.' }),
    subject: z.object({ salt: Hash, distinct_ids: z.array(Hash) }).meta({
      description:
        'Identifies the suppressed person to those who know a distinct id: each member of `distinct_ids` is the SHA-256 of the text that is `salt` and then an id. Ids that joined later are not listed. If the person was deleted before the suppression, only ids that the request named are listed.'
    }),
    ...SIGNED
  })
  .meta({
    id: 'SuppressionReceipt',
    examples: [
      {
        kind: 'suppression',
        project_id: 1,
        ...EXAMPLE,
        stated_at: '2026-11-22T09:00:00Z',
        subject: { salt: HEX.salt, distinct_ids: [HEX.id] },
        key: HEX.key,
        signature: `${HEX.key}${HEX.key}`
      }
    ]
  })

export const suppressionToJson = (row: SuppressionRow): Suppression => ({
  id: row.id,
  person_uuid: row.personUuid,
  distinct_ids: row.distinctIds,
  since: toIso(row.since),
  created_by: row.requestedBy,
  lifted_at: row.liftedAt === null ? null : toIso(row.liftedAt),
  lifted_by: row.liftedBy,
  events_dropped: row.events,
  recording_parts_dropped: row.recordingParts,
  last_dropped_at: row.lastDroppedAt === null ? null : toIso(row.lastDroppedAt)
})

/** The filters of the list of suppressions. */
export const SuppressionQuery = z.object({
  status: z.enum(['all', 'in_force', 'lifted']).default('all').meta({
    description:
      'Only suppressions that are in force, or only those that are lifted; all by default.'
  }),
  distinct_id: IdentifyingText.transform(clean).optional().meta({
    description: 'Only suppressions that cover this distinct id, or did before they were lifted.'
  })
})
