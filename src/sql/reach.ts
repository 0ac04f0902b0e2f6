import type { Expression } from './expression.ts'
import type { Setting } from './functions/definition.ts'
import { dayOfText, momentOfDay, timeOfText } from './functions/times.ts'
import type { SqlValue } from './types.ts'

/**
 * What a condition says about the events to read: their names, and their time in ms UTC. `rest` has
 * the conditions that this does not cover.
 */
export type Reach = {
  /** Undefined for all names. */
  names: readonly string[] | undefined
  since: number
  until: number
  rest: readonly Expression[]
}

/** Names of which the overviews are read one by one; of more, all events are looked at. */
const MAX_NAMES = 20

/** The earliest and the latest time that JavaScript knows, ms. */
const BEGINNING = -8.64e15
const END = 8.64e15

/** Returns which events a condition is about. */
export function reachOf(where: Expression | undefined, setting: Setting): Reach {
  let reach: Reach = { names: undefined, since: BEGINNING, until: END, rest: [] }
  for (const condition of where ? conjunctsOf(where) : []) {
    reach = narrow(reach, condition, setting)
  }
  return reach
}

/** `a AND (b AND c)` → a, b, c */
const conjunctsOf = (condition: Expression): Expression[] =>
  condition.kind === 'call' && condition.key.startsWith('and(')
    ? condition.args.flatMap(conjunctsOf)
    : [condition]

function narrow(reach: Reach, condition: Expression, setting: Setting): Reach {
  const names = namesIn(condition)
  if (names) {
    const both = reach.names?.filter((name) => names.includes(name)) ?? names
    return { ...reach, names: both }
  }
  const range = rangeIn(condition, setting)
  if (range) {
    return {
      ...reach,
      since: Math.max(reach.since, range.since),
      until: Math.min(reach.until, range.until)
    }
  }
  return { ...reach, rest: [...reach.rest, condition] }
}

/** `event = 'a'`, `event IN ('a', 'b')` */
function namesIn(condition: Expression): readonly string[] | undefined {
  const { operator, column, values } = partsOf(condition) ?? {}
  const isName = column?.kind === 'column' && column.field.kind === 'event'
  if (!isName || (operator !== 'equals' && operator !== 'in')) {
    return undefined
  }
  const names = (values ?? []).filter((value) => typeof value === 'string')
  const different = [...new Set(names)]
  const isShort = different.length <= MAX_NAMES
  return isShort && names.length === values?.length ? different : undefined
}

type Range = { since: number; until: number }

/**
 * `timestamp >= …`, `timestamp BETWEEN … AND …` and, of the project's days, `toDate(timestamp) = …`
 */
function rangeIn(condition: Expression, setting: Setting): Range | undefined {
  const { operator, column, values, types } = partsOf(condition) ?? {}
  if (!operator || !column || !values || !types) {
    return undefined
  }
  const zone = column.type.zone ?? setting.timezone
  if (column.kind === 'column' && column.field.kind === 'timestamp') {
    const times = values.map((value, i) => timeOf(value, types[i] ?? '', zone))
    return times.includes(undefined)
      ? undefined
      : rangeOf(operator, times.map(Number), (time) => Math.floor(time) + 1)
  }
  if (isDay(column)) {
    const days = values.map((value, i) => dayOf(value, types[i] ?? '', zone))
    const range = days.includes(undefined)
      ? undefined
      : rangeOf(operator, days.map(Number), (day) => day + 1)
    return range && inTime(range, dayZoneOf(column) ?? zone)
  }
  return undefined
}

const inTime = ({ since, until }: Range, zone: string): Range => ({
  since: since === BEGINNING ? BEGINNING : momentOfDay(since, zone),
  until: until === END ? END : momentOfDay(until, zone)
})

/** Whether an expression is `toDate(timestamp)`. */
const isDay = (expression: Expression): boolean => dayZoneOf(expression) !== undefined

function dayZoneOf(expression: Expression): string | undefined {
  if (expression.kind !== 'call' || !expression.key.startsWith('toDate(')) {
    return undefined
  }
  const [time, ...others] = expression.args
  const isTime = time?.kind === 'column' && time.field.kind === 'timestamp'
  return isTime && others.length === 0 ? time.type.zone : undefined
}

/** Times are whole milliseconds; `after` is the next value. */
function rangeOf(
  operator: string,
  [first = Number.NaN, last = first]: readonly number[],
  after: (value: number) => number
): Range | undefined {
  // The first whole value that is not less.
  const from = Math.ceil(first)
  switch (operator) {
    case 'equals':
      return { since: from, until: Number.isInteger(first) ? after(first) : from }
    case 'greaterOrEquals':
      return { since: from, until: END }
    case 'greater':
      return { since: after(first), until: END }
    case 'less':
      return { since: BEGINNING, until: from }
    case 'lessOrEquals':
      return { since: BEGINNING, until: after(first) }
    case 'between':
      return { since: from, until: after(last) }
    default:
      return undefined
  }
}

/** What stays the same when both sides of a comparison are turned. */
const TURNED: Readonly<Record<string, string>> = {
  equals: 'equals',
  less: 'greater',
  lessOrEquals: 'greaterOrEquals',
  greater: 'less',
  greaterOrEquals: 'lessOrEquals'
}

type Parts = {
  operator: string
  column: Expression
  values: readonly SqlValue[]
  /** The base types of the values. */
  types: readonly string[]
}

/** Returns the parts of a comparison with constants. */
function partsOf(condition: Expression): Parts | undefined {
  if (condition.kind !== 'call') {
    return undefined
  }
  const operator = condition.key.slice(0, condition.key.indexOf('('))
  const [first, ...others] = condition.args
  const turned = TURNED[operator]
  const [only] = others
  if (first?.kind === 'constant' && only && turned && others.length === 1) {
    return { operator: turned, column: only, values: [first.value], types: [first.type.base] }
  }
  const values = others.map((other) => (other.kind === 'constant' ? other.value : undefined))
  return first && others.length > 0 && !values.includes(undefined)
    ? {
        operator,
        column: first,
        values: values.map((value) => value ?? null),
        types: others.map(({ type }) => type.base)
      }
    : undefined
}

/** Returns the time that a constant is compared as, ms; undefined if that is not known. */
function timeOf(value: SqlValue, base: string, zone: string): number | undefined {
  if (typeof value === 'string') {
    return timeOfText(value, zone)
  }
  if (typeof value !== 'number') {
    return undefined
  }
  switch (base) {
    case 'time':
      return value
    case 'date':
      return momentOfDay(value, zone)
    case 'int':
    case 'float':
      return value * 1000
    default:
      return undefined
  }
}

function dayOf(value: SqlValue, base: string, zone: string): number | undefined {
  if (typeof value === 'string') {
    return dayOfText(value, zone)
  }
  return typeof value === 'number' && base === 'date' ? value : undefined
}
