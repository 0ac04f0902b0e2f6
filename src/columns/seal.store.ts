import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { bindRead, query, readBatch, writeBatch } from '../db/batch.ts'
import { type Db, findConflict } from '../db/client.ts'
import { expectRows, inJson } from '../db/rows.ts'
import {
  eventCounts,
  eventNames,
  events,
  lateEvents,
  segmentColumns,
  segments,
  sequences
} from '../db/schema.ts'
import { bare, excluded, insertSelect } from '../db/statements.ts'
import type { SealedRow, SegmentContent } from './build.ts'
import type { SlotCount } from './codec.ts'
import type { BuiltSegment } from './places.ts'
import { MIN_EVENTS, type SegmentPlan } from './plan.ts'
import type { EncodedColumn } from './property-columns.ts'
import { type EventKind, SLOT } from './slots/store.ts'
import { writeColumns } from './write.store.ts'

/** A slot before those of all events, about 28,000 years before 1970. */
export const FIRST_SLOT = -1e9

/** Bounds of sealing at a moment. */
export type Limits = {
  /** The first slot whose events are not sealed yet. */
  horizon: number
  /** Number of late events at which a segment is sealed again. */
  minLate: number
  /** Unsealed segments that were started before this time, ms UTC, are abandoned. */
  abandonedBefore: number
}

const isOf = (table: typeof segments | typeof events, { project_id, event_id }: EventKind): SQL =>
  sql`${table.projectId} = ${project_id} and ${table.eventId} = ${event_id}`

/** Returns an expression for the number of a segment's late events, counted up to `limit`. */
const countLate = (segmentId: SQLWrapper, limit: number): SQL => sql`(
  select count(*) from (
    select 1 from ${lateEvents} where ${lateEvents.segmentId} = ${segmentId} limit ${limit}))`

const s = alias(segments, 's')
const c = alias(eventCounts, 'c')

/** Names to search: the next `names` after the id `after`, in the order of ids. */
export type NamePage = { after: number; names: number }

/**
 * Returns those of some event names that have enough events outside segments, events in a hole
 * between two segments, or enough late events. Each counted slot has an event, so `MIN_EVENTS`
 * slots are enough to count.
 * @returns also the last id that was searched, undefined after the last name, and the rows that the
 * search has read
 */
export async function findUnsealed(
  db: Db,
  { after, names }: NamePage,
  { horizon, minLate, abandonedBefore }: Limits
): Promise<{ found: EventKind[]; last: number | undefined; rows: number }> {
  const isKept = sql`(${s.isSealed} or ${s.startedAt} >= ${abandonedBefore})`
  const page = sql`
    select ${eventNames.projectId}, ${eventNames.id} as event_id from ${eventNames}
    where ${eventNames.id} > ${after} order by ${eventNames.id} limit ${names}`
  const unsealed = sql`
    with kinds as materialized (${page}), placed as (
      select ${s.id}, k.project_id, k.event_id, ${s.since} / ${SLOT} as since, ${s.until} / ${SLOT} as until
      from kinds k cross join ${segments} ${s}
        on ${s.projectId} = k.project_id and ${s.eventId} = k.event_id and ${isKept}
    ), gaps as (
      select project_id, event_id, lag(until, 1, ${FIRST_SLOT}) over (partition by project_id, event_id order by since, until) as since,
        since as until
      from (select project_id, event_id, since, until from placed
            union all select project_id, event_id, ${horizon}, ${horizon} from kinds)
    ), counted as (
      select project_id, event_id, since <> ${FIRST_SLOT} and until <> ${horizon} as is_hole, (
          select sum(count) from (
            select ${c.count} from ${eventCounts} ${c}
            where ${c.projectId} = gaps.project_id and ${c.eventId} = gaps.event_id
              and ${c.slot} >= gaps.since and ${c.slot} < gaps.until and ${c.count} > 0
            limit ${MIN_EVENTS})) as count
      from gaps where since < until
    )
    select project_id, event_id from counted where count >= ${MIN_EVENTS} or (is_hole and count > 0)
    union select project_id, event_id from placed where ${countLate(sql`placed.id`, minLate)} >= ${minLate}
    order by 1, 2`
  const [found, searched] = await db.$client.run([
    bindRead(unsealed),
    bindRead(sql`select max(event_id) as last, count(*) as names from (${page})`)
  ])
  // The casts are safe: these are the columns of the statements.
  const [end] = (searched?.results ?? []) as { last: number | null; names: number }[]
  return {
    found: (found?.results ?? []) as EventKind[],
    last: end?.names === names ? (end.last ?? undefined) : undefined,
    rows: found?.meta.rows_read ?? 0
  }
}

