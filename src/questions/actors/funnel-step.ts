import * as z from 'zod'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import type { Settings } from '../../trends/request.ts'
import { Unsupported } from '../../trends/shared-fields.ts'
import type { AskedFunnelStep } from '../funnels/funnel.ts'
import { type FunnelQuery, readFunnels } from '../funnels/query.ts'
import { BreakdownValue, readAsked, SourceNode } from './source-node.ts'

const StepNode = SourceNode.extend({
  funnelStep: z.int(),
  funnelStepBreakdown: BreakdownValue.nullish(),
  funnelTrendsDropOff: Unsupported,
  funnelTrendsEntrancePeriodStart: Unsupported,
  funnelCustomSteps: Unsupported
})

/** Reads a `FunnelsActorsQuery`. @throws errors of input, attr the path in the node */
export function readStepOfFunnel(
  node: JsonObject,
  settings: Settings,
  now: Date
): { query: FunnelQuery; asked: AskedFunnelStep } {
  const { source, funnelStep, funnelStepBreakdown } = parseInput(StepNode, node)
  return {
    query: readAsked(source, readFunnels, settings, now),
    asked: { step: funnelStep, value: funnelStepBreakdown ?? undefined }
  }
}
