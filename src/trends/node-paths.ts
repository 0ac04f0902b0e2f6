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

type Paths = Readonly<Record<string, string>>

/** Returns the fields of a filter object that have a value where a node of a kind has them. */
export function toNode(
  { kind, paths }: { kind: string; paths: Paths },
  filter: Record<string, unknown>
): Record<string, unknown> {
  const node: Record<string, unknown> = { kind }
  for (const [name, path] of Object.entries(paths)) {
    const [section = '', member] = path.split('__')
    const { [name]: value } = filter
    if (value !== undefined) {
      node[section] =
        member === undefined ? value : { ...(node[section] as object), [member]: value }
    }
  }
  return node
}

/** Returns the path in a `TrendsQuery` node of a field by its name in a filter object. */
export const toNodePath = (name: string): string =>
  new Map<string, string>(Object.entries(NODE_PATHS)).get(name) ?? name

/**
 * Returns the path in a filter object of a path in the node that `toNode` makes of it:
 * `series__0__event` → `events__2__id`, `funnelsFilter__exclusions__0__funnelToStep` →
 * `exclusions__0__funnel_to_step`.
 * @param places of the series among the events of the filter
 */
export function toLegacyPath(
  { paths }: { paths: Paths },
  nodePath: string,
  places: readonly number[]
): string {
  const [name, path] = Object.entries(paths).find(([, own]) =>
    `${nodePath}__`.startsWith(`${own}__`)
  ) ?? ['', '']
  return (name + nodePath.slice(path.length))
    .replace(/^events__(\d+)/, (_, at) => `events__${places[Number(at)] ?? at}`)
    .replace(/^(\w+?__\d+)__event$/, '$1__id')
    .replace(/__funnel(From|To)Step$/, (_, end: string) => `__funnel_${end.toLowerCase()}_step`)
}
