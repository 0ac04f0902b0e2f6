import type { Context } from 'hono'
import * as z from 'zod'
import { reading } from '../../access/auth.ts'
import { toIso } from '../../calendar/clock.ts'
import { drawChart } from '../../charts/draw.ts'
import type { Overviews } from '../../columns/sealed.ts'
import {
  CHART_FORMATS,
  ChartQuery,
  chartFormat,
  chartResponse,
  expectNoChart,
  lookOf
} from '../../http/chart.ts'
import { csvTable, expectNoMark, FormatQuery, wantsCsv } from '../../http/csv.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { nameIgnored, validateBody } from '../../http/validation.ts'
import { isObject, type JsonObject } from '../../input/json.ts'
import { Whole } from '../../input/parameters.ts'
import { type TrendAnswer, toTable } from '../../trends/answer.ts'
import { TrendFields } from '../../trends/fields.ts'
import { readFields } from '../../trends/forms.ts'
import { planAhead, rememberCalendar } from '../../trends/overviews-ahead.ts'
import { readTrend } from '../../trends/request.ts'
import { computeTrend } from '../../trends/trend.ts'
import { UrlParameters } from '../../trends/url-parameters.ts'
import { emptyChart } from '../chart.ts'
import { chartOf } from '../charts/compute.ts'
import { TREND, TREND_BY_URL } from './reference.ts'

const TrendParameters = z.object({
  format: z
    .enum(['json', 'csv', ...CHART_FORMATS])
    .optional()
    .meta({
      description:
        'Format of the response; errors are always JSON. Without `format`, `Accept: text/csv` asks for CSV, and `Accept: image/svg+xml` or `image/png` for a chart.'
    }),
  bom: FormatQuery.shape.bom,
  ...ChartQuery.shape,
  offset: Whole.default(0).meta({
    description:
      'Breakdown values to skip, from the highest down; `next` contains the offset of the next page.'
  })
})

const TrendQuery = z.object({ ...TrendParameters.shape, ...UrlParameters.shape })

/**
 * Reads a trend's overviews at the same time as the key check, if the request and the project's
 * remembered calendar tell which overviews those are.
 */
const posted = reading({
  scopes: ['insight:read'],
  path: z.object({}),
  query: TrendQuery,
  async plan({ projectId, url, now, readBody }) {
    const body = await readBody().catch(() => undefined)
    return isObject(body) ? planAhead(projectId, () => readFields(url, body), now) : undefined
  }
})

const gotten = reading({
  scopes: ['insight:read'],
  path: z.object({}),
  query: TrendQuery,
  plan: ({ projectId, url, now }) => planAhead(projectId, () => readFields(url), now)
})

export const trendRoutes = createRouter()
  .post('/insights/trend', TREND, posted.allowReading, validateBody(TrendFields), (c) => {
    // The cast is safe: the body was parsed from JSON, but the schema's type is wider.
    const fields = readFields(c.req.url, c.req.valid('json') as JsonObject)
    return answerTrend(c, { fields, found: posted.foundFor(c) }, c.req.valid('query'))
  })
  .get('/insights/trend', TREND_BY_URL, gotten.allowReading, (c) =>
    answerTrend(
      c,
      { fields: readFields(c.req.url), found: gotten.foundFor(c) },
      c.req.valid('query')
    )
  )

async function answerTrend(
  c: Context<AppEnv>,
  { fields, found }: { fields: JsonObject; found: Overviews | undefined },
  { format, offset, bom: _, ...look }: z.infer<typeof TrendParameters>
): Promise<Response> {
  const { project, db, now } = c.var
  rememberCalendar(project)
  const drawn = chartFormat(c, format)
  if (!drawn) {
    expectNoChart(look)
  }
  const ignoredFields: string[] = []
  const query = readTrend(fields, project, now, ignoredFields)
  nameIgnored(c, ignoredFields)
  const { result, periods, hasMore } = query
    ? await computeTrend(db, project, { query, offset, now, found })
    : { result: [], periods: [], hasMore: false }
  if (drawn) {
    expectNoMark(c)
    const chart = query
      ? await chartOf(c.var, { title: '', place: null }, { query, result, periods }, now)
      : emptyChart('Trend')
    return chartResponse(c, drawChart(chart, lookOf(look)), drawn)
  }
  const tabular = format === 'csv' || format === 'json' ? format : undefined
  const answer: TrendAnswer = {
    result,
    timezone: project.timezone,
    last_refresh: toIso(now.getTime()),
    is_cached: false,
    next: hasMore && query ? nextUrl(c.req.url, offset + query.breakdownLimit) : null
  }
  return wantsCsv(c, tabular) ? csvTable(c, 'trend', toTable(answer)) : c.json(answer)
}

function nextUrl(url: string, offset: number): string {
  const next = new URL(url)
  next.searchParams.set('offset', String(offset))
  return next.href
}
