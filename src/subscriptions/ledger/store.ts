import { and, desc, eq, gt, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk } from '../../db/rows.ts'
import {
  subscriptionDeliveries as deliveries,
  type Recipient,
  subscriptions
} from '../../db/schema.ts'
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
      sql`insert into subscription_deliveries
            (project_id, subscription_id, kind, occurrence, missed, status, due_at, created_at)
          select s.project_id, s.id, 'scheduled', cast(one.value ->> 'occurrence' as integer),
                 cast(one.value ->> 'missed' as integer), 'queued', cast(${now} as integer), cast(${now} as integer)
          from json_each(${rows}) as one cross join subscriptions s
            on s.id = one.value ->> 'subscriptionId' and s.next_delivery_date = one.value ->> 'due'
          where true on conflict do nothing returning id, project_id`,
      sql`update subscriptions set next_delivery_date = cast(one.value ->> 'next' as integer)
          from json_each(${rows}) as one
          where subscriptions.id = one.value ->> 'subscriptionId'
            and subscriptions.next_delivery_date = one.value ->> 'due'`
    ])
  )
  return results.flatMap(({ results: rows }) => rows as DeliveryId[])
}

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

/** Takes deliveries that were due by `before`, ms UTC, and makes them due at `now`. */
export async function takeStalled(
  db: Db,
  before: number,
  limit: number,
  now: number
): Promise<DeliveryId[]> {
  const [rows] = await readBatch(
    db,
    query<DeliveryId>(sql`
      update subscription_deliveries set due_at = cast(${now} as integer)
      where id in (select id from subscription_deliveries
                   where due_at is not null and due_at <= ${before} order by due_at limit ${limit})
      returning id, project_id`)
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

/** Whether a delivery is still held by the attempt that has read this row. */
const isHeld = ({ id, attempts }: DeliveryRow): SQL =>
  sql`id = ${id} and attempts = ${attempts} and status = 'sending'`

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
      sql`delete from subscription_deliveries as old
          where id > ${from} and id <= ${last.id} and due_at is null
            and not (kind = 'scheduled' and status = 'delivered' and not exists (
              select 1 from subscription_deliveries later
              where later.subscription_id = old.subscription_id and later.kind = 'scheduled'
                and later.occurrence > old.occurrence and later.status = 'delivered'))`
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
 * row the subscription is paused and its owner gets a notice; a successful one resets the count.
 * @returns the notice, if there is one
 */
export async function finishDelivery(
  db: Db,
  row: DeliveryRow,
  { status, recipients, error }: Outcome,
  { maxFailures, now }: { maxFailures: number; now: number }
): Promise<DeliveryId | undefined> {
  const own = sql`id = ${row.subscriptionId} and project_id = ${row.projectId}
                  and exists (select 1 from subscription_deliveries where ${isHeld(row)})`
  const isCounted = row.kind === 'scheduled' && status !== 'skipped'
  const reason = `The last ${maxFailures} deliveries failed: ${error}`
  const statements = [
    ...(isCounted && status === 'delivered'
      ? [sql`update subscriptions set failures = 0 where failures > 0 and ${own}`]
      : []),
    ...(isCounted && status === 'failed'
      ? [
          sql`update subscriptions set failures = failures + 1,
                paused_reason = iif(failures + 1 >= ${maxFailures}, coalesce(paused_reason, ${reason}), paused_reason),
                next_delivery_date = iif(failures + 1 >= ${maxFailures}, null, next_delivery_date),
                revision = revision + 1
              where ${own}`,
          sql`insert into subscription_deliveries
                (project_id, subscription_id, kind, occurrence, status, due_at, created_at)
              select project_id, id, 'notice', cast(${now} as integer), 'queued', cast(${now} as integer), cast(${now} as integer)
              from subscriptions where failures = ${maxFailures} and ${own}
              on conflict do nothing returning id, project_id`
        ]
      : []),
    sql`update subscription_deliveries
        set status = ${status}, recipients = ${JSON.stringify(recipients)}, error = ${error}, due_at = null,
            finished_at = cast(${now} as integer)
        where ${isHeld(row)}`
  ]
  const results = await writeBatch(db, statements)
  return results.flatMap(({ results: rows }) => rows as DeliveryId[])[0]
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
