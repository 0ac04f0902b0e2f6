import type { OpenProject } from '../../access/open.ts'
import { toIso } from '../../calendar/clock.ts'
import { NotFoundError } from '../../errors.ts'
import {
  computeTile,
  computeTiles,
  dashboardTitle,
  leftOut
} from '../../insights/charts/compute.ts'
import { type ShownBoard, toShown } from '../../insights/charts/page.ts'
import { findDashboard } from '../../insights/dashboards/store.ts'
import { nameOf } from '../../insights/insight.ts'
import { findInsight } from '../../insights/store.ts'
import type { SharableBoard } from '../store.ts'

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
): Promise<ShownBoard> {
  const { db, project } = open
  const common = { timezone: project.timezone, computed_at: toIso(now.getTime()) }
  if (kind === 'dashboard') {
    const dashboard = await findDashboard({ db, project }, objectId)
    if (!dashboard) {
      throw new NotFoundError()
    }
    const { tiles, left } = await computeTiles(open, dashboard.id, now, isSpent)
    return {
      title: dashboardTitle(dashboard),
      description: dashboard.description,
      ...common,
      tiles: tiles.map(toShown),
      note: left > 0 ? leftOut(left) : ''
    }
  }
  const insight = await findInsight({ db, project }, objectId)
  if (!insight || insight.deleted) {
    throw new NotFoundError()
  }
  return {
    title: nameOf(insight),
    description: insight.description ?? '',
    ...common,
    tiles: [toShown(await computeTile(open, insight, now))],
    note: ''
  }
}
