import { sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { query, readBatch } from '../../db/batch.ts'
import { events, sessions } from '../../db/schema.ts'
import { session } from '../../db/session.ts'
import { MAX_IDENTITIES } from '../store.ts'

export type ComparedSession = {
  session_id: string
  /** The event count, start and end (ms UTC) in the session's row. */
  from_row: [events: number, start: number, end: number]
  /** The same, computed from the events of the row's identities between its start and end. */
  from_events: [events: number, start: number | null, end: number | null]
  /** False for a session that still has to be rebuilt, or may lack identities. */
  isComparable: boolean
}

/**
 * Lists at most `limit` sessions of a project with ids below `before`, by descending id. The
 * numbers from rows and from events are read in the same statement.
 */
export async function compareSessions(
  { db, project }: Scope,
  before: string | undefined,
  limit: number
): Promise<ComparedSession[]> {
  const compared = query<{
    session_id: string
    from_row: string
    from_events: string
    is_comparable: number
  }>(sql`
    select ${session.sessionId}, json_array(${session.events}, ${session.startTime}, ${session.endTime}) as from_row,
           not ${session.isStale} and json_array_length(${session.identities}) < ${MAX_IDENTITIES} as is_comparable,
           (select json_array(count(*), min(${events.timestamp}), max(${events.timestamp}))
            from json_each(${session.identities}) as own cross join ${events} indexed by events_identity
              on ${events.identity} = own.value and ${events.timestamp} between ${session.startTime} and ${session.endTime}
                 and ${events.sessionId} = ${session.sessionId} and +${events.projectId} = ${session.projectId}) as from_events
    from ${sessions} ${session}
    where ${session.projectId} = ${project.id} and ${before === undefined ? sql`1` : sql`${session.sessionId} < ${before}`}
    order by ${session.sessionId} desc limit ${limit}`)
  return (await readBatch(db, compared))[0].map(
    ({ session_id, from_row, from_events, is_comparable }) => ({
      session_id,
      from_row: JSON.parse(from_row),
      from_events: JSON.parse(from_events),
      isComparable: is_comparable === 1
    })
  )
}
