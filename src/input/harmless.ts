/**
 * Parameters and fields that PostHog's clients send and that have no effect here, with the reason.
 * Every operation ignores them. Every other unknown parameter is refused; every other unknown field
 * is refused or named in a response header.
 */
export const HARMLESS: Record<string, string> = {
  _: 'Only keeps a response out of caches.',
  basic: 'Asks for a list without results; lists here never contain results.',
  blob_v2: 'Asks for the snapshot format that is sent anyway.',
  cache_invalidation_key: 'Responses do not come from a cache.',
  client_query_id: 'Names a query; only `POST query/` keeps a query under its name.',
  include_total: 'Every list has a `count`.',
  refresh: 'Responses do not come from a cache.',
  aggregation_axis_format: 'How a chart is drawn.',
  aggregation_axis_postfix: 'How a chart is drawn.',
  aggregation_axis_prefix: 'How a chart is drawn.',
  decimal_places: 'How a chart is drawn.',
  goal_lines: 'How a chart is drawn.',
  hidden_legend_indexes: 'How a chart is drawn.',
  hidden_legend_keys: 'How a chart is drawn.',
  layout: 'How a chart is drawn.',
  min_decimal_places: 'How a chart is drawn.',
  result_customizations: 'How a chart is drawn.',
  result_customization_by: 'How a chart is drawn.',
  show_alert_threshold_lines: 'How a chart is drawn.',
  show_labels_on_series: 'How a chart is drawn.',
  show_legend: 'How a chart is drawn.',
  show_multiple_y_axes: 'How a chart is drawn.',
  show_percent_stack_view: 'How a chart is drawn.',
  show_trend_lines: 'How a chart is drawn.',
  show_values_on_series: 'How a chart is drawn.',
  y_axis_scale_type: 'How a chart is drawn.'
}

/** Whether a parameter or field is ignored everywhere. */
export const isHarmless = (name: string): boolean => Object.hasOwn(HARMLESS, name)

/** The table of the API reference, in Markdown: one row per reason. */
export const HARMLESS_TABLE = [
  '| Ignored | Reason |',
  '|---|---|',
  ...[...Map.groupBy(Object.entries(HARMLESS), ([, reason]) => reason)].map(
    ([reason, entries]) => `| ${entries.map(([name]) => `\`${name}\``).join(' ')} | ${reason} |`
  )
].join('\n')
