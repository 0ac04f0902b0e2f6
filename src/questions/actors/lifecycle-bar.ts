import * as z from 'zod'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import type { Settings } from '../../trends/request.ts'
import type { AskedBar } from '../lifecycle/lifecycle.ts'
import { type LifecycleQuery, readLifecycle } from '../lifecycle/query.ts'
import { STATUSES } from '../lifecycle/statuses.ts'
import { bucketOf, Day, InsightNode, readAsked } from './source-node.ts'

const BarNode = InsightNode.extend({ day: Day, status: z.enum(STATUSES) })

/** Reads an `InsightActorsQuery` of a lifecycle. @throws errors of input, attr the path in the node */
export function readBarOfLifecycle(
  node: JsonObject,
  settings: Settings,
  now: Date
): { query: LifecycleQuery; bar: AskedBar } {
  const { source, day, status } = parseInput(BarNode, node)
  const query = readAsked(source, readLifecycle, settings, now)
  return { query, bar: { day: bucketOf(day, query.trend, settings.timezone), status } }
}
