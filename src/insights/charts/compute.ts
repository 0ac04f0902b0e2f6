import type { OpenProject, Scope } from '../../access/open.ts'
import { type ChartPlace, type DatedText, findDrawn } from '../../annotations/store.ts'
import type { Bucket } from '../../calendar/buckets.ts'
import type { Board, ChartTile } from '../../charts/board.ts'
import type { Chart } from '../../charts/chart.ts'
import { AppError, UnavailableError } from '../../errors.ts'
import type { DrawnQuestion } from '../../questions/drawing.ts'
import { endAt, isAggregated } from '../../trends/query.ts'
import { computeTrend } from '../../trends/trend.ts'
import { type Computed, placeIn, toChart } from '../chart.ts'
import { type DashboardRow, listTiles } from '../dashboards/store.ts'
import { nameOf, titleOf } from '../insight.ts'
import { expectReader, type InsightReader, readInsight } from '../question.ts'
import { findInsights, type InsightRow } from '../store.ts'
import { describeUnknown, uncountedEvents } from '../unknown-events.ts'

/** Maximum number of insights of a dashboard that are drawn or delivered at once. */
export const MAX_TILES = 10

/**
 * Database queries after which no further insight of a dashboard is computed: one insight may take
 * hundreds, and D1 allows 1,000 queries per request.
 */
export const BOARD_QUERIES = 500

/** The reason why an insight without series has no numbers. */
export const NO_SERIES = 'This insight has no series yet.'

/** How an insight is drawn. */
type DrawnAs = {
  now: Date
  /** The dashboard with which the insight is drawn, if any. */
  dashboardId?: number | null
  /** Where the period of the chart ends at the latest, ms UTC. */
  until?: number
}

/**
 * Computes an insight at `now` and returns its chart, without a title if the insight has no name;
 * undefined if the insight has no series. @throws permission_denied, see `expectReader`
 */
export async function computeChart(
  scope: OpenProject & InsightReader,
  insight: InsightRow,
  { now, dashboardId = null, until = Number.POSITIVE_INFINITY }: DrawnAs
): Promise<Chart | undefined> {
  const { db, project } = scope
  const read = readInsight(insight, project, now)
  const placed = { title: titleOf(insight) ?? '', place: { insightId: insight.id, dashboardId } }
  if (!read) {
    return undefined
  }
  if ('draw' in read) {
    expectReader(read, scope)
    return completeChart(scope, placed, await read.draw(scope, { until }))
  }
  const query = endAt(read.trend, until)
  const counted = await computeTrend(db, project, { query, now })
  return chartOf(scope, placed, { query, ...counted }, now)
}

/** The title of a chart, and where it stands: null for a trend that is not an insight. */
type Placed = { title: string; place: ChartPlace | null }

/**
 * Returns the chart of a drawn question, with the annotations of its place, and with a warning if
 * its events do not exist.
 */
export async function completeChart(
  scope: Scope,
  { title, place }: Placed,
  { chart, buckets, uncounted }: DrawnQuestion
): Promise<Chart> {
  const warning = await describeUnknown(scope, uncounted)
  const annotations = await findIn(scope, place, buckets)
  return {
    ...chart,
    title: title || chart.title,
    warning,
    annotations: placeIn(buckets, annotations)
  }
}

/** Finds the annotations of a chart with these buckets. */
async function findIn(
  { db, project }: Scope,
  place: ChartPlace | null,
  buckets: Bucket[]
): Promise<DatedText[]> {
  const [first, last] = [buckets.at(0), buckets.at(-1)]
  return place && first && last
    ? findDrawn({ db, project }, place, { from: first.from, until: last.until })
    : []
}

/**
 * Returns the chart of a computed trend, with the annotations of its place, and with a warning if
 * its events do not exist.
 */
