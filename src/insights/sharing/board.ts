import { toIso } from '../../calendar/clock.ts'
import type { Chart } from '../../charts/chart.ts'
import { NotFoundError } from '../../errors.ts'
import type { OpenProject } from '../../projects/open.ts'
import { computeTile, computeTiles, dashboardTitle, leftOut } from '../charts/compute.ts'
import { findDashboard } from '../dashboards/store.ts'
import { nameOf } from '../insight.ts'
import { findInsight } from '../store.ts'
import type { SharedBoardJson } from './schemas.ts'
import type { ShareRow } from './store.ts'

/** A shared insight or dashboard, computed. */
export type SharedBoard = Omit<SharedBoardJson, 'tiles'> & {
  tiles: { title: string; chart: Chart | null; failure: string | null }[]
  /** Says what is left out. */
  note: string
}

/**
 * Computes what a link shows: nothing of the project but names, descriptions and numbers.
 * @param isSpent whether the invocation may compute no further insight
 * @throws not_found when the insight or dashboard is deleted; unavailable
 */
export async function computeShared(
  open: OpenProject,
  { kind, objectId }: ShareRow,
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
