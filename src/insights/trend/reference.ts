import { DATE_GRAMMAR } from '../../calendar/dates.ts'
import { describe } from '../../http/openapi.ts'
import { SCHEMA_REFUSALS } from '../../http/validation.ts'
import { TrendAnswer } from '../../trends/answer.ts'
import {
  DISPLAYS,
  MATHS,
  MAX_BREAKDOWN_LIMIT,
  MAX_BREAKDOWN_VALUES,
  MAX_POINTS,
  MAX_ROWS,
  MAX_SERIES
} from '../../trends/query.ts'

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ')

const TREND_ANSWERS = {
  200: {
    text: 'One series per line of the trend.',
    schema: TrendAnswer,
    csv: 'series,1-Jun-2025,2-Jun-2025,3-Jun-2025\r\n$pageview,0,3,4\r\n',
    type: ['image/svg+xml', 'image/png']
  }
}

export const TREND = describe({
  id: 'insights_trend',
  mayBeEmpty: true,
  tag: 'Insights',
  summary: 'Compute a trend',
  description: `Counts events over time and stores nothing. Send the trend in one of three forms: \`query\` (a TrendsQuery \
node), \`filters\`, or flat fields at the top level. Mixing forms is a 400; without any form, the result is empty. Fields may \
also be in the URL, with lists and objects as JSON; a field that is in both the URL and the body must have the same value.

- Maths: ${code(MATHS)}. Percentiles are interpolated linearly.
- Displays: ${code(DISPLAYS)}.
- Dates: ${DATE_GRAMMAR} \`all\` is the time of the first event. A range begins with its first bucket; with \`day\` or longer \
intervals, \`-24h\` begins exactly 24 hours ago. It ends with the day of \`date_to\`; with \`hour\` or \`minute\`, a relative \
\`date_to\` ends with that hour or minute.
- Buckets are in the project's time zone: a day may have 23 or 25 hours, and an hour that the clock shows twice is two buckets.
- Filters and breakdowns use person properties **as they were at the event**, and session properties of the whole session.
- For maths that can be added up, such as \`total\`, the values of a breakdown, \`Other\` and \`None\` add up to the total.
- With \`format=svg\` the answer is a chart in the trend's display: text and shapes, with a title and a description. \
\`format=png\` draws the same chart as an image with two pixels for each pixel of the chart.
- The compared period has as many buckets as the range. It lies right before the range, or \`compare_to\` earlier.

At most ${MAX_SERIES} series, ${MAX_BREAKDOWN_LIMIT} breakdown values shown (\`breakdown_limit\`; 25 by default, 300 for \
\`WorldMap\`) of ${MAX_BREAKDOWN_VALUES} distinct values, 10000 buckets, ${MAX_POINTS} numbers in the result (series × periods × \
breakdown values × buckets), and ${MAX_ROWS} events read. A larger query is a 400 \`query_too_large\` whose \`attr\` names the \
limit. An unsupported value is a 400 that names it.`,
  answers: TREND_ANSWERS,
  refusals: [
    ['invalid_input', '"median_ish" is not a supported math.', 'events__0__math'],
    ['required', 'This field is required.', 'events__0__math_property'],
    ['min_value', 'Ensure this value is greater than or equal to 1.', 'breakdown_limit'],
    ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']
  ]
})

export const TREND_BY_URL = describe({
  id: 'insights_trend_by_url',
  tag: 'Insights',
  summary: 'Compute a trend with GET',
  description: 'The same as the `POST` operation, with all fields in the URL.',
  answers: TREND_ANSWERS,
  refusals: [
    ...SCHEMA_REFUSALS,
    ['invalid_input', '"median_ish" is not a supported math.', 'events__0__math'],
    ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']
  ]
})
