import {
  findSessionProperty,
  SESSION_PROPERTIES,
  type SESSION_TYPES
} from '../../properties/session.ts'
import type { Expression, Field } from '../expression.ts'
import { type Schema, type TableName, toColumn } from '../schema.ts'
import { StatementError } from '../statement-error.ts'
import type { Step } from '../tree.ts'
import { exactTime, IDENTITY, nullable, type SqlType, TEXT } from '../types.ts'
import { type MemberReading, memberColumn, type PathPlace } from './members.ts'

/** Names of PostHog for properties that have another name here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['duration', '$session_duration'],
  ['$exit_current_url', '$end_current_url'],
  ['$exit_pathname', '$end_pathname'],
  ['$exit_hostname', '$end_hostname']
])

const READINGS: Readonly<Record<(typeof SESSION_TYPES)[number], MemberReading>> = {
  DateTime: 'time',
  String: 'text',
  Numeric: 'count',
  Duration: 'seconds',
  Boolean: 'flag'
}

/** How the properties that every session has are read. */
const ALWAYS = new Set<MemberReading>(['count', 'seconds', 'time'])

/** Columns of PostHog's table that this service does not keep, and what to write instead. */
const MISSING: ReadonlyMap<string, string> = new Map([
  ['$urls', 'topK(100)(properties.$current_url) of events, grouped by $session_id'],
  ['$num_uniq_urls', 'uniq(properties.$current_url) of events, grouped by $session_id']
])

const COLUMNS = ['session_id', 'distinct_id', ...SESSION_PROPERTIES.map(({ name }) => name)]

/**
 * The property of a session; undefined for an unknown name.
 * @param isOptional whether there may be no session, as for an event
 */
export function sessionProperty(
  [first, ...rest]: readonly Step[],
  { at, label, zone, isOptional }: PathPlace & { zone: string; isOptional: boolean }
): Expression | undefined {
  const name = String(first?.name ?? '')
  const key = OTHER_NAMES.get(name) ?? name
  const instead = MISSING.get(key)
  if (instead !== undefined) {
    throw new StatementError(at, `${label} is not kept here: use ${instead}.`)
  }
  const property = findSessionProperty(key)
  if (!property || rest.length > 0) {
    return undefined
  }
  const column = toColumn(at, { kind: 'property', of: 'session', key }, nullable(TEXT), label)
  // The only number that is not a count is a time in ms.
  const reading = key === '$vitals_lcp' ? 'number' : READINGS[property.type]
  const isNullable = isOptional || !ALWAYS.has(reading)
  return memberColumn(column, { path: [], reading, zone, label, isNullable })
}

/** The table `sessions`: a row for each session, of all of its events. */
export function sessionsSchema(
  alias: string | undefined,
  zone: string
): Schema & { table: TableName } {
  const single = new Map<string, [Field, SqlType]>([
    ['session_id', [{ kind: 'session' }, TEXT]],
    ['id', [{ kind: 'session' }, TEXT]],
    ['distinct_id', [{ kind: 'identity' }, IDENTITY]],
    ['$start_timestamp', [{ kind: 'timestamp' }, exactTime(zone)]]
  ])
  return {
    table: 'sessions',
    names: [alias ?? 'sessions'],
    columns: COLUMNS,
    all: COLUMNS,
    time: '$start_timestamp',
    find(steps, label) {
      const [first, ...rest] = steps
      const at = first?.at ?? 0
      const [field, type] = (rest.length === 0 && single.get(String(first?.name))) || []
      return field && type
        ? toColumn(at, field, type, label)
        : sessionProperty(steps, { at, label, zone, isOptional: false })
    }
  }
}
