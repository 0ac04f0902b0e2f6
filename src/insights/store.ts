import { and, asc, desc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { UserJson } from '../access/user.ts'
import { toIso } from '../calendar/clock.ts'
import { query, readBatch } from '../db/batch.ts'
import { type PageRows, readTablePage } from '../db/page.ts'
import { inJson } from '../db/rows.ts'
import { dashboards, dashboardTiles, insights } from '../db/schema.ts'
import { saysSomething } from '../input/fields.ts'
import type { InsightInput, InsightJson } from './schemas.ts'

export type InsightRow = typeof insights.$inferSelect
export type Tile = { id: number; dashboard_id: number; insight_id: number }

/**
 * Filters of a list of insights. `search` matches any part of `name`, `derived_name` or
 * `description`, ignoring the case of ASCII letters.
 */
export type InsightListing = {
  shortId: string | undefined
  saved?: boolean | undefined
  favorited?: boolean | undefined
  search?: string | undefined
}

/** Lists a page of the insights that match, newest first, without deleted ones. */
export async function listInsights(
  { db, project }: Scope,
  { shortId, saved, favorited, search }: InsightListing,
  page: { limit: number; offset: number }
): Promise<PageRows<InsightRow>> {
  const { name, derivedName, description } = insights
  const listed = and(
    eq(insights.projectId, project.id),
    eq(insights.deleted, false),
    shortId === undefined ? undefined : eq(insights.shortId, shortId),
    saved === undefined ? undefined : eq(insights.saved, saved),
    favorited === undefined ? undefined : eq(insights.favorited, favorited),
    search === undefined
      ? undefined
      : or(
          ...[name, derivedName, description].map(
            (text) => sql`instr(lower(coalesce(${text}, '')), lower(${search})) > 0`
          )
        )
  )
  return readTablePage(db, insights, { where: listed, orderBy: [desc(insights.id)] }, page)
}

/** Finds an insight, even if it is deleted. */
export async function findInsight(
  { db, project }: Scope,
  id: number
): Promise<InsightRow | undefined> {
  const [row] = await db
    .select()
    .from(insights)
    .where(and(eq(insights.projectId, project.id), eq(insights.id, id)))
  return row
}

/** Finds insights by id, sorted by id. Leaves out deleted insights. */
export const findInsights = ({ db, project }: Scope, ids: number[]): Promise<InsightRow[]> =>
  db
    .select()
    .from(insights)
    .where(
      and(
        eq(insights.projectId, project.id),
        eq(insights.deleted, false),
        sql`${insights.id} in ${inJson(ids)}`
      )
    )
    .orderBy(asc(insights.id))

/** Finds the tiles that show these insights on live dashboards. */
export async function findTiles({ db, project }: Scope, insightIds: number[]): Promise<Tile[]> {
  const tiles = query<Tile>(sql`
    select ${dashboardTiles.id}, ${dashboardTiles.dashboardId}, ${dashboardTiles.insightId}
    from ${dashboardTiles} join ${dashboards} on ${dashboards.id} = ${dashboardTiles.dashboardId}
    where ${dashboardTiles.insightId} in ${inJson(insightIds)}
      and ${dashboards.projectId} = ${project.id} and not ${dashboards.deleted}
    order by ${dashboardTiles.id}`)
  return (await readBatch(db, tiles))[0]
}

function toValues(input: InsightInput): Partial<typeof insights.$inferInsert> {
  const { derived_name: derivedName, dashboards: _, filters, ...rest } = input
  const values = { derivedName, ...rest, filters: filters === null ? {} : filters }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Stores an insight and puts it on the dashboards that the input names, both or none. */
export async function insertInsight(
  { db, project }: Scope,
  input: InsightInput,
  { by, now }: { by: UserJson; now: Date }
): Promise<InsightRow> {
  const shortId = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
  const [[row]] = await db.batch([
    db
      .insert(insights)
      .values({
        projectId: project.id,
        shortId,
        filters: {},
        tags: [],
        favorited: false,
        saved: false,
        deleted: false,
        ...toValues(input),
        createdBy: by,
        createdAt: now.getTime(),
        lastModifiedAt: now.getTime()
      })
      .returning(),
    ...placeOn({ db, project }, eq(insights.shortId, shortId), input.dashboards)
  ])
  if (!row) {
    throw new Error('The write returned no row.')
  }
  return row
}

/**
 * Changes an insight. If the input has `dashboards`, the insight is afterwards on exactly these
 * live dashboards. Both happen or none.
 * @returns undefined if there is no such insight
 */
export async function updateInsight(
  { db, project }: Scope,
  id: number,
  input: InsightInput,
  now: Date
): Promise<InsightRow | undefined> {
  const [[row]] = await db.batch([
    db
      .update(insights)
      .set({ ...toValues(input), lastModifiedAt: now.getTime() })
      .where(and(eq(insights.projectId, project.id), eq(insights.id, id)))
      .returning(),
    ...placeOn({ db, project }, eq(insights.id, id), input.dashboards)
  ])
  return row
}

/**
 * Returns statements after which an insight is on exactly these live dashboards; none without a
 * list. Its tiles on deleted dashboards stay.
 * @param isIt the condition that a row of `insights` is the insight, whose id may not be known yet
 */
function placeOn({ db, project }: Scope, isIt: SQL, dashboardIds: number[] | undefined) {
  if (!dashboardIds) {
    return []
  }
  const ofProject = sql`${insights.projectId} = ${project.id} and ${isIt}`
  return [
    db.delete(dashboardTiles).where(sql`
      ${dashboardTiles.projectId} = ${project.id}
        and ${dashboardTiles.insightId} in (select ${insights.id} from ${insights} where ${ofProject})
        and ${dashboardTiles.dashboardId} not in ${inJson(dashboardIds)}
        and ${dashboardTiles.dashboardId} in (
          select ${dashboards.id} from ${dashboards}
          where ${dashboards.projectId} = ${project.id} and not ${dashboards.deleted})`),
    db
      .insert(dashboardTiles)
      .select((source) =>
        source
          .select({
            id: sql<number>`null`.as('id'),
            projectId: insights.projectId,
            dashboardId: dashboards.id,
            insightId: insights.id,
            position: sql<null>`null`.as('position'),
            width: sql<'half'>`'half'`.as('width')
          })
          .from(insights)
          .crossJoin(dashboards)
          .where(sql`
            ${ofProject} and ${dashboards.projectId} = ${project.id}
              and ${dashboards.id} in ${inJson(dashboardIds)}`)
      )
      .onConflictDoNothing({ target: [dashboardTiles.dashboardId, dashboardTiles.insightId] })
  ]
}

/** Returns an insight in the format of the API, without a result. */
export function insightToJson(row: InsightRow, tiles: Tile[]): InsightJson {
  const own = tiles.filter((tile) => tile.insight_id === row.id)
  return {
    id: row.id,
    short_id: row.shortId,
    name: row.name,
    derived_name: row.derivedName,
    description: row.description,
    // A query overrides older filters. They are not shown, because an insight with both would be
    // refused when it is sent back.
    filters: saysSomething(row.query) ? {} : row.filters,
    query: row.query,
    order: row.order,
    deleted: row.deleted,
    dashboards: own.map(({ dashboard_id }) => dashboard_id),
    dashboard_tiles: own.map(({ id, dashboard_id }) => ({ id, dashboard_id })),
    tags: row.tags,
    favorited: row.favorited,
    saved: row.saved,
    created_by: UserJson.parse(row.createdBy),
    created_at: toIso(row.createdAt),
    last_modified_at: toIso(row.lastModifiedAt),
    result: null,
    last_refresh: null,
    is_cached: false
  }
}
