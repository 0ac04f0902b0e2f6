import type { OpenProject } from '../access/open.ts'
import { isWithinDay, startOf } from '../calendar/buckets.ts'
import type { Chart } from '../charts/chart.ts'
import { AppError, UnavailableError } from '../errors.ts'
import { onOneLine } from '../input/show.ts'
import {
  chartOf,
  completeChart,
  findDashboardInsights,
  MAX_TILES,
  NO_SERIES
} from '../insights/charts/compute.ts'
import { findDashboard } from '../insights/dashboards/store.ts'
import { nameOf, titleOf } from '../insights/insight.ts'
import { expectReader, readInsight } from '../insights/question.ts'
import { findInsight, type InsightRow } from '../insights/store.ts'
import { describeUnknown, uncountedEvents } from '../insights/unknown-events.ts'
import type { DrawnQuestion } from '../questions/drawing.ts'
import type { ReadQuestion } from '../questions/kinds.ts'
import { endAt, isAggregated, type TrendQuery } from '../trends/query.ts'
import { computeWhole } from '../trends/whole.ts'
import {
  type Content,
  type Figures,
  figuresOfQuestion,
  figuresOfTrend,
  type InsightPart
} from './content.ts'
import type { SubscriptionRow } from './store.ts'

/** The content that a subscription delivers, or the reason why it delivers nothing. */
export type Report =
  | {
      content: Content
      /** The first insight that has more to show than one number; undefined if there is none. */
      charted: { insight: number; draw: Draw } | undefined
    }
  | { skipped: string }

/** Computes the chart of an insight for the period of its figures. */
type Draw = () => Promise<Chart>

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
  let charted: { insight: number; draw: Draw } | undefined
  for (const insight of insights) {
    // Only an e-mail is sent with its chart; other receivers fetch it later.
    const isDrawn = subscription.targetType === 'email' && !charted
    const { figures, draw } = isSpent()
      ? { figures: tooMuch(insight), draw: undefined }
      : await readFigures(open, insight, { now, isDrawn, dashboardId: subscription.dashboardId })
    parts.push({ insight: insight.id, ...figures, name: onOneLine(figures.name) })
    charted ??= draw && { insight: insight.id, draw }
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
  return { content, charted }
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
 * today. With figures over time, `draw` computes their chart; if it is drawn at once, its events
 * are read together with those of the figures.
 */
async function readFigures(
  open: OpenProject,
  insight: InsightRow,
  { now, isDrawn, dashboardId }: { now: Date; isDrawn: boolean; dashboardId: number | null }
): Promise<{ figures: Figures; draw?: Draw | undefined }> {
  const { db, project } = open
  const name = nameOf(insight)
  try {
    const read = readInsight(insight, project, now)
    if (!read) {
      return { figures: { name, failure: NO_SERIES } }
    }
    const placed = { title: name, place: { insightId: insight.id, dashboardId } }
    const today = startOf(now.getTime(), 'day', project).time
    if ('draw' in read) {
      expectReader(read, {})
      const { figures, drawn } = await readQuestionFigures(open, { name, draw: read.draw }, today)
      return 'lines' in figures
        ? { figures, draw: () => completeChart(open, placed, drawn) }
        : { figures }
    }
    const query = read.trend
    const hasChart = !isAggregated(query)
    const compute = async (plot: TrendQuery) => {
      const asked = { query: plot, now, isCompleted: isDrawn && hasChart }
      const { result, complete } = await computeWhole(db, project, asked)
      const draw = async () => chartOf(open, placed, { query: plot, ...(await complete()) }, now)
      return { result, draw, figures: figuresOfTrend(name, plot, result, project.timezone) }
    }
    const finished = withoutToday(query, today)
    const first = await compute(finished)
    const isDone = 'lines' in first.figures || finished === query
    const { draw, result, figures } = isDone ? first : await compute(query)
    if ('lines' in figures) {
      return hasChart ? { figures, draw } : { figures }
    }
    const unknown = await describeUnknown({ db, project }, uncountedEvents(query, result))
    return { figures: unknown === null ? figures : { name, failure: unknown } }
  } catch (error) {
    if (error instanceof UnavailableError || !(error instanceof AppError)) {
      throw error
    }
    return { figures: { name, failure: `This insight could not be computed: ${error.message}` } }
  }
}

/**
 * Computes the figures of a question without today or, if there is nothing to report then, with
 * today.
 */
async function readQuestionFigures(
  open: OpenProject,
  { name, draw }: { name: string; draw: ReadQuestion['draw'] },
  today: number
): Promise<{ figures: Figures; drawn: DrawnQuestion }> {
  const { timezone } = open.project
  const compute = async (until?: number) => {
    const drawn = await draw(open, { until, isCompared: true })
    return { drawn, figures: figuresOfQuestion(name, drawn, timezone) }
  }
  const first = await compute(today)
  const isDone = 'lines' in first.figures || first.drawn.range.until !== today
  const { drawn, figures } = isDone ? first : await compute()
  const unknown = 'lines' in figures ? null : await describeUnknown(open, drawn.uncounted)
  return { drawn, figures: unknown === null ? figures : { name, failure: unknown } }
}

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
