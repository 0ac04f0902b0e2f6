import * as z from 'zod'
import type { JsonObject } from '../input/json.ts'
import { ignored } from '../trends/node-fields.ts'
import type { TrendQuery } from '../trends/query.ts'
import { readTrendsNode, type Settings } from '../trends/request.ts'

/*
 * The members that all nodes share are read as those of a `TrendsQuery`: their ranges, filters,
 * limits and messages are the same.
 */

/** The members of a node that `readShared` checks. */
export const sharedMembers = {
  dateRange: z.unknown().optional(),
  properties: z.unknown().optional(),
  filterTestAccounts: z.unknown().optional(),
  samplingFactor: z.unknown().optional(),
  aggregation_group_type_index: z.unknown().optional()
}

/** The members of a node that change no number. */
export const silentMembers = ignored('dataColorTheme', 'modifiers', 'response', 'tags', 'version')

/**
 * Reads the members of a node that it shares with a `TrendsQuery`. The range begins with the whole
 * bucket that contains `date_from`, also for a relative date in hours.
 * @throws the errors of `readTrendsNode`, which name paths in the node
 */
export const readShared = (node: object, settings: Settings, now: Date): TrendQuery => ({
  // The cast is safe: the node was parsed from JSON.
  ...readTrendsNode({ ...node, kind: 'TrendsQuery' } as JsonObject, settings, now),
  exact: undefined
})
