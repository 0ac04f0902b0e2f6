import type { Context } from 'hono'
import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { DATE_GRAMMAR } from '../calendar/dates.ts'
import type { Chart } from '../charts/chart.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { allow } from '../http/auth.ts'
import { ChartQuery, chartResponse, expectNoChart, wantsChart } from '../http/chart.ts'
import { csvTable, wantsCsv } from '../http/csv.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { describe, type Refusal } from '../http/openapi.ts'
import { PageQuery, pageOf, pageSchema, pageSize } from '../http/page.ts'
import { expectUnchanged } from '../http/unchanged.ts'
import {
  expectNoBody,
  nameIgnored,
  SCHEMA_REFUSALS,
  validateBody,
  validatePath,
  validateQuery
} from '../http/validation.ts'
import { saysSomething } from '../input/fields.ts'
import type { JsonObject } from '../input/json.ts'
import { Flag, KnownId, Whole } from '../input/parameters.ts'
import { userToJson } from '../projects/user.ts'
import { TrendAnswer, toTable } from '../trends/answer.ts'
import { TrendFields, UrlParameters } from '../trends/fields.ts'
import { expectOneForm, readFields } from '../trends/forms.ts'
import {
  DISPLAYS,
  MATHS,
  MAX_BREAKDOWN_LIMIT,
  MAX_BREAKDOWN_VALUES,
  MAX_POINTS,
  MAX_ROWS,
  MAX_SERIES
} from '../trends/query.ts'
import { readTrend } from '../trends/request.ts'
import { computeTrend } from '../trends/trend.ts'
import { toChart } from './chart.ts'
import { findMissing } from './dashboards/store.ts'
import { InsightInput, InsightJson } from './schemas.ts'
import {
  findInsight,
  findTiles,
  type InsightRow,
  insertInsight,
  insightToJson,
  listInsights,
  updateInsight
} from './store.ts'

const TrendParameters = z.object({
  format: z.enum(['json', 'csv', 'svg']).optional().meta({
    description:
      'Format of the response; errors are always JSON. Without `format`, `Accept: text/csv` asks for CSV and `Accept: image/svg+xml` for a chart.'
  }),
  ...ChartQuery.shape,
  offset: Whole.default(0).meta({
    description:
      'The number of breakdown values to skip, highest first; `next` has it for the next page.'
  })
})

const TrendQuery = z.object({ ...TrendParameters.shape, ...UrlParameters.shape })

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ')

const TREND_ANSWERS = {
  200: {
    text: 'One series per line of the trend.',
    schema: TrendAnswer,
    csv: 'series,1-Jun-2025,2-Jun-2025,3-Jun-2025\r\n$pageview,0,3,4\r\n',
    type: 'image/svg+xml'
  }
}

