import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Where an annotation is shown: on one insight, on the insights of a dashboard, or on all. */
export const ANNOTATION_SCOPES = ['dashboard_item', 'dashboard', 'project'] as const

/** Whether a user has made an annotation, or a program that deploys. */
export const CREATION_TYPES = ['USR', 'GIT'] as const

/** Texts of users at points of the time axis. */
export const annotations = sqliteTable(
  'annotations',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    content: text(),
    /** The time that the text is about, ms UTC; without it, charts do not show the annotation. */
    dateMarker: integer('date_marker'),
    scope: text({ enum: ANNOTATION_SCOPES }).notNull(),
    insightId: integer('insight_id'),
    dashboardId: integer('dashboard_id'),
    creationType: text('creation_type', { enum: CREATION_TYPES }).notNull(),
    isEmoji: integer('is_emoji', { mode: 'boolean' }).notNull(),
    deleted: integer({ mode: 'boolean' }).notNull(),
    /** A copy of the creating user, made at creation. */
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull()
  },
  (t) => [index('annotations_project').on(t.projectId, t.deleted, t.dateMarker, t.id)]
)
