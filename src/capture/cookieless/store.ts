import { type SQL, sql } from 'drizzle-orm'
import { query } from '../../db/batch.ts'
import { eachChunk, expectRows } from '../../db/rows.ts'
import { IDLE_MS, prefixOf, sessionPrefix, type VisitorSession } from './sessions.ts'

/**
 * Reads the stored sessions of visitors without cookies, given their hashes. A hash covers one day,
 * so a visitor has few.
 */
export const visitorSessions = (projectId: number, visitors: readonly string[]) =>
  query<VisitorSession>(sql`
    select session.session_id as "sessionId", session.start_time as start, session.end_time as "end"
    from json_each(${JSON.stringify(visitors.map(sessionPrefix))}) as visitor
      cross join sessions as session on session.project_id = ${projectId}
        and session.session_id >= visitor.value and session.session_id < visitor.value || 'g'`)

/**
 * Rolls this batch back as a conflict if another batch has stored a session close to a session that
 * begins in this batch.
 */
export const expectNoSessions = (projectId: number, begun: readonly VisitorSession[]): SQL[] =>
  eachChunk(
    begun.map(({ sessionId, start, end }) => ({
      prefix: prefixOf(sessionId),
      from: start - IDLE_MS,
      to: end + IDLE_MS
    })),
    (rows) => [
      expectRows(
        0,
        sql`json_each(${rows}) as begun cross join sessions as session on session.project_id = ${projectId}
            and session.session_id >= begun.value ->> 'prefix' and session.session_id < (begun.value ->> 'prefix') || 'g'
            and session.start_time <= begun.value ->> 'to' and session.end_time >= begun.value ->> 'from'`
      )
    ]
  )
