import { and, desc, eq, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { UserJson } from '../../access/user.ts'
import { toIso } from '../../calendar/clock.ts'
import { type PageRows, readTablePage } from '../../db/page.ts'
import { inJson } from '../../db/rows.ts'
import { dashboards, dashboardTiles } from '../../db/schema.ts'
import type { DashboardInput } from './schemas.ts'

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

/** Lists the tiles of a dashboard with the ids of their insights, oldest first. */
export const listTiles = ({ db, project }: Scope, dashboardId: number) =>
  db
    .select({ id: dashboardTiles.id, insightId: dashboardTiles.insightId })
    .from(dashboardTiles)
    .where(
      and(eq(dashboardTiles.projectId, project.id), eq(dashboardTiles.dashboardId, dashboardId))
    )
    .orderBy(dashboardTiles.id)

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

/** Changes a dashboard, even if it is deleted. @returns undefined if there is no such dashboard */
export async function updateDashboard(
  { db, project }: Scope,
  id: number,
  input: DashboardInput
): Promise<DashboardRow | undefined> {
  const [row] = await db
    .update(dashboards)
    // Sets `id` to itself, because an update must set something even if the input is empty.
    .set({ id, ...toValues(input) })
    .where(and(eq(dashboards.projectId, project.id), eq(dashboards.id, id)))
    .returning()
  return row
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
