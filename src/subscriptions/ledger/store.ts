import { and, desc, eq, gt, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk } from '../../db/rows.ts'
import {
  subscriptionDeliveries as deliveries,
  type Recipient,
  subscriptions
} from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import type { DeliveryRow, SubscriptionRow } from '../store.ts'

/** The id of a delivery, as in its queue message. */
export type DeliveryId = { id: number; project_id: number }

/** Finds subscriptions of all projects that are due at `now`, ms UTC, longest overdue first. */
export const findDue = (db: Db, now: number, limit: number): Promise<SubscriptionRow[]> =>
  db
    .select()
    .from(subscriptions)
    .where(and(isNotNull(subscriptions.nextDeliveryDate), lte(subscriptions.nextDeliveryDate, now)))
    .orderBy(subscriptions.nextDeliveryDate)
    .limit(limit)

export type Claim = {
  subscriptionId: number
  /** The `next_delivery_date` that was read. */
  due: number
  occurrence: number
  missed: number
  next: number | null
}

/**
 * Enters occurrences in the ledger and moves their subscriptions to the next occurrence, both or neither. The same
 * occurrence is entered once, however often it is claimed; a claim has no effect if its subscription has moved on since it
 * was read.
 */
export async function claimOccurrences(
  db: Db,
  claims: Claim[],
  now: number
): Promise<DeliveryId[]> {
  const results = await writeBatch(
    db,
    eachChunk(claims, (rows) => [
      sql`${insertSelect(
        deliveries,
        {
          projectId: sql`${subscriptions.projectId}`,
          subscriptionId: sql`${subscriptions.id}`,
          kind: 'scheduled',
          occurrence: sql`claim.value ->> 'occurrence'`,
          missed: sql`claim.value ->> 'missed'`,
          status: 'queued',
          dueAt: now,
          createdAt: now
        },
        sql`json_each(${rows}) as claim cross join ${subscriptions} on ${isUnmoved} where true`
      )} on conflict do nothing ${RETURNING_ID}`,
      updateFrom(subscriptions, {
        set: { nextDeliveryDate: sql`claim.value ->> 'next'` },
        from: sql`json_each(${rows}) as claim`,
        where: isUnmoved
      })
    ])
  )
  return results.flatMap(({ results: rows }) => rows as DeliveryId[])
}

/** SQL: whether a subscription is that of a `claim`, and has not moved on since it was read. */
const isUnmoved = sql`${subscriptions.id} = claim.value ->> 'subscriptionId'
  and ${subscriptions.nextDeliveryDate} = claim.value ->> 'due'`

/** Ends a statement that writes deliveries, so that it returns the rows of a `DeliveryId`. */
const RETURNING_ID = sql`returning ${deliveries.id}, ${deliveries.projectId}`

/** Enters a test delivery; two at the same millisecond are one. */
export async function insertTest(
  db: Db,
  { projectId, id }: SubscriptionRow,
  now: number
): Promise<DeliveryRow> {
  await db
    .insert(deliveries)
    .values({
      projectId,
      subscriptionId: id,
      kind: 'test',
      occurrence: now,
      status: 'queued',
      dueAt: now,
      createdAt: now
    })
    .onConflictDoNothing()
  const [row] = await db
    .select()
    .from(deliveries)
    .where(
      and(
        eq(deliveries.subscriptionId, id),
        eq(deliveries.kind, 'test'),
        eq(deliveries.occurrence, now)
      )
    )
  if (!row) {
    throw new Error('The write left no row.')
  }
  return row
}

/** Lists one page of a subscription's deliveries, newest first, and counts all exactly. */
export async function listDeliveries(
  db: Db,
  projectId: number,
  subscriptionId: number,
  page: { limit: number; offset: number }
): Promise<{ rows: DeliveryRow[]; count: number }> {
  const listed = and(
    eq(deliveries.projectId, projectId),
    eq(deliveries.subscriptionId, subscriptionId)
  )
  const [rows, count] = await Promise.all([
    db
      .select()
      .from(deliveries)
      .where(listed)
      .orderBy(desc(deliveries.id))
      .limit(page.limit)
      .offset(page.offset),
    db.$count(deliveries, listed)
  ])
  return { rows, count }
}

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
 * Begins an attempt at a delivery, which is due again after `lease`, ms. Does nothing if the delivery is finished, not yet
 * due, or held by another attempt.
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
const isHeld = ({ id, attempts }: DeliveryRow): SQL =>
  sql`${deliveries.id} = ${id} and ${deliveries.attempts} = ${attempts} and ${deliveries.status} = 'sending'`

