import type { Calendar } from '../calendar/buckets.ts'
import { noDate, readFrom } from '../calendar/dates.ts'
import { leavesOf } from '../properties/filter.ts'
import { type Expression, makeConstant } from './expression.ts'
import type { Filling, SqlQuery, StatementFilters } from './request.ts'
import type { Resolver, Surroundings } from './resolve.ts'
import { toColumn } from './schema.ts'
import { StatementError } from './statement-error.ts'
import type { Node } from './tree.ts'
import { BOOL, exactTime, FLAG } from './types.ts'

/** The bounds of `{filters}`, ms UTC. */
type Bounds = { from: number | undefined; until: number | undefined }

/** Returns what resolves the placeholders of a statement. */
export function fillingOf(query: SqlQuery, calendar: Calendar, now: Date): Surroundings['fill'] {
  const bounds = readBounds(query.filters, calendar, now)
  return (steps, at, resolver) => {
    const [first = '', ...rest] = steps
    switch (first) {
      case 'filters':
        return rest.length === 0
          ? filtersAt(query.filters, bounds, at, resolver)
          : boundAt(bounds, { steps, at }, calendar)
      case 'variables':
        return resolver.resolve(variableAt(query, rest.join('.'), at))
      default:
        return resolver.resolve(valueAt(query, steps.join('.'), at))
    }
  }
}

/** @throws invalid_input, attr the path of the date in the node */
function readBounds(filters: StatementFilters | undefined, calendar: Calendar, now: Date): Bounds {
  const read = (text: string | undefined, name: string): number | undefined => {
    if (text === undefined || (name === 'date_from' && text === 'all')) {
      return undefined
    }
    const time = readFrom(text, calendar, now)
    if (time === undefined) {
      throw noDate(text, `filters__dateRange__${name}`)
    }
    return time
  }
  return { from: read(filters?.from, 'date_from'), until: read(filters?.until, 'date_to') }
}

/** `timestamp >= … AND timestamp < … AND …`; true without filters. */
function filtersAt(
  filters: StatementFilters | undefined,
  { from, until }: Bounds,
  at: number,
  resolver: Resolver
): Expression {
  const group = filters?.group
  const hasProperties = group !== undefined && leavesOf(group).length > 0
  if (from === undefined && until === undefined && !hasProperties) {
    return makeConstant(at, 1, { ...BOOL, name: 'UInt8' })
  }
  const name = resolver.timeOfFilters(at, hasProperties)
  const own: Node = { kind: 'path', at, steps: [{ name, at }] }
  const compare = (operator: string, time: number): Expression =>
    resolver.call(
      operator,
      [resolver.resolve(own), makeConstant(at, time, exactTime(resolver.setting.timezone))],
      { kind: 'placeholder', at, steps: ['filters'] }
    )
  const conditions = [
    ...(from === undefined ? [] : [compare('greaterOrEquals', from)]),
    ...(until === undefined ? [] : [compare('less', until)]),
    ...(hasProperties ? [toColumn(at, { kind: 'filters', group }, FLAG, 'filters')] : [])
  ]
  const [first, ...others] = conditions
  return first && others.length === 0
    ? first
    : resolver.call('and', conditions, { kind: 'placeholder', at, steps: ['filters'] })
}

/** `{filters.dateRange.from}` */
function boundAt(
  { from, until }: Bounds,
  { steps, at }: { steps: readonly string[]; at: number },
  { timezone }: Calendar
): Expression {
  const bounds: Readonly<Record<string, number | undefined>> = {
    'filters.dateRange.from': from,
    'filters.dateRange.to': until
  }
  const name = steps.join('.')
  if (!Object.hasOwn(bounds, name)) {
    throw new StatementError(
      at,
      `Unknown placeholder {${name}}: use {filters}, {filters.dateRange.from} or {filters.dateRange.to}.`
    )
  }
  const time = bounds[name]
  if (time === undefined) {
    throw new StatementError(
      at,
      `{${name}} has no value: send \`filters.dateRange\`, or use {filters}.`
    )
  }
  return makeConstant(at, time, exactTime(timezone))
}

function variableAt({ variables }: SqlQuery, name: string, at: number): Node {
  const value = variables.get(name)
  if (value === undefined) {
    throw new StatementError(at, missing(`variables.${name}`, 'variables', [...variables.keys()]))
  }
  return toNode(value, at)
}

function valueAt({ values }: SqlQuery, name: string, at: number): Node {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined) {
    throw new StatementError(at, missing(name, 'values', Object.keys(values)))
  }
  return toNode(value, at)
}

const missing = (name: string, field: string, known: readonly string[]): string =>
  known.length > 0
    ? `Placeholder {${name}} is not among \`${field}\`: ${known.slice(0, 20).join(', ')}.`
    : `Unresolved placeholder {${name}}: send its value in \`${field}\`.`

/** Returns a constant, never text of a statement. */
function toNode(value: Filling, at: number): Node {
  if (Array.isArray(value)) {
    return { kind: 'array', at, items: value.map((item) => toNode(item, at)) }
  }
  return { kind: 'literal', at, value, isText: typeof value === 'string' }
}
