import type { OpenProject } from '../access/open.ts'
import type { ProjectRow } from '../access/store.ts'
import { isWithinDay, startOf } from '../calendar/buckets.ts'
import type { Db } from '../db/client.ts'
import { AppError, UnavailableError } from '../errors.ts'
import { onOneLine } from '../input/show.ts'
import { findDashboardInsights, MAX_TILES, NO_SERIES } from '../insights/charts/compute.ts'
import { findDashboard } from '../insights/dashboards/store.ts'
import { fieldsOf, nameOf, titleOf } from '../insights/insight.ts'
import { findInsight, type InsightRow } from '../insights/store.ts'
import type { TrendQuery } from '../trends/query.ts'
import { readTrend } from '../trends/request.ts'
import { computeTrend } from '../trends/trend.ts'
import { type Content, type Figures, figuresOf, type InsightPart } from './content.ts'
import type { SubscriptionRow } from './store.ts'

/** The content that a subscription delivers, or the reason why it delivers nothing. */
export type Report = { content: Content } | { skipped: string }

/**
 * Computes what a subscription delivers at `now`: its insight, then the first `MAX_TILES` other
 * insights of its dashboard, each with its figures or the reason why there are none.
 * @param isSpent returns true once no further insight may be computed
 * @throws unavailable when the database cannot take the work now
 */
export async function readContent(
  { db, project }: OpenProject,
  { dashboardId, insightId, title }: SubscriptionRow,
  now: Date,
  isSpent: () => boolean
): Promise<Report> {
  if (insightId === null && dashboardId === null) {
    return { skipped: 'The subscription has neither an insight nor a dashboard.' }
  }
  const single = insightId === null ? undefined : await findInsight(db, project.id, insightId)
  const dashboard =
    dashboardId === null ? undefined : await findDashboard(db, project.id, dashboardId)
  const tiles = dashboard ? await findDashboardInsights(db, project.id, dashboard.id) : []
  const others = tiles.filter(({ id }) => id !== single?.id)
  const insights = [...(single && !single.deleted ? [single] : []), ...others.slice(0, MAX_TILES)]

  const parts: InsightPart[] = []
  for (const insight of insights) {
    const figures = isSpent() ? tooMuch(insight) : await readFigures(db, project, insight, now)
    parts.push({ insight: insight.id, ...figures })
  }
  if (isGone(insightId, single) || isGone(dashboardId, dashboard)) {
    parts.push({ name: 'No longer there', failure: 'The insight or dashboard has been deleted.' })
  }
  if (parts.length === 0) {
    return { skipped: 'The dashboard of the subscription has no insights.' }
  }
  const name = title || dashboard?.name || (single && titleOf(single)) || 'Your numbers'
  return {
    content: {
      name: onOneLine(name),
      project: onOneLine(project.name),
      at: now.getTime(),
      timezone: project.timezone,
      parts: parts.map((part) => ({ ...part, name: onOneLine(part.name) })),
      more: Math.max(0, others.length - MAX_TILES)
    }
  }
}

const isGone = (id: number | null, row: { deleted: boolean } | undefined): boolean =>
  id !== null && (!row || row.deleted)

const tooMuch = (insight: InsightRow): Figures => ({
  name: nameOf(insight),
  failure:
    'Not computed: the insights before this one used up the delivery’s database queries. Deliver this insight separately.'
})

/** Computes the figures without today or, if there is nothing to report then, with today. */
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
      return { name, failure: NO_SERIES }
    }
    const compute = async (query: TrendQuery): Promise<Figures> => {
      const { result } = await computeTrend(db, project, { query, now })
      return figuresOf(name, query, result, project.timezone)
    }
    const asked = inOneNumber(query)
    const finished = withoutToday(asked, startOf(now.getTime(), 'day', project).time)
    const figures = await compute(finished)
    const hasFigures = 'lines' in figures
    return hasFigures || finished === asked ? figures : await compute(asked)
  } catch (error) {
    if (error instanceof UnavailableError || !(error instanceof AppError)) {
      throw error
    }
    return { name, failure: `This insight could not be computed: ${error.message}` }
  }
}

/** Ends a query's period at `until`, ms UTC, if that is within the period. */
export const endAt = (query: TrendQuery, until: number): TrendQuery =>
  (query.from === 'all' || query.from < until) && until < query.until ? { ...query, until } : query

/**
 * Ends a period of days before today: today is not over, so nearly every change from the previous
 * period would be a fall. A period by the hour or minute, one without a beginning, and one that
 * begins today stay as they are.
 */
function withoutToday(query: TrendQuery, today: number): TrendQuery {
  const { from, interval } = query
  if (from === 'all' || isWithinDay(interval)) {
    return query
  }
  return endAt(query, today)
}

/**
 * Asks for one number for the whole period, and one for the period before or the one that the query
 * compares with. For actors and percentiles, this is not the sum of the points.
 */
const inOneNumber = (query: TrendQuery): TrendQuery => ({
  ...query,
  display: 'ActionsTable',
  compare: query.compare ?? (query.from === 'all' ? undefined : { back: undefined }),
  smoothing: 1
})
