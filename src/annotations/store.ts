import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { UserJson } from '../access/user.ts'
import type { Range } from '../calendar/buckets.ts'
import { toIso } from '../calendar/clock.ts'
import type { PageRows } from '../db/page.ts'
import { type ANNOTATION_SCOPES, annotations, dashboards, insights } from '../db/schema.ts'
import type { AnnotationJson } from './schemas.ts'
import type { AnnotationTerms } from './terms.ts'

/** An annotation with the names of its insight and its dashboard. */
export type AnnotationRow = typeof annotations.$inferSelect & {
  insightShortId: string | null
  insightName: string | null
  insightDerivedName: string | null
  dashboardName: string | null
}

/** Filters of a list, all of which must match. `search` ignores the case of ASCII letters. */
export type AnnotationListing = {
  search?: string | undefined
  scope?: (typeof ANNOTATION_SCOPES)[number] | undefined
  /** The earliest `date_marker`, ms UTC. */
  from?: number | undefined
  /** The exclusive end of `date_marker`, ms UTC. */
  until?: number | undefined
  isEmoji?: boolean | undefined
}

/** Whether the insight of a row's scope, or its dashboard, is still there. */
const isAlive = sql`case ${annotations.scope}
  when 'dashboard_item' then ${insights.deleted} = 0
  when 'dashboard' then ${dashboards.deleted} = 0
  else 1 end`

const selected = ({ db }: Scope) =>
  db
    .select({
      ...getTableColumns(annotations),
      insightShortId: insights.shortId,
      insightName: insights.name,
      insightDerivedName: insights.derivedName,
      dashboardName: dashboards.name
    })
    .from(annotations)
    .leftJoin(
      insights,
      and(eq(insights.id, annotations.insightId), eq(insights.projectId, annotations.projectId))
    )
    .leftJoin(
      dashboards,
      and(
        eq(dashboards.id, annotations.dashboardId),
        eq(dashboards.projectId, annotations.projectId)
      )
    )

/** The condition of annotations that are not deleted, and whose insight or dashboard is not. */
const isShown = (projectId: number): SQL | undefined =>
  and(eq(annotations.projectId, projectId), eq(annotations.deleted, false), isAlive)

/** Lists a page of annotations, the latest date first, and counts all that match. */
export async function listAnnotations(
  scope: Scope,
  listing: AnnotationListing,
  page: { limit: number; offset: number }
): Promise<PageRows<AnnotationRow>> {
  const { search, from, until, isEmoji } = listing
  const where = and(
    isShown(scope.project.id),
    search === undefined
      ? undefined
      : sql`instr(lower(coalesce(${annotations.content}, '')), lower(${search})) > 0`,
    listing.scope === undefined ? undefined : eq(annotations.scope, listing.scope),
    from === undefined ? undefined : gte(annotations.dateMarker, from),
    until === undefined ? undefined : lt(annotations.dateMarker, until),
    isEmoji === undefined ? undefined : eq(annotations.isEmoji, isEmoji)
  )
  const matching = selected(scope).where(where)
  const [rows, count] = await Promise.all([
    matching
      .orderBy(desc(annotations.dateMarker), desc(annotations.id))
      .limit(page.limit)
      .offset(page.offset),
    scope.db.$count(selected(scope).where(where).as('matching'))
  ])
  return { rows, count }
}

/** Finds an annotation, even if it is deleted. */
export async function findAnnotation(scope: Scope, id: number): Promise<AnnotationRow | undefined> {
  const [row] = await selected(scope).where(
    and(eq(annotations.projectId, scope.project.id), eq(annotations.id, id))
  )
  return row
}

/** Finds an annotation as lists show it: without deleted ones. */
export async function findShownAnnotation(
  scope: Scope,
  id: number
): Promise<AnnotationRow | undefined> {
  const [row] = await selected(scope).where(and(isShown(scope.project.id), eq(annotations.id, id)))
  return row
}

/** Returns which of an insight and a dashboard do not exist, or are deleted. */
export async function findMissingPlace(
  { db, project }: Scope,
  { insightId, dashboardId }: Pick<AnnotationTerms, 'insightId' | 'dashboardId'>
): Promise<{ insight: boolean; dashboard: boolean }> {
  const isIn = (table: typeof insights | typeof dashboards, id: number | null) =>
    id === null
      ? 1
      : db.$count(
          table,
          and(eq(table.projectId, project.id), eq(table.id, id), eq(table.deleted, false))
        )
  const [insight, dashboard] = await Promise.all([
    isIn(insights, insightId),
    isIn(dashboards, dashboardId)
  ])
  return { insight: insight === 0, dashboard: dashboard === 0 }
}

/** Stores an annotation. @returns its id */
export async function insertAnnotation(
  { db, project }: Scope,
  terms: AnnotationTerms,
  { by, now }: { by: UserJson; now: Date }
): Promise<number> {
  const [row] = await db
    .insert(annotations)
    .values({
      ...terms,
      projectId: project.id,
      createdBy: by,
      createdAt: now.getTime(),
      updatedAt: now.getTime()
    })
    .returning({ id: annotations.id })
  if (!row) {
    throw new Error('The write returned no row.')
  }
  return row.id
}

/** Changes an annotation, even if it is deleted. */
export const updateAnnotation = async (
  { db, project }: Scope,
  id: number,
  terms: AnnotationTerms,
  now: Date
): Promise<void> => {
  await db
    .update(annotations)
    .set({ ...terms, updatedAt: now.getTime() })
    .where(and(eq(annotations.projectId, project.id), eq(annotations.id, id)))
}

/** Where a chart stands: an insight, drawn alone or with a dashboard; or neither. */
export type ChartPlace = { insightId: number | null; dashboardId: number | null }

/** Annotations of one chart: the latest ones. More could not be told apart. */
const MAX_DRAWN = 100

/** A text at a time, ms UTC. */
export type DatedText = { at: number; text: string }

/** Finds the texts that a chart of a range shows, in the order of time. */
export async function findDrawn(
  scope: Scope,
  { insightId, dashboardId }: ChartPlace,
  { from, until }: Range
): Promise<DatedText[]> {
  const { scope: shownOn, dateMarker, content } = annotations
  const rows = await scope.db
    .select({ at: dateMarker, text: content })
    .from(annotations)
    .where(
      and(
        eq(annotations.projectId, scope.project.id),
        eq(annotations.deleted, false),
        gte(dateMarker, from),
        lt(dateMarker, until),
        sql`trim(coalesce(${content}, '')) <> ''`,
        sql`case ${shownOn}
          when 'dashboard_item' then ${annotations.insightId} = ${insightId}
          when 'dashboard' then ${annotations.dashboardId} = ${dashboardId}
          else 1 end`
      )
    )
    .orderBy(desc(dateMarker), desc(annotations.id))
    .limit(MAX_DRAWN)
  return rows.reverse().map(({ at, text }) => ({ at: at ?? 0, text: text ?? '' }))
}

/** Returns an annotation in the format of the API. */
export const annotationToJson = (row: AnnotationRow): AnnotationJson => ({
  id: row.id,
  content: row.content,
  date_marker: row.dateMarker === null ? null : toIso(row.dateMarker),
  creation_type: row.creationType,
  dashboard_item: row.insightId,
  dashboard_id: row.dashboardId,
  dashboard_name: row.dashboardName,
  insight_short_id: row.insightShortId,
  insight_name: row.insightName,
  insight_derived_name: row.insightDerivedName,
  created_by: UserJson.parse(row.createdBy),
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
  deleted: row.deleted,
  scope: row.scope,
  is_emoji: row.isEmoji
})
