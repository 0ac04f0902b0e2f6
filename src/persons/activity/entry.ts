import { isSame, type Json, type JsonObject } from '../../input/json.ts'

/** The user and key behind an action, as they were; null for the service itself. */
export type Actor = {
  user: { id: number; first_name: string; email: string }
  key: { id: number; label: string }
} | null

/** Maximum number of identities listed in one entry; D1 limits a row to 2 MB. */
export const MAX_IDENTITIES = 10_000

/**
 * Maximum number of identities listed in the entry of a merge. Fewer than in other entries, because
 * anyone's events can cause merges.
 */
export const MAX_FOLDED_IDENTITIES = 100

/**
 * Maximum number of bytes of distinct ids, as JSON, that are read for one entry, which itself holds
 * only keys. The query returns ids and keys in one value, and D1 allows 2 MB in a value.
 */
export const MAX_IDS_BYTES = 1_000_000

/**
 * A change of one field. An erasure removes the values in `before` and `after`. `identities` maps
 * the names of lists, such as `distinct_ids`, to the keys of their identities. The lists of
 * distinct ids are added to `after` when the entry is read, so that erased distinct ids disappear
 * from it.
 */
export type Change = {
  type: 'Person'
  action: 'changed' | 'deleted' | 'merged' | 'split'
  field: 'properties' | 'distinct_ids' | null
  before: JsonObject | null
  after: JsonObject | null
  identities?: Record<string, number[]>
}

export const ACTIVITIES = [
  'updated',
  'deleted',
  'split_person',
  'delete_property',
  'merged',
  'suppressed',
  'suppression_lifted'
] as const

/** An entry of the activity log; `at` is ms UTC. */
export type ActivityEntry = {
  scope: 'Person'
  itemId: number
  activity: (typeof ACTIVITIES)[number]
  actor: Actor
  detail: { name: string | null; changes: Change[] }
  at: number
}

/** Returns the actor of a request. */
export const actorOf = (
  user: { id: number; firstName: string; email: string },
  key: { id: number; label: string }
): Actor => ({
  user: { id: user.id, first_name: user.firstName, email: user.email },
  key: { id: key.id, label: key.label }
})

/** Returns the ids of an actor's user and key for the ledger; 0 for the service itself. */
export const idsOfActor = (actor: Actor): { user: number; key: number } => ({
  user: actor?.user.id ?? 0,
  key: actor?.key.id ?? 0
})

/** Returns the change between two states of properties: the values of the keys that differ. */
export const propertiesChange = (
  before: ReadonlyMap<string, Json>,
  after: ReadonlyMap<string, Json>
): Change => {
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => !isSame(before.get(key), after.get(key))
  )
  const only = (properties: ReadonlyMap<string, Json>): JsonObject =>
    Object.fromEntries([...properties].filter(([key]) => keys.includes(key)))
  return {
    type: 'Person',
    action: 'changed',
    field: 'properties',
    before: only(before),
    after: only(after)
  }
}
