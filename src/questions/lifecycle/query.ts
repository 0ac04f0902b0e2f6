import * as z from 'zod'
import { bucketsBefore, bucketsFrom } from '../../calendar/buckets.ts'
import { AppError } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { ignored, section } from '../../trends/node-fields.ts'
import type { TrendQuery } from '../../trends/query.ts'
import type { Settings } from '../../trends/request.ts'
import { countActors } from '../actor-series.ts'
import { readShared, sharedMembers, silentMembers } from '../shared-node.ts'

const LifecycleNode = z.strictObject({
  kind: z.string(),
  series: z.unknown().optional(),
  interval: z.unknown().optional(),
  ...sharedMembers,
  lifecycleFilter: section(
    ignored('showLegend', 'showValuesOnSeries', 'stacked', 'toggledLifecycles')
  ),
  ...silentMembers
})

/** A lifecycle: one series, whose range begins with the bucket before the one that was asked for. */
export type LifecycleQuery = {
  trend: TrendQuery
  /** The buckets before the ones that were asked for: none if the range is all time. */
  leading: 0 | 1
}

/**
 * Reads a `LifecycleQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export function readLifecycle(node: JsonObject, settings: Settings, now: Date): LifecycleQuery {
  const { lifecycleFilter: _, ...shared } = parseInput(LifecycleNode, node)
  const trend = countActors(readShared(shared, settings, now))
  if (trend.series.length !== 1) {
    throw new AppError(
      'invalid_input',
      `A lifecycle has exactly one series; got ${trend.series.length}.`,
      'series'
    )
  }
  if (trend.from === 'all') {
    return { trend, leading: 0 }
  }
  const first = bucketsFrom(trend.from, 1, trend.interval, settings)
  const [before] = bucketsBefore(first, trend.interval, settings)
  return { trend: { ...trend, from: before?.from ?? trend.from }, leading: 1 }
}
