import type * as z from 'zod'
import type { LegacyFilter } from './fields.ts'

type LegacyField = keyof z.infer<typeof LegacyFilter>

/** A trend as a `TrendsQuery` node, before its fields are checked. */
export type SentNode = {
  node: unknown
  /** The `order` of each series, for the answer, if the request can have any. */
  orders: readonly number[] | undefined
  /** Turns a path in the node into the field's path in the request. */
  pathOf: (nodePath: string) => string
}

/** Where a `TrendsQuery` node has the fields of a filter object, by their names there. */
export const NODE_PATHS = {
  events: 'series',
  date_from: 'dateRange__date_from',
  date_to: 'dateRange__date_to',
  interval: 'interval',
  properties: 'properties',
  filter_test_accounts: 'filterTestAccounts',
  display: 'trendsFilter__display',
  formula: 'trendsFilter__formula',
  smoothing_intervals: 'trendsFilter__smoothingIntervals',
  breakdown: 'breakdownFilter__breakdown',
  breakdown_type: 'breakdownFilter__breakdown_type',
  breakdowns: 'breakdownFilter__breakdowns',
  breakdown_limit: 'breakdownFilter__breakdown_limit',
  breakdown_hide_other_aggregation: 'breakdownFilter__breakdown_hide_other_aggregation',
  breakdown_histogram_bin_count: 'breakdownFilter__breakdown_histogram_bin_count',
  breakdown_normalize_url: 'breakdownFilter__breakdown_normalize_url',
  compare: 'compareFilter__compare',
  compare_to: 'compareFilter__compare_to',
  sampling_factor: 'samplingFactor',
  aggregation_group_type_index: 'aggregation_group_type_index'
} satisfies Record<
  // The schema of filter objects, or `legacy-form.ts`, refuses any other value of these.
  Exclude<LegacyField, 'insight' | 'shown_as' | 'actions' | 'explicit_date'>,
  string
>

const ENTRIES = Object.entries(NODE_PATHS)

/** Returns the fields of a filter object where a `TrendsQuery` node has them. */
export function toNode(filter: Record<string, unknown>): Record<string, unknown> {
  const node: Record<string, unknown> = { kind: 'TrendsQuery' }
  for (const [name, path] of ENTRIES) {
    const [section = '', member] = path.split('__')
    const { [name]: value } = filter
    node[section] = member === undefined ? value : { ...(node[section] as object), [member]: value }
  }
  return node
}

/** Returns the path in a `TrendsQuery` node of a field by its name in a filter object. */
export const toNodePath = (name: string): string =>
  new Map<string, string>(ENTRIES).get(name) ?? name

/**
 * Returns the path in a filter object of a path in the node that `toNode` makes of it:
 * `series__0__event` → `events__2__id`.
 * @param places of the series among the events of the filter
 */
export function toLegacyPath(nodePath: string, places: readonly number[]): string {
  const [name, path] = ENTRIES.find(([, own]) => `${nodePath}__`.startsWith(`${own}__`)) ?? ['', '']
  return (name + nodePath.slice(path.length)).replace(
    /^events__(\d+)(__event$)?/,
    (_, at, event) => `events__${places[Number(at)] ?? at}${event ? '__id' : ''}`
  )
}
