import type { Board, Tile } from '../../charts/board.ts'
import type { Chart } from '../../charts/chart.ts'
import { AppError, UnavailableError } from '../../errors.ts'
import type { OpenProject } from '../../projects/open.ts'
import type { TrendQuery } from '../../trends/query.ts'
import { readTrend } from '../../trends/request.ts'
import { computeTrend } from '../../trends/trend.ts'
import { toChart } from '../chart.ts'
import { type DashboardRow, listTiles } from '../dashboards/store.ts'
import { fieldsOf, nameOf, titleOf } from '../insight.ts'
import { findInsights, type InsightRow } from '../store.ts'

/** Most insights of a dashboard that are drawn; a subscription delivers as many. */
const MAX_TILES = 10

/** The reason why an insight without series has no numbers. */
export const NOTHING_ASKED = 'This insight has no series yet.'

/** Computes an insight at `now` and returns its chart; undefined if the insight has no series. */
export async function computeChart(
  open: OpenProject,
  insight: InsightRow,
  now: Date
): Promise<Chart | undefined> {
  const query = readTrend(fieldsOf(insight), open.project, now)
  return query && drawTrend(open, titleOf(insight) ?? '', query, now)
}

/** Computes a trend at `now` and returns its chart. */
export async function drawTrend(
  { db, project }: OpenProject,
  title: string,
  query: TrendQuery,
  now: Date
): Promise<Chart> {
  const { result } = await computeTrend(db, project, { query, now })
  return toChart(title, query, result, project.timezone)
}

/**
 * Computes the first insights of a dashboard, oldest first, each with its chart or the reason why there is none.
 * @param isSpent whether the invocation may compute no further insight
 * @throws unavailable when the database cannot take the work now
 */
export async function computeBoard(
  open: OpenProject,
  dashboard: DashboardRow,
  now: Date,
  isSpent: () => boolean
): Promise<Board> {
  const { db, project } = open
  const placed = await listTiles(db, project.id, dashboard.id)
  const ids = placed.map(({ insightId }) => insightId)
  const found = await findInsights(db, project.id, ids)
  const insights = ids.flatMap((id) => found.find((insight) => insight.id === id) ?? [])
  const tiles: Tile[] = []
  for (const insight of insights.slice(0, MAX_TILES)) {
    tiles.push(isSpent() ? tooMuch(insight) : await computeTile(open, insight, now))
  }
  const left = insights.length - tiles.length
  const rest = left === 1 ? '1 more insight is not drawn' : `${left} more insights are not drawn`
  return {
    title: dashboard.name || `Dashboard ${dashboard.id}`,
    subtitle: [project.name, ...(left > 0 ? [rest] : [])].join(' · '),
    tiles
  }
}

async function computeTile(open: OpenProject, insight: InsightRow, now: Date): Promise<Tile> {
  const title = nameOf(insight)
  try {
    const chart = await computeChart(open, insight, now)
    return chart ? { ...chart, title } : { title, failure: NOTHING_ASKED }
  } catch (error) {
    if (error instanceof UnavailableError || !(error instanceof AppError)) {
      throw error
    }
    return { title, failure: error.message }
  }
}

const tooMuch = (insight: InsightRow): Tile => ({
  title: nameOf(insight),
  failure: 'The insights before it used up the request’s limits: draw this insight separately.'
})
