import { and, desc, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Scope } from '../../access/open.ts'
import { writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { type PageRows, readTablePage } from '../../db/page.ts'
import { eachChunk } from '../../db/rows.ts'
import { subscriptionDeliveries as deliveries, subscriptions } from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import type { DeliveryRow, SubscriptionRow } from '../store.ts'

/** The id of a delivery, as in its queue message. */
export type DeliveryId = { id: number; project_id: number }

/**
 * Finds subscriptions of all projects that are due at `now`, ms UTC, longest overdue first.
 * @param after the last subscription of the previous page
 */
export const findDue = (
  db: Db,
  now: number,
  limit: number,
  after?: SubscriptionRow
): Promise<SubscriptionRow[]> =>
  db
    .select()
    .from(subscriptions)
    .where(
      and(
        isNotNull(subscriptions.nextDeliveryDate),
        lte(subscriptions.nextDeliveryDate, now),
        after &&
          sql`(${subscriptions.nextDeliveryDate}, ${subscriptions.id}) > (${after.nextDeliveryDate}, ${after.id})`
      )
    )
    .orderBy(subscriptions.nextDeliveryDate, subscriptions.id)
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
 * Stores deliveries for occurrences and moves their subscriptions to the next occurrence, both or
 * neither. An occurrence gets one delivery, however often it is claimed; a claim has no effect if
 * the subscription has moved on since the claim read it.
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

/** SQL: whether a subscription is the one in `claim`, and has not moved on since. */
const isUnmoved = sql`${subscriptions.id} = claim.value ->> 'subscriptionId'
  and ${subscriptions.nextDeliveryDate} = claim.value ->> 'due'`

/** Ends a statement that writes deliveries, so that it returns the rows of a `DeliveryId`. */
export const RETURNING_ID = sql`returning ${deliveries.id}, ${deliveries.projectId}`

/** Stores a test delivery; two at the same millisecond are one. */
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
  { db, project }: Scope,
  subscriptionId: number,
  page: { limit: number; offset: number }
): Promise<PageRows<DeliveryRow>> {
  const listed = and(
    eq(deliveries.projectId, project.id),
    eq(deliveries.subscriptionId, subscriptionId)
  )
  return readTablePage(db, deliveries, { where: listed, orderBy: [desc(deliveries.id)] }, page)
}

const [old, later] = [alias(deliveries, 'old'), alias(deliveries, 'later')]

/** SQL: whether a delivery `old` is the last successful occurrence of its subscription. */
const isLastDelivered = sql`${old.kind} = 'scheduled' and ${old.status} = 'delivered' and not exists (
  select 1 from ${deliveries} ${later}
  where ${later.subscriptionId} = ${old.subscriptionId} and ${later.kind} = 'scheduled'
    and ${later.occurrence} > ${old.occurrence} and ${later.status} = 'delivered')`

/** Days for which deliveries are kept. */
export const DELIVERY_DAYS = 90

/** Deliveries that one statement examines, and statements per night, each after a query. */
export const PURGE = { rows: 1_000, statements: 50 }

/**
 * Removes finished deliveries that were stored before `before`, ms UTC. Each subscription keeps its
 * last successful occurrence, as proof that its invite message has been sent. Begins at a random
 * delivery and goes on from the oldest, so that each is reached sooner or later, even if a night
 * cannot examine all that are kept.
 * @returns how many were removed
 */
export async function purgeDeliveries(
  db: Db,
  before: number,
  { rows, statements } = PURGE
): Promise<number> {
  const start = await findRandomId(db)
  let removed = 0
  let left = statements
  for (const range of [
    { from: start, to: Number.MAX_SAFE_INTEGER },
    { from: 0, to: start }
  ]) {
    let { from } = range
    while (left > 0) {
      left -= 1
      const last = await findLastOld(db, { from, to: range.to }, before, rows)
      if (last === undefined) {
        break
      }
      const [result] = await writeBatch(db, [
        sql`delete from ${deliveries} as ${old}
            where ${old.id} > ${from} and ${old.id} <= ${last} and ${old.dueAt} is null
              and not (${isLastDelivered})`
      ])
      removed += result?.meta.changes ?? 0
      from = last
    }
  }
  return removed
}

async function findRandomId(db: Db): Promise<number> {
  const [row] = await db
    .select({ id: sql<number>`coalesce(abs(random() % (max(${deliveries.id}) + 1)), 0)` })
    .from(deliveries)
  return row?.id ?? 0
}

/**
 * Returns the last id of a delivery that was stored before `before`, ms UTC, among the first
 * `limit` with an id above `from` and up to `to`; undefined if none was.
 */
async function findLastOld(
  db: Db,
  { from, to }: { from: number; to: number },
  before: number,
  limit: number
): Promise<number | undefined> {
  // Ids grow with time, so finding the end needs no index on the time.
  const rows = await db
    .select({ id: deliveries.id, createdAt: deliveries.createdAt })
    .from(deliveries)
    .where(and(gt(deliveries.id, from), lte(deliveries.id, to)))
    .orderBy(deliveries.id)
    .limit(limit)
  return rows.findLast(({ createdAt }) => createdAt < before)?.id
}
