import { and, eq, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import {
  subscriptionDeliveries as deliveries,
  type Recipient,
  subscriptions
} from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import type { DeliveryRow } from '../store.ts'
import { type DeliveryId, RETURNING_ID } from './store.ts'

/** Returns deliveries that were due by `before`, ms UTC, and makes them due at `now`. */
export async function takeStalled(
  db: Db,
  before: number,
  limit: number,
  now: number
): Promise<DeliveryId[]> {
  const [rows] = await readBatch(
    db,
    query<DeliveryId>(sql`
      ${updateFrom(deliveries, {
        set: { dueAt: now },
        where: sql`${deliveries.id} in (
          select ${deliveries.id} from ${deliveries}
          where ${deliveries.dueAt} is not null and ${deliveries.dueAt} <= ${before}
          order by ${deliveries.dueAt} limit ${limit})`
      })} ${RETURNING_ID}`)
  )
  return rows
}

/**
 * Begins an attempt at a delivery, which is due again after `lease`, ms. Does nothing if the
 * delivery is finished, not yet due, or held by another attempt.
 * @returns the delivery, with the number of the attempt that now holds it
 */
export async function takeDelivery(
  db: Db,
  { id, project_id }: DeliveryId,
  lease: number,
  now: number
): Promise<DeliveryRow | undefined> {
  const [row] = await db
    .update(deliveries)
    .set({ status: 'sending', attempts: sql`${deliveries.attempts} + 1`, dueAt: now + lease })
    .where(
      and(
        eq(deliveries.id, id),
        eq(deliveries.projectId, project_id),
        isNotNull(deliveries.dueAt),
        lte(deliveries.dueAt, now)
      )
    )
    .returning()
  return row
}

/** SQL: whether a delivery is still held by the attempt that has read this row. */
export const isHeld = ({ id, attempts }: DeliveryRow): SQL =>
  sql`${deliveries.id} = ${id} and ${deliveries.attempts} = ${attempts} and ${deliveries.status} = 'sending'`

/** Stores progress and holds the delivery until `dueAt`, ms UTC. @returns whether it was held */
export async function noteProgress(
  db: Db,
  row: DeliveryRow,
  recipients: Recipient[],
  dueAt: number
): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ recipients, dueAt })
    .where(isHeld(row))
    .returning({ id: deliveries.id })
  return rows.length > 0
}

/** Ends an attempt without finishing the delivery, which is due again at `dueAt`, ms UTC. */
export async function postpone(
  db: Db,
  row: DeliveryRow,
  state: { recipients: Recipient[]; error: string; dueAt: number }
): Promise<void> {
  await db
    .update(deliveries)
    .set({ status: 'queued', ...state })
    .where(isHeld(row))
}

export type Outcome = {
  status: 'delivered' | 'failed' | 'skipped'
  recipients: Recipient[]
  error: string | null
}

/**
 * Finishes a delivery, all or nothing, and only if the attempt still holds it. After `maxFailures`
 * failed occurrences in a row, the subscription is paused and its owner gets a notice; a successful
 * occurrence resets the count.
 * @returns the notice, if there is one
 */
export async function finishDelivery(
  db: Db,
  row: DeliveryRow,
  { status, recipients, error }: Outcome,
  { maxFailures, now }: { maxFailures: number; now: number }
): Promise<DeliveryId | undefined> {
  const isCounted = row.kind === 'scheduled'
  // The delivery is changed last, because the other statements require that the attempt still holds
  // it.
  const results = await writeBatch(db, [
    ...(isCounted && status === 'delivered' ? [resetFailures(row)] : []),
    ...(isCounted && status === 'failed' ? countFailure(row, { error, maxFailures, now }) : []),
    updateFrom(deliveries, {
      set: { status, recipients: JSON.stringify(recipients), error, dueAt: null, finishedAt: now },
      where: isHeld(row)
    })
  ])
  // Only the statement that enters the notice returns rows.
  return results.flatMap(({ results: rows }) => rows as DeliveryId[])[0]
}

const isSubscriptionOf = (row: DeliveryRow): SQL =>
  sql`${subscriptions.id} = ${row.subscriptionId} and ${subscriptions.projectId} = ${row.projectId}
      and exists (select 1 from ${deliveries} where ${isHeld(row)})`

const resetFailures = (row: DeliveryRow): SQL =>
  updateFrom(subscriptions, {
    set: { failures: 0 },
    where: sql`${subscriptions.failures} > 0 and ${isSubscriptionOf(row)}`
  })

type Failure = { error: string | null; maxFailures: number; now: number }

/**
 * Counts a failed occurrence. When the count reaches `maxFailures`, pauses the subscription and
 * enters the notice. A subscription that a user has paused in the meantime keeps that reason, and
 * its owner gets no notice.
 */
function countFailure(row: DeliveryRow, { error, maxFailures, now }: Failure): SQL[] {
  const { failures, pausedReason, nextDeliveryDate, revision } = subscriptions
  const isTooMany = sql`${failures} + 1 >= ${maxFailures}`
  const reason = `The last ${maxFailures} deliveries failed: ${error}`
  return [
    updateFrom(subscriptions, {
      set: {
        failures: sql`${failures} + 1`,
        pausedReason: sql`iif(${isTooMany}, coalesce(${pausedReason}, ${reason}), ${pausedReason})`,
        nextDeliveryDate: sql`iif(${isTooMany}, null, ${nextDeliveryDate})`,
        revision: sql`${revision} + 1`
      },
      where: isSubscriptionOf(row)
    }),
    sql`${insertSelect(
      deliveries,
      {
        projectId: sql`${subscriptions.projectId}`,
        subscriptionId: sql`${subscriptions.id}`,
        kind: 'notice',
        occurrence: now,
        status: 'queued',
        dueAt: now,
        createdAt: now
      },
      sql`${subscriptions}
          where ${failures} = ${maxFailures} and ${pausedReason} = ${reason} and ${isSubscriptionOf(row)}`
    )} on conflict do nothing ${RETURNING_ID}`
  ]
}

/** Whether any occurrence of this delivery's subscription has been delivered. */
export async function wasDelivered(db: Db, row: DeliveryRow): Promise<boolean> {
  const [found] = await db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.projectId, row.projectId),
        eq(deliveries.subscriptionId, row.subscriptionId),
        eq(deliveries.kind, 'scheduled'),
        eq(deliveries.status, 'delivered')
      )
    )
    .limit(1)
  return found !== undefined
}
