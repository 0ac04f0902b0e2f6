import type { OpenProject } from '../../access/open.ts'
import type { CheckSchedule } from '../../db/schema.ts'
import type { AlertNews } from '../digest.ts'
import type { DeliveryRow, SubscriptionRow } from '../store.ts'
import { check, onCalendar } from './check.ts'
import { findAlertOf, storeVerdict } from './store.ts'

type CheckAttempt = { open: OpenProject; subscription: SubscriptionRow; row: DeliveryRow }

/**
 * Checks the alert of a delivery, or takes what an earlier attempt has found.
 * @returns what to tell, or the reason for telling nothing
 * @throws ConflictError if the alert changes at the same time; unavailable
 */
export async function checkAlert(
  { open, subscription, row }: CheckAttempt,
  { checks, now }: { checks: CheckSchedule; now: Date }
): Promise<AlertNews | { skipped: string }> {
  const alert = await findAlertOf(open.db, subscription)
  if (!alert) {
    return { skipped: 'The alert had been deleted.' }
  }
  const newsOf = (verdict: AlertNews['verdict']) =>
    verdict.event === null ? { skipped: verdict.words } : { id: alert.id, verdict }
  if (row.verdict) {
    return newsOf(row.verdict)
  }
  const before = { alert, subscription }
  const checked = await check(open, { alert: before, occurrence: row.occurrence, now })
  const moved = { ...subscription, checks: onCalendar(checks, open.project) }
  await storeVerdict(open.db, { alert, subscription: moved }, row, checked)
  return newsOf(checked.verdict)
}
