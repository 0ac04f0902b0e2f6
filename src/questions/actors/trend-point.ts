import * as z from 'zod'
import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { countBehind } from '../../trends/actors-of-point.ts'
import { toNodePath } from '../../trends/node-paths.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import type { ActorCount, AskedPoint } from '../../trends/point.ts'
import { isAggregated, type TrendQuery } from '../../trends/query.ts'
import { readTrendsNode, type Settings } from '../../trends/request.ts'
import { inSource } from '../paths.ts'
import {
  BreakdownValue,
  bucketOf,
  Compared,
  Day,
  InsightNode,
  readAsked,
  SeriesPlace
} from './source-node.ts'

const PointNode = InsightNode.extend({
  series: SeriesPlace,
  day: Day.nullish(),
  breakdown: z.union([BreakdownValue, z.number()]).nullish(),
  compare: Compared
})

/** A point of a trend. */
type TrendPoint = { query: TrendQuery; point: AskedPoint }

/** Reads an `InsightActorsQuery` of a trend. @throws errors of input, attr the path in the node */
export function readPointOfTrend(node: JsonObject, settings: Settings, now: Date): TrendPoint {
  const { source, series, day, breakdown, compare } = parseInput(PointNode, node)
  const query = readAsked(source, readTrendsNode, settings, now)
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

const toText = (breakdown: string | number | string[] | undefined): string | undefined =>
  Array.isArray(breakdown) ? JSON.stringify(breakdown) : breakdown?.toString()

/** The fields of `AskedPoint`, as errors name them, and those of the node. */
const MEMBERS: Readonly<Record<string, string>> = {
  series: 'series',
  bucket: 'day',
  breakdown_value: 'breakdown'
}

/** Finds the actors behind a point of a trend. @throws errors of input, attr the path in the node */
export async function findActorsOfPoint(
  { db, project }: { db: Db; project: ProjectCalendar },
  { query, point }: TrendPoint,
  now: Date
): Promise<ActorCount[]> {
  const behind = await countBehind(db, project, { query, point, now }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.attr === null || error.code === 'query_too_large') {
      throw error
    }
    const { code, message, attr } = error
    const member = MEMBERS[attr]
    throw member === undefined
      ? new AppError(code, message, inSource(toNodePath(attr)))
      : new AppError(code, message.replaceAll(`\`${attr}\``, `\`${member}\``), member)
  })
  return behind.counts
}
