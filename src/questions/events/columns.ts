import { toIso } from '../../calendar/clock.ts'
import type { EventRow } from '../../events/store.ts'
import type { Json, JsonObject } from '../../input/json.ts'
import { uuidFromHex } from '../../input/uuid.ts'
import type { PersonJson } from '../../persons/schemas.ts'
import { readPropertyPath, withoutLabel } from '../select.ts'

/** An event with its properties, parsed, and the person that it belongs to now. */
export type ShownEvent = {
  row: EventRow
  properties: JsonObject
  person: PersonJson | undefined
  projectId: number
}

export type EventColumn = {
  /** The item of the `select` as it was sent. */
  name: string
  type: string
  /** Whether the cells say something about the person. */
  isPersonal: boolean
  cellOf: (event: ShownEvent) => Json
}

type Column = Omit<EventColumn, 'name' | 'isPersonal'>

const OF_EVENTS: Readonly<Record<string, Column>> = {
  '*': { type: 'Tuple', cellOf: toObject },
  uuid: { type: 'UUID', cellOf: ({ row }) => uuidFromHex(row.uuid) },
  event: { type: 'String', cellOf: ({ row }) => row.event },
  timestamp: { type: 'DateTime64', cellOf: ({ row }) => toIso(row.timestamp) },
  distinct_id: { type: 'String', cellOf: ({ row }) => row.distinct_id },
  properties: { type: 'JSON', cellOf: ({ properties }) => properties }
}

const OF_PERSONS: Readonly<Record<string, Column>> = {
  person: { type: 'Tuple', cellOf: toPerson },
  person_display_name: { type: 'Tuple', cellOf: toDisplayName },
  'person.id': { type: 'UUID', cellOf: ({ row }) => row.person_uuid }
}

/** Returns the column of rows for an item of a `select`; undefined for another expression. */
export function findColumn(item: string): EventColumn | undefined {
  const text = withoutLabel(item)
  const path = readPropertyPath(text)
  if (path) {
    const { of, key } = path
    return {
      name: item,
      type: 'JSON',
      isPersonal: of === 'person',
      cellOf: ({ properties, person }) =>
        memberOf(of === 'person' ? person?.properties : properties, key)
    }
  }
  const isPersonal = Object.hasOwn(OF_PERSONS, text)
  const column = isPersonal || Object.hasOwn(OF_EVENTS, text) ? COLUMNS[text] : undefined
  return column && { name: item, isPersonal, ...column }
}

const COLUMNS: Readonly<Record<string, Column>> = { ...OF_EVENTS, ...OF_PERSONS }

function memberOf(properties: Record<string, unknown> | undefined, key: string): Json {
  // The cast is safe: properties were parsed from JSON.
  return properties && Object.hasOwn(properties, key) ? (properties[key] as Json) : null
}

function toObject({ row, properties, projectId }: ShownEvent): JsonObject {
  return {
    uuid: uuidFromHex(row.uuid),
    event: row.event,
    properties,
    timestamp: toIso(row.timestamp),
    team_id: projectId,
    distinct_id: row.distinct_id
  }
}

function toPerson({ row, person }: ShownEvent): JsonObject {
  return person
    ? {
        uuid: person.uuid,
        created_at: person.created_at,
        // The cast is safe: properties were parsed from JSON.
        properties: person.properties as JsonObject,
        distinct_id: row.distinct_id
      }
    : { distinct_id: row.distinct_id }
}

function toDisplayName({ row, person }: ShownEvent): JsonObject {
  return {
    display_name: person?.name ?? row.distinct_id,
    id: person?.uuid ?? null,
    distinct_id: row.distinct_id
  }
}
