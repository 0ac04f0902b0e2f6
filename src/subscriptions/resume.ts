import type { SubscriptionChange } from './request.ts'
import { nextOccurrence } from './schedule.ts'
import type { SubscriptionRow } from './store.ts'
import type { Terms } from './terms.ts'

export const PAUSED_BY_USER = 'Paused by a user.'

/**
 * Returns the new state of a subscription after a change: when it delivers next, and whether and
 * why it is paused. Empty unless the change concerns the schedule, or deletes, restores, pauses or
 * resumes the subscription.
 */
export async function resume(
  before: SubscriptionRow,
  terms: Terms,
  { enabled }: SubscriptionChange,
  now: Date
): Promise<Partial<SubscriptionRow>> {
  const wasPaused = before.pausedReason !== null
  const isPaused = enabled === undefined ? wasPaused : !enabled
  const pausedReason = isPaused ? (before.pausedReason ?? PAUSED_BY_USER) : null
  const isAsBefore = isSameSchedule(before, terms) && before.deleted === terms.deleted
  if (isAsBefore && isPaused === wasPaused) {
    return {}
  }
  const isStopped = terms.deleted || isPaused
  return {
    pausedReason,
    nextDeliveryDate: isStopped ? null : await nextOccurrence(terms, now.getTime()),
    ...(wasPaused && !isPaused && { failures: 0 })
  }
}

export const isSameSchedule = (a: Terms, b: Terms): boolean =>
  JSON.stringify(toSchedule(a)) === JSON.stringify(toSchedule(b))

const toSchedule = (terms: Terms) => [
  terms.frequency,
  terms.interval,
  terms.byweekday,
  terms.bysetpos,
  terms.count,
  terms.startDate,
  terms.startClock,
  terms.untilDate,
  terms.timezone
]
