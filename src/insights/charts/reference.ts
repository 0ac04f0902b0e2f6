import { CHART_TYPES, type ChartFormat } from '../../http/chart.ts'
import { describe, type Refusal } from '../../http/openapi.ts'

const NOT_FOUND: Refusal = ['not_found', 'Not found.']

const TEXTS: Record<ChartFormat, string> = {
  svg: 'The chart: text and shapes, with a title and a description.',
  png: 'The chart as an image with two pixels for each pixel of the chart, or fewer if it would have more than 4 million.'
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
      refusals: [NOT_FOUND]
    }),
    dashboard: describe({
      id: `dashboards_chart${suffix}`,
      tag: 'Dashboards',
      summary: `Draw the charts of a dashboard${as}`,
      description:
        'Computes the first ten insights of the dashboard, oldest first, and draws them one below the other, each with its title. `width` and `height` are those of one chart. An insight that cannot be computed shows the reason.',
      answers,
      refusals: [NOT_FOUND]
    })
  }
}
