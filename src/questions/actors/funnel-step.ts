import * as z from 'zod'
import type { JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { inRequest, type Settings } from '../../trends/request.ts'
import { Unsupported } from '../../trends/shared-fields.ts'
import type { AskedFunnelStep } from '../funnels/funnel.ts'
import { type FunnelQuery, readFunnels } from '../funnels/query.ts'
import { inSource } from '../paths.ts'

const StepNode = z.strictObject({
  kind: z.string(),
  source: z.record(z.string(), z.unknown()),
  funnelStep: z.int(),
  funnelStepBreakdown: z
    .union([z.string().max(10_000), z.array(z.string().max(10_000)).max(10)])
    .nullish(),
  funnelTrendsDropOff: Unsupported,
  funnelTrendsEntrancePeriodStart: Unsupported,
  funnelCustomSteps: Unsupported,
  includeRecordings: Unsupported,
  modifiers: Unsupported,
  response: z.unknown().optional(),
  tags: z.unknown().optional(),
  version: z.unknown().optional()
})

/** Reads a `FunnelsActorsQuery`. @throws errors of input, attr the path in the node */
export function readStepOfFunnel(
  node: JsonObject,
  settings: Settings,
  now: Date
): { query: FunnelQuery; asked: AskedFunnelStep } {
  const { source, funnelStep, funnelStepBreakdown } = parseInput(StepNode, node)
  return {
    // The cast is safe: the node was parsed from JSON.
    query: inRequest({ pathOf: inSource }, () => readFunnels(source as JsonObject, settings, now)),
    asked: { step: funnelStep, value: funnelStepBreakdown ?? undefined }
  }
}
