/**
 * The parameters and fields that clients add without asking for anything by them, with the reason why they change no
 * answer. Every operation passes over them; any other one that it does not know is refused or named in the answer.
 */
export const HARMLESS: Record<string, string> = {
  _: 'Keeps an answer out of caches.',
  basic: 'Asks for a list without results, which no list here has.',
  blob_v2: 'Asks for snapshots in the form that they have.',
  cache_invalidation_key: 'Answers do not come from a cache.',
  client_query_id: 'Names a query, so that it could be cancelled.',
  include_total: 'Every list has its `count`.',
  refresh: 'Answers do not come from a cache.',
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

export const isHarmless = (name: string): boolean => Object.hasOwn(HARMLESS, name)

/** The table for people, in Markdown: one row for each reason. */
export const HARMLESS_TABLE = [
  '| Passed over | because |',
  '|---|---|',
  ...[...Map.groupBy(Object.entries(HARMLESS), ([, reason]) => reason)].map(
    ([reason, entries]) => `| ${entries.map(([name]) => `\`${name}\``).join(' ')} | ${reason} |`
  )
].join('\n')
