import { type SQL, sql } from 'drizzle-orm'
import { bindRead, query, readBatch, writeBatch } from '../db/batch.ts'
import { type Db, findConflict } from '../db/client.ts'
import { expectRows, inJson } from '../db/rows.ts'
import { type EventKind, SLOT } from '../rollups/store.ts'
import type { SealedRow, SegmentContent } from './build.ts'
import type { SlotCount } from './codec.ts'
import { MIN_EVENTS, type SegmentPlan } from './plan.ts'
import type { EncodedColumn } from './property-columns.ts'

/** Slots before those of all events. */
const FIRST = -1e9

/** Bounds of sealing at a moment. */
export type Limits = {
  /** The slot up to which, not including it, events are sealed. */
  horizon: number
  /** Late events from which on a segment is sealed again. */
  minLate: number
  /** Unsealed segments that were started before are abandoned, ms UTC. */
  abandonedBefore: number
}

const isOf = ({ project_id, event_id }: EventKind): SQL =>
  sql`project_id = ${project_id} and event_id = ${event_id}`

/** The late events of the segment `s`, counted up to `limit`. */
const countLate = (limit: number): SQL =>
  sql`(select count(*) from (select 1 from late_events l where l.segment_id = s.id limit ${limit}))`

/** Returns which of these event names have enough events outside segments, a hole between two, or enough late events. */
export async function findUnsealed(
  db: Db,
  kinds: readonly EventKind[],
  { horizon, minLate, abandonedBefore }: Limits
): Promise<EventKind[]> {
  const list = kinds.map(({ project_id, event_id }) => [project_id, event_id])
  const isKept = sql`(s.is_sealed or s.started_at >= ${abandonedBefore})`
  const unsealed = query<EventKind>(sql`
    with kinds as (
      select value ->> 0 as project_id, value ->> 1 as event_id from json_each(${JSON.stringify(list)})
    ), placed as (
      select s.id, k.project_id, k.event_id, s.since / ${SLOT} as since, s.until / ${SLOT} as until
      from kinds k cross join segments s on s.project_id = k.project_id and s.event_id = k.event_id and ${isKept}
    ), gaps as (
      select project_id, event_id, lag(until, 1, ${FIRST}) over (partition by project_id, event_id order by since, until) as since,
        since as until
      from (select project_id, event_id, since, until from placed
            union all select project_id, event_id, ${horizon}, ${horizon} from kinds)
    ), counted as (
      select project_id, event_id, since <> ${FIRST} and until <> ${horizon} as is_hole, (
          select sum(count) from (
            select count from event_counts c
            where c.project_id = gaps.project_id and c.event_id = gaps.event_id and slot >= gaps.since and slot < gaps.until
              and count > 0 limit ${MIN_EVENTS})) as count
      from gaps where since < until
    )
    select project_id, event_id from counted where count >= ${MIN_EVENTS} or (is_hole and count > 0)
    union select project_id, event_id from placed s where ${countLate(minLate)} >= ${minLate}
    order by 1, 2`)
  return (await readBatch(db, unsealed))[0]
}

/** A segment of an event name. */
export type PlacedRow = {
  id: number
  since: number
  until: number
  count: number
  is_sealed: number
  /** Up to the limit. */
  late: number
}

/** Lists the segments of an event name in order of time, without abandoned ones. */
export async function listSegments(
  db: Db,
  kind: EventKind,
  { minLate, abandonedBefore }: Limits
): Promise<PlacedRow[]> {
  const listed = query<PlacedRow>(sql`
    select id, since, until, count, is_sealed, ${countLate(minLate)} as late from segments s
    where ${isOf(kind)} and (is_sealed or started_at >= ${abandonedBefore}) order by since`)
  return (await readBatch(db, listed))[0]
}

/** A range of slots; `until` is not in it. */
export type SlotRange = { since: number; until: number }

/** Returns the first `limit` slots with events in these ranges, which are in order. */
export async function listSlots(
  db: Db,
  { project_id, event_id }: EventKind,
  ranges: readonly SlotRange[],
  limit: number
): Promise<SlotCount[]> {
  const json = JSON.stringify(ranges.map(({ since, until }) => [since, until]))
  const slots = query<SlotCount>(sql`
    select slot, count from json_each(${json}) r cross join event_counts c
    on c.project_id = ${project_id} and c.event_id = ${event_id} and slot >= r.value ->> 0 and slot < r.value ->> 1
    where count > 0 order by r.key, slot limit ${limit}`)
  return (await readBatch(db, slots))[0]
}

