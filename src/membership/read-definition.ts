import * as z from 'zod'
import { goBack } from '../calendar/clock.ts'
import { noDate, readFrom, readUntil } from '../calendar/dates.ts'
import { AppError, naming } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import { parseInput } from '../input/parse.ts'
import { show } from '../input/show.ts'
import { isOneOf, MAX_DEPTH, MAX_FILTERS, PROPERTY_TYPES } from '../properties/filter.ts'
import { Patterns } from '../properties/pattern.ts'
import { readFilters } from '../properties/read-filters.ts'
import { type Behavior, type Definition, type Times, toLeaf } from './definition.ts'

/** The clock of a project, and the moment as of which a definition is read. */
export type AsOf = { timezone: string; weekStart: number; now: Date }

type Reading = AsOf & { patterns: Patterns; count: { filters: number } }

/** The kinds of behaviour that are computed. */
const BEHAVIORS = [
  'performed_event',
  'performed_event_multiple',
  'performed_event_first_time'
] as const

/** Kinds of behaviour of PostHog that compare several periods or events. */
const SEQUENCES = [
  'performed_event_sequence',
  'stopped_performing_event',
  'restarted_performing_event',
  'performed_event_regularly'
]

/** The units of spans of time, as `goBack` knows them. */
const UNITS = { minute: 'M', hour: 'h', day: 'd', week: 'w', month: 'm', year: 'y' } as const
const UNIT_NAMES = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const

/** The operators of `performed_event_multiple`. */
const TIMES = {
  gte: 'gte',
  gt: 'gt',
  lte: 'lte',
  lt: 'lt',
  eq: 'exact',
  exact: 'exact'
} as const

/** Largest number of times that is compared. */
const MAX_TIMES = 1_000_000

/** Longest span of time, in its unit: a hundred years of days. */
const MAX_SPAN = 36_525

const ignored = z.unknown().optional()

/** An integer, which clients also send as text. */
const count = (least: number, most: number) =>
  z
    .union(
      [
        z.int(),
        z
          .string()
          .regex(/^\d{1,9}$/)
          .transform(Number)
      ],
      'A valid integer is required.'
    )
    .pipe(z.int().min(least).max(most))

const BehaviorNode = z.strictObject({
  type: z.string(),
  value: z.enum(BEHAVIORS),
  key: z.string().min(1).max(200),
  event_type: z.literal('events').nullish(),
  time_value: count(1, MAX_SPAN).nullish(),
  time_interval: z.enum(UNIT_NAMES).nullish(),
  explicit_datetime: z.string().max(100).nullish(),
  explicit_datetime_to: z.string().max(100).nullish(),
  event_filters: ignored,
  operator: z.string().nullish(),
  operator_value: count(0, MAX_TIMES).nullish(),
  negation: z.boolean().nullish(),
  // What the cohorts of PostHog have for other kinds, without a value.
  seq_event: z.null().optional(),
  seq_event_type: z.null().optional(),
  seq_time_value: z.null().optional(),
  seq_time_interval: z.null().optional(),
  total_periods: z.null().optional(),
  min_periods: z.null().optional(),
  conditionHash: ignored,
  bytecode: ignored
})

/**
 * Reads the filters of a cohort: `{"properties": {"type": "OR", "values": […]}}`, groups of groups
 * and of filters by properties of persons, by other cohorts and by what actors did.
 * @throws invalid_input and other errors of input, attr the path, `properties__values__0__key`
 */
export function readDefinition(filters: Json, asOf: AsOf): Definition {
  if (!isObject(filters) || !isObject(filters.properties)) {
    throw new AppError(
      'invalid_input',
      'The filters of a cohort are an object such as `{"properties": {"type": "AND", "values": [{"type": "person", "key": "plan", "operator": "exact", "value": "pro"}]}}`.',
      'properties'
    )
  }
  const other = Object.keys(filters).find((name) => name !== 'properties')
  if (other !== undefined) {
    throw new AppError('invalid_input', 'This field is unknown.', other)
  }
  const reading = { ...asOf, patterns: new Patterns(), count: { filters: 0 } }
  return readNode(filters.properties, 'properties', 1, reading)
}

function readNode(node: Json, at: string, depth: number, reading: Reading): Definition {
  if (!isObject(node)) {
    throw new AppError('invalid_input', 'A filter of a cohort must be an object.', at)
  }
  if (node.type === 'AND' || node.type === 'OR') {
    return readGroup(node, at, depth, reading)
  }
  if (depth === 1) {
    throw new AppError(
      'invalid_choice',
      `The outermost group of a cohort has the type AND or OR; got ${show(node.type)}.`,
      `${at}__type`
    )
  }
  reading.count.filters += 1
  if (reading.count.filters > MAX_FILTERS) {
    throw new AppError('query_too_large', `A cohort has at most ${MAX_FILTERS} filters.`, at)
  }
  const { negation = null, ...positive } = node
  if (negation !== null && typeof negation !== 'boolean') {
    throw new AppError('invalid_input', 'Must be a valid boolean.', `${at}__negation`)
  }
  const leaf = readLeaf(positive, at, reading)
  return negation ? { kind: 'not', node: leaf } : leaf
}

