import type { OpenProject } from '../../access/open.ts'
import type { CheckSchedule, Verdict } from '../../db/schema.ts'
import { AppError, UnavailableError } from '../../errors.ts'
import { findInsight } from '../../insights/store.ts'
import { evaluate } from './condition.ts'
import { lastClosed, readChecked, readIntervals } from './samples.ts'
import { SETTLING_MS } from './schedule.ts'
import type { Alert, Progress } from './store.ts'

/** The check of an alert that was due at `occurrence`, ms UTC. */
type Check = { alert: Alert; occurrence: number; now: Date }

/** What a check has found, and what it changes of its alert. */
export type Checked = { verdict: Verdict; progress: Progress }

/**
 * Checks an alert: evaluates every interval that was over when the check was due and that no
 * earlier check has evaluated. After a snooze, only the last one.
 * @throws unavailable when the database cannot take the work now
 */
export async function check(
  open: OpenProject,
  { alert, occurrence, now }: Check
): Promise<Checked> {
  const { rule, snoozedUntil } = alert.alert
  const at = now.getTime()
  if (snoozedUntil !== null && snoozedUntil > at) {
    const verdict = { ...NOTHING, state: 'Snoozed' as const, words: 'The alert was snoozed.' }
    return { verdict, progress: { ...progressOf(alert), lastCheckedAt: at } }
  }
  const isAwake = snoozedUntil !== null
  const wasFiring = alert.alert.isFiring && !isAwake
  try {
    const query = await readInsight(open, alert, now)
    const time = occurrence - SETTLING_MS
    const from = isAwake
      ? Math.max(alert.alert.checkedUntil, lastClosed(query, time, open.project).from)
      : alert.alert.checkedUntil
    const intervals = await readIntervals(open, query, rule, { from, until: time, now })
    const { isFiring, ...finding } = evaluate(rule, intervals, wasFiring)
    const isNew = intervals.length > 0
    const verdict: Verdict = {
      ...finding,
      state: isFiring ? 'Firing' : 'Not firing',
      intervals: intervals.length,
      words: isNew ? finding.words : 'No further interval was over.'
    }
    const progress = {
      isFiring,
      error: null,
      checkedUntil: intervals.at(-1)?.until ?? alert.alert.checkedUntil,
      snoozedUntil: null,
      lastNotifiedAt: verdict.event === null ? alert.alert.lastNotifiedAt : at,
      lastCheckedAt: at,
      lastValue: isNew ? verdict.value : alert.alert.lastValue
    }
    return { verdict, progress }
  } catch (error) {
    if (error instanceof UnavailableError || !(error instanceof AppError)) {
      throw error
    }
    return fail(alert, wasFiring, error.message, at)
  }
}

const progressOf = ({ alert }: Alert): Progress => ({
  isFiring: alert.isFiring,
  error: alert.error,
  checkedUntil: alert.checkedUntil,
  snoozedUntil: alert.snoozedUntil,
  lastNotifiedAt: alert.lastNotifiedAt,
  lastCheckedAt: alert.lastCheckedAt,
  lastValue: alert.lastValue
})

const NOTHING = { event: null, value: null, interval: null, intervals: 0 }

/** A check that cannot be computed says so once; what it left out, the next one evaluates. */
function fail(alert: Alert, isFiring: boolean, why: string, at: number): Checked {
  const before = progressOf(alert)
  const isNews = before.error === null
  return {
    verdict: {
      ...NOTHING,
      state: 'Errored',
      event: isNews ? 'error' : null,
      words: `The alert cannot be checked: ${why}`
    },
    progress: {
      ...before,
      isFiring,
      error: why,
      snoozedUntil: null,
      lastNotifiedAt: isNews ? at : before.lastNotifiedAt,
      lastCheckedAt: at
    }
  }
}

async function readInsight(open: OpenProject, { alert, subscription }: Alert, now: Date) {
  const insight = await findInsight(open, subscription.insightId ?? 0)
  if (!insight || insight.deleted) {
    throw new AppError('not_found', 'The insight has been deleted.')
  }
  const every = subscription.checks?.every ?? 'daily'
  return readChecked(insight, { rule: alert.rule, every }, open.project, now)
}

/** Returns the schedule of an alert's checks on the present calendar of its project. */
export const onCalendar = (
  checks: Pick<CheckSchedule, 'every' | 'skipsWeekends'>,
  { timezone, weekStart }: OpenProject['project']
): CheckSchedule => ({
  every: checks.every,
  skipsWeekends: checks.skipsWeekends,
  timezone,
  weekStart
})
