import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { toIso } from '../../calendar/clock.ts'
import { DATE_GRAMMAR, noDate, readFrom, readUntil } from '../../calendar/dates.ts'
import { drawBoard } from '../../charts/board.ts'
import { drawChart } from '../../charts/draw.ts'
import { NotFoundError } from '../../errors.ts'
import { type ChartFormat, ChartQuery, chartResponse, lookOf } from '../../http/chart.ts'
import { createRouter } from '../../http/env.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { KnownId, Whole } from '../../input/parameters.ts'
import { isSpent } from '../../queues/invocation.ts'
import { emptyChart } from '../chart.ts'
import { findDashboard } from '../dashboards/store.ts'
import { titleOf } from '../insight.ts'
import { findInsight } from '../store.ts'
import {
  BOARD_QUERIES,
  computeBoard,
  computeChart,
  computeInsights,
  findDashboardInsights,
  MAX_TILES
} from './compute.ts'
import { toShown } from './page.ts'
import { withRange } from './range.ts'
import { CHARTS, describeCharts } from './reference.ts'
import type { DashboardChartsJson } from './schemas.ts'

const Path = z.object({ id: KnownId })

const routesOf = (format: ChartFormat) => {
  const reference = describeCharts(format)
  return createRouter()
    .get(
      `/insights/:id/chart.${format}`,
      reference.insight,
      allow('insight:read'),
      validatePath(Path),
      validateQuery(ChartQuery),
      async (c) => {
        const { now } = c.var
        const row = await findInsight(c.var, c.req.valid('param').id)
        if (!row || row.deleted) {
          throw new NotFoundError()
        }
        const chart =
          (await computeChart(c.var, row, { now })) ?? emptyChart(titleOf(row) ?? 'Insight')
        return chartResponse(c, drawChart(chart, lookOf(c.req.valid('query'))), format)
      }
    )
    .get(
      `/dashboards/:id/chart.${format}`,
      reference.dashboard,
      // The charts show the results of insights, which `dashboard:read` alone does not give access
      // to.
      allow('insight:read'),
      validatePath(Path),
      validateQuery(ChartQuery),
      async (c) => {
        const { now, usage } = c.var
        const row = await findDashboard(c.var, c.req.valid('param').id)
        if (!row) {
          throw new NotFoundError()
        }
        const board = await computeBoard(c.var, row, now, () => isSpent(usage, BOARD_QUERIES))
        return chartResponse(c, drawBoard(board, lookOf(c.req.valid('query'))), format)
      }
    )
}

const DateText = z.string().max(100).optional()

const ChartsQuery = z.object({
  date_from: DateText.meta({
    description: `Where the range of every insight begins. ${DATE_GRAMMAR}`
  }),
  date_to: DateText.meta({ description: 'Where the range of every insight ends.' }),
  offset: Whole.default(0).meta({ description: 'The number of insights to leave out before.' })
})

export const chartRoutes = createRouter()
  .route('/', routesOf('svg'))
  .route('/', routesOf('png'))
  .get(
    '/dashboards/:id/charts',
    CHARTS,
    allow('insight:read'),
    validatePath(Path),
    validateQuery(ChartsQuery),
    async (c) => {
      const { now, usage, project } = c.var
      const { date_from: from, date_to: to, offset } = c.req.valid('query')
      expectDate('date_from', from, (text) => readFrom(text, project, now))
      const until = expectDate('date_to', to, (text) => readUntil(text, 'day', project, now))
      const row = await findDashboard(c.var, c.req.valid('param').id)
      if (!row) {
        throw new NotFoundError()
      }
      const all = await findDashboardInsights(c.var, row.id)
      const insights = all.slice(offset, offset + MAX_TILES)
      const range = { from, to, end: until === undefined ? undefined : toIso(until) }
      const dated = {
        insights: insights.map((one) => withRange(one, range)),
        dashboardId: row.id
      }
      const tiles = await computeInsights(c.var, dated, now, () => isSpent(usage, BOARD_QUERIES))
      return c.json({
        computed_at: toIso(now.getTime()),
        timezone: project.timezone,
        count: all.length,
        results: tiles.map((tile, i) => ({ insight: insights[i]?.id ?? 0, ...toShown(tile) }))
      } satisfies DashboardChartsJson)
    }
  )

/** The range with all events. */
const ALL_TIME = 'all'

/** Returns the time of a date. @throws invalid_input, attr the parameter, for another text */
function expectDate(
  attr: string,
  text: string | undefined,
  read: (text: string) => number | undefined
): number | undefined {
  const time = text === undefined || text === ALL_TIME ? undefined : read(text)
  if (text !== undefined && text !== ALL_TIME && time === undefined) {
    throw noDate(text, attr)
  }
  return time
}