/** The rows of `sequences` that note how far names were searched for (many) late events. */
export type SearchNote = 'searched_event_name' | 'searched_late_name'

/** Returns the id of the name after which a search continues; 0 for the beginning. */
export async function readSearched(db: Db, name: SearchNote): Promise<number> {
  const [row] = await db.select().from(sequences).where(eq(sequences.name, name))
  return row?.value ?? 0
}

export const noteSearched = (db: Db, name: SearchNote, value: number) =>
  db
    .insert(sequences)
    .values({ name, value })
    .onConflictDoUpdate({ target: sequences.name, set: { value: excluded(sequences.value) } })

/** A segment of an event name. */
export type PlacedRow = {
  id: number
  since: number
  until: number
  count: number
  is_sealed: number
  /** The number of late events, counted up to `minLate`. */
  late: number
}

/** Lists the segments of an event name in order of time, without abandoned ones. */
export async function listSegments(
  db: Db,
  kind: EventKind,
  { minLate, abandonedBefore }: Limits
): Promise<PlacedRow[]> {
  const listed = query<PlacedRow>(sql`
    select ${segments.id}, ${segments.since}, ${segments.until}, ${segments.count}, ${segments.isSealed},
      ${countLate(segments.id, minLate)} as late
    from ${segments}
    where ${isOf(segments, kind)} and (${segments.isSealed} or ${segments.startedAt} >= ${abandonedBefore})
    order by ${segments.since}`)
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
    select ${c.slot}, ${c.count}
    from json_each(${json}) r cross join ${eventCounts} ${c}
      on ${c.projectId} = ${project_id} and ${c.eventId} = ${event_id}
      and ${c.slot} >= r.value ->> 0 and ${c.slot} < r.value ->> 1
    where ${c.count} > 0 order by r.key, ${c.slot} limit ${limit}`)
  return (await readBatch(db, slots))[0]
}

/** A segment to build, at the moment `now`. */
export type PlannedSegment = EventKind & SegmentPlan & { now: number; abandonedBefore: number }

/** A segment that is being built. */
export type BuildingSegment = BuiltSegment & { id: number }

/**
 * Removes what the plan replaces, and abandoned segments of its range, and begins the new segment.
 * @returns undefined if another run seals a part of the range
 */
export async function beginSegment(
  db: Db,
  { since, until, replaces, now, abandonedBefore, ...kind }: PlannedSegment
): Promise<BuildingSegment | undefined> {
  const build = crypto.randomUUID()
  const isOverlapping = sql`
    ${isOf(segments, kind)} and ${segments.since} < ${until} and ${segments.until} > ${since}`
  const isAbandoned = sql`(not ${segments.isSealed} and ${segments.startedAt} < ${abandonedBefore})`
  const isReplaced = sql`(${segments.id} in ${inJson(replaces)} or ${isAbandoned})`
  try {
    const results = await writeBatch(db, [
      expectRows(0, sql`${segments} where ${isOverlapping} and not ${isReplaced}`),
      // The statement before makes sure that these are all replaced or abandoned.
      sql`delete from ${segments} where ${isOverlapping}`,
      insertUnsealed(kind, { since, until, startedAt: now, build })
    ])
    // The cast is safe: the insert returns ids alone.
    const [row] = (results.at(-1)?.results ?? []) as { id: number }[]
    const { project_id: projectId, event_id: eventId } = kind
    return row && { id: row.id, build, projectId, eventId, since, until }
  } catch (error) {
    if (findConflict(error)) {
      return undefined
    }
    throw error
  }
}

const insertUnsealed = (
  { project_id, event_id }: EventKind,
  range: { since: number; until: number; startedAt: number; build: string }
): SQL => {
  const content = { isSealed: 0, count: 0, slots: '', cold: null }
  const values = { projectId: project_id, eventId: event_id, ...range, ...content }
  return sql`${insertSelect(segments, values, sql`(select 1)`)} returning ${bare(segments.id)}`
}

/** An event's place in its name. The uuid is hexadecimal; an empty one comes first. */
export type EventPlace = { timestamp: number; uuid: string }

export type PlacedEvent = SealedRow & EventPlace

/** A range of an event name. */
export type EventRange = {
  after: EventPlace
  until: number
  withProperties: boolean
  /** The segment whose late events are left out. */
  without?: number
}

/**
 * Reads the next events of a range after a place: at most `maxRows`, with about `maxBytes` of
 * properties, but at least one.
 */
export async function readSegmentRows(
  db: Db,
  kind: EventKind,
  { after, until, withProperties, without }: EventRange,
  { maxRows, maxBytes }: { maxRows: number; maxBytes: number }
): Promise<{ rows: PlacedEvent[]; ms: number }> {
  const { timestamp, uuid } = events
  const isOnTime =
    without === undefined
      ? sql`1`
      : sql`not exists (
          select 1 from ${lateEvents}
          where ${lateEvents.segmentId} = ${without}
            and ${lateEvents.timestamp} = ${timestamp} and ${lateEvents.uuid} = ${uuid})`
  const rest = sql`
    from ${events} where ${isOf(events, kind)} and ${timestamp} < ${until}
      and (${timestamp}, ${uuid}) > (${after.timestamp}, unhex(${after.uuid})) and ${isOnTime}
    order by ${timestamp}, ${uuid}`
  const sizes = sql`
    select sum(bytes) over (order by timestamp, uuid rows unbounded preceding) as total
    from (select ${timestamp}, ${uuid}, length(${events.properties}) as bytes ${rest} limit ${maxRows})`
  const limit = withProperties
    ? sql`max(1, (select count(*) from (${sizes}) where total <= ${maxBytes}))`
    : sql`${maxRows}`
  const properties = withProperties ? sql`json(${events.properties})` : sql`null`
  const [result] = await db.$client.run<PlacedEvent>([
    bindRead(sql`
      select ${timestamp}, hex(${uuid}) as uuid, ${events.identity}, ${events.version}, ${events.sessionId},
        ${properties} as properties
      ${rest} limit ${limit}`)
  ])
  return { rows: result?.results ?? [], ms: result?.meta.duration ?? 0 }
}

/** Writes columns of a segment that is being built; none if the segment is gone. */
export const writeSegment = (
  db: Db,
  { id }: BuildingSegment,
  columns: readonly EncodedColumn[]
): Promise<{ ms: number }> =>
  writeColumns(db, columns, ({ name, data }) =>
    insertSelect(
      segmentColumns,
      { segmentId: id, name, data },
      sql`${segments} where ${isUnsealed(id)}`
    )
  )

/**
 * Seals a segment, or removes it if an event of its range was stored in the meantime.
 * @returns whether it is sealed
 */
export async function sealSegment(
  db: Db,
  { id }: BuildingSegment,
  content: SegmentContent
): Promise<boolean> {
  const isComplete = sql`not exists (
    select 1 from ${lateEvents} where ${lateEvents.segmentId} = ${id})`
  const [sealed] = await db.batch([
    db
      .update(segments)
      .set({ isSealed: true, ...content })
      .where(and(isUnsealed(id), isComplete))
      .returning({ id: segments.id }),
    db.delete(segments).where(isUnsealed(id))
  ])
  return sealed.length > 0
}

/** Removes a segment that is being built. */
export const abandonSegment = (db: Db, { id }: BuildingSegment) =>
  db.delete(segments).where(isUnsealed(id))

const isUnsealed = (id: number): SQL => sql`${segments.id} = ${id} and not ${segments.isSealed}`

/** A sealed segment. */
export type SegmentCopy = EventKind & {
  id: number
  build: string
  since: number
  until: number
  count: number
  /** Encoded: see `codec.ts`. */
  slots: string
  /** The encoded names of the properties without a column; null if they are not all listed. */
  cold: string | null
  columns: EncodedColumn[]
}

/** Lists the ids of sealed segments, in random order. */
export async function sampleSegments(db: Db, limit: number): Promise<number[]> {
  const ids = query<{ id: number }>(sql`
    select ${segments.id} from ${segments} where ${segments.isSealed}
    order by random() limit ${limit}`)
  return (await readBatch(db, ids))[0].map(({ id }) => id)
}

/** Reads a sealed segment and its columns; undefined if it is gone. */
export async function openSegment(db: Db, id: number): Promise<SegmentCopy | undefined> {
  const [[segment], columns] = await readBatch(
    db,
    query<Omit<SegmentCopy, 'columns'>>(sql`
      select ${segments.id}, ${segments.build}, ${segments.projectId}, ${segments.eventId},
        ${segments.since}, ${segments.until}, ${segments.count}, ${segments.slots}, ${segments.cold}
      from ${segments} where ${segments.id} = ${id} and ${segments.isSealed}`),
    query<EncodedColumn>(sql`
      select ${segmentColumns.name}, ${segmentColumns.data} from ${segmentColumns}
      where ${segmentColumns.segmentId} = ${id}`)
  )
  return segment && { ...segment, columns }
}
