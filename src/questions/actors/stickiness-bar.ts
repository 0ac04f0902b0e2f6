import * as z from 'zod'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import type { Settings } from '../../trends/request.ts'
import { CRITERION_OPERATORS } from '../stickiness/intervals.ts'
import { readStickiness, type StickinessQuery } from '../stickiness/query.ts'
import type { AskedStickiness } from '../stickiness/stickiness.ts'
import { Compared, InsightNode, readAsked, SeriesPlace } from './source-node.ts'

const BarNode = InsightNode.extend({
  series: SeriesPlace,
  day: z.preprocess(
    (day) => (typeof day === 'string' && /^\d{1,5}$/.test(day) ? Number(day) : day),
    z.int('Send a number of intervals.')
  ),
  compare: Compared,
  operator: z.enum(CRITERION_OPERATORS).nullish()
})

/**
 * Reads an `InsightActorsQuery` or `StickinessActorsQuery`. Without an `operator`, its actors are
 * those whom the answer counts for the number of intervals.
 * @throws errors of input, attr the path in the node
 */
export function readBarOfStickiness(
  node: JsonObject,
  settings: Settings,
  now: Date
): { query: StickinessQuery; bar: AskedStickiness } {
  const { source, series, day, compare, operator } = parseInput(BarNode, node)
  const query = readAsked(source, readStickiness, settings, now)
  return {
    query,
    bar: {
      series: series ?? 0,
      day,
      operator: operator ?? (query.isCumulative ? 'gte' : 'exact'),
      isPrevious: compare === 'previous'
    }
  }
}