/**
 * Removes what the plan replaces, and abandoned segments of its range, and begins the new segment.
 * @returns its id; undefined if another run seals a part of the range
 */
export async function beginSegment(
  db: Db,
  kind: EventKind,
  { since, until, replaces }: SegmentPlan,
  { now, abandonedBefore }: { now: number; abandonedBefore: number }
): Promise<number | undefined> {
  const overlapping = sql`${isOf(kind)} and since < ${until} and until > ${since}`
  const goes = sql`(id in ${inJson(replaces)} or (not is_sealed and started_at < ${abandonedBefore}))`
  try {
    const results = await writeBatch(db, [
      expectRows(0, sql`segments where ${overlapping} and not ${goes}`),
      sql`delete from segments where ${overlapping}`,
      sql`insert into segments (project_id, event_id, since, until, is_sealed, started_at, build, count, slots, cold)
          values (${kind.project_id}, ${kind.event_id}, ${since}, ${until}, 0, ${now}, ${crypto.randomUUID()}, 0, '', null)
          returning id`
    ])
    // A `returning` of ids alone.
    const [row] = (results.at(-1)?.results ?? []) as { id: number }[]
    return row?.id
  } catch (error) {
    if (findConflict(error)) {
      return undefined
    }
    throw error
  }
}

/** The place of an event among those of its name. */
export type Place = { timestamp: number; uuid: string }

export type PlacedEvent = SealedRow & Place

/** A range of an event name. */
export type EventRange = {
  after: Place
  until: number
  withProperties: boolean
  /** The segment whose late events are left out. */
  without?: number
}

/** Reads the next events of a range after a place: `maxRows` at most, and about `maxBytes` of properties, but one at least. */
export async function readEvents(
  db: Db,
  kind: EventKind,
  { after, until, withProperties, without }: EventRange,
  { maxRows, maxBytes }: { maxRows: number; maxBytes: number }
): Promise<{ events: PlacedEvent[]; ms: number }> {
  const isOnTime =
    without === undefined
      ? sql`1`
      : sql`not exists (select 1 from late_events l
          where l.segment_id = ${without} and l.timestamp = events.timestamp and l.uuid = events.uuid)`
  const rest = sql`from events where ${isOf(kind)} and timestamp < ${until}
    and (timestamp, uuid) > (${after.timestamp}, unhex(${after.uuid})) and ${isOnTime} order by timestamp, uuid`
  const sizes = sql`select sum(length(properties)) over (order by timestamp, uuid rows unbounded preceding) as total
    from (select timestamp, uuid, properties ${rest} limit ${maxRows})`
  const limit = withProperties
    ? sql`max(1, (select count(*) from (${sizes}) where total <= ${maxBytes}))`
    : sql`${maxRows}`
  const properties = withProperties ? sql`json(properties)` : sql`null`
  const [result] = await db.$client.run<PlacedEvent>([
    bindRead(sql`
      select timestamp, hex(uuid) as uuid, identity, version, session_id, ${properties} as properties
      ${rest} limit ${limit}`)
  ])
  return { events: result?.results ?? [], ms: result?.meta.duration ?? 0 }
}

/** Writes columns of a segment that is being built; none if the segment is gone. */
export const writeColumns = (db: Db, id: number, columns: readonly EncodedColumn[]) =>
  writeBatch(
    db,
    columns.map(
      ({ name, data }) => sql`
        insert into segment_columns (segment_id, name, data)
        select ${id}, ${name}, ${data} where exists (select 1 from segments where id = ${id} and not is_sealed)`
    )
  )

/**
 * Seals a segment, or removes it if an event of its range was stored meanwhile.
 * @returns whether it is sealed
 */
export async function sealSegment(
  db: Db,
  id: number,
  { count, slots, cold }: SegmentContent
): Promise<boolean> {
  const [sealed] = await writeBatch(db, [
    sql`update segments set is_sealed = 1, count = ${count}, slots = ${slots}, cold = ${cold}
        where id = ${id} and not is_sealed and not exists (select 1 from late_events where segment_id = ${id}) returning id`,
    removeUnsealed(id)
  ])
  return (sealed?.results.length ?? 0) > 0
}

/** Removes a segment that is being built. */
export const abandonSegment = (db: Db, id: number) => writeBatch(db, [removeUnsealed(id)])

const removeUnsealed = (id: number): SQL =>
  sql`delete from segments where id = ${id} and not is_sealed`
