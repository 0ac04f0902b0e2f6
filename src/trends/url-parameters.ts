import * as z from 'zod'
import type { UrlFields } from './fields.ts'

const parameter = (description: string) => z.string().optional().meta({ description })

/** The parameters of a trend's URL, as the reference describes them. */
export const UrlParameters = z.object({
  query: parameter('A `TrendsQuery` node, as JSON. It replaces all other fields.'),
  filters: parameter('A filter object, as JSON. It replaces the parameters below.'),
  events: parameter('The series, as JSON: `[{"id":"$pageview","math":"dau"}]`.'),
  date_from: parameter('Where the range begins, such as `-7d` (the default) or `2025-06-03`.'),
  date_to: parameter('Where the range ends; today by default.'),
  interval: parameter('`minute`, `hour`, `day` (default), `week` or `month`.'),
  properties: parameter('Property filters for all series, as JSON.'),
  filter_test_accounts: parameter("`true` leaves out the project's test accounts."),
  display: parameter(
    'A display with a number for each bucket, such as `ActionsLineGraph` (default), or for the whole range, such as `BoldNumber`.'
  ),
  breakdown: parameter('The property to break down by.'),
  breakdown_type: parameter('`event` (default), `person` or `session`.'),
  breakdowns: parameter('Several properties to break down by, as JSON.'),
  breakdown_limit: parameter('Most values of the breakdown that are shown.'),
  compare: parameter('`true` adds the period before.'),
  compare_to: parameter('How much earlier the compared period begins, such as `-1w`.'),
  formula: parameter('A formula over the series `A`, `B`…, such as `A / B`.'),
  smoothing_intervals: parameter('Number of points over which each point is averaged.'),
  breakdown_hide_other_aggregation: parameter(
    '`true` leaves out the values beyond the limit, which are otherwise one value, "Other".'
  ),
  breakdown_histogram_bin_count: parameter('Number of ranges into which numbers are grouped.'),
  breakdown_normalize_url: parameter('Not supported: must be `false`.'),
  insight: parameter('`TRENDS`: no other insights are supported.'),
  shown_as: parameter('`Volume`: no other form is supported.'),
  actions: parameter('Not supported: must be empty.'),
  explicit_date: parameter('Not supported: must be `false`.'),
  sampling_factor: parameter('Not supported: must be 1.'),
  aggregation_group_type_index: parameter('Not supported: must be empty.')
} satisfies Record<keyof typeof UrlFields.shape, z.ZodType>)
