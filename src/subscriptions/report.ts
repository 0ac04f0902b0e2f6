import type { OpenProject } from '../access/open.ts'
import { isWithinDay, startOf } from '../calendar/buckets.ts'
import { AppError, UnavailableError } from '../errors.ts'
import { onOneLine } from '../input/show.ts'
import { findDashboardInsights, MAX_TILES, NO_SERIES } from '../insights/charts/compute.ts'
import { findDashboard } from '../insights/dashboards/store.ts'
import { fieldsOf, nameOf, titleOf } from '../insights/insight.ts'
import { findInsight, type InsightRow } from '../insights/store.ts'
import { describeUnknown } from '../insights/unknown-events.ts'
import type { TrendQuery } from '../trends/query.ts'
import { readTrend } from '../trends/request.ts'
import { computeTrend } from '../trends/trend.ts'
import { type Content, type Figures, figuresOf, type InsightPart } from './content.ts'
import type { SubscriptionRow } from './store.ts'

/** The content that a subscription delivers, or the reason why it delivers nothing. */
export type Report =
  | {
      content: Content
      /** The trends with numbers, as their charts show them, by the insight's id. */
      plots: Map<number, TrendQuery>
    }
  | { skipped: string }

/** The insights of a subscription: its own, then the first `MAX_TILES` others of its dashboard. */
type Subject = {
  insights: InsightRow[]
  name: string
  /** The number of insights of the dashboard that are left out. */
  more: number
  /** Whether the insight or the dashboard has been deleted. */
  isGone: boolean
}

/** Finds the insights that a subscription delivers. */
export async function findSubject(
  { db, project }: OpenProject,
  { dashboardId, insightId, title }: SubscriptionRow
): Promise<Subject> {
  const single = insightId === null ? undefined : await findInsight({ db, project }, insightId)
  const dashboard =
    dashboardId === null ? undefined : await findDashboard({ db, project }, dashboardId)
  const tiles = dashboard ? await findDashboardInsights({ db, project }, dashboard.id) : []
  const others = tiles.filter(({ id }) => id !== single?.id)
  const name = title || dashboard?.name || (single && titleOf(single)) || 'Your numbers'
  return {
    insights: [...(single && !single.deleted ? [single] : []), ...others.slice(0, MAX_TILES)],
    name: onOneLine(name),
    more: Math.max(0, others.length - MAX_TILES),
    isGone: isMissing(insightId, single) || isMissing(dashboardId, dashboard)
  }
}

/**
 * Computes what a subscription delivers at `now`: each insight with its figures, or the reason why
 * there are none.
 * @param isSpent returns true once no further insight may be computed
 * @throws unavailable when the database cannot take the work now
 */
export async function readContent(
  open: OpenProject,
  subscription: SubscriptionRow,
  now: Date,
  isSpent: () => boolean
): Promise<Report> {
  const { project } = open
  if (subscription.insightId === null && subscription.dashboardId === null) {
    return { skipped: 'The subscription has neither an insight nor a dashboard.' }
  }
  const { insights, name, more, isGone } = await findSubject(open, subscription)
  const parts: InsightPart[] = []
  const plots = new Map<number, TrendQuery>()
  for (const insight of insights) {
    const { figures, plot } = isSpent()
      ? { figures: tooMuch(insight) }
      : await readFigures(open, insight, now)
    parts.push({ insight: insight.id, ...figures, name: onOneLine(figures.name) })
    if (plot) {
      plots.set(insight.id, plot)
    }
  }
  if (isGone) {
    parts.push({ name: 'No longer there', failure: 'The insight or dashboard has been deleted.' })
  }
  if (parts.length === 0) {
    return { skipped: 'The dashboard of the subscription has no insights.' }
  }
  const content = {
    name,
    project: onOneLine(project.name),
    at: now.getTime(),
    timezone: project.timezone,
    parts,
    more
  }
  return { content, plots }
}

/** Whether the insight or dashboard with this id has been deleted. */
const isMissing = (id: number | null, row: { deleted: boolean } | undefined): boolean =>
  id !== null && (!row || row.deleted)

const tooMuch = (insight: InsightRow): Figures => ({
  name: nameOf(insight),
  failure:
    'Not computed: the insights before this one used up the delivery’s database queries. Deliver this insight separately.'
})

/**
 * Computes the figures of an insight without today or, if there is nothing to report then, with
 * today. With figures, `plot` is the trend of the same period as the insight shows it.
 */
async function readFigures(
  { db, project }: OpenProject,
  insight: InsightRow,
  now: Date
): Promise<{ figures: Figures; plot?: TrendQuery }> {
  const name = nameOf(insight)
  try {
    const query = readTrend(fieldsOf(insight), project, now)
    if (!query) {
      return { figures: { name, failure: NO_SERIES } }
    }
    const compute = async (plot: TrendQuery) => {
      const { result } = await computeTrend(db, project, { query: inOneNumber(plot), now })
      return { plot, result, figures: figuresOf(name, plot, result, project.timezone) }
    }
    const finished = withoutToday(query, startOf(now.getTime(), 'day', project).time)
    const first = await compute(finished)
    const isDone = 'lines' in first.figures || finished === query
    const { plot, result, figures } = isDone ? first : await compute(query)
    if ('lines' in figures) {
      return { figures, plot }
    }
    const unknown = await describeUnknown({ db, project }, query, result)
    return { figures: unknown === null ? figures : { name, failure: unknown } }
  } catch (error) {
    if (error instanceof UnavailableError || !(error instanceof AppError)) {
      throw error
    }
    return { figures: { name, failure: `This insight could not be computed: ${error.message}` } }
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
