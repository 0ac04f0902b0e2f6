import * as z from 'zod'
import { isWithinDay } from '../../calendar/buckets.ts'
import { parseIso, toClock, toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { countBehind } from '../../trends/actors-of-point.ts'
import { toNodePath } from '../../trends/node-paths.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import type { ActorCounts, AskedPoint } from '../../trends/point.ts'
import { isAggregated, type TrendQuery } from '../../trends/query.ts'
import { inRequest, readTrendsNode, type Settings } from '../../trends/request.ts'
import { Unsupported } from '../../trends/shared-fields.ts'
import { inSource } from '../paths.ts'

const PointNode = z.strictObject({
  kind: z.string(),
  source: z.unknown(),
  series: z.int().min(0).nullish(),
  day: z
    .union([z.string().max(100), z.int().min(0)], 'Send a date, or the place of a bucket.')
    .nullish(),
  breakdown: z
    .union([z.string().max(10_000), z.number(), z.array(z.string().max(10_000)).max(10)])
    .nullish(),
  compare: z.enum(['current', 'previous']).nullish(),
  interval: Unsupported,
  status: Unsupported,
  includeRecordings: Unsupported,
  modifiers: Unsupported,
  response: z.unknown().optional(),
  tags: z.unknown().optional(),
  version: z.unknown().optional()
})

/** A point of a trend. */
type TrendPoint = { query: TrendQuery; point: AskedPoint }

/** Reads an `InsightActorsQuery` of a trend. @throws errors of input, attr the path in the node */
export function readPointOfTrend(node: JsonObject, settings: Settings, now: Date): TrendPoint {
  const { source, series, day, breakdown, compare } = parseInput(PointNode, node)
  // The cast is safe: the table of sources has found the kind of this object.
  const query = inRequest({ pathOf: inSource }, () =>
    readTrendsNode(source as JsonObject, settings, now)
  )
  if (compare === 'previous' && !query.compare) {
    throw new AppError(
      'invalid_input',
      'The trend has no previous period: send a `compareFilter` with it.',
      'compare'
    )
  }
  if ((day ?? null) === null && !isAggregated(query)) {
    throw new AppError('required', 'This field is required.', 'day')
  }
  return {
    query,
    point: {
      series: series ?? 0,
      bucket: bucketOf(day ?? 0, query, settings.timezone),
      isPrevious: compare === 'previous',
      value: toText(breakdown ?? undefined),
      offset: 0
    }
  }
}

/**
 * Returns the name of a bucket: `2025-06-01T00:00:00Z` → `2025-06-01`, or `2025-06-01 00:00:00` by
 * the hour. A moment is written on the project's clock.
 */
function bucketOf(day: string | number, query: TrendQuery, timezone: string): string {
  const time = typeof day === 'string' && /\d[T ]\d/.test(day) ? parseIso(day, timezone) : undefined
  if (time === undefined) {
    return String(day)
  }
  const [date, clock = ''] = toIso(toClock(time, timezone)).replace('Z', '').split('T')
  return isWithinDay(query.interval) || clock !== '00:00:00' ? `${date} ${clock}` : `${date}`
}

const toText = (breakdown: string | number | string[] | undefined): string | undefined =>
  Array.isArray(breakdown) ? JSON.stringify(breakdown) : breakdown?.toString()

/** The fields of `AskedPoint`, as errors name them, and those of the node. */
const MEMBERS: Readonly<Record<string, string>> = {
  series: 'series',
  bucket: 'day',
  breakdown_value: 'breakdown'
}

/** Finds the actors behind a point of a trend. @throws errors of input, attr the path in the node */
export function findActorsOfPoint(
  { db, project }: { db: Db; project: ProjectCalendar },
  { query, point }: TrendPoint,
  now: Date
): Promise<ActorCounts> {
  return countBehind(db, project, { query, point, now }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.attr === null || error.code === 'query_too_large') {
      throw error
    }
    const { code, message, attr } = error
    const member = MEMBERS[attr]
    throw member === undefined
      ? new AppError(code, message, inSource(toNodePath(attr)))
      : new AppError(code, message.replaceAll(`\`${attr}\``, `\`${member}\``), member)
  })
}
