import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { drawBoard } from '../../charts/board.ts'
import { drawChart } from '../../charts/draw.ts'
import { NotFoundError } from '../../errors.ts'
import { type ChartFormat, ChartQuery, chartResponse, lookOf } from '../../http/chart.ts'
import { createRouter } from '../../http/env.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { KnownId } from '../../input/parameters.ts'
import { isSpent } from '../../queues/invocation.ts'
import { emptyChart } from '../chart.ts'
import { findDashboard } from '../dashboards/store.ts'
import { titleOf } from '../insight.ts'
import { findInsight } from '../store.ts'
import { BOARD_QUERIES, computeBoard, computeChart } from './compute.ts'
import { describeCharts } from './reference.ts'

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

export const chartRoutes = createRouter().route('/', routesOf('svg')).route('/', routesOf('png'))