/** Stores the progress of a delivery and holds it until `dueAt`, ms UTC. @returns whether the attempt still held it */
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

const [old, later] = [alias(deliveries, 'old'), alias(deliveries, 'later')]

/** SQL: whether a delivery `old` is the last successful occurrence of its subscription. */
const isLastDelivered = sql`${old.kind} = 'scheduled' and ${old.status} = 'delivered' and not exists (
  select 1 from ${deliveries} ${later}
  where ${later.subscriptionId} = ${old.subscriptionId} and ${later.kind} = 'scheduled'
    and ${later.occurrence} > ${old.occurrence} and ${later.status} = 'delivered')`

/** Rows that one statement examines. */
const SWEPT_AT_ONCE = 1_000
/** Statements per night. */
const MAX_SWEEPS = 50

/**
 * Removes finished deliveries that were entered before `before`, ms UTC. Each subscription keeps its last successful one,
 * which shows that its first delivery, the one with the invite message, has taken place.
 * @returns how many were removed
 */
export async function purgeDeliveries(db: Db, before: number): Promise<number> {
  let removed = 0
  let from = 0
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    // Ids grow with time, so that the end is found without an index on the time.
    const rows = await db
      .select({ id: deliveries.id, createdAt: deliveries.createdAt })
      .from(deliveries)
      .where(gt(deliveries.id, from))
      .orderBy(deliveries.id)
      .limit(SWEPT_AT_ONCE)
    const last = rows.findLast(({ createdAt }) => createdAt < before)
    if (!last) {
      break
    }
    const [result] = await writeBatch(db, [
      sql`delete from ${deliveries} as ${old}
          where ${old.id} > ${from} and ${old.id} <= ${last.id} and ${old.dueAt} is null
            and not (${isLastDelivered})`
    ])
    removed += result?.meta.changes ?? 0
    from = last.id
  }
  return removed
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
 * Finishes a delivery, all or nothing, and only if the attempt still holds it. After `maxFailures` failed occurrences in a
 * row, the subscription is paused and its owner gets a notice; a successful occurrence resets the count.
 * @returns the notice, if there is one
 */
export async function finishDelivery(
  db: Db,
  row: DeliveryRow,
  { status, recipients, error }: Outcome,
  { maxFailures, now }: { maxFailures: number; now: number }
): Promise<DeliveryId | undefined> {
  const isCounted = row.kind === 'scheduled'
  const results = await writeBatch(db, [
    ...(isCounted && status === 'delivered' ? [resetFailures(row)] : []),
    ...(isCounted && status === 'failed' ? countFailure(row, { error, maxFailures, now }) : []),
    updateFrom(deliveries, {
      set: { status, recipients: JSON.stringify(recipients), error, dueAt: null, finishedAt: now },
      where: isHeld(row)
    })
  ])
  return results.flatMap(({ results: rows }) => rows as DeliveryId[])[0]
}

/** SQL: whether a subscription is that of the delivery, which the attempt still holds. */
const isOwner = (row: DeliveryRow): SQL =>
  sql`${subscriptions.id} = ${row.subscriptionId} and ${subscriptions.projectId} = ${row.projectId}
      and exists (select 1 from ${deliveries} where ${isHeld(row)})`

const resetFailures = (row: DeliveryRow): SQL =>
  updateFrom(subscriptions, {
    set: { failures: 0 },
    where: sql`${subscriptions.failures} > 0 and ${isOwner(row)}`
  })

type Failure = { error: string | null; maxFailures: number; now: number }

/** Counts a failed occurrence; with the last one allowed, pauses the subscription and enters the notice. */
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
      where: isOwner(row)
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
      sql`${subscriptions} where ${failures} = ${maxFailures} and ${isOwner(row)}`
    )} on conflict do nothing ${RETURNING_ID}`
  ]
}

/** Whether an occurrence of the subscription has been delivered before this one. */
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
