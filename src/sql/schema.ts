import type { Json } from '../input/json.ts'
import { type Expression, type Field, keyOfField, makeCall, quote } from './expression.ts'
import { flagOfJson, memberAt, numberOfJson, textOfJson } from './functions/json-members.ts'
import { StatementError } from './statement-error.ts'
import type { Step } from './tree.ts'
import {
  ACTOR,
  BOOL,
  exactTime,
  FLOAT,
  IDENTITY,
  nullable,
  type SqlType,
  type SqlValue,
  TEXT,
  UUID
} from './types.ts'

/** A table that a SELECT reads. */
export type Schema = {
  /** The names by which columns may be qualified. */
  names: readonly string[]
  columns: readonly string[]
  /** Returns the column at a path. @throws StatementError for a path that is not supported */
  find: (steps: readonly Step[], label: string) => Expression | undefined
}

/** What the newest values of a property are, by its name: `text`, `integer`, `true` … */
export type Kinds = ReadonlyMap<string, string | null>

/** What is known of a project's properties. */
export type PropertyKinds = { event: Kinds; person: Kinds }

export const toColumn = (at: number, field: Field, type: SqlType, label: string): Expression => ({
  kind: 'column',
  at,
  field,
  type,
  label,
  key: keyOfField(field)
})

const COLUMNS = [
  'event',
  'timestamp',
  'distinct_id',
  'person_id',
  '$session_id',
  'properties.x',
  'person.id',
  'person.properties.x',
  'session.x'
]

/** Columns of upstream's table that this service does not read in statements. */
const LATER = new Set([
  'uuid',
  'created_at',
  'elements_chain',
  'elements_chain_href',
  'elements_chain_texts',
  'elements_chain_ids',
  'elements_chain_elements',
  '$window_id',
  'person_mode',
  '$group_0',
  '$group_1',
  '$group_2',
  '$group_3',
  '$group_4',
  'group_0',
  'group_1',
  'group_2',
  'group_3',
  'group_4'
])

/** The table `events`. */
export function eventsSchema(
  alias: string | undefined,
  zone: string,
  kinds: PropertyKinds
): Schema {
  const single = (at: number, label: string): Readonly<Record<string, () => Expression>> => ({
    event: () => toColumn(at, { kind: 'event' }, TEXT, label),
    timestamp: () => toColumn(at, { kind: 'timestamp' }, exactTime(zone), label),
    distinct_id: () => toColumn(at, { kind: 'identity' }, IDENTITY, label),
    person_id: () => toColumn(at, { kind: 'actor' }, ACTOR, label),
    $session_id: () => toColumn(at, { kind: 'session' }, TEXT, label)
  })
  return {
    names: alias === undefined ? ['events'] : [alias],
    columns: COLUMNS,
    find(steps, label) {
      const [first, ...rest] = steps
      const name = String(first?.name)
      const at = first?.at ?? 0
      const own = rest.length === 0 ? single(at, label)[name] : undefined
      if (own) {
        return own()
      }
      const owner = OWNERS[name]
      if (owner) {
        return owner(rest, { at, label, zone, kinds })
      }
      return LATER.has(name) ? refuse(at, name) : undefined
    }
  }
}

type Owner = (
  steps: readonly Step[],
  place: Place & { zone: string; kinds: PropertyKinds }
) => Expression | undefined

const ofPerson: Owner = (steps, { at, label, kinds }) =>
  personColumn(steps, { at, label }, kinds.person)

/** What begins the path of a member. */
const OWNERS: Readonly<Record<string, Owner>> = {
  properties: (steps, { at, label, kinds }) =>
    property({ of: 'event', steps, at, label }, kinds.event),
  person: ofPerson,
  pdi: ([first, ...rest], place) => (first?.name === 'person' ? ofPerson(rest, place) : undefined),
  session: (steps, { at, label, zone }) => sessionColumn(steps, { at, label, zone })
}

function refuse(at: number, name: string): never {
  throw new StatementError(
    at,
    `${name} is not supported in statements: use ${COLUMNS.join(', ')}, or an EventsQuery for whole events.`
  )
}

type Place = { at: number; label: string }

function personColumn(steps: readonly Step[], place: Place, kinds: Kinds): Expression {
  const [first, ...rest] = steps
  switch (first?.name) {
    case 'id':
      return toColumn(place.at, { kind: 'actor' }, ACTOR, place.label)
    case 'properties':
      return property({ of: 'person', steps: rest, ...place }, kinds)
    default:
      throw new StatementError(
        first?.at ?? place.at,
        `Unable to resolve field: person.${first?.name ?? ''}. A person has person.id and person.properties.x.`
      )
  }
}

/** The properties of sessions that are not text. */
const OF_SESSIONS: Readonly<Record<string, 'number' | 'flag' | 'time'>> = {
  $session_duration: 'number',
  $pageview_count: 'number',
  $screen_count: 'number',
  $autocapture_count: 'number',
  $is_bounce: 'flag',
  $start_timestamp: 'time',
  $end_timestamp: 'time'
}

