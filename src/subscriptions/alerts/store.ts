import { and, desc, eq, gte, isNotNull, lt, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import type { PageRows } from '../../db/page.ts'
import { expectRows } from '../../db/rows.ts'
import {
  alerts,
  subscriptionDeliveries as deliveries,
  subscriptions,
  type Verdict
} from '../../db/schema.ts'
import { type ColumnValues, updateFrom } from '../../db/statements.ts'
import { isHeld } from '../deliveries/attempts.store.ts'
import type { DeliveryRow, SubscriptionRow } from '../store.ts'

export type AlertRow = typeof alerts.$inferSelect

/** An alert, and the row with its insight, its recipients and its next check. */
export type Alert = { alert: AlertRow; subscription: SubscriptionRow }

const selected = ({ db }: Scope) =>
  db
    .select({ alert: alerts, subscription: subscriptions })
    .from(alerts)
    .innerJoin(subscriptions, eq(subscriptions.id, alerts.subscriptionId))

const isOf = ({ project: { id } }: Scope) =>
  and(eq(alerts.projectId, id), eq(subscriptions.projectId, id))

/** Lists a page of alerts, newest first, all or those of one insight. */
export async function listAlerts(
  scope: Scope,
  insightId: number | undefined,
  page: { limit: number; offset: number }
): Promise<PageRows<Alert>> {
  const where = and(
    isOf(scope),
    insightId === undefined ? undefined : eq(subscriptions.insightId, insightId)
  )
  const [rows, counted] = await Promise.all([
    selected(scope)
      .where(where)
      .orderBy(desc(subscriptions.id))
      .limit(page.limit)
      .offset(page.offset),
    scope.db
      .select({ count: sql<number>`count(*)` })
      .from(alerts)
      .innerJoin(subscriptions, eq(subscriptions.id, alerts.subscriptionId))
      .where(where)
  ])
  return { rows, count: counted[0]?.count ?? 0 }
}

/** Finds an alert by its UUID. */
export async function findAlert(scope: Scope, id: string): Promise<Alert | undefined> {
  const [row] = await selected(scope).where(and(isOf(scope), eq(alerts.id, id)))
  return row
}

/** Finds the alert of a row of subscriptions. */
export async function findAlertOf(
  db: Db,
  { projectId, id }: SubscriptionRow
): Promise<AlertRow | undefined> {
  const [row] = await db
    .select()
    .from(alerts)
    .where(and(eq(alerts.projectId, projectId), eq(alerts.subscriptionId, id)))
  return row
}

/** Stores an alert with the row of its recipients, both or neither. */
export async function insertAlert(db: Db, { alert, subscription }: Alert): Promise<void> {
  await db.batch([db.insert(subscriptions).values(subscription), db.insert(alerts).values(alert)])
}

/**
 * Replaces an alert, unless a check or another request has changed it since it was read.
 * @throws ConflictError
 */
export async function replaceAlert(
  db: Db,
  before: Alert,
  { alert, subscription }: Alert
): Promise<void> {
  const { targetType, targetValue, title, insightId, pausedReason } = subscription
  const { failures, nextDeliveryDate, deleted, checks } = subscription
  await writeBatch(db, [
    expectAsRead(before),
    updateFrom(subscriptions, {
      set: {
        targetType,
        targetValue,
        title,
        insightId,
        pausedReason,
        failures,
        nextDeliveryDate,
        deleted: Number(deleted),
        checks: JSON.stringify(checks),
        revision: before.subscription.revision + 1
      },
      where: sql`${subscriptions.id} = ${before.subscription.id}`
    }),
    updateAlert(before.alert, {
      rule: JSON.stringify(alert.rule),
      subscribedUsers: JSON.stringify(alert.subscribedUsers),
      isFiring: Number(alert.isFiring),
      error: alert.error,
      checkedUntil: alert.checkedUntil,
      snoozedUntil: alert.snoozedUntil
    })
  ])
}

/**
 * Deletes an alert with the addresses of its recipients. The row of `subscriptions` stays, for the
 * list of its deliveries, and for links to unsubscribe.
 * @throws ConflictError if a check or another request has changed it since it was read
 */
export async function deleteAlert(db: Db, alert: Alert): Promise<void> {
  await writeBatch(db, [
    expectAsRead(alert),
    sql`delete from ${alerts} where ${alerts.id} = ${alert.alert.id}`,
    updateFrom(subscriptions, {
      set: {
        deleted: 1,
        nextDeliveryDate: null,
        targetValue: '',
        title: null,
        revision: alert.subscription.revision + 1
      },
      where: sql`${subscriptions.id} = ${alert.subscription.id}`
    })
  ])
}

const expectAsRead = ({ alert, subscription }: Alert) =>
  expectRows(
    1,
    sql`${alerts} join ${subscriptions} on ${subscriptions.id} = ${alerts.subscriptionId}
      where ${alerts.id} = ${alert.id} and ${alerts.projectId} = ${alert.projectId}
        and ${alerts.version} = ${alert.version}
        and ${subscriptions.revision} = ${subscription.revision}`
  )

const updateAlert = ({ id, version }: AlertRow, set: ColumnValues<typeof alerts>) =>
  updateFrom(alerts, {
    set: { ...set, version: version + 1 },
    where: sql`${alerts.id} = ${id}`
  })

/** What a check changes of its alert. */
export type Progress = Pick<
  AlertRow,
  | 'isFiring'
  | 'error'
  | 'checkedUntil'
  | 'snoozedUntil'
  | 'lastNotifiedAt'
  | 'lastCheckedAt'
  | 'lastValue'
>

/**
 * Stores what a check has found: in its delivery, from which a later attempt takes it, and in the
 * alert, both or neither. The next check follows the calendar of the project.
 * @throws ConflictError if the alert has changed since it was read, or another attempt holds the
 * delivery
 */
export async function storeVerdict(
  db: Db,
  { alert, subscription }: Alert,
  row: DeliveryRow,
  { verdict, progress }: { verdict: Verdict; progress: Progress }
): Promise<void> {
  await writeBatch(db, [
    expectRows(1, sql`${deliveries} where ${isHeld(row)} and ${deliveries.verdict} is null`),
    expectRows(
      1,
      sql`${alerts} where ${alerts.id} = ${alert.id} and ${alerts.version} = ${alert.version}`
    ),
    updateAlert(alert, { ...progress, isFiring: Number(progress.isFiring) }),
    updateFrom(subscriptions, {
      set: { checks: JSON.stringify(subscription.checks) },
      where: sql`${subscriptions.id} = ${subscription.id}`
    }),
    updateFrom(deliveries, { set: { verdict: JSON.stringify(verdict) }, where: isHeld(row) })
  ])
}

/** Which checks of an alert to list: those stored in a range of time, ms UTC. */
export type CheckListing = {
  from: number | undefined
  until: number | undefined
  limit: number
  offset: number
}

/** Lists checks of an alert, newest first, and counts all in the range. */
export async function listChecks(
  { db, project }: Scope,
  subscriptionId: number,
  { from, until, limit, offset }: CheckListing
): Promise<PageRows<DeliveryRow>> {
  const where = and(
    eq(deliveries.projectId, project.id),
    eq(deliveries.subscriptionId, subscriptionId),
    isNotNull(deliveries.verdict),
    from === undefined ? undefined : gte(deliveries.createdAt, from),
    until === undefined ? undefined : lt(deliveries.createdAt, until)
  )
  const [rows, count] = await Promise.all([
    db
      .select()
      .from(deliveries)
      .where(where)
      .orderBy(desc(deliveries.id))
      .limit(limit)
      .offset(offset),
    db.$count(deliveries, where)
  ])
  return { rows, count }
}
