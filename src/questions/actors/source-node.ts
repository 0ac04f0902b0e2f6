import * as z from 'zod'
import { isWithinDay } from '../../calendar/buckets.ts'
import { parseIso, toClock, toIso } from '../../calendar/clock.ts'
import type { JsonObject } from '../../input/json.ts'
import { ignored } from '../../trends/node-fields.ts'
import type { TrendQuery } from '../../trends/query.ts'
import { inRequest, type Settings } from '../../trends/request.ts'
import { Unsupported } from '../../trends/shared-fields.ts'
import { inSource } from '../paths.ts'

/** The members that all sources have. */
export const SourceNode = z.strictObject({
  kind: z.string(),
  source: z.unknown(),
  includeRecordings: Unsupported,
  modifiers: Unsupported,
  ...ignored('response', 'tags', 'version')
})

/**
 * An `InsightActorsQuery` whose question gives none of its members a meaning. Extended by those that
 * it does, it still refuses the others.
 */
export const InsightNode = SourceNode.extend({
  series: Unsupported,
  day: Unsupported,
  breakdown: Unsupported,
  compare: z.literal('current', 'The question has no previous period.').nullish(),
  interval: Unsupported,
  status: Unsupported
})

/** The place of a series. */
export const SeriesPlace = z.int().min(0).nullish()

/** A bucket: its name, the moment at which it begins, or its place. */
export const Day = z.union(
  [z.string().max(100), z.int().min(0)],
  'Send a date, or the place of a bucket.'
)

/** A period of a comparison. */
export const Compared = z.enum(['current', 'previous']).nullish()

/** The longest value of a breakdown, characters. */
const MAX_VALUE = 10_000

/** Values of several breakdowns. */
const MAX_VALUES = 10

/** The text of a breakdown's value, or a list of them. */
export const BreakdownValue = z.union([
  z.string().max(MAX_VALUE),
  z.array(z.string().max(MAX_VALUE)).max(MAX_VALUES)
])

/** Reads the question in a source, whose kind is known. @throws errors of input, attr the path */
export const readAsked = <Query>(
  question: unknown,
  read: (node: JsonObject, settings: Settings, now: Date) => Query,
  settings: Settings,
  now: Date
): Query =>
  // The cast is safe: the table of sources has found the kind of this object.
  inRequest({ pathOf: inSource }, () => read(question as JsonObject, settings, now))

/**
 * Returns the name or the place of a bucket as text: `2025-06-01T00:00:00Z` → `2025-06-01`, or
 * `2025-06-01 00:00:00` by the hour. A moment is written on the project's clock.
 */
export function bucketOf(
  day: string | number,
  { interval }: Pick<TrendQuery, 'interval'>,
  timezone: string
): string {
  const time = typeof day === 'string' && /\d[T ]\d/.test(day) ? parseIso(day, timezone) : undefined
  if (time === undefined) {
    return String(day)
  }
  const [date, clock = ''] = toIso(toClock(time, timezone)).replace('Z', '').split('T')
  return isWithinDay(interval) || clock !== '00:00:00' ? `${date} ${clock}` : `${date}`
}
