import { v7 as uuidv7 } from 'uuid'
import type { OpenProject } from '../../access/open.ts'
import { findMembers, type UserRow } from '../../access/store.ts'
import { userToJson } from '../../access/user.ts'
import { toIso } from '../../calendar/clock.ts'
import type { ControlDb } from '../../db/client.ts'
import type { AlertRule, CheckSchedule } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { findInsight, type InsightRow } from '../../insights/store.ts'
import type { TrendQuery } from '../../trends/query.ts'
import { PAUSED_BY_USER } from '../resume.ts'
import { newSecret } from '../signature.ts'
import { reserveSubscriptionId } from '../store.ts'
import { expectTarget, newTerms, recipientsOf } from '../terms.ts'
import { onCalendar } from './check.ts'
import type { AlertChange } from './request.ts'
import { lastClosed, readChecked } from './samples.ts'
import { nextCheck, SETTLING_MS } from './schedule.ts'
import { whyPaused } from './schemas.ts'
import type { Alert } from './store.ts'
import { changeRule, readSnooze } from './terms.ts'

/** Where and when a request changes an alert. */
export type Writing = {
  open: OpenProject
  control: ControlDb
  /** The setting `OUTBOUND_ALLOW`. */
  outboundAllow: string
  now: Date
}

/** What a request asks of an alert, checked against its insight. */
type Asked = {
  insight: InsightRow
  query: TrendQuery
  rule: AlertRule
  checks: CheckSchedule
}

/**
 * Reads what an alert would check.
 * @throws does_not_exist, attr `insight`; invalid_input, attr the field, for a rule that does not
 * fit the insight
 */
async function readAlert(
  { open, now }: Writing,
  change: AlertChange,
  before?: Alert
): Promise<Asked> {
  const id = change.insight ?? before?.subscription.insightId ?? 0
  const insight = await findInsight(open, id)
  if (!insight || insight.deleted) {
    throw new AppError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, 'insight')
  }
  const rule = changeRule(before?.alert.rule, change, {
    id: uuidv7({ msecs: now.getTime() }),
    created_at: toIso(now.getTime())
  })
  const known = before?.subscription.checks
  const checks = onCalendar(
    {
      every: change.calculation_interval ?? known?.every ?? 'daily',
      skipsWeekends: change.skip_weekend ?? known?.skipsWeekends ?? false
    },
    open.project
  )
  const query = readChecked(insight, { rule, every: checks.every }, open.project, now)
  return { insight, query, rule, checks }
}

type Recipients = Pick<Alert['subscription'], 'targetType' | 'targetValue'> & { userIds: number[] }

/**
 * Reads whom an alert tells: the addresses of users and further addresses, or one URL. A list of
 * addresses without users keeps the users whose addresses are in it; users without a list of
 * addresses replace the users of before.
 * @throws does_not_exist for a user without access to the project; invalid_input, attr the field
 */
async function readRecipients(
  { open, control, outboundAllow }: Writing,
  change: AlertChange,
  before?: Alert
): Promise<Recipients> {
  const targetType = change.target_type ?? before?.subscription.targetType ?? 'email'
  const isSameType = targetType === before?.subscription.targetType
  const kept = isSameType ? before.subscription.targetValue : ''
  const { target_value: given, subscribed_users: wanted } = change
  const former = before?.alert.subscribedUsers ?? []
  const ids = [...new Set([...(wanted ?? []), ...former])]
  const users = ids.length > 0 ? await findMembers(control, open.project, ids) : []
  const known = users.map(({ id }) => id)
  const missing = (wanted ?? []).findIndex((id) => !known.includes(id))
  if (missing >= 0) {
    throw new AppError(
      'does_not_exist',
      `Invalid pk "${wanted?.[missing]}" - object does not exist.`,
      `subscribed_users__${missing}`
    )
  }
  if (targetType !== 'email') {
    return readUrl({ targetType, targetValue: given ?? kept, userIds: wanted ?? [] }, outboundAllow)
  }
  const isFormer = (address: string) =>
    users.some(({ id, email }) => former.includes(id) && isSameAddress(email, address))
  const others = recipientsOf(given ?? kept).filter(
    (address) => given !== undefined || wanted === undefined || !isFormer(address)
  )
  const subscribed = users.filter(({ id, email }) =>
    wanted ? wanted.includes(id) : others.some((address) => isSameAddress(email, address))
  )
  const targetValue = recipientsOf(
    [...others, ...subscribed.map(({ email }) => email)].join(',')
  ).join(', ')
  if (targetValue === '') {
    throw new AppError(
      'required',
      'Nobody would be told: send users as `subscribed_users`, or addresses as `target_value`.',
      'subscribed_users'
    )
  }
  expectTarget({ targetType, targetValue, deleted: false }, outboundAllow)
  return { targetType, targetValue, userIds: subscribed.map(({ id }) => id) }
}

const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Checks the URL to which an alert is sent. @throws invalid_input, required, attr the field */
function readUrl(recipients: Recipients, outboundAllow: string): Recipients {
  const { targetType, targetValue, userIds } = recipients
  if (userIds.length > 0) {
    throw new AppError(
      'invalid_input',
      'Users are told by e-mail: make another alert for them.',
      'subscribed_users'
    )
  }
  if (targetValue === '') {
    throw new AppError(
      'required',
      'This field is required: it has the URL to send to.',
      'target_value'
    )
  }
  expectTarget({ targetType, targetValue, deleted: false }, outboundAllow)
  return recipients
}

