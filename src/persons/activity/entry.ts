import { isSame, type Json, type JsonObject } from '../../input/json.ts'

/** Who did it and with which key, as they were then; null for what the service did by itself. */
export type Actor = {
  user: { id: number; first_name: string; email: string }
  key: { id: number; label: string }
} | null

/** An entry lists so many identities and no more: a row of D1 ends at 2 MB. */
export const MAX_IDENTITIES = 10_000

/**
 * What was done to a part of the object. `before` and `after` are the values that an erasure takes out; `identities` are
 * the distinct ids that it is about, by their keys: whoever reads finds the ids that are still there.
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
  'merged'
] as const

/** One action; `at` is ms UTC. */
export type Entry = {
  scope: 'Person'
  itemId: number
  activity: (typeof ACTIVITIES)[number]
  actor: Actor
  detail: { name: string | null; changes: Change[] }
  at: number
}

/** Whoever sent a request. */
export const actorOf = (
  user: { id: number; firstName: string; email: string },
  key: { id: number; label: string }
): Actor => ({
  user: { id: user.id, first_name: user.firstName, email: user.email },
  key: { id: key.id, label: key.label }
})

/** A change of properties, with the values of just the keys that are different. */
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
