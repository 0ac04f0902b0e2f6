import * as z from 'zod'
import { refusing, sameReason } from '../input/fields.ts'
import { isObject, type JsonObject } from '../input/json.ts'

/** A list shows at most this many distinct ids of a person. */
export const LISTED_DISTINCT_IDS = 100

/** A person as every endpoint answers it. */
export const PersonJson = z
  .object({
    id: z.int(),
    name: z.string().meta({
      description:
        'The first of email, name and username that is set, else a distinct id, if possible not an anonymous one.'
    }),
    distinct_ids: z.array(z.string()).meta({
      description: `The anonymous ones last. A list shows at most ${LISTED_DISTINCT_IDS}.`
    }),
    distinct_ids_truncated: z
      .literal(true)
      .optional()
      .meta({ description: 'There are more than the list shows.' }),
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

/** Properties by their keys, whichever they are. */
const PropertiesJson = z
  .custom<JsonObject>(isObject, 'Expected an object.')
  .meta({ type: 'object', additionalProperties: true })

export const PersonUpdateJson = refusing(
  z
    .object({
      properties: PropertiesJson.meta({ description: 'What is to be set; null is a value too.' })
    })
    .meta({ id: 'PersonUpdate', examples: [{ properties: { plan: 'pro' } }] }),
  {
    $set: 'What is to be set is `properties`.',
    $set_once: 'Only events set a property unless it is there.',
    $unset: '`POST persons/{id}/delete_property/` deletes a property.'
  }
)

/** Sent along by clients, and of no effect where it is not the point of the operation. */
const Unread = PropertiesJson.nullish().meta({ description: 'Makes no difference.' })

export const DeletePropertyJson = z
  .object({
    $unset: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'The key of the property to delete.' }),
    properties: Unread
  })
  .meta({ id: 'DeleteProperty', examples: [{ $unset: 'plan' }] })

export const SuccessJson = z
  .object({ success: z.literal(true) })
  .meta({ id: 'Success', examples: [{ success: true }] })

export const SplitRequestJson = refusing(
  z
    .object({
      main_distinct_id: z
        .string()
        .nullish()
        .meta({ description: 'The only distinct id that stays, instead of the first.' }),
      distinct_ids_to_split: z
        .array(z.string())
        .min(1, 'This list may not be empty.')
        .nullish()
        .meta({ description: 'The distinct ids that leave, instead of all but one.' }),
      properties: Unread
    })
    .meta({ id: 'SplitRequest', examples: [{ main_distinct_id: 'ada' }] }),
  sameReason(
    ['distinct_id', 'distinct_ids'],
    'What stays is `main_distinct_id`, what leaves is `distinct_ids_to_split`.'
  )
)

export const SplitJson = z
  .object({
    success: z.literal(true),
    persons: z
      .array(PersonJson)
      .meta({ description: 'The new persons, each with its one distinct id.' })
  })
  .meta({ id: 'Split', examples: [{ success: true, persons: [SPLIT_OFF] }] })
