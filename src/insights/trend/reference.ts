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
  description: `Counts events over time and stores nothing. A request has one of three forms: \`query\` (a TrendsQuery node), \
\`filters\`, or the flat form, which is all other fields. Two forms at once are a 400; without any, the result is empty. \
Every field may also be in the URL, lists and objects as JSON; a field in both the URL and the body needs the same value.

- Maths: ${code(MATHS)}. Percentiles are interpolated linearly.
- Displays: ${code(DISPLAYS)}.
- Dates: ${DATE_GRAMMAR} \`all\` is the time of the first event. A range begins at the start of its first bucket (\`-24h\` by \
the day: exactly 24 hours ago) and ends with its last day; by the hour or minute, a relative end is that hour or minute.
- Buckets are in the project's time zone: a day may have 23 or 25 hours, and an hour that the clock shows twice is two buckets.
- Person properties, in filters and breakdowns, are taken **as of the event**, not as of today; session properties are \
those of the whole session.
- For maths that can be added up, the values of a breakdown, \`Other\` and \`None\` add up to the total.
- With \`format=svg\` the answer is a chart, drawn as the display asks for it: text and shapes, with a title and a description. \
\`format=png\` draws the same as an image with two pixels for each of the chart's.
- A comparison is with the same number of buckets, right before the range or shifted by \`compare_to\`.

At most ${MAX_SERIES} series, ${MAX_BREAKDOWN_LIMIT} breakdown values (by default 25, on a \`WorldMap\` 300; see \`breakdown_limit\`) out of \
${MAX_BREAKDOWN_VALUES} different ones, ${MAX_POINTS} numbers, and ${MAX_ROWS} events read. More is a 400 \
\`query_too_large\` whose \`attr\` names the limit. An unsupported value is a 400 that names it.`,
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
  description: 'The same as the `POST` operation, with the fields of any form in the URL.',
  answers: TREND_ANSWERS,
  refusals: [
    ...SCHEMA_REFUSALS,
    ['invalid_input', '"median_ish" is not a supported math.', 'events__0__math'],
    ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']
  ]
})
