import { type SQL, sql } from 'drizzle-orm'
import { query } from '../../db/batch.ts'
import { eachChunk, expectRows } from '../../db/rows.ts'
import { sessions } from '../../db/schema.ts'
import {
  type BegunSession,
  IDLE_MS,
  prefixOf,
  sessionPrefix,
  type VisitorSession
} from './sessions.ts'

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
 * Rolls this batch back as a conflict if another batch has stored or extended a session close to a
 * session that begins in this batch. A session that this batch has read, and that is still the
 * same, is no conflict: late events at 11:20 and 11:35 begin a session although a stored one starts
 * at 12:00, because 11:20 is more than `IDLE_MS` before it.
 */
export const expectNoSessions = (projectId: number, begun: readonly BegunSession[]): SQL[] =>
  eachChunk(
    begun.map(({ sessionId, start, end, known }) => ({
      prefix: prefixOf(sessionId),
      from: start - IDLE_MS,
      to: end + IDLE_MS,
      known
    })),
    (rows) => [
      expectRows(
        0,
        sql`json_each(${rows}) as begun cross join ${sessions}
            on ${startsWith(projectId, sql`(begun.value ->> 'prefix')`)}
              and ${sessions.startTime} <= begun.value ->> 'to' and ${sessions.endTime} >= begun.value ->> 'from'
              and not exists (
                select 1 from json_each(begun.value -> 'known') as known
                where known.value ->> 'sessionId' = ${sessions.sessionId}
                  and known.value ->> 'start' = ${sessions.startTime}
                  and known.value ->> 'end' = ${sessions.endTime})`
      )
    ]
  )

/** SQL: whether an id is a prefix followed by hexadecimal digits, all before `g`. */
const startsWith = (projectId: number, prefix: SQL): SQL =>
  sql`${sessions.projectId} = ${projectId} and ${sessions.sessionId} >= ${prefix}
      and ${sessions.sessionId} < ${prefix} || 'g'`
