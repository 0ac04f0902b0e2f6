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

/** A delivery in the ledger, as a queue message names it. */
export type DeliveryId = { id: number; project_id: number }

/** Subscriptions of any project of which an occurrence is due at `now`, ms, the longest waiting first. */
export const findDue = (db: Db, now: number, limit: number): Promise<SubscriptionRow[]> =>
  db
    .select()
    .from(subscriptions)
    .where(and(isNotNull(subscriptions.nextDeliveryDate), lte(subscriptions.nextDeliveryDate, now)))
    .orderBy(subscriptions.nextDeliveryDate)
    .limit(limit)

export type Claim = {
  subscriptionId: number
  /** What `next_delivery_date` was when it was read. */
  due: number
  occurrence: number
  missed: number
  next: number | null
}

/**
 * Enters occurrences in the ledger and moves their subscriptions on, both or neither. Of claims to the same occurrence, at
 * once or again, one counts; so does none whose subscription has moved on since it was read.
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

/** Enters a delivery on trial; of two at the same moment the first is meant. */
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

/** One page of a subscription's deliveries, the newest first, with the exact number of all. */
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

/** Deliveries that should have been taken up by `before`, ms, and were not: they are due from now on. */
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
 * Takes up a delivery for so long, ms, unless it is done, not yet due, or somebody else is on it.
 * @returns it with the number of this attempt, which holds it from now on
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

/** Whether the delivery is still held by the attempt that this row is of. */
const isHeld = ({ id, attempts }: DeliveryRow): SQL =>
  sql`id = ${id} and attempts = ${attempts} and status = 'sending'`

/** Notes how far a delivery has come and holds it on, until `dueAt`, ms. @returns whether it was still held */
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

/** Rows looked at in one statement, and statements in one night. */
const SWEPT_AT_ONCE = 1_000
const MAX_SWEEPS = 50

/**
 * Removes from the ledger what was entered before `before`, ms, and is done. Of each subscription the last that arrived
 * stays: it tells that another one is not its first.
 * @returns how many
 */
export async function forgetDeliveries(db: Db, before: number): Promise<number> {
  let removed = 0
  let from = 0
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    // Numbers grow with time, so that an end is found without an index.
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

/** Gives a delivery back, to be taken up again at `dueAt`, ms. */
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
 * Closes a delivery. One that failed counts against its subscription, which after `maxFailures` in a row is paused, with
 * a notice to its owner; one that arrived ends the row. All or nothing, and nothing unless it is still held.
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
