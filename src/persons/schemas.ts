import * as z from 'zod'
import { refusing, sameReason } from '../input/fields.ts'
import { isObject, type JsonObject } from '../input/json.ts'
import { clean } from './distinct-id.ts'

/** Maximum number of distinct ids per person in a list. A single person shows all of them. */
export const LISTED_DISTINCT_IDS = 100

/** A person in every response of the API. */
export const PersonJson = z
  .object({
    id: z.int(),
    name: z.string().meta({
      description:
        'The first of the properties `email`, `name` and `username` that is not empty; otherwise a distinct id, preferably one that is not anonymous.'
    }),
    distinct_ids: z.array(z.string()).meta({
      description: `In the order in which they were first seen, but with the ids that an SDK generated, such as UUIDs, last. A list of persons as JSON shows at most ${LISTED_DISTINCT_IDS} ids per person.`
    }),
    distinct_ids_truncated: z
      .literal(true)
      .optional()
      .meta({ description: 'The person has more distinct ids than the list shows.' }),
    properties: z.record(z.string(), z.unknown()),
    created_at: z.iso.datetime().meta({ description: 'UTC.' }),
    uuid: z.guid()
  })
  .meta({
    id: 'Person',
    examples: [
      {
        id: 731,
        name: 'ada@example.com',
        distinct_ids: ['ada', '0191a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
        properties: { email: 'ada@example.com', plan: 'pro' },
        created_at: '2026-10-02T10:11:12.345Z',
        uuid: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
      }
    ]
  })
export type PersonJson = z.infer<typeof PersonJson>

const SPLIT_OFF = {
  id: 732,
  name: 'ada-phone',
  distinct_ids: ['ada-phone'],
  properties: {},
  created_at: '2026-10-02T10:11:12.345Z',
  uuid: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072'
}

const PropertiesJson = z
  .custom<JsonObject>(isObject, 'Expected an object.')
  .meta({ type: 'object', additionalProperties: true })

export const PersonUpdateJson = refusing(
  z
    .object({
      properties: PropertiesJson.meta({
        description:
          'The properties to set. Null is a value like any other and does not delete a property. All other properties stay as they are.'
      })
    })
    .meta({ id: 'PersonUpdate', examples: [{ properties: { plan: 'pro' } }] }),
  {
    $set: 'Send the properties to set as `properties`.',
    $set_once: 'Only events can set properties once: send the properties to set as `properties`.',
    $unset: 'Delete a property with `POST persons/{id}/delete_property/`.'
  }
)

/** A field that clients send and that has no effect. */
const Ignored = PropertiesJson.nullish().meta({ description: 'Has no effect.' })

export const DeletePropertyJson = z
  .object({
    $unset: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'The key of the property to delete.' }),
    properties: Ignored
  })
  .meta({ id: 'DeleteProperty', examples: [{ $unset: 'plan' }] })

export const SuccessJson = z
  .object({ success: z.literal(true) })
  .meta({ id: 'Success', examples: [{ success: true }] })

/** Schema of a distinct id, which is read as it is stored. */
const DistinctId = z.string().transform(clean)

export const SplitRequestJson = refusing(
  z
    .object({
      main_distinct_id: DistinctId.nullish().meta({
        description:
          'The only distinct id that stays with the person; by default the one that was seen first, which need not be the first of `distinct_ids`. All others leave.'
      }),
      distinct_ids_to_split: z
        .array(DistinctId)
        .min(1, 'This list may not be empty.')
        .nullish()
        .meta({
          description:
            'The distinct ids that leave the person; all others stay. Not with `main_distinct_id`.'
        }),
      properties: Ignored
    })
    .meta({ id: 'SplitRequest', examples: [{ main_distinct_id: 'ada' }] }),
  sameReason(
    ['distinct_id', 'distinct_ids'],
    'Send the distinct id that stays as `main_distinct_id`, or the distinct ids that leave as `distinct_ids_to_split`.'
  ),
  [],
  'A split takes `main_distinct_id` or `distinct_ids_to_split`; of other fields, it only ignores `properties`.'
)

export const SplitJson = z
  .object({
    success: z.literal(true),
    persons: z
      .array(PersonJson)
      .meta({ description: 'The new persons, each with one distinct id.' })
  })
  .meta({ id: 'Split', examples: [{ success: true, persons: [SPLIT_OFF] }] })
