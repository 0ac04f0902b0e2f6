import type { OpenProject } from '../../access/open.ts'
import { toIso } from '../../calendar/clock.ts'
import type { Chart } from '../../charts/chart.ts'
import { NotFoundError } from '../../errors.ts'
import {
  computeTile,
  computeTiles,
  dashboardTitle,
  leftOut
} from '../../insights/charts/compute.ts'
import { findDashboard } from '../../insights/dashboards/store.ts'
import { nameOf } from '../../insights/insight.ts'
import { findInsight } from '../../insights/store.ts'
import type { SharableBoard } from '../store.ts'
import type { SharedBoardJson } from './schemas.ts'

/** A shared insight or dashboard, computed. */
export type SharedBoard = Omit<SharedBoardJson, 'tiles'> & {
  tiles: { title: string; chart: Chart | null; failure: string | null }[]
  /** Says how many insights of a dashboard are left out; empty if none are. */
  note: string
}

/**
 * Computes the insight or dashboard behind a link. The result tells nothing else about the project
 * but its time zone.
 * @param isSpent returns true once no further insight may be computed
 * @throws not_found when the insight or dashboard is deleted; unavailable when the database cannot
 * take the work now
 */
export async function computeShared(
  open: OpenProject,
  { kind, objectId }: SharableBoard,
  now: Date,
  isSpent: () => boolean
): Promise<SharedBoard> {
  const { db, project } = open
  const common = { timezone: project.timezone, computed_at: toIso(now.getTime()) }
  if (kind === 'dashboard') {
    const dashboard = await findDashboard(db, project.id, objectId)
    if (!dashboard) {
      throw new NotFoundError()
    }
    const { tiles, left } = await computeTiles(open, dashboard.id, now, isSpent)
    return {
      title: dashboardTitle(dashboard),
      description: dashboard.description,
      ...common,
      tiles: tiles.map(toJson),
      note: left > 0 ? leftOut(left) : ''
    }
  }
  const insight = await findInsight(db, project.id, objectId)
  if (!insight || insight.deleted) {
    throw new NotFoundError()
  }
  return {
    title: nameOf(insight),
    description: insight.description ?? '',
    ...common,
    tiles: [toJson(await computeTile(open, insight, now))],
    note: ''
  }
}

const toJson = (tile: Chart | { title: string; failure: string }) =>
  'kind' in tile
    ? { title: tile.title, chart: tile, failure: null }
    : { title: tile.title, chart: null, failure: tile.failure }
