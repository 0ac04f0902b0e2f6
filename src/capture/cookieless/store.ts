import { type SQL, sql } from 'drizzle-orm'
import { query } from '../../db/batch.ts'
import { eachChunk, expectRows } from '../../db/rows.ts'
import { sessions } from '../../db/schema.ts'
import { IDLE_MS, prefixOf, sessionPrefix, type VisitorSession } from './sessions.ts'

/**
 * Reads the stored sessions of visitors without cookies, given their hashes. A hash covers one day,
 * so a visitor has few.
 */
export const visitorSessions = (projectId: number, visitors: readonly string[]) =>
  query<VisitorSession>(sql`
    select ${sessions.sessionId} as "sessionId", ${sessions.startTime} as start, ${sessions.endTime} as "end"
    from json_each(${JSON.stringify(visitors.map(sessionPrefix))}) as visitor
      cross join ${sessions} on ${startsWith(projectId, sql`visitor.value`)}`)

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
        sql`json_each(${rows}) as begun cross join ${sessions}
            on ${startsWith(projectId, sql`(begun.value ->> 'prefix')`)}
              and ${sessions.startTime} <= begun.value ->> 'to' and ${sessions.endTime} >= begun.value ->> 'from'`
      )
    ]
  )

/** SQL: whether a session's id starts with a prefix, which ends before its hexadecimal digits. */
const startsWith = (projectId: number, prefix: SQL): SQL =>
  sql`${sessions.projectId} = ${projectId} and ${sessions.sessionId} >= ${prefix}
      and ${sessions.sessionId} < ${prefix} || 'g'`
