import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import {
  ACTIVITIES,
  type Actor,
  type Change,
  MAX_FOLDED_IDENTITIES,
  MAX_IDENTITIES
} from './entry.ts'

const Values = z.record(z.string(), z.unknown()).nullable()

/** An example entry with every field; its keys are also the columns of the CSV. */
export const ACTIVITY_EXAMPLE = {
  id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
  user: { id: 1, first_name: 'Grace', email: 'grace@example.com', is_system: false },
  key: { id: 3, label: 'support' },
  activity: 'updated' as const,
  scope: 'Person' as const,
  item_id: '731',
  detail: {
    changes: [
      {
        type: 'Person' as const,
        action: 'changed' as const,
        field: 'properties' as const,
        before: { plan: 'free' },
        after: { plan: 'pro' }
      }
    ],
    name: null,
    short_id: null,
    trigger: null,
    type: null
  },
  created_at: '2026-10-02T10:11:12.345Z'
}

/** An entry of the activity log in every response of the API. */
export const ActivityJson = z
  .object({
    id: z.guid(),
    user: z
      .object({
        id: z.int().nullable(),
        first_name: z.string(),
        email: z.string().nullable(),
        is_system: z.boolean()
      })
      .meta({
        description:
          'The user at the time of the action. `System`, without an id and an e-mail address, is the service itself, which merges persons because of events.'
      }),
    key: z
      .object({ id: z.int(), label: z.string() })
      .nullable()
      .meta({ description: 'The API key that was used; null for `System`.' }),
    activity: z.enum(ACTIVITIES),
    scope: z.literal('Person'),
    item_id: z.string().meta({
      description:
        "The person's id at the time of the action. When persons are merged, the entries move to the remaining person and keep this id."
    }),
    detail: z.object({
      changes: z.array(
        z.object({
          type: z.literal('Person'),
          action: z.enum(['changed', 'deleted', 'merged', 'split']),
          field: z.enum(['properties', 'distinct_ids']).nullable(),
          before: Values.meta({
            description:
              'The changed properties before the action. Null for merges and splits, and once the person is deleted.'
          }),
          after: Values.meta({
            description: `The changed properties after the action; null once the person is deleted. For a merge, the \`uuid\` of the merged person and up to ${MAX_FOLDED_IDENTITIES} of its \`distinct_ids\`. For a split, the person's \`distinct_ids\` before the split and, as \`split_off\`, those that left: up to ${MAX_IDENTITIES} in each list, and about 1 MB of different ids in all. Deleted distinct ids are missing, and so is the \`uuid\` once the remaining person is deleted.`
          })
        })
      ),
      name: z
        .string()
        .nullable()
        .meta({ description: "The person's uuid; null for `updated` and `merged`." }),
      short_id: z.null(),
      trigger: z.null(),
      type: z.null()
    }),
    created_at: z.iso.datetime().meta({ description: 'UTC.' })
  })
  .meta({ id: 'Activity', examples: [ACTIVITY_EXAMPLE] })
export type ActivityJson = z.infer<typeof ActivityJson>

/**
 * A row of the activity log. `ids`, as JSON text, maps the keys of the entry's identities to their
 * distinct ids. Erased distinct ids are missing, and in large entries also those beyond
 * `MAX_IDS_BYTES`.
 */
export type ActivityRow = {
  id: number
  uuid: string
  item_id: number
  activity: ActivityJson['activity']
  actor: string | null
  detail: string
  ids: string
  created_at: number
}

const SYSTEM = { id: null, first_name: 'System', email: null, is_system: true }

/** Returns an entry as the API responds with it. */
export function activityToJson(row: ActivityRow) {
  const actor: Actor = row.actor === null ? null : JSON.parse(row.actor)
  const { name, changes }: { name: string | null; changes: Change[] } = JSON.parse(row.detail)
  const ids: Record<string, string> = JSON.parse(row.ids)
  return {
    id: row.uuid,
    user: actor ? { ...actor.user, is_system: false } : SYSTEM,
    key: actor?.key ?? null,
    activity: row.activity,
    scope: 'Person',
    item_id: String(row.item_id),
    detail: {
      changes: changes.map(({ identities, ...change }) => ({
        ...change,
        after: withIds(change.after, identities, ids)
      })),
      name,
      short_id: null,
      trigger: null,
      type: null
    },
    created_at: toIso(row.created_at)
  } satisfies ActivityJson
}

function withIds(
  after: Change['after'],
  identities: Change['identities'],
  ids: Record<string, string>
) {
  if (!identities) {
    return after
  }
  const found = Object.entries(identities).map(([name, keys]) => [
    name,
    keys.flatMap((key) => ids[key] ?? [])
  ])
  return { ...after, ...Object.fromEntries(found) }
}
