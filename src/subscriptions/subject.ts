import type { Scope } from '../access/open.ts'
import { AppError } from '../errors.ts'
import { findDashboard } from '../insights/dashboards/store.ts'
import { findInsight } from '../insights/store.ts'
import type { Terms } from './terms.ts'

/**
 * Checks that the dashboard and the insight of a subscription exist. Does not check the ones that
 * it had `before`: they may have been deleted.
 * @throws does_not_exist, attr is the field
 */
export async function expectSubject(
  scope: Scope,
  terms: Terms,
  before: Terms | undefined
): Promise<void> {
  const { dashboardId, insightId } = terms
  const missing = (id: number, attr: string) =>
    new AppError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr)
  if (
    dashboardId !== null &&
    dashboardId !== before?.dashboardId &&
    !(await findDashboard(scope, dashboardId))
  ) {
    throw missing(dashboardId, 'dashboard')
  }
  if (insightId === null || insightId === before?.insightId) {
    return
  }
  const insight = await findInsight(scope, insightId)
  if (!insight || insight.deleted) {
    throw missing(insightId, 'insight')
  }
}