const OTHER_SESSION_NAMES: Readonly<Record<string, string>> = { duration: '$session_duration' }

function sessionColumn(
  steps: readonly Step[],
  { at, label, zone }: Place & { zone: string }
): Expression {
  const [first, ...rest] = steps
  const name = String(first?.name ?? '')
  if (name === 'id' || name === 'session_id') {
    return toColumn(at, { kind: 'session' }, TEXT, label)
  }
  if (name === '' || rest.length > 0) {
    throw new StatementError(
      at,
      `Unable to resolve field: ${label}. Write session.$session_duration.`
    )
  }
  const key = OTHER_SESSION_NAMES[name] ?? name
  const column = toColumn(at, { kind: 'property', of: 'session', key }, nullable(TEXT), label)
  return member(column, { path: [], reading: OF_SESSIONS[key] ?? 'text', zone, label })
}

type AskedProperty = { of: 'event' | 'person'; steps: readonly Step[] } & Place

/** Names whose values are texts, whatever they look like. */
const ALWAYS_TEXT = /^(?:utm_|\$feature\/|\$survey_response)|^\$feature_flag_response$/

const READINGS: Readonly<Record<string, 'number' | 'flag'>> = {
  integer: 'number',
  real: 'number',
  true: 'flag',
  false: 'flag'
}

function property({ of, steps, at, label }: AskedProperty, kinds: Kinds): Expression {
  const [first, ...path] = steps
  if (!first) {
    throw new StatementError(
      at,
      `${label} as a whole is not supported in statements: name a property, such as ${label}.$browser.`
    )
  }
  const key = String(first.name)
  const kind = ALWAYS_TEXT.test(key) ? null : (kinds.get(key) ?? null)
  const reading = path.length > 0 ? 'text' : (READINGS[kind ?? ''] ?? 'text')
  const column = toColumn(at, { kind: 'property', of, key }, nullable(TEXT), label)
  return member(column, { path: path.map(({ name }) => name), reading, zone: 'UTC', label })
}

type Reading = 'text' | 'number' | 'flag' | 'time'

type Member = {
  path: readonly (string | number)[]
  reading: Reading
  zone: string
  label: string
}

/** Reads the JSON values of a column, or the members at a path in them. */
function member(column: Expression, { path, reading, zone, label }: Member): Expression {
  const types: Record<Reading, SqlType> = {
    text: TEXT,
    number: FLOAT,
    flag: BOOL,
    time: exactTime(zone)
  }
  const read = READERS[reading]
  return makeCall(
    column.at,
    {
      name: `${reading}${path.map((step) => `[${JSON.stringify(step)}]`).join('')}`,
      args: [column],
      type: nullable(types[reading]),
      // The cast is safe: the column of a property has JSON values.
      apply: (value = null) => read(memberAt(value as Json, path))
    },
    label
  )
}

const READERS: Record<Reading, (json: Json) => SqlValue> = {
  text: textOfJson,
  number: numberOfJson,
  flag: flagOfJson,
  time: (json) => (typeof json === 'string' ? Date.parse(json) : null)
}

/** A column of the answer of a SELECT. */
export type AnswerColumn = { name: string; type: SqlType }

/** The columns of a subquery. */
export const rowsSchema = (
  alias: string | undefined,
  columns: readonly AnswerColumn[]
): Schema => ({
  names: alias === undefined ? [] : [alias],
  columns: columns.map(({ name }) => name),
  find([first, ...rest], label) {
    const place = columns.findIndex(({ name }) => name === first?.name)
    const column = columns[place]
    if (!column || !first) {
      return undefined
    }
    if (rest.length > 0) {
      throw new StatementError(
        first.at,
        `${label}: ${first.name} has no members here. Name ${quote(label)} as a column inside the subquery.`
      )
    }
    return toColumn(first.at, { kind: 'row', place }, column.type, label)
  }
})

/** Constants without a table. */
export const NO_TABLE: Schema = { names: [], columns: [], find: () => undefined }

/**
 * Returns the column that has the text of an id, for functions that need it: the UUID of a person,
 * or a distinct id. Other columns stay as they are.
 */
export function withText(expression: Expression): Expression {
  if (expression.kind !== 'column') {
    return expression
  }
  const { field, at, label, type } = expression
  if (field.kind === 'actor') {
    return toColumn(at, { kind: 'person_uuid' }, UUID, label)
  }
  if (field.kind === 'identity') {
    return toColumn(at, { kind: 'distinct_id' }, TEXT, label)
  }
  if (type.base === 'actor' || type.base === 'identity') {
    throw new StatementError(
      at,
      `${label} is an id here: write toString(${label}) inside the subquery, and use that column.`
    )
  }
  return expression
}
