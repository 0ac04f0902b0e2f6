import type { Json, JsonObject } from '../json.ts'

/** Who did it and with which key, as they were then; null for what the service did by itself. */
export type Actor = {
  user: { id: number; first_name: string; email: string }
  key: { id: number; label: string }
} | null

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

export const ACTIVITIES = ['updated', 'deleted', 'split_person', 'delete_property', 'merged'] as const

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

/** What a write of some keys changed, with the values of just these keys. */
export const propertiesChange = (keys: Iterable<string>, before: JsonObject, after: JsonObject): Change => {
  const chosen = [...keys]
  const pick = (properties: JsonObject): JsonObject =>
    Object.fromEntries(
      chosen.flatMap((key): [string, Json][] => {
        const value = Object.hasOwn(properties, key) ? properties[key] : undefined
        return value === undefined ? [] : [[key, value]]
      })
    )
  return { type: 'Person', action: 'changed', field: 'properties', before: pick(before), after: pick(after) }
}
