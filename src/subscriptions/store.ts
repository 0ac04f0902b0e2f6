import { and, desc, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { DAY } from '../calendar/units.ts'
import { ConflictError, type Db } from '../db/client.ts'
import { type PageRows, readTablePage } from '../db/page.ts'
import { inJson } from '../db/rows.ts'
import {
  dashboards,
  dashboardTiles,
  idempotencyKeys,
  insights,
  type subscriptionDeliveries,
  subscriptions
} from '../db/schema.ts'
import { reserveNumbers } from '../db/sequences.ts'
import { NotFoundError } from '../errors.ts'

export type SubscriptionRow = typeof subscriptions.$inferSelect
export type DeliveryRow = typeof subscriptionDeliveries.$inferSelect

export const ORDERINGS = ['created_at', 'next_delivery_date', 'title', 'created_by__email'] as const

const COLUMNS: Record<(typeof ORDERINGS)[number], SQL> = {
  created_at: sql`${subscriptions.createdAt}`,
  next_delivery_date: sql`${subscriptions.nextDeliveryDate}`,
  title: sql`lower(${subscriptions.title})`,
  created_by__email: sql`lower(${subscriptions.createdBy} ->> '$.email')`
}

/** What a subscription can deliver. */
export const RESOURCE_TYPES = ['insight', 'dashboard'] as const

/** Filters, all of which must match. */
type SubscriptionFilters = {
  dashboard: number
  /** Dashboards, one of which has the subscription's insight. */
  dashboard_tiles: number[]
  insight: number
  insights: number[]
  resource_type: (typeof RESOURCE_TYPES)[number]
  target_type: SubscriptionRow['targetType']
  /** The uuid of the user who created the subscription. */
  created_by: string
  /** Part of the title, or of the name of the dashboard or insight. */
  search: string
}

export type SubscriptionListing = {
  [Name in keyof SubscriptionFilters]?: SubscriptionFilters[Name] | undefined
} & {
  deleted: boolean
  ordering: { by: (typeof ORDERINGS)[number]; isDescending: boolean } | undefined
}

/** Lists one page, newest first by default. Rows without a value to sort by come last. */
export async function listSubscriptions(
  { db, project }: Scope,
  { deleted, ordering, ...filters }: SubscriptionListing,
  page: { limit: number; offset: number }
): Promise<PageRows<SubscriptionRow>> {
  const listed = and(
    eq(subscriptions.projectId, project.id),
    isNull(subscriptions.checks),
    eq(subscriptions.deleted, deleted),
    ...conditionsOf(filters)
  )
  const column = ordering && COLUMNS[ordering.by]
  const order = column
    ? [sql`${column} is null`, ordering.isDescending ? sql`${column} desc` : sql`${column} asc`]
    : []
  const orderBy = [...order, desc(subscriptions.id)]
  return readTablePage(db, subscriptions, { where: listed, orderBy }, page)
}

/** SQL of each filter that is given. */
function conditionsOf(filters: Omit<SubscriptionListing, 'deleted' | 'ordering'>): SQL[] {
  const { projectId, insightId, dashboardId, targetType, createdBy } = subscriptions
  const by: { [Name in keyof SubscriptionFilters]: (value: SubscriptionFilters[Name]) => SQL } = {
    dashboard: (id) => eq(dashboardId, id),
    dashboard_tiles: (ids) => sql`exists (select 1 from ${dashboardTiles}
      where ${dashboardTiles.insightId} = ${insightId} and ${dashboardTiles.projectId} = ${projectId}
        and ${dashboardTiles.dashboardId} in ${inJson(ids)})`,
    insight: (id) => eq(insightId, id),
    insights: (ids) => sql`${insightId} in ${inJson(ids)}`,
    resource_type: (type) => isNotNull(type === 'insight' ? insightId : dashboardId),
    target_type: (type) => eq(targetType, type),
    created_by: (uuid) => sql`${createdBy} ->> '$.uuid' = ${uuid}`,
    search: isFound
  }
  return Object.entries(by).flatMap(([name, toSql]) => {
    const value = filters[name as keyof SubscriptionFilters]
    // The cast is safe: both have the type of the same name.
    return value === undefined ? [] : [toSql(value as never)]
  })
}

function isFound(search: string): SQL {
  const has = (text: SQL) => sql`instr(lower(coalesce(${text}, '')), lower(${search})) > 0`
  return sql`(${has(sql`${subscriptions.title}`)}
    or exists (select 1 from ${insights} where ${insights.id} = ${subscriptions.insightId}
               and ${has(sql`coalesce(${insights.name}, ${insights.derivedName})`)})
    or exists (select 1 from ${dashboards} where ${dashboards.id} = ${subscriptions.dashboardId}
               and ${has(sql`${dashboards.name}`)}))`
}

/** Finds the row of a subscription or of an alert, also a deleted one. */
export async function findSubscription(
  { db, project }: Scope,
  id: number
): Promise<SubscriptionRow | undefined> {
  const [row] = await db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.projectId, project.id), eq(subscriptions.id, id)))
  return row
}

/** Finds a subscription, also a deleted one. @throws not_found */
export async function getSubscription(scope: Scope, id: number): Promise<SubscriptionRow> {
  const row = await findSubscription(scope, id)
  if (!row || row.checks) {
    throw new NotFoundError()
  }
  return row
}

/** Reserves the id of a new subscription. */
export const reserveSubscriptionId = async (db: Db): Promise<number> =>
  (await reserveNumbers(db, { subscription: 1 })).subscription

type NewAnswer = Pick<typeof idempotencyKeys.$inferInsert, 'userId' | 'key' | 'hash' | 'answer'>

/**
 * Stores a new subscription and, if its request had an idempotency key, also the response, both or
 * none. Keys older than a day are deleted first, so that they can be used again.
 * @throws ConflictError when another request has used the key in the meantime
 */
export async function insertSubscription(
  db: Db,
  row: SubscriptionRow,
  answer: NewAnswer | undefined
): Promise<void> {
  const insert = db.insert(subscriptions).values(row)
  if (!answer) {
    await insert
    return
  }
  const { projectId, createdAt } = row
  await db.batch([
    db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, createdAt - DAY)),
    db.insert(idempotencyKeys).values({ ...answer, projectId, createdAt }),
    insert
  ])
}

/** Finds the response to a request with this idempotency key in the last 24 hours. */
export async function findAnswer(
  db: Db,
  { projectId, userId, key }: { projectId: number; userId: number; key: string },
  now: Date
): Promise<{ hash: string; answer: string } | undefined> {
  const [row] = await db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.projectId, projectId),
        eq(idempotencyKeys.userId, userId),
        eq(idempotencyKeys.key, key)
      )
    )
  return row && row.createdAt >= now.getTime() - DAY ? row : undefined
}

/**
 * Updates a subscription, unless it has changed since it was read.
 * @throws ConflictError when a user has changed it since
 */
export async function updateSubscription(
  db: Db,
  { projectId, id, revision }: SubscriptionRow,
  change: Partial<typeof subscriptions.$inferInsert>
): Promise<SubscriptionRow> {
  const [row] = await db
    .update(subscriptions)
    .set({ ...change, revision: revision + 1 })
    .where(
      and(
        eq(subscriptions.projectId, projectId),
        eq(subscriptions.id, id),
        eq(subscriptions.revision, revision)
      )
    )
    .returning()
  if (!row) {
    throw new ConflictError('The subscription has changed since it was read.')
  }
  return row
}
