import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Json } from '../../input/json.ts'

/**
 * Questions that were asked asynchronously, for ten minutes. Their answers are not stored: whoever
 * asks for one gets it computed as of the time of the question.
 */
export const queryRuns = sqliteTable(
  'query_runs',
  {
    projectId: integer('project_id').notNull(),
    /** Chosen by the client, or a UUID. */
    id: text().notNull(),
    /** The query, and the filters that were laid over it. */
    question: text({ mode: 'json' }).$type<{ query: Json }>().notNull(),
    askedAt: integer('asked_at').notNull()
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id] }), index('query_runs_asked').on(t.askedAt)]
)
