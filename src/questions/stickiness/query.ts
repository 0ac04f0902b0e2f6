import * as z from 'zod'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { ignored, section } from '../../trends/node-fields.ts'
import type { TrendQuery } from '../../trends/query.ts'
import type { Settings } from '../../trends/request.ts'
import { countActors } from '../actor-series.ts'
import { readShared, sharedMembers, silentMembers } from '../shared-node.ts'
import { CRITERION_OPERATORS, type Criteria } from './intervals.ts'

/** Events per interval that a criterion may ask for. */
const MAX_VALUE = 1_000_000

const StickinessNode = z.strictObject({
  kind: z.string(),
  series: z.unknown().optional(),
  interval: z.unknown().optional(),
  compareFilter: z.unknown().optional(),
  ...sharedMembers,
  intervalCount: z.literal(1).nullish(),
  stickinessFilter: section({
    computedAs: z.enum(['non_cumulative', 'cumulative']).nullish(),
    stickinessCriteria: z
      .strictObject({
        operator: z.enum(CRITERION_OPERATORS),
        value: z.int().min(1).max(MAX_VALUE)
      })
      .nullish(),
    ...ignored(
      'display',
      'hiddenLegendIndexes',
      'resultCustomizationBy',
      'resultCustomizations',
      'showLegend',
      'showMultipleYAxes',
      'showValuesOnSeries'
    )
  }),
  ...silentMembers
})

export type StickinessQuery = {
  trend: TrendQuery
  isCumulative: boolean
  criteria: Criteria
}

/**
 * Reads a `StickinessQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export function readStickiness(node: JsonObject, settings: Settings, now: Date): StickinessQuery {
  const { stickinessFilter, intervalCount: _, ...shared } = parseInput(StickinessNode, node)
  const trend = countActors(readShared(shared, settings, now))
  return {
    trend,
    isCumulative: stickinessFilter.computedAs === 'cumulative',
    criteria: stickinessFilter.stickinessCriteria ?? { operator: 'gte', value: 1 }
  }
}
