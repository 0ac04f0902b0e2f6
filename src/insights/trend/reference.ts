import { DATE_GRAMMAR } from '../../calendar/dates.ts'
import { MAX_POINTS } from '../../charts/chart.ts'
import { describe } from '../../http/openapi.ts'
import { SCHEMA_REFUSALS } from '../../http/validation.ts'
import { TrendAnswer } from '../../trends/answer.ts'
import {
  MAX_BREAKDOWN_VALUES,
  MAX_SUBJECTS,
  MAX_WINDOW_NUMBERS
} from '../../trends/maths/limits.ts'
import { MATH_NAMES } from '../../trends/maths/table.ts'
import {
  DISPLAYS,
  MAX_BREAKDOWN_LIMIT,
  MAX_FORMULAS,
  MAX_SERIES,
  MAX_SERIES_FILTERS,
  MAX_TREND_ROWS
} from '../../trends/query.ts'

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ')

const TREND_ANSWERS = {
  200: {
    text: 'The lines of the trend: one for each combination of series (or formula), breakdown value and period.',
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

- Maths: ${code(MATH_NAMES)}. Percentiles are interpolated linearly.
- Displays: ${code(DISPLAYS)}.
- Dates: ${DATE_GRAMMAR} \`all\` is the time of the first event, from 2010 on, that has the name of one of the series.
- Start: a range begins with its first bucket or, in displays without a time axis, with its first day, hour or minute. But if \
\`date_from\` is in hours, minutes or seconds, such as \`-24h\`, and the time axis is not by \`hour\` or \`minute\`, the range \
begins exactly then.
- End: a range ends with the day of \`date_to\`. By \`hour\` or \`minute\`, a relative \`date_to\` ends it with that hour or \
minute, and a date-time ends it at that time.
- Buckets are in the project's time zone: a day may have 23 or 25 hours, and an hour that the clock shows twice is two buckets.
- Filters and breakdowns use person properties **as they were at the event**, and session properties of the whole session.
- For maths that can be added up, such as \`total\`, the values of a breakdown, \`Other\` and \`None\` add up to the total.
- With \`format=svg\` the answer is a chart in the trend's display: text and shapes, with a title and a description. \
\`format=png\` draws the same chart as an image, twice as large in both directions, or less where that would exceed 4 \
million pixels.
- The compared period has as many buckets as the range and begins \`compare_to\` earlier. Without \`compare_to\`, it ends where \
the range begins, with two exceptions. By the day and without a \`date_to\`, a \`date_from\` of 7, 14, 21… days, such as \
\`-7d\`, is compared with as many days earlier, so that weekdays match. On a time axis by the day, week or month, the distance \
of a \`date_from\` in hours is rounded up to whole buckets: by the day, \`-36h\` is compared with two days earlier.

At most ${MAX_SERIES} series, ${MAX_FORMULAS} formulas, ${MAX_SERIES_FILTERS} property filters for each series (those for all series \
included), ${MAX_BREAKDOWN_LIMIT} breakdown values shown (\`breakdown_limit\`; 25 by default, 300 for \`WorldMap\`) of \
${MAX_BREAKDOWN_VALUES} distinct values (${MAX_WINDOW_NUMBERS} values × buckets for active actors, and for distinct ones in a \
cumulative display), 10000 buckets, ${MAX_POINTS} numbers in the result (series or formulas × periods × buckets; \
with a breakdown, also × (\`breakdown_limit\` + 2)), ${MAX_SUBJECTS} different actors, sessions or numbers at once (distinct \
actors without a breakdown have no limit), and ${MAX_TREND_ROWS} events read. With a breakdown, each event counts at least twice. \
Events more than about two hours old are stored in columns if there are thousands of their name; ten of these count as one. \
A larger query is a 400 \`query_too_large\` whose \`attr\` names the limit. An unsupported value is a 400 that names it.`,
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
