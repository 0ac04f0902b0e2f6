import * as z from 'zod'
import { noDate, readFrom, readUntil } from '../../calendar/dates.ts'
import { AppError, naming } from '../../errors.ts'
import { type Json, readJsonParameter } from '../../input/json.ts'
import { type FilterGroup, leavesOf, type PropertyType } from '../../properties/filter.ts'
import { Patterns } from '../../properties/pattern.ts'
import { readFilters } from '../../properties/read-filters.ts'
import {
  EVENT_TYPES,
  type FiltersQuery,
  LIST_TYPES,
  METADATA_KEYS,
  RECORDING_KEYS
} from './schemas.ts'

export type PersonFilter = { id: number } | { uuid: string }

/** Filters of a list, all of which must match unless `isAny`. Times are ms UTC, half-open. */
export type RecordingFilters = {
  persons: PersonFilter[]
  /** Lists of distinct ids, each of which must contain the recording's distinct id. */
  distinctIds: string[][]
  sessionIds: string[] | undefined
  from: number | undefined
  until: number | undefined
  groups: FilterGroup[]
  /** Whether one of `events` and `chosen` is enough; all others must match in any case. */
  isAny: boolean
  /**
   * Events that must have happened in the session: their name (null for any event) and the filters
   * that they must match.
   */
  events: { name: string | null; group: FilterGroup }[]
  /** The filters of the parameter `properties`. */
  chosen: FilterGroup[]
}

export type ListSettings = { timezone: string; weekStart: number; testAccountFilters: unknown[] }

/**
 * Reads the filters of a list.
 * @param properties the parameter `properties`, parsed
 * @throws invalid_input, attr the parameter
 */
export function readRecordingFilters(
  query: FiltersQuery,
  properties: Json | undefined,
  settings: ListSettings,
  now: Date
): RecordingFilters {
  const {
    person,
    person_uuid,
    distinct_id,
    distinct_ids,
    session_ids,
    date_from,
    date_to,
    operand
  } = query
  const patterns = new Patterns()
  const { timezone } = settings
  const read: ReadFilters = (input, types, needsValues = true) =>
    checkKeys(readFilters(input, { timezone, now, types, patterns, needsValues }))
  const persons = [readPerson(person, 'person'), readPerson(person_uuid, 'person_uuid')]
  return {
    persons: persons.filter((person) => person !== undefined),
    distinctIds: [...(distinct_id ? [[distinct_id]] : []), ...(distinct_ids ? [distinct_ids] : [])],
    sessionIds: session_ids,
    from: readDate(date_from, 'date_from', (text) => readFrom(text, settings, now)),
    until: readDate(date_to, 'date_to', (text) => readUntil(text, 'minute', settings, now)),
    groups: readGroups(query, settings, read),
    isAny: operand === 'OR',
    events: readEvents(query.events ?? [], read),
    chosen: readChosen(properties, operand, (input) => read(input, LIST_TYPES))
  }
}

type ReadFilters = (
  input: Json,
  types: readonly PropertyType[],
  needsValues?: boolean
) => FilterGroup

/**
 * Reads the filters that a recording must always match: `having_predicates`, and the project's
 * filters for test accounts.
 */
function readGroups(
  { having_predicates: having, filter_test_accounts: hidesTestAccounts }: FiltersQuery,
  { testAccountFilters }: ListSettings,
  read: ReadFilters
): FilterGroup[] {
  const groups: FilterGroup[] = []
  if (having) {
    groups.push(
      naming('having_predicates', () =>
        read(readJsonParameter(having, 'having_predicates'), ['recording'])
      )
    )
  }
  if (hidesTestAccounts) {
    // The cast is safe: the filters are stored as JSON.
    const filters = testAccountFilters as Json
    groups.push(naming('filter_test_accounts', () => read(filters, LIST_TYPES, false)))
  }
  return groups
}

function readEvents(
  events: NonNullable<FiltersQuery['events']>,
  read: ReadFilters
): RecordingFilters['events'] {
  return events.map((event, i) => {
    if (typeof event === 'string') {
      return { name: event, group: naming('events', () => read([], EVENT_TYPES)) }
    }
    expectEvent('type', event.type, ['events', 'event'], i)
    expectEvent('kind', event.kind, ['EventsNode'], i)
    // The cast is safe: the filters were parsed from JSON.
    const filters = (event.properties ?? []) as Json
    return { name: event.id, group: naming('events', () => read(filters, EVENT_TYPES)) }
  })
}

/** @throws invalid_input, attr the field, for an action or anything else that is not an event */
function expectEvent(
  field: string,
  value: string | null | undefined,
  allowed: readonly string[],
  index: number
): void {
  if (value && !allowed.includes(value)) {
    throw new AppError(
      'invalid_input',
      `${JSON.stringify(value)} is not supported: only events are supported.`,
      `events__${index}__${field}`
    )
  }
}

/**
 * Reads the filters in `properties`. The operand joins the filters of a list; a group's own type
 * joins the filters of a group.
 */
function readChosen(
  properties: Json | undefined,
  operand: FilterGroup['type'],
  read: (input: Json) => FilterGroup
): FilterGroup[] {
  if (properties === undefined) {
    return []
  }
  const group = read(properties)
  if (group.values.length === 0) {
    return []
  }
  return [Array.isArray(properties) ? { ...group, type: operand } : group]
}

/** Types with a fixed set of keys; the other types allow any key. */
const KNOWN_KEYS: Partial<Record<PropertyType, readonly string[]>> = {
  recording: RECORDING_KEYS,
  event_metadata: METADATA_KEYS
}

function checkKeys(group: FilterGroup): FilterGroup {
  for (const { type, key } of leavesOf(group)) {
    const known = KNOWN_KEYS[type]
    if (known && !known.includes(key)) {
      throw new AppError(
        'invalid_input',
        `${JSON.stringify(key)} is not a property of type ${type}; send one of ${known.join(', ')}.`,
        'properties'
      )
    }
  }
  return group
}

function readPerson(text: string | undefined, attr: string): PersonFilter | undefined {
  if (text === undefined) {
    return undefined
  }
  if (/^\d{1,15}$/.test(text)) {
    return { id: Number(text) }
  }
  if (z.guid().safeParse(text).success) {
    return { uuid: text.toLowerCase() }
  }
  throw new AppError(
    'invalid_input',
    `The id of a person must be an integer or a UUID; got ${JSON.stringify(text)}.`,
    attr
  )
}

/** Reads a date, ms UTC; undefined without text and for `all`. @throws invalid_input */
function readDate(
  text: string | undefined,
  attr: string,
  read: (text: string) => number | undefined
): number | undefined {
  if (!text || text === 'all') {
    return undefined
  }
  const time = read(text)
  if (time === undefined) {
    throw noDate(text, attr)
  }
  return time
}

/** Whether the filters match all recordings. */
export const isUnfiltered = (filters: RecordingFilters): boolean =>
  [filters.persons, filters.distinctIds, filters.events, filters.chosen].every(
    (list) => list.length === 0
  ) &&
  filters.groups.every((group) => group.values.length === 0) &&
  [filters.sessionIds, filters.from, filters.until].every((value) => value === undefined)
