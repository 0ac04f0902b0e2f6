import { type SQL, sql } from 'drizzle-orm'
import { MINUTE } from '../calendar/units.ts'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { eachChunk } from '../db/rows.ts'

/**
 * Length of a slot, ms. Events are counted per quarter of an hour, because the hours of every time
 * zone begin at a quarter.
 */
export const SLOT = 15 * MINUTE

/** SQL: the slot of a time, rounded down also before 1970. */
const slotOf = (timestamp: SQL): SQL =>
  sql`((${timestamp} - ((${timestamp} % ${SLOT}) + ${SLOT}) % ${SLOT}) / ${SLOT})`

/** Returns statements that count new events, for the transaction that stores them. */
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
 * Returns a statement that uncounts events. It must run before the `delete`, in the same batch. `chunk` selects `event_id,
 * timestamp` of exactly the rows that are deleted, from `events` of this project.
 */
export const uncountEvents = (projectId: number, chunk: SQL): SQL =>
  sql`insert into event_counts (project_id, event_id, slot, count)
      select ${projectId}, event_id, ${slotOf(sql`timestamp`)}, -count(*) from (${chunk}) where true group by 2, 3
      on conflict (project_id, event_id, slot) do update set count = count + excluded.count`

export type EventKind = { project_id: number; event_id: number }

/** Lists the ids of the event names of all projects in the database. */
export const listKinds = async (db: Db): Promise<EventKind[]> => {
  const kinds = query<EventKind>(sql`
    select project_id, id as event_id from event_names order by project_id, id`)
  return (await readBatch(db, kinds))[0]
}

/**
 * Returns the slot before which about `events` events lie, counted from slot `after`; undefined if
 * there are fewer.
 */
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

/**
 * Returns the slots from `from` up to but not including `until` whose count differs from the number
 * of stored events.
 */
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
