import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { JsonObject } from '../../input/json.ts'

/** Named sets of persons: with members of their own, or with filters that find them when asked. */
export const cohorts = sqliteTable(
  'cohorts',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    projectId: integer('project_id').notNull(),
    name: text(),
    description: text().notNull(),
    isStatic: integer('is_static', { mode: 'boolean' }).notNull(),
    /** The filters as they were sent; null for a static cohort. */
    filters: text({ mode: 'json' }).$type<JsonObject>(),
    /** A copy of the creating user, made at creation. */
    createdBy: text('created_by', { mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer('created_at').notNull(),
    /** When members were last added or removed, or the filters written. */
    changedAt: integer('changed_at').notNull()
  },
  (t) => [index('cohorts_newest').on(t.projectId, t.createdAt, t.id)]
)

/** The members of static cohorts. A merge passes the memberships of a person on. */
export const cohortMembers = sqliteTable(
  'cohort_members',
  {
    cohortId: integer('cohort_id').notNull(),
    personId: integer('person_id').notNull(),
    projectId: integer('project_id').notNull()
  },
  (t) => [
    primaryKey({ columns: [t.cohortId, t.personId] }),
    index('cohort_members_person').on(t.personId)
  ]
)
