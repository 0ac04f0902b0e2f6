import type { Json, JsonObject } from '../../input/json.ts'
import { noColumn, readPropertyPath, withoutLabel } from '../select.ts'
import type { ShownActor } from './actor.ts'

export type ActorColumn = {
  /** The item of the `select` as it was sent. */
  name: string
  type: string
  /** Whether the cells are the numbers of an actor's events, which only actors of a source have. */
  isCount: boolean
  cellOf: (actor: ShownActor) => Json
}

const OF_ACTORS: Readonly<Record<string, Omit<ActorColumn, 'name'>>> = {
  person: { type: 'Tuple', isCount: false, cellOf: toPerson },
  actor: { type: 'Tuple', isCount: false, cellOf: toPerson },
  id: { type: 'UUID', isCount: false, cellOf: ({ uuid }) => uuid },
  actor_id: { type: 'UUID', isCount: false, cellOf: ({ uuid }) => uuid },
  created_at: { type: 'DateTime', isCount: false, cellOf: ({ created_at: at }) => at },
  person_display_name: { type: 'Tuple', isCount: false, cellOf: toDisplayName },
  event_count: { type: 'UInt64', isCount: true, cellOf: ({ count }) => count }
}

const SUPPORTED = [...Object.keys(OF_ACTORS), 'properties.x']

/** Reads an item of a `select`. @throws invalid_input, attr `at`, for one that is not supported */
export function readActorColumn(item: string, at: string): ActorColumn {
  const text = withoutLabel(item)
  const path = readPropertyPath(text)
  if (path) {
    const { key } = path
    return {
      name: item,
      type: 'JSON',
      isCount: false,
      // The cast is safe: properties were parsed from JSON.
      cellOf: ({ properties }) =>
        Object.hasOwn(properties, key) ? (properties[key] as Json) : null
    }
  }
  const column = Object.hasOwn(OF_ACTORS, text) ? OF_ACTORS[text] : undefined
  if (!column) {
    throw noColumn(item, at, SUPPORTED)
  }
  return { name: item, ...column }
}

function toPerson({
  type,
  uuid,
  name,
  properties,
  created_at,
  distinct_ids
}: ShownActor): JsonObject {
  // The cast is safe: properties were parsed from JSON.
  return { id: uuid, type, name, properties: properties as JsonObject, created_at, distinct_ids }
}

function toDisplayName({ uuid, name, distinct_ids }: ShownActor): JsonObject {
  return { display_name: name, id: uuid, distinct_id: distinct_ids[0] ?? null }
}
