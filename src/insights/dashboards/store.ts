import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { UserJson } from '../../access/user.ts'
import { toIso } from '../../calendar/clock.ts'
import { type PageRows, readTablePage } from '../../db/page.ts'
import { inJson } from '../../db/rows.ts'
import { dashboards, dashboardTiles } from '../../db/schema.ts'
import type { DashboardChange, DashboardInput } from './schemas.ts'

export type DashboardRow = typeof dashboards.$inferSelect

/** Lists a page of the dashboards that are not deleted, newest first, and counts all of these. */
export async function listDashboards(
  { db, project }: Scope,
  page: { limit: number; offset: number }
): Promise<PageRows<DashboardRow>> {
  const listed = and(eq(dashboards.projectId, project.id), eq(dashboards.deleted, false))
  return readTablePage(db, dashboards, { where: listed, orderBy: [desc(dashboards.id)] }, page)
}

/** Finds a dashboard that is not deleted. */
export async function findDashboard(scope: Scope, id: number): Promise<DashboardRow | undefined> {
  const row = await findWithDeleted(scope, id)
  return row?.deleted ? undefined : row
}

/** Finds a dashboard, even if it is deleted. */
export async function findWithDeleted(
  { db, project }: Scope,
  id: number
): Promise<DashboardRow | undefined> {
  const [row] = await db
    .select()
    .from(dashboards)
    .where(and(eq(dashboards.projectId, project.id), eq(dashboards.id, id)))
  return row
}

/** Returns the ids that do not belong to a live dashboard. */
export async function findMissingDashboards(
  { db, project }: Scope,
  ids: number[]
): Promise<number[]> {
  const rows = await db
    .select({ id: dashboards.id })
    .from(dashboards)
    .where(
      and(
        eq(dashboards.projectId, project.id),
        eq(dashboards.deleted, false),
        sql`${dashboards.id} in ${inJson(ids)}`
      )
    )
  return ids.filter((id) => !rows.some((row) => row.id === id))
}

/**
 * Lists the tiles of a dashboard with the ids of their insights: in their order, then those that were
 * added since, oldest first.
 */
export const listTiles = ({ db, project }: Scope, dashboardId: number) =>
  db
    .select({
      id: dashboardTiles.id,
      insightId: dashboardTiles.insightId,
      width: dashboardTiles.width
    })
    .from(dashboardTiles)
    .where(
      and(eq(dashboardTiles.projectId, project.id), eq(dashboardTiles.dashboardId, dashboardId))
    )
    .orderBy(sql`${dashboardTiles.position} is null`, dashboardTiles.position, dashboardTiles.id)

/** Stores a dashboard. */
export async function insertDashboard(
  { db, project }: Scope,
  input: DashboardInput,
  { by, now }: { by: UserJson; now: Date }
): Promise<DashboardRow> {
  const [row] = await db
    .insert(dashboards)
    .values({
      projectId: project.id,
      description: '',
      pinned: false,
      tags: [],
      deleted: false,
      ...toValues(input),
      createdBy: by,
      createdAt: now.getTime()
    })
    .returning()
  if (!row) {
    throw new Error('The write returned no row.')
  }
  return row
}

/**
 * Changes a dashboard, even if it is deleted. With `tiles`, these are in this order afterwards.
 * @returns undefined if there is no such dashboard
 */
export async function updateDashboard(
  { db, project }: Scope,
  id: number,
  { tiles, ...input }: DashboardChange
): Promise<DashboardRow | undefined> {
  const isIt = and(eq(dashboards.projectId, project.id), eq(dashboards.id, id))
  // Sets `id` to itself, because an update must set something even if the input is empty.
  const change = db
    .update(dashboards)
    .set({ id, ...toValues(input) })
    .where(isIt)
    .returning()
  const [[row]] = await db.batch([change, ...(tiles ? [arrange({ db, project }, id, tiles)] : [])])
  return row
}

/** Puts tiles in this order. A tile without a width keeps its own. */
function arrange(
  { db, project }: Scope,
  dashboardId: number,
  tiles: NonNullable<DashboardChange['tiles']>
) {
  const given = (what: SQL) => sql`(
    select ${what} from json_each(${JSON.stringify(tiles)})
    where value ->> '$.id' = ${dashboardTiles.id})`
  return db
    .update(dashboardTiles)
    .set({
      position: given(sql`key`),
      width: sql`coalesce(${given(sql`value ->> '$.width'`)}, ${dashboardTiles.width})`
    })
    .where(
      and(
        eq(dashboardTiles.projectId, project.id),
        eq(dashboardTiles.dashboardId, dashboardId),
        sql`${given(sql`key`)} is not null`
      )
    )
}

const toValues = (input: DashboardInput): Partial<typeof dashboards.$inferInsert> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

/** Returns a dashboard without its tiles, as listing, creating and changing return it. */
export const dashboardToJson = (row: DashboardRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  pinned: row.pinned,
  tags: row.tags,
  deleted: row.deleted,
  created_by: UserJson.parse(row.createdBy),
  created_at: toIso(row.createdAt)
})
