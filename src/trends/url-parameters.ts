import * as z from 'zod'
import type { UrlFields } from './fields.ts'
import { MAX_BREAKDOWN_LIMIT, MAX_BREAKDOWNS, MAX_SMOOTHING } from './query.ts'

const parameter = (description: string) => z.string().optional().meta({ description })

/** The parameters of a trend's URL, as the reference describes them. */
export const UrlParameters = z.object({
  query: parameter(
    'A `TrendsQuery` node, as JSON. Send it without `filters` and without the parameters below.'
  ),
  filters: parameter('A filter object, as JSON. Send it without the parameters below.'),
  events: parameter('The series, as JSON: `[{"id":"$pageview","math":"dau"}]`.'),
  date_from: parameter('Where the range begins, such as `-7d` (the default) or `2025-06-03`.'),
  date_to: parameter(
    'Where the range ends: by default with today, or with the current hour or minute if that is the interval.'
  ),
  interval: parameter('`minute`, `hour`, `day` (default), `week` or `month`.'),
  properties: parameter('Property filters for all series, as JSON.'),
  filter_test_accounts: parameter("`true` leaves out the project's test accounts."),
  display: parameter(
    'A display with a number for each bucket, such as `ActionsLineGraph` (default), or for the whole range, such as `BoldNumber`.'
  ),
  breakdown: parameter('The property to break down by.'),
  breakdown_type: parameter('`event` (default), `person` or `session`.'),
  breakdowns: parameter(
    `Up to ${MAX_BREAKDOWNS} properties to break down by, as JSON: \`[{"property":"$browser","type":"event"}]\`.`
  ),
  breakdown_limit: parameter(
    `The most values of the breakdown to show: 25 by default, 300 for \`WorldMap\`, at most ${MAX_BREAKDOWN_LIMIT}.`
  ),
  compare: parameter('`true` adds an earlier period of the same length.'),
  compare_to: parameter('With `compare=true`, how much earlier that period begins, such as `-1w`.'),
  formula: parameter('A formula over the series `A`, `B`…, such as `A / B`.'),
  smoothing_intervals: parameter(
    `Replaces each point by the mean of this many points, itself and those before it, rounded down; at most ${MAX_SMOOTHING}.`
  ),
  breakdown_hide_other_aggregation: parameter(
    '`true` leaves out the values beyond the limit, which are otherwise one value, "Other".'
  ),
  breakdown_histogram_bin_count: parameter(
    `Number of ranges into which the numbers of \`breakdown\` are grouped, at most ${MAX_BREAKDOWN_LIMIT}.`
  ),
  breakdown_normalize_url: parameter('Not supported: must be `false`.'),
  insight: parameter('`TRENDS`: no other insights are supported.'),
  shown_as: parameter('`Volume`: no other form is supported.'),
  actions: parameter('Not supported: leave it out, or send `[]`.'),
  explicit_date: parameter('Not supported: must be `false`.'),
  sampling_factor: parameter('Not supported: must be 1.'),
  aggregation_group_type_index: parameter('Not supported: leave it out.')
} satisfies Record<keyof typeof UrlFields.shape, z.ZodType>)
