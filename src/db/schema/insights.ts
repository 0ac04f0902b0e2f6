import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Insights, with `filters` or `query` as the client sent them. */
export const insights = sqliteTable(
  'insights',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    shortId: text('short_id').notNull(),
    name: text(),
    derivedName: text('derived_name'),
    description: text(),
    filters: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    query: text({ mode: 'json' }).$type<Record<string, unknown> | string>(),
    order: integer(),
    tags: text({ mode: 'json' }).$type<string[]>().notNull(),
    favorited: integer({ mode: 'boolean' }).notNull(),
    saved: integer({ mode: 'boolean' }).notNull(),
    deleted: integer({ mode: 'boolean' }).notNull(),
    /** A copy of the creating user, made at creation. */
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    lastModifiedAt: integer('last_modified_at').notNull()
  },
  (t) => [
    uniqueIndex('insights_short_id').on(t.shortId),
    index('insights_project').on(t.projectId, t.deleted, t.id)
  ]
)

export const dashboards = sqliteTable(
  'dashboards',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    name: text(),
    description: text().notNull(),
    pinned: integer({ mode: 'boolean' }).notNull(),
    tags: text({ mode: 'json' }).$type<string[]>().notNull(),
    deleted: integer({ mode: 'boolean' }).notNull(),
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull()
  },
  (t) => [index('dashboards_project').on(t.projectId, t.deleted, t.id)]
)

/** The widths of a tile: beside another, or alone in its row. */
export const TILE_WIDTHS = ['half', 'full'] as const

/** The insights on a dashboard. */
export const dashboardTiles = sqliteTable(
  'dashboard_tiles',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    dashboardId: integer('dashboard_id').notNull(),
    insightId: integer('insight_id').notNull(),
    /** The place among the tiles; null until someone has arranged them: it then comes last. */
    position: integer(),
    width: text({ enum: TILE_WIDTHS }).notNull().default('half')
  },
  (t) => [
    uniqueIndex('dashboard_tiles_pair').on(t.dashboardId, t.insightId),
    index('dashboard_tiles_insight').on(t.insightId)
  ]
)
