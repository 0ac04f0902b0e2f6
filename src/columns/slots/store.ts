import { type SQL, sql } from 'drizzle-orm'
import { MINUTE } from '../../calendar/units.ts'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk } from '../../db/rows.ts'
import { eventCounts, eventNames, events } from '../../db/schema.ts'
import { assign, bare, excluded, insertSelect } from '../../db/statements.ts'

/** Length of a slot, ms: the hours of every time zone begin at a quarter of an hour. */
export const SLOT = 15 * MINUTE

/** SQL: the slot of a time, rounded down also before 1970. */
const slotOf = (timestamp: SQL): SQL =>
  sql`((${timestamp} - ((${timestamp} % ${SLOT}) + ${SLOT}) % ${SLOT}) / ${SLOT})`

/** The end of an insert into `event_counts`: adds to the counts of slots that have one already. */
const addToCounts = sql`
  on conflict (${bare(eventCounts.projectId)}, ${bare(eventCounts.eventId)}, ${bare(eventCounts.slot)})
  do update set ${assign(eventCounts, { count: sql`${eventCounts.count} + ${excluded(eventCounts.count)}` })}`

/** Returns statements that count new events, for the transaction that stores them. */
export function countEvents(
  projectId: number,
  added: readonly { event_id: number; timestamp: number }[]
): SQL[] {
  const rows = added.map(({ event_id, timestamp }) => [event_id, Math.floor(timestamp / SLOT)])
  return eachChunk(rows, (json) => [
    insertSelect(
      eventCounts,
      {
        projectId,
        eventId: sql`value ->> 0`,
        slot: sql`value ->> 1`,
        count: sql`count(*)`
      },
      sql`json_each(${json}) where true group by 2, 3 ${addToCounts}`
    )
  ])
}

/**
 * Returns a statement that uncounts events. It must run before the `delete`, in the same batch.
 * `chunk` selects `event_id, timestamp` of exactly the rows that are deleted, from `events` of this
 * project.
 */
export const uncountEvents = (projectId: number, chunk: SQL): SQL =>
  insertSelect(
    eventCounts,
    {
      projectId,
      eventId: bare(events.eventId),
      slot: slotOf(bare(events.timestamp)),
      count: sql`-count(*)`
    },
    sql`(${chunk}) where true group by 2, 3 ${addToCounts}`
  )

/** The id of an event name, in its project. */
export type EventKind = { project_id: number; event_id: number }

/** Lists the ids of the event names of all projects in the database. */
export const listKinds = (db: Db): Promise<EventKind[]> => readKinds(db, sql`1, 2`)

/** Like `listKinds`, in random order: work that is cut short reaches each name some time. */
export const shuffleKinds = (db: Db): Promise<EventKind[]> => readKinds(db, sql`random()`)

async function readKinds(db: Db, order: SQL): Promise<EventKind[]> {
  const kinds = query<EventKind>(sql`
    select ${eventNames.projectId}, ${eventNames.id} as event_id from ${eventNames} order by ${order}`)
  return (await readBatch(db, kinds))[0]
}

const isOf = ({ project_id, event_id }: EventKind): SQL =>
  sql`${eventCounts.projectId} = ${project_id} and ${eventCounts.eventId} = ${event_id}`

/** Returns the first slot of each step of about `size` events, in order; none without counts. */
export async function findSteps(db: Db, kind: EventKind, size: number): Promise<number[]> {
  const steps = query<{ slot: number }>(sql`
    select min(slot) as slot from (
      select ${eventCounts.slot},
        (sum(${eventCounts.count}) over (order by ${eventCounts.slot}) - ${eventCounts.count}) / cast(${size} as integer) as step
      from ${eventCounts} where ${isOf(kind)})
    group by step order by 1`)
  return (await readBatch(db, steps))[0].map(({ slot }) => slot)
}

export type WrongCount = {
  project_id: number
  event_id: number
  slot: number
  counted: number
  stored: number
}

/** Returns the slots in `[from, until)` whose count differs from the stored events. */
export async function compareCounts(
  db: Db,
  kind: EventKind,
  from: number,
  until: number
): Promise<WrongCount[]> {
  const { project_id, event_id } = kind
  const wrong = query<WrongCount>(sql`
    select ${project_id} as project_id, ${event_id} as event_id, slot, sum(counted) as counted, sum(stored) as stored from (
      select ${eventCounts.slot}, ${eventCounts.count} as counted, 0 as stored from ${eventCounts}
      where ${isOf(kind)} and ${eventCounts.slot} >= ${from} and ${eventCounts.slot} < ${until}
      union all
      select ${slotOf(sql`${events.timestamp}`)}, 0, count(*) from ${events}
      where ${events.projectId} = ${project_id} and ${events.eventId} = ${event_id}
        and ${events.timestamp} >= ${from * SLOT} and ${events.timestamp} < ${until * SLOT}
      group by 1)
    group by slot having sum(counted) <> sum(stored)`)
  return (await readBatch(db, wrong))[0]
}
