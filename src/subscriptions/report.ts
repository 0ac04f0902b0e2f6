import { startOf } from '../calendar/buckets.ts'
import type { Db } from '../db/client.ts'
import { AppError, UnavailableError } from '../errors.ts'
import { NOTHING_ASKED } from '../insights/charts/compute.ts'
import { findDashboard, listTiles } from '../insights/dashboards/store.ts'
import { fieldsOf, nameOf, titleOf } from '../insights/insight.ts'
import { findInsight, findInsights, type InsightRow } from '../insights/store.ts'
import type { OpenProject } from '../projects/open.ts'
import type { ProjectRow } from '../projects/store.ts'
import type { TrendQuery } from '../trends/query.ts'
import { readTrend } from '../trends/request.ts'
import { computeTrend } from '../trends/trend.ts'
import { type Content, type Figures, figuresOf, type Part } from './content.ts'
import type { SubscriptionRow } from './store.ts'

const MAX_TILES = 10

/** The content that a subscription delivers, or the reason why it delivers nothing. */
export type Report = { content: Content } | { skipped: string }

/**
 * Computes what a subscription delivers at `now`: its insight, then the first other tiles of its dashboard, each with its
 * own figures or the reason why there are none.
 * @param isSpent whether the invocation may compute no further insight
 * @throws unavailable when the database cannot take the work now
 */
export async function readContent(
  { db, project }: OpenProject,
  { dashboardId, insightId, title }: SubscriptionRow,
  now: Date,
  isSpent: () => boolean
): Promise<Report> {
  const single = insightId === null ? undefined : await findInsight(db, project.id, insightId)
  const dashboard =
    dashboardId === null ? undefined : await findDashboard(db, project.id, dashboardId)
  if (insightId === null && dashboardId === null) {
    return { skipped: 'It has neither an insight nor a dashboard.' }
  }

  const tiles = dashboard ? await listTiles(db, project.id, dashboard.id) : []
  const ids = tiles.map((tile) => tile.insightId).filter((id) => id !== single?.id)
  const found = await findInsights(db, project.id, ids)
  const placed = ids.flatMap((id) => found.find((insight) => insight.id === id) ?? [])
  const insights = [...(single && !single.deleted ? [single] : []), ...placed.slice(0, MAX_TILES)]

  const parts: Part[] = []
  for (const insight of insights) {
    const figures = isSpent() ? tooMuch(insight) : await readFigures(db, project, insight, now)
    parts.push({ insight: insight.id, ...figures })
  }
  if (isGone(insightId, single) || isGone(dashboardId, dashboard)) {
    parts.push({ name: 'No longer there', failure: 'The insight or dashboard has been deleted.' })
  }
  if (parts.length === 0) {
    return { skipped: 'Its dashboard has no insights.' }
  }
  const name = title || dashboard?.name || (single && titleOf(single)) || 'Your numbers'
  return {
    content: {
      name,
      project: project.name,
      at: now.getTime(),
      timezone: project.timezone,
      parts,
      more: placed.length - MAX_TILES
    }
  }
}

/** Whether a subscription's insight or dashboard, of which this is the id, has been deleted. */
const isGone = (id: number | null, row: { deleted: boolean } | undefined): boolean =>
  id !== null && (!row || row.deleted)

const tooMuch = (insight: InsightRow): Figures => ({
  name: nameOf(insight),
  failure: 'The insights before it used up the delivery’s limits: deliver this insight separately.'
})

async function readFigures(
  db: Db,
  project: ProjectRow,
  insight: InsightRow,
  now: Date
): Promise<Figures> {
  const name = nameOf(insight)
  try {
    const query = readTrend(fieldsOf(insight), project, now)
    if (!query) {
      return { name, failure: NOTHING_ASKED }
    }
    const compute = async (query: TrendQuery): Promise<Figures> =>
      figuresOf(
        name,
        query,
        (await computeTrend(db, project, { query, now })).result,
        project.timezone
      )
    const own = inOneNumber(query)
    const whole = withoutToday(own, startOf(now.getTime(), 'day', project).time)
    const figures = await compute(whole)
    return whole === own || 'lines' in figures ? figures : await compute(own)
  } catch (error) {
    if (error instanceof UnavailableError || !(error instanceof AppError)) {
      throw error
    }
    return { name, failure: `This insight could not be computed: ${error.message}` }
  }
}

/** Ends a query's period earlier, if the period has begun by then. */
export const endAt = (query: TrendQuery, until: number): TrendQuery =>
  (query.from === 'all' || query.from < until) && until < query.until ? { ...query, until } : query

/**
 * Days beside as many days before. Today is not over: with it nearly every change would be a fall. Of hours the last one
 * makes no such difference, and a range that is all of today stays.
 */
function withoutToday(query: TrendQuery, today: number): TrendQuery {
  const { from, interval } = query
  if (from === 'all' || interval === 'hour' || interval === 'minute') {
    return query
  }
  return endAt(query, today)
}

/** The whole range as one number, which for actors and percentiles is no sum, beside that of the period before. */
const inOneNumber = (query: TrendQuery): TrendQuery => ({
  ...query,
  display: 'ActionsTable',
  compare: query.compare ?? (query.from === 'all' ? undefined : { back: undefined }),
  smoothing: 1
})
