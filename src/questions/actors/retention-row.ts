import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import type { Settings } from '../../trends/request.ts'
import { type RetentionQuery, readRetention } from '../retention/query.ts'
import type { AskedRow } from '../retention/retention.ts'
import { BreakdownValue, InsightNode, readAsked } from './source-node.ts'

const RowNode = InsightNode.extend({
  interval: z.int(),
  breakdown: z.union([BreakdownValue, z.number()]).nullish()
})

/** Reads an `InsightActorsQuery` of retention. @throws errors of input, attr the path in the node */
export function readRowOfRetention(
  node: JsonObject,
  settings: Settings,
  now: Date
): { query: RetentionQuery; asked: AskedRow } {
  const { source, interval, breakdown } = parseInput(RowNode, node)
  const values = [breakdown ?? []].flat()
  if (values.length > 1) {
    throw new AppError('invalid_input', 'Retention has at most one breakdown.', 'breakdown')
  }
  return {
    query: readAsked(source, readRetention, settings, now),
    asked: { row: interval, value: values[0]?.toString() }
  }
}
