import { z } from 'zod'
import { allow } from '../http/auth.ts'
import { csvTable, FormatQuery, wantsCsv } from '../http/csv.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { validateBody, validateQuery } from '../http/validation.ts'
import type { JsonObject } from '../json.ts'
import { Whole } from '../parameters.ts'
import { TrendAnswer, toTable } from './answer.ts'
import { DATE_GRAMMAR } from './dates.ts'
import { InsightFields } from './fields.ts'
import {
  DISPLAYS,
  MATHS,
  MAX_BREAKDOWN_LIMIT,
  MAX_BREAKDOWN_VALUES,
  MAX_POINTS,
  MAX_ROWS,
  MAX_SERIES
} from './query.ts'
import { readTrend } from './request.ts'
import { computeTrend } from './trend.ts'

const TrendParameters = z.object({
  ...FormatQuery.shape,
  offset: Whole.default(0).meta({
    description: 'How many breakdown values to leave out, the highest first; see `next`.'
  })
})

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ')

const TREND = describe({
  id: 'insights_trend',
  tag: 'Insights',
  summary: 'Compute a trend',
  description: `Counts events over time. Nothing is stored. The request is the first of \`query\` (a TrendsQuery node), \
\`filters\` and the flat form that has series; without any the result is empty.

- Maths: ${code(MATHS)}. A percentile lies between the two values around it, in proportion.
- Displays: ${code(DISPLAYS)}.
- Dates: ${DATE_GRAMMAR} \`all\` begins with the first event. A range begins with its first bucket and ends with its last day.
- Buckets follow the project's clock: days have 23 to 25 hours, and an hour that the clock shows twice is two buckets.
- Properties of persons, in filters and breakdowns, are those that they had **at the event**, not those of today.
- The values of a breakdown, \`Other\` and \`None\` add up to the whole, for what can be added.
- What is compared with is as many buckets right before, or since \`compare_to\`.

At most ${MAX_SERIES} series, ${MAX_BREAKDOWN_LIMIT} breakdown values (25 unless \`breakdown_limit\` says otherwise) of at \
most ${MAX_BREAKDOWN_VALUES} different ones, ${MAX_POINTS} numbers, and ${MAX_ROWS} events to look at: beyond that it is \
a 400 \`query_too_large\` whose \`attr\` names the limit. Whatever is not known or not supported is a 400 that names it.`,
  answers: {
    200: {
      text: 'A series for each line of the trend.',
      schema: TrendAnswer,
      csv: 'series,1-Jun-2025,2-Jun-2025,3-Jun-2025\r\n$pageview,0,3,4\r\n'
    }
  },
  refusals: [
    ['invalid_input', '"median_ish" is not a supported math.', 'events__0__math'],
    ['required', 'This field is required.', 'events__0__math_property'],
    ['min_value', 'Ensure this value is greater than or equal to 1.', 'breakdown_limit'],
    ['max_value', 'Ensure this value is less than or equal to 9007199254740991.', 'order'],
    ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']
  ]
})

export const insightRoutes = createRouter().post(
  '/insights/trend',
  TREND,
  allow('insight:read'),
  validateQuery(TrendParameters),
  validateBody(InsightFields),
  async (c) => {
    const { project, db, now } = c.var
    const { format, offset } = c.req.valid('query')
    // It came as JSON.
    const query = readTrend(c.req.valid('json') as JsonObject, project, now)
    const { result, hasMore } = query
      ? await computeTrend(db, project, query, offset, now)
      : { result: [], hasMore: false }
    const answer: TrendAnswer = {
      result,
      timezone: project.timezone,
      last_refresh: now.toISOString(),
      is_cached: false,
      next: hasMore && query ? nextUrl(c.req.url, offset + query.breakdownLimit) : null
    }
    return wantsCsv(c, format) ? csvTable(c, 'trend', toTable(answer)) : c.json(answer)
  }
)

function nextUrl(url: string, offset: number): string {
  const next = new URL(url)
  next.searchParams.set('offset', String(offset))
  return next.href
}