function readGroup(node: JsonObject, at: string, depth: number, reading: Reading): Definition {
  const { type, values, ...others } = node
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw new AppError(
      'invalid_input',
      'A group of a cohort has only `type` and `values`.',
      `${at}__${other}`
    )
  }
  if (depth > MAX_DEPTH) {
    throw new AppError(
      'invalid_input',
      `The groups of a cohort may be nested at most ${MAX_DEPTH} deep.`,
      at
    )
  }
  if (!Array.isArray(values) || values.length === 0) {
    throw new AppError(
      'invalid_input',
      'The `values` of a group must be a list of at least one filter or group.',
      `${at}__values`
    )
  }
  const nodes = values.map((one, i) => readNode(one, `${at}__values__${i}`, depth + 1, reading))
  return { kind: 'group', type: type === 'OR' ? 'OR' : 'AND', nodes }
}

function readLeaf(node: JsonObject, at: string, reading: Reading): Definition {
  switch (node.type) {
    case 'person':
    case 'cohort': {
      const types = [node.type] as const
      const read = () => readFilters([node], { ...reading, types, needsValues: true })
      const [filter] = naming(at, read).values
      if (!filter || !('key' in filter)) {
        throw new Error('One filter was read as none.')
      }
      return toLeaf(filter)
    }
    case 'behavioral':
      return readBehavior(node, at, reading)
    default:
      throw new AppError(
        'invalid_choice',
        `The \`type\` of a cohort's filter must be person, cohort or behavioral; got ${show(node.type)}.`,
        `${at}__type`
      )
  }
}

function readBehavior(node: JsonObject, at: string, reading: Reading): Behavior {
  if (typeof node.value === 'string' && isOneOf(SEQUENCES, node.value)) {
    throw new AppError(
      'invalid_input',
      `\`${node.value}\` is not supported: a cohort is by whether, how often or when first somebody did something. Supported: ${BEHAVIORS.join(', ')}.`,
      `${at}__value`
    )
  }
  const read = parseInput(BehaviorNode, node, at.split('__'))
  const { timezone, now, patterns } = reading
  const isCounted = read.value === 'performed_event_multiple'
  const filters = (read.event_filters ?? []) as Json
  return {
    kind: 'behavior',
    event: read.key,
    filters: naming(`${at}__event_filters`, () =>
      readFilters(filters, { timezone, now, patterns, types: PROPERTY_TYPES, needsValues: true })
    ),
    ...spanOf(read, at, reading),
    times: isCounted ? timesOf(read, at) : { operator: 'gte', count: 1 },
    isFirst: read.value === 'performed_event_first_time'
  }
}

type ReadBehavior = z.output<typeof BehaviorNode>

type Span = { since: number; until: number }

/** Reads the span of time: the last so many units, exactly from now, or from one date to another. */
function spanOf(read: ReadBehavior, at: string, reading: Reading): Span {
  const { time_value: amount, time_interval: unit, explicit_datetime: from } = read
  if (from && (amount || unit)) {
    throw new AppError(
      'invalid_input',
      'Send either `time_value` and `time_interval`, or `explicit_datetime`.',
      `${at}__explicit_datetime`
    )
  }
  if (from) {
    return spanFrom(from, read.explicit_datetime_to, at, reading)
  }
  if (read.explicit_datetime_to) {
    throw new AppError('required', 'This field is required.', `${at}__explicit_datetime`)
  }
  if (!amount || !unit) {
    throw new AppError(
      'required',
      'This field is required: send `time_value` and `time_interval`, or `explicit_datetime`.',
      `${at}__${amount ? 'time_interval' : 'time_value'}`
    )
  }
  const now = reading.now.getTime()
  return { since: goBack(now, amount, UNITS[unit], reading.timezone), until: now + 1 }
}

function spanFrom(
  from: string,
  to: string | null | undefined,
  at: string,
  { timezone, weekStart, now }: Reading
): Span {
  const calendar = { timezone, weekStart }
  const end = now.getTime() + 1
  const since = readFrom(from, calendar, now)
  const until = to ? readUntil(to, 'minute', calendar, now) : end
  if (since === undefined) {
    throw noDate(from, `${at}__explicit_datetime`)
  }
  if (until === undefined) {
    throw noDate(to ?? '', `${at}__explicit_datetime_to`)
  }
  return { since, until: Math.max(since, Math.min(until, end)) }
}

function timesOf({ operator, operator_value: count }: ReadBehavior, at: string): Times {
  const own = Object.entries(TIMES).find(([name]) => name === operator)?.[1]
  if (own === undefined) {
    throw new AppError(
      'invalid_choice',
      `The operator must be one of ${Object.keys(TIMES).join(', ')}; got ${show(operator)}.`,
      `${at}__operator`
    )
  }
  if (count === null || count === undefined) {
    throw new AppError('required', 'This field is required.', `${at}__operator_value`)
  }
  return { operator: own, count }
}
