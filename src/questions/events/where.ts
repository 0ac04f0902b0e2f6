import type { Calendar } from '../../calendar/buckets.ts'
import { readFrom } from '../../calendar/dates.ts'
import type { JsonObject } from '../../input/json.ts'
import { readPropertyPath, unquote } from '../select.ts'

/** What the conditions of a `where` ask for, all of which must hold. */
export type Conditions = {
  /** For each condition on the name, the names that it allows. */
  names: string[][]
  distinctIds: string[]
  /** Times, ms UTC: events at or after all of `from`, before all of `until`. */
  from: number[]
  until: number[]
  /** Property filters. */
  properties: JsonObject[]
}

type Condition = Partial<Conditions>

const TEXT = String.raw`(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`

const TIME = new RegExp(
  String.raw`^timestamp\s*(>=|>|<=|<)\s*(?:(${TEXT})|toDateTime\(\s*(${TEXT})\s*\))$`,
  'is'
)

const EQUALITY = new RegExp(
  String.raw`^(.+?)\s*==?\s*(?:(${TEXT})|(-?\d+(?:\.\d+)?|true|false))$`,
  'is'
)

const MEMBERSHIP = new RegExp(
  String.raw`^event\s+in\s*[([]\s*(${TEXT}(?:\s*,\s*${TEXT})*)\s*[)\]]$`,
  'is'
)

/** Reads the conditions of a `where`; undefined if one of them is another expression. */
export function readWhere(
  where: readonly string[],
  calendar: Calendar,
  now: Date
): Conditions | undefined {
  const read = where.flatMap(
    (text) =>
      readMembership(text.trim()) ??
      readTime(text.trim(), calendar, now) ??
      readEquality(text.trim()) ??
      []
  )
  if (read.length < where.length) {
    return undefined
  }
  return {
    names: read.flatMap(({ names = [] }) => names),
    distinctIds: read.flatMap(({ distinctIds = [] }) => distinctIds),
    from: read.flatMap(({ from = [] }) => from),
    until: read.flatMap(({ until = [] }) => until),
    properties: read.flatMap(({ properties = [] }) => properties)
  }
}

/** `event IN ('a', 'b')` */
function readMembership(text: string): Condition | undefined {
  const [, listed] = MEMBERSHIP.exec(text) ?? []
  const names = listed?.match(new RegExp(TEXT, 'g'))
  return names ? { names: [names.map(unquote)] } : undefined
}

/** `timestamp >= '2026-11-20'` */
function readTime(text: string, calendar: Calendar, now: Date): Condition | undefined {
  const [, operator = '', plain, wrapped] = TIME.exec(text) ?? []
  const quoted = plain ?? wrapped
  const time = quoted === undefined ? undefined : readFrom(unquote(quoted), calendar, now)
  if (time === undefined) {
    return undefined
  }
  // Times are whole milliseconds.
  const limit = operator === '>' || operator === '<=' ? time + 1 : time
  return operator.startsWith('>') ? { from: [limit] } : { until: [limit] }
}

/** `event = 'a'`, `distinct_id = 'a'`, `properties.price = 5` */
function readEquality(text: string): Condition | undefined {
  const [, left = '', quoted, number] = EQUALITY.exec(text) ?? []
  const value = quoted === undefined ? number?.toLowerCase() : unquote(quoted)
  const path = readPropertyPath(left)
  if (value === undefined) {
    return undefined
  }
  if (path) {
    return { properties: [{ type: path.of, key: path.key, operator: 'exact', value: [value] }] }
  }
  switch (quoted === undefined ? '' : left.toLowerCase()) {
    case 'event':
      return { names: [[value]] }
    case 'distinct_id':
      return { distinctIds: [value] }
    default:
      return undefined
  }
}
