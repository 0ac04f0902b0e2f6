import { type SQL, sql } from 'drizzle-orm'
import { eachChunk } from '../db/rows.ts'

/** Events are counted in quarters of an hour: every time zone's days and hours begin with one. */
export const SLOT = 900_000

/** The slot of a time, rounded down also before 1970. */
const slotOf = (timestamp: SQL): SQL => sql`((${timestamp} - ((${timestamp} % ${SLOT}) + ${SLOT}) % ${SLOT}) / ${SLOT})`

/** Counts new events, in the transaction that stores them. */
export function countEvents(projectId: number, events: readonly { event_id: number; timestamp: number }[]): SQL[] {
  const rows = events.map(({ event_id, timestamp }) => [event_id, Math.floor(timestamp / SLOT)])
  return eachChunk(rows, (json) => [
    sql`insert into event_counts (project_id, event_id, slot, count)
        select ${projectId}, value ->> 0, value ->> 1, count(*) from json_each(${json}) where true group by 2, 3
        on conflict (project_id, event_id, slot) do update set count = count + excluded.count`
  ])
}

/**
 * Takes events that are about to be deleted out of the counts. The statement belongs into the same batch, before the
 * `delete`, and `chunk` must name exactly the rows that this deletes: a select of `event_id, timestamp` from `events` of
 * this project.
 */
export const uncountEvents = (projectId: number, chunk: SQL): SQL =>
  sql`insert into event_counts (project_id, event_id, slot, count)
      select ${projectId}, event_id, ${slotOf(sql`timestamp`)}, -count(*) from (${chunk}) where true group by 2, 3
      on conflict (project_id, event_id, slot) do update set count = count + excluded.count`
