import { sql } from 'drizzle-orm'
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Insights and dashboards that are shared, or were. Recordings have these columns themselves. */
export const shares = sqliteTable(
  'shares',
  {
    projectId: integer('project_id').notNull(),
    kind: text().$type<'insight' | 'dashboard'>().notNull(),
    objectId: integer('object_id').notNull(),
    /** Stored in plain text, because the API shows it again. */
    accessToken: text('access_token').notNull(),
    /** SHA-256 of the token while sharing is on; null otherwise. */
    sharedHash: text('shared_hash'),
    createdAt: integer('created_at').notNull()
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.kind, t.objectId] }),
    uniqueIndex('shares_hash').on(t.sharedHash).where(sql`${t.sharedHash} is not null`)
  ]
)