/**
 * Reads what a new alert would check, and checks the other fields as those of a new alert. Recipients
 * may be missing, because they do not change what it would have told.
 */
export async function readDraft(writing: Writing, change: AlertChange): Promise<Asked> {
  const asked = await readAlert(writing, change)
  const { target_type, target_value, subscribed_users } = change
  if ([target_type, target_value, subscribed_users].some((sent) => sent !== undefined)) {
    await readRecipients(writing, change)
  }
  snoozeAfter(null, change, writing.open.project.timezone, writing.now.getTime())
  return asked
}

/** Returns a new alert, whose first check looks at the last interval that is over. */
export async function newAlert(
  writing: Writing,
  change: AlertChange,
  { user, origin }: { user: UserRow; origin: string }
): Promise<Alert> {
  const { open, now } = writing
  const at = now.getTime()
  const { insight, query, rule, checks } = await readAlert(writing, change)
  const { userIds, ...recipients } = await readRecipients(writing, change)
  const isPaused = change.enabled === false
  const snoozedUntil = snoozeAfter(null, change, open.project.timezone, at)
  const id = await reserveSubscriptionId(open.db)
  const subscription: Alert['subscription'] = {
    ...newTerms(open.project.timezone),
    ...recipients,
    id,
    projectId: open.project.id,
    insightId: insight.id,
    title: change.name ?? '',
    startDate: at,
    createdBy: userToJson(user),
    createdAt: at,
    nextDeliveryDate: isPaused ? null : firstCheck(checks, snoozedUntil, at),
    failures: 0,
    pausedReason: isPaused ? PAUSED_BY_USER : null,
    secret: newSecret(),
    origin,
    revision: 0,
    checks
  }
  const alert: Alert['alert'] = {
    id: uuidv7({ msecs: at }),
    subscriptionId: id,
    projectId: open.project.id,
    rule,
    subscribedUsers: userIds,
    isFiring: false,
    error: null,
    checkedUntil: lastClosed(query, at - SETTLING_MS, open.project).from,
    snoozedUntil,
    lastNotifiedAt: null,
    lastCheckedAt: null,
    lastValue: null,
    version: 0
  }
  return { alert, subscription }
}

/** Returns when an alert that begins anew is checked: at once, or when its snooze is over. */
const firstCheck = (checks: CheckSchedule, snoozedUntil: number | null, at: number): number =>
  snoozedUntil === null ? at : nextCheck(checks, snoozedUntil - 1)

/**
 * Applies the changes of a request to an alert. If it compares something else, wakes up or is
 * enabled again, it begins anew with the last interval that is over.
 */
export async function changeAlert(
  writing: Writing,
  change: AlertChange,
  before: Alert
): Promise<Alert> {
  const { open, now } = writing
  const at = now.getTime()
  const asked = await readAlert(writing, change, before)
  const { userIds, ...recipients } = await readRecipients(writing, change, before)
  const { alert, subscription } = before
  const pausedBefore = whyPaused(subscription)
  const isPaused = change.enabled === undefined ? pausedBefore !== null : !change.enabled
  const isResumed = pausedBefore !== null && !isPaused
  const snoozedUntil = snoozeAfter(alert.snoozedUntil, change, open.project.timezone, at)
  const isAwoken = alert.snoozedUntil !== null && snoozedUntil === null
  const isNew = isResumed || isAwoken || comparesElse(asked, before)
  const { insight, query, rule, checks } = asked
  return {
    subscription: {
      ...subscription,
      ...recipients,
      deleted: false,
      insightId: insight.id,
      title: change.name ?? subscription.title,
      checks,
      pausedReason: isPaused ? (pausedBefore ?? PAUSED_BY_USER) : null,
      failures: isResumed ? 0 : subscription.failures,
      nextDeliveryDate: isPaused ? null : nextAfter(before, { checks, snoozedUntil, isNew }, at)
    },
    alert: {
      ...alert,
      rule,
      subscribedUsers: userIds,
      snoozedUntil,
      ...((isNew || snoozedUntil !== null) && { isFiring: false, error: null }),
      ...(isNew && { checkedUntil: lastClosed(query, at - SETTLING_MS, open.project).from })
    }
  }
}

/** Whether an alert compares something else after a change. */
const comparesElse = ({ insight, rule }: Asked, { alert, subscription }: Alert): boolean =>
  insight.id !== subscription.insightId || JSON.stringify(rule) !== JSON.stringify(alert.rule)

type Rescheduled = { checks: CheckSchedule; snoozedUntil: number | null; isNew: boolean }

/** Returns when a changed alert is checked next; as before unless the change concerns it. */
function nextAfter(
  { subscription }: Alert,
  { checks, snoozedUntil, isNew }: Rescheduled,
  at: number
): number | null {
  if (isNew || snoozedUntil !== null) {
    return firstCheck(checks, snoozedUntil, at)
  }
  const isSame = JSON.stringify(checks) === JSON.stringify(subscription.checks)
  return isSame ? subscription.nextDeliveryDate : nextCheck(checks, at)
}

/** Returns until when an alert is snoozed after a change, ms UTC; null if it is not. */
function snoozeAfter(
  before: number | null,
  { snoozed_until: text }: AlertChange,
  timezone: string,
  now: number
): number | null {
  if (text === undefined || text === null) {
    return text === undefined ? before : null
  }
  // A client may send the end of the snooze back as it was shown.
  return Date.parse(text) === before ? before : readSnooze(text, timezone, now)
}