const TREND = describe({
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
- With \`format=svg\` the answer is a chart, drawn as the display asks for it: text and shapes, with a title and a description.
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

const TREND_BY_URL = describe({
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

const ACCESS = { refusals: [['not_found', 'Not found.']] } satisfies Pick<
  Parameters<typeof describe>[0],
  'refusals'
>

const InsightPath = z.object({ id: KnownId })
const InsightPage = pageSchema('InsightPage', InsightJson)

const ListQuery = PageQuery.omit({ cursor: true }).extend({
  short_id: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Only the insight with this short id.' }),
  saved: Flag.optional().meta({
    description: '`true` for saved insights only, `false` for all others.'
  }),
  favorited: Flag.optional().meta({
    description: '`true` for favorites only, `false` for all others.'
  }),
  search: z.string().max(200).optional().meta({
    description:
      'Text that the name or the description has to contain; the case of A to Z is ignored.'
  })
})

const RetrieveQuery = z.object({
  refresh: z.enum(['true', 'false', 'blocking', 'force_blocking']).default('false').meta({
    description: 'Any value but `false` computes the `result` anew; there is no cache.'
  })
})

/** Read-only fields of an insight that change by themselves or with every write. */
const CHANGING = ['result', 'last_refresh', 'is_cached', 'last_modified_at', 'dashboard_tiles']

const WRITE_REFUSALS: Refusal[] = [
  ['required', 'This field is required.', 'filters__events__0__math_property'],
  ['min_value', 'Ensure this value is greater than or equal to 1.', 'filters__breakdown_limit'],
  ['max_value', 'Ensure this value is less than or equal to 9007199254740991.', 'order'],
  ['null', 'This field may not be null.', 'saved'],
  ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series'],
  ['does_not_exist', 'Invalid pk "9" - object does not exist.', 'dashboards__0']
]

const LIST = describe({
  id: 'insights_list',
  tag: 'Insights',
  summary: 'List insights',
  description: 'Newest first, without deleted ones.',
  answers: { 200: { text: 'A page of insights.', schema: InsightPage } }
})
const CREATE = describe({
  id: 'insights_create',
  tag: 'Insights',
  summary: 'Save an insight',
  description: '`filters` or `query` must be a valid trend.',
  answers: { 201: { text: 'The insight.', schema: InsightJson } },
  refusals: WRITE_REFUSALS
})
const RETRIEVE = describe({
  id: 'insights_retrieve',
  tag: 'Insights',
  summary: 'Retrieve an insight',
  answers: { 200: { text: 'The insight.', schema: InsightJson } },
  refusals: [
    ...ACCESS.refusals,
    ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']
  ]
})
const CHART = describe({
  id: 'insights_chart',
  tag: 'Insights',
  summary: 'Draw the chart of an insight',
  description: 'Computes the insight, and draws it as its display asks for it.',
  answers: {
    200: {
      text: 'The chart: text and shapes, with a title and a description.',
      type: 'image/svg+xml'
    }
  },
  refusals: ACCESS.refusals
})

const UPDATE = describe({
  id: 'insights_partial_update',
  tag: 'Insights',
  summary: 'Change an insight',
  description:
    'Changes the fields in the body; all others stay. `deleted: true` hides the insight, `false` restores it.',
  answers: { 200: { text: 'The insight.', schema: InsightJson } },
  refusals: [...ACCESS.refusals, ...WRITE_REFUSALS]
})
const DESTROY = describe({
  id: 'insights_destroy',
  tag: 'Insights',
  summary: 'Delete an insight',
  description: 'Hides the insight. PATCH with `deleted: false` restores it.',
  answers: { 204: { text: 'The insight is deleted.' } },
  refusals: ACCESS.refusals
})

export const insightRoutes = createRouter()
  .post(
    '/insights/trend',
    TREND,
    allow('insight:read'),
    validateQuery(TrendQuery),
    validateBody(TrendFields),
    // The body was parsed from JSON, which the schema's type does not say.
    (c) =>
      answerTrend(c, readFields(c.req.url, c.req.valid('json') as JsonObject), c.req.valid('query'))
  )
  .get('/insights/trend', TREND_BY_URL, allow('insight:read'), validateQuery(TrendQuery), (c) =>
    answerTrend(c, readFields(c.req.url), c.req.valid('query'))
  )
  .get('/insights', LIST, allow('insight:read'), validateQuery(ListQuery), async (c) => {
    const { limit, offset, short_id: shortId, ...listing } = c.req.valid('query')
    const { db, project } = c.var
    const size = pageSize(limit)
    const { rows, count } = await listInsights(
      db,
      project.id,
      { ...listing, shortId },
      { limit: size, offset }
    )
    const tiles = await findTiles(
      db,
      project.id,
      rows.map(({ id }) => id)
    )
    const results = rows.map((row) => insightToJson(row, tiles))
    return c.json(
      pageOf(c.req.url, { results, count, size, offset, hasMore: offset + rows.length < count })
    )
  })
  .post('/insights', CREATE, allow('insight:write'), validateBody(InsightInput), async (c) => {
    const input = c.req.valid('json')
    const { db, project, user, now } = c.var
    await expectValid(c, input)
    const row = await insertInsight(db, project.id, input, userToJson(user), now)
    return c.json(insightToJson(row, await findTiles(db, project.id, [row.id])), 201)
  })
  .get(
    '/insights/:id',
    RETRIEVE,
    allow('insight:read'),
    validatePath(InsightPath),
    validateQuery(RetrieveQuery),
    async (c) => {
      const { db, project, now } = c.var
      const row = await findInsight(db, project.id, c.req.valid('param').id)
      if (!row || row.deleted) {
        throw new NotFoundError()
      }
      const insight = insightToJson(row, await findTiles(db, project.id, [row.id]))
      if (c.req.valid('query').refresh === 'false') {
        return c.json(insight)
      }
      const query = readTrend(toFields(row), project, now)
      const result = query ? (await computeTrend(db, project, query, 0, now)).result : []
      return c.json({
        ...insight,
        result,
        last_refresh: toIso(now.getTime())
      } satisfies InsightJson)
    }
  )
  .get(
    '/insights/:id/chart.svg',
    CHART,
    allow('insight:read'),
    validatePath(InsightPath),
    validateQuery(ChartQuery),
    async (c) => {
      const { db, project, now } = c.var
      const row = await findInsight(db, project.id, c.req.valid('param').id)
      if (!row || row.deleted) {
        throw new NotFoundError()
      }
      const query = readTrend(toFields(row), project, now)
      const title = row.name || row.derivedName || ''
      const chart = query
        ? toChart(
            title,
            query,
            (await computeTrend(db, project, query, 0, now)).result,
            project.timezone
          )
        : { ...NO_CHART, title: title || 'Insight' }
      return chartResponse(c, chart, c.req.valid('query'))
    }
  )
  .patch(
    '/insights/:id',
    UPDATE,
    allow('insight:write'),
    validatePath(InsightPath),
    validateBody(InsightInput),
    async (c) => {
      const input = c.req.valid('json')
      const { db, project, now } = c.var
      const { id } = c.req.valid('param')
      const before = await findInsight(db, project.id, id)
      if (!before) {
        throw new NotFoundError()
      }
      expectUnchanged(c.var.passedOver, [insightToJson(before, [])], CHANGING)
      expectOneDefinition(before, input)
      await expectValid(c, input)
      const row = await updateInsight(db, project.id, id, input, now)
      if (!row) {
        throw new NotFoundError()
      }
      return c.json(insightToJson(row, await findTiles(db, project.id, [row.id])))
    }
  )
  .delete(
    '/insights/:id',
    DESTROY,
    allow('insight:write'),
    validatePath(InsightPath),
    expectNoBody,
    async (c) => {
      const { db, project, now } = c.var
      const row = await findInsight(db, project.id, c.req.valid('param').id)
      if (!row || row.deleted) {
        throw new NotFoundError()
      }
      await updateInsight(db, project.id, row.id, { deleted: true }, now)
      return c.body(null, 204)
    }
  )

/** The chart of a request that asks for nothing. */
const NO_CHART: Chart = { title: 'Trend', subtitle: '', kind: 'line', buckets: [], series: [] }

async function answerTrend(
  c: Context<AppEnv>,
  fields: JsonObject,
  { format, offset, ...look }: z.infer<typeof TrendParameters>
): Promise<Response> {
  const { project, db, now } = c.var
  const isChart = wantsChart(c, format)
  if (!isChart) {
    expectNoChart(look)
  }
  const passedOver: string[] = []
  const query = readTrend(fields, project, now, passedOver)
  nameIgnored(c, passedOver)
  const { result, hasMore } = query
    ? await computeTrend(db, project, query, offset, now)
    : { result: [], hasMore: false }
  if (isChart) {
    const chart = query ? toChart('', query, result, project.timezone) : NO_CHART
    return chartResponse(c, chart, look)
  }
  const csv = format === 'svg' ? undefined : format
  const answer: TrendAnswer = {
    result,
    timezone: project.timezone,
    last_refresh: toIso(now.getTime()),
    is_cached: false,
    next: hasMore && query ? nextUrl(c.req.url, offset + query.breakdownLimit) : null
  }
  return wantsCsv(c, csv) ? csvTable(c, 'trend', toTable(answer)) : c.json(answer)
}

/** Returns the fields of an insight that define its trend. They came as JSON, which their type does not say. */
const toFields = ({ filters, query }: InsightInput): JsonObject =>
  ({ filters, query }) as JsonObject

/** @throws invalid_input, attr `filters`, if an insight would have both; its `query` would override the `filters` */
function expectOneDefinition(
  before: InsightRow,
  { filters, query = before.query }: InsightInput
): void {
  if (saysSomething(filters) && saysSomething(query)) {
    throw new AppError(
      'invalid_input',
      'This insight has a `query`, which overrides `filters`: set `query` to null in the same request.',
      'filters'
    )
  }
}

/** @throws invalid_input and others for an invalid trend; does_not_exist for an unknown dashboard */
async function expectValid(c: Context<AppEnv>, input: InsightInput): Promise<void> {
  const { db, project, now } = c.var
  const passedOver: string[] = []
  expectOneForm(toFields(input))
  readTrend(toFields(input), project, now, passedOver)
  nameIgnored(c, passedOver)
  const [missing] = await findMissing(db, project.id, input.dashboards ?? [])
  if (missing === undefined) {
    return
  }
  const at = `dashboards__${input.dashboards?.indexOf(missing)}`
  throw new AppError('does_not_exist', `Invalid pk "${missing}" - object does not exist.`, at)
}

function nextUrl(url: string, offset: number): string {
  const next = new URL(url)
  next.searchParams.set('offset', String(offset))
  return next.href
}