export async function chartOf(
  { db, project }: OpenProject,
  { title, place }: Placed,
  trend: Omit<Computed, 'warning' | 'annotations'>,
  now: Date
): Promise<Chart> {
  const { query, result, periods } = trend
  const warning = await describeUnknown({ db, project }, uncountedEvents(query, result))
  const buckets = isAggregated(query) ? [] : (periods[0]?.buckets ?? [])
  const annotations = await findIn({ db, project }, place, buckets)
  return toChart(title, { ...trend, warning, annotations }, project, now)
}

/**
 * Computes the first `MAX_TILES` insights of a dashboard, in the order of its tiles, each with its
 * chart or the reason why there is none.
 * @param isSpent returns true once no further insight may be computed
 * @returns the tiles, and in `left` the number of insights beyond `MAX_TILES`
 * @throws unavailable when the database cannot take the work now
 */
export async function computeTiles(
  open: OpenProject & InsightReader,
  dashboardId: number,
  now: Date,
  isSpent: () => boolean
): Promise<{ tiles: ChartTile[]; left: number }> {
  const insights = await findDashboardInsights(open, dashboardId)
  const shown = { insights: insights.slice(0, MAX_TILES), dashboardId }
  const tiles = await computeInsights(open, shown, now, isSpent)
  return { tiles, left: insights.length - tiles.length }
}

/**
 * Computes insights one after the other, until `isSpent` returns true.
 * @param dashboardId the dashboard with which the insights are drawn, if any
 * @throws unavailable
 */
export async function computeInsights(
  open: OpenProject & InsightReader,
  { insights, dashboardId }: { insights: InsightRow[]; dashboardId: number | null },
  now: Date,
  isSpent: () => boolean
): Promise<ChartTile[]> {
  const tiles: ChartTile[] = []
  for (const insight of insights) {
    tiles.push(isSpent() ? tooMuch(insight) : await computeTile(open, insight, now, dashboardId))
  }
  return tiles
}

/** Returns the insights of a dashboard in the order of its tiles. Leaves out deleted insights. */
export async function findDashboardInsights(
  scope: Scope,
  dashboardId: number
): Promise<InsightRow[]> {
  const ids = (await listTiles(scope, dashboardId)).map(({ insightId }) => insightId)
  const found = await findInsights(scope, ids)
  return ids.flatMap((id) => found.find((insight) => insight.id === id) ?? [])
}

/** Computes a dashboard with `computeTiles`. Returns it as a board to draw. @throws unavailable */
export async function computeBoard(
  open: OpenProject & InsightReader,
  dashboard: DashboardRow,
  now: Date,
  isSpent: () => boolean
): Promise<Board> {
  const { tiles, left } = await computeTiles(open, dashboard.id, now, isSpent)
  return {
    title: dashboardTitle(dashboard),
    subtitle: [open.project.name, ...(left > 0 ? [leftOut(left)] : [])].join(' · '),
    tiles
  }
}

/** Returns the title of a dashboard: `Weekly`, or `Dashboard 7` if it has no name. */
export const dashboardTitle = ({ id, name }: DashboardRow): string => name || `Dashboard ${id}`

/** Says how many insights of a dashboard are left out. */
export const leftOut = (left: number): string =>
  left === 1 ? '1 more insight is not drawn' : `${left} more insights are not drawn`

/** Computes an insight. Returns its chart, or the reason why there is none. @throws unavailable */
export async function computeTile(
  open: OpenProject & InsightReader,
  insight: InsightRow,
  now: Date,
  dashboardId: number | null = null
): Promise<ChartTile> {
  const title = nameOf(insight)
  try {
    const chart = await computeChart(open, insight, { now, dashboardId })
    return chart ? { ...chart, title } : { title, failure: NO_SERIES }
  } catch (error) {
    if (error instanceof UnavailableError || !(error instanceof AppError)) {
      throw error
    }
    return { title, failure: error.message }
  }
}

const tooMuch = (insight: InsightRow): ChartTile => ({
  title: nameOf(insight),
  failure:
    'Not computed: the insights before this one used up the database queries of this request.'
})
