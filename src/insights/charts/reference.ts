import { CHART_TYPES, type ChartFormat } from '../../http/chart.ts'
import { describe, type Refusal } from '../../http/openapi.ts'
import { MAX_TREND_ROWS } from '../../trends/query.ts'
import { DashboardChartsJson } from './schemas.ts'

const NOT_FOUND: Refusal = ['not_found', 'Not found.']
const TOO_LARGE: Refusal = [
  'query_too_large',
  `The query would read 12000000 events, counting ten events in columns as one, and at most ${MAX_TREND_ROWS} are allowed: ask for a shorter range.`,
  'rows'
]

const TEXTS: Record<ChartFormat, string> = {
  svg: 'The chart: text and shapes, with a title and a description.',
  png: 'The chart as an image, twice as large in both directions as the SVG, or less where that would exceed 4 million pixels.'
}

/** Returns the descriptions of the routes that draw an insight and a dashboard in a format. */
export const describeCharts = (format: ChartFormat) => {
  const answers = { 200: { text: TEXTS[format], type: CHART_TYPES[format] } }
  const suffix = format === 'svg' ? '' : `_${format}`
  const as = format === 'svg' ? '' : ` as ${format.toUpperCase()}`
  return {
    insight: describe({
      id: `insights_chart${suffix}`,
      tag: 'Insights',
      summary: `Draw the chart of an insight${as}`,
      description: 'Computes the insight and draws it in its display.',
      answers,
      refusals: [NOT_FOUND, TOO_LARGE]
    }),
    dashboard: describe({
      id: `dashboards_chart${suffix}`,
      tag: 'Dashboards',
      summary: `Draw the charts of a dashboard${as}`,
      description:
        'Computes the first ten insights of the dashboard, in the order of its tiles, and draws them one below the other, each with its title. `width` and `height` are those of one chart. An insight that cannot be computed shows the reason.',
      answers,
      refusals: [NOT_FOUND]
    })
  }
}

export const CHARTS = describe({
  id: 'dashboards_charts_retrieve',
  tag: 'Dashboards',
  summary: 'Compute the charts of a dashboard',
  description:
    'Computes up to ten insights of the dashboard, in the order of its tiles, and returns what their charts show. `date_from` and `date_to` replace the range of every insight. An insight that cannot be computed has the reason.',
  answers: { 200: { text: 'The charts.', schema: DashboardChartsJson } },
  refusals: [
    NOT_FOUND,
    [
      'invalid_input',
      '`date_from` must be an ISO date or a relative date such as `-7d`; got "tomorow".',
      'date_from'
    ]
  ]
})
