import { isObject, type Json, type JsonObject } from '../input/json.ts'
import type { Parameter } from '../input/url.ts'

/** What stands in place of a value that may name a person. */
export const HIDDEN = '…'

/** Parameters whose values name no person. Any other value is hidden. */
const SHOWN = new Set([
  'limit',
  'offset',
  'cohort',
  'format',
  'order',
  'order_direction',
  'orderBy',
  'date_from',
  'date_to',
  'after',
  'before',
  'operand',
  'event',
  'interval',
  'display',
  'breakdown_type',
  'page',
  'status',
  'snapshots'
])

/** Members of filters in JSON that are texts and are shown: the property, how it is compared. */
const SHOWN_MEMBERS = new Set(['key', 'operator', 'type', 'id', 'kind'])
/** The member of a group that has its filters. */
const GROUPED = 'values'

/** Longest value that is kept, characters. */
const MAX_CHARACTERS = 200

/**
 * Returns the parameters of a list for the access log: which filters were set, on which properties,
 * but no value that may be somebody's. The persons who were found are in the entry by their UUIDs.
 *
 * `?email=ada@example.com&limit=5` → `{ email: '…', limit: '5' }`
 */
export function describeFilters(parameters: readonly Parameter[]): JsonObject {
  const named = Map.groupBy(parameters, ([name]) => name.slice(0, MAX_CHARACTERS))
  return Object.fromEntries(
    [...named].map(([name, all]) => {
      const values = all.map(([, value]) => describeValue(name, value))
      return [name, values.length === 1 ? (values[0] ?? null) : values]
    })
  )
}

function describeValue(name: string, text: string): Json {
  if (SHOWN.has(name)) {
    return text.slice(0, MAX_CHARACTERS)
  }
  try {
    return withoutValues(JSON.parse(text))
  } catch {
    return HIDDEN
  }
}

/** Returns filters in JSON without the values that they compare with. */
function withoutValues(json: Json): Json {
  if (Array.isArray(json)) {
    return json.map(withoutValues)
  }
  if (!isObject(json)) {
    return HIDDEN
  }
  const members = Object.entries(json).flatMap(([name, member]): [string, Json][] => {
    if (name === GROUPED) {
      return [[name, withoutValues(member)]]
    }
    return SHOWN_MEMBERS.has(name) && !isNested(member)
      ? [[name, String(member).slice(0, MAX_CHARACTERS)]]
      : []
  })
  return Object.fromEntries(members)
}

const isNested = (json: Json): boolean => typeof json === 'object' && json !== null
