import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { eachChunk } from '../db/rows.ts'

/** Events are counted in quarters of an hour: every time zone's days and hours begin with one. */
export const SLOT = 900_000

/** The slot of a time, rounded down also before 1970. */
const slotOf = (timestamp: SQL): SQL =>
  sql`((${timestamp} - ((${timestamp} % ${SLOT}) + ${SLOT}) % ${SLOT}) / ${SLOT})`

/** Counts new events, in the transaction that stores them. */
export function countEvents(
  projectId: number,
  events: readonly { event_id: number; timestamp: number }[]
): SQL[] {
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

export type EventKind = { project_id: number; event_id: number }

/** Every kind of event of every project in the database. */
export const listKinds = async (db: Db): Promise<EventKind[]> => {
  const kinds = query<EventKind>(sql`
    select project_id, id as event_id from event_names order by project_id, id`)
  return (await readBatch(db, kinds))[0]
}

/** The slot of a kind before which there are about so many events after this one; undefined if there are fewer. */
export async function findStep(
  db: Db,
  { project_id, event_id }: EventKind,
  after: number,
  events: number
): Promise<number | undefined> {
  const step = query<{ slot: number }>(sql`
    select slot from (
      select slot, sum(count) over (order by slot) as total from event_counts
      where project_id = ${project_id} and event_id = ${event_id} and slot >= ${after})
    where total > ${events} and slot > ${after} order by slot limit 1`)
  return (await readBatch(db, step))[0][0]?.slot
}

export type WrongCount = {
  project_id: number
  event_id: number
  slot: number
  counted: number
  stored: number
}

/** The slots from `from` to before `until` whose count is not the number of events that are stored. */
export async function compareCounts(
  db: Db,
  { project_id, event_id }: EventKind,
  from: number,
  until: number
): Promise<WrongCount[]> {
  const wrong = query<WrongCount>(sql`
    select ${project_id} as project_id, ${event_id} as event_id, slot, sum(counted) as counted, sum(stored) as stored from (
      select slot, count as counted, 0 as stored from event_counts
      where project_id = ${project_id} and event_id = ${event_id} and slot >= ${from} and slot < ${until}
      union all
      select ${slotOf(sql`timestamp`)} as slot, 0, count(*) from events
      where project_id = ${project_id} and event_id = ${event_id}
        and timestamp >= ${from * SLOT} and timestamp < ${until * SLOT}
      group by 1)
    group by slot having sum(counted) <> sum(stored)`)
  return (await readBatch(db, wrong))[0]
}
