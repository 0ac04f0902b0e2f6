import { AppError } from '../../errors.ts'
import type { Json, JsonObject } from '../../input/json.ts'
import { show } from '../../input/show.ts'
import { readPropertyPath, withoutLabel } from '../select.ts'
import type { ShownActor } from './actor.ts'

/** An actor of an answer. */
export type ListedActor = ShownActor & { appearances?: number[] | undefined }

/** Columns that only the actors of a source have, or of some sources. */
export type FoundColumn = 'event_count' | 'appearances'

export type ActorColumn = {
  /** The item of the `select` as it was sent. */
  name: string
  type: string
  /** Undefined for a column that every actor has. */
  found?: FoundColumn
  cellOf: (actor: ListedActor) => Json
}

const OF_ACTORS: Readonly<Record<string, Omit<ActorColumn, 'name'>>> = {
  person: { type: 'Tuple', cellOf: toPerson },
  actor: { type: 'Tuple', cellOf: toPerson },
  id: { type: 'UUID', cellOf: ({ uuid }) => uuid },
  actor_id: { type: 'UUID', cellOf: ({ uuid }) => uuid },
  created_at: { type: 'DateTime', cellOf: ({ created_at: at }) => at },
  person_display_name: { type: 'Tuple', cellOf: toDisplayName },
  event_count: { type: 'UInt64', found: 'event_count', cellOf: ({ count }) => count },
  appearances: {
    type: 'Array(UInt64)',
    found: 'appearances',
    cellOf: ({ appearances = [] }) => appearances
  }
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
      // The cast is safe: properties were parsed from JSON.
      cellOf: ({ properties }) =>
        Object.hasOwn(properties, key) ? (properties[key] as Json) : null
    }
  }
  const column = Object.hasOwn(OF_ACTORS, text) ? OF_ACTORS[text] : undefined
  if (!column) {
    throw new AppError(
      'invalid_input',
      `${show(item)} is not a supported column. Supported: ${SUPPORTED.join(', ')}. For expressions, send a HogQLQuery that selects FROM persons.`,
      at
    )
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
