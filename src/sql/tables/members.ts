import type { Json } from '../../input/json.ts'
import { type Expression, makeCall } from '../expression.ts'
import { flagOfJson, memberAt, numberOfJson, textOfJson } from '../functions/json-members.ts'
import { type Kinds, toColumn } from '../schema.ts'
import type { Step } from '../tree.ts'
import {
  BOOL,
  exactTime,
  FLOAT,
  int,
  nullable,
  type SqlType,
  type SqlValue,
  TEXT
} from '../types.ts'

/** Where an expression stands in the statement, and how the answer names it. */
export type PathPlace = { at: number; label: string }

/** Names whose values are texts, whatever they look like. */
const ALWAYS_TEXT = /^(?:utm_|\$feature\/|\$survey_response)|^\$feature_flag_response$/

const READINGS: Readonly<Record<string, 'number' | 'flag'>> = {
  integer: 'number',
  real: 'number',
  true: 'flag',
  false: 'flag'
}

/** The properties of events or persons as a whole, a JSON text, or the member at a path in them. */
export function propertyColumn(
  { of, steps, at, label }: { of: 'event' | 'person'; steps: readonly Step[] } & PathPlace,
  kinds: Kinds
): Expression {
  const [first, ...path] = steps
  if (!first) {
    return toColumn(at, { kind: 'properties', of }, TEXT, label)
  }
  const key = String(first.name)
  const kind = ALWAYS_TEXT.test(key) ? null : (kinds.get(key) ?? null)
  const reading = path.length > 0 ? 'text' : (READINGS[kind ?? ''] ?? 'text')
  const column = toColumn(at, { kind: 'property', of, key }, nullable(TEXT), label)
  return memberColumn(column, { path: path.map(({ name }) => name), reading, zone: 'UTC', label })
}

export type MemberReading = 'text' | 'number' | 'count' | 'seconds' | 'flag' | 'time'

type Member = {
  path: readonly (string | number)[]
  reading: MemberReading
  zone: string
  label: string
  /** By default, it may be missing. */
  isNullable?: boolean
}

/** Reads the JSON values of a column, or the members at a path in them. */
export function memberColumn(
  column: Expression,
  { path, reading, zone, label, isNullable = true }: Member
): Expression {
  const types: Record<MemberReading, SqlType> = {
    text: TEXT,
    number: FLOAT,
    count: int('UInt64'),
    seconds: int('Int64'),
    flag: BOOL,
    time: exactTime(zone)
  }
  const read = READERS[reading]
  return makeCall(
    column.at,
    {
      name: `${reading}${path.map((step) => `[${JSON.stringify(step)}]`).join('')}`,
      args: [column],
      type: nullable(types[reading], isNullable),
      // The cast is safe: the column of a property has JSON values.
      apply: (value = null) => read(memberAt(value as Json, path))
    },
    label
  )
}

const READERS: Record<MemberReading, (json: Json) => SqlValue> = {
  text: textOfJson,
  number: numberOfJson,
  count: numberOfJson,
  seconds: numberOfJson,
  flag: flagOfJson,
  time: (json) => (typeof json === 'string' ? Date.parse(json) : null)
}
