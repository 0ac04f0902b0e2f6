import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import {
  eventCounts,
  eventNames,
  events,
  persons,
  segmentColumns,
  segments
} from '../../db/schema.ts'
import { SLOT } from '../../rollups/store.ts'

export type NameRow = { id: number; name: string }

/** Lists the names of a project's events in the order of their code points, without names that no event has any more. */
export async function listNames(db: Db, projectId: number): Promise<NameRow[]> {
  const [rows] = await readBatch(
    db,
    query<NameRow>(sql`
      select ${eventNames.id}, ${eventNames.name} from ${eventNames}
      where ${eventNames.projectId} = ${projectId} and exists (
        select 1 from ${events} not indexed
        where ${events.projectId} = ${eventNames.projectId} and ${events.eventId} = ${eventNames.id})
      order by ${eventNames.name}`)
  )
  return rows
}

export type NameCount = { id: number; count: number; last: number }

/**
 * Counts the events of some names, and finds when the last event of each was. Segments know how many events they have: only the
 * slots that no segment covers are added up.
 */
export async function countNames(
  db: Db,
  projectId: number,
  ids: readonly number[]
): Promise<NameCount[]> {
  const sealed = sql`
    json_each(${JSON.stringify(ids)}) n cross join segments s
      on s.project_id = ${projectId} and s.event_id = n.value and s.is_sealed`
  const ofCounts = sql`${eventCounts.projectId} = ${projectId} and ${eventCounts.eventId} = g.id`
  const [rows] = await readBatch(
    db,
    query<NameCount>(sql`
      with sealed as materialized (
        select n.value as id, s.since, s.until,
          s.count + (select count(*) from late_events l where l.segment_id = s.id) as count
        from ${sealed}),
      gaps as materialized (
        select id, lag(until) over (partition by id order by since) as since, since as until from sealed
        union all select id, max(until), null from sealed group by id
        union all select value, null, null from json_each(${JSON.stringify(ids)})
        where value not in (select id from sealed)),
      loose as materialized (
        select g.id, (
          select coalesce(sum(${eventCounts.count}), 0) from ${eventCounts}
          where ${ofCounts} and ${eventCounts.slot} >= coalesce(g.since / ${SLOT}, -9e15)
            and ${eventCounts.slot} < coalesce(g.until / ${SLOT}, 9e15)) as count
        from gaps g)
      select id, sum(count) as count, (
        select ${events.timestamp} from ${events} not indexed
        where ${events.projectId} = ${projectId} and ${events.eventId} = counted.id
        order by ${events.timestamp} desc limit 1) as last
      from (select id, count from sealed union all select id, count from loose) counted group by id`)
  )
  return rows
}

/** The JSON type of a property in the newest events or persons that have it; null if only older ones have it. */
export type PropertyRow = { name: string; kind: string | null }

/** Newest events of all names together, of each name and newest persons, whose properties are listed. */
const NEWEST_EVENTS = 1_000
export const NEWEST_OF_NAME = 20
export const NEWEST_PERSONS = 1_000

/** Lists the properties of events: those that segments have, and those of the newest events of some names. */
export async function listEventProperties(
  db: Db,
  projectId: number,
  names: readonly number[]
): Promise<PropertyRow[]> {
  const each = Math.max(1, Math.min(NEWEST_OF_NAME, Math.floor(NEWEST_EVENTS / names.length)))
  const newest = sql`
    select p.key as name, p.type as kind, ${events.timestamp} as timestamp from json_each(${JSON.stringify(names)}) n
      cross join json_each((
        select json_group_array(json_array(timestamp, hex(uuid))) from (
          select ${events.timestamp}, ${events.uuid} from ${events} not indexed
          where ${events.projectId} = ${projectId} and ${events.eventId} = n.value
          order by ${events.timestamp} desc, ${events.uuid} desc limit ${each}))) k
      cross join ${events} not indexed on ${events.projectId} = ${projectId} and ${events.eventId} = n.value
        and ${events.timestamp} = k.value ->> 0 and ${events.uuid} = unhex(k.value ->> 1)
      cross join json_each(${events.properties}) p`
  const [rows] = await readBatch(
    db,
    query<PropertyRow>(sql`
      with newest as materialized (${named(newest)})
      select name, kind from newest
      union all
      select distinct substr(${segmentColumns.name}, 7), null from ${segments} cross join ${segmentColumns}
        on ${segmentColumns.segmentId} = ${segments.id}
      where ${segments.projectId} = ${projectId} and ${segments.isSealed} and ${segmentColumns.name} >= 'event:'
        and ${segmentColumns.name} < 'event;'
      union all
      select distinct cold.value, null from ${segments} cross join json_each(${segments.cold}) cold
      where ${segments.projectId} = ${projectId} and ${segments.isSealed}`)
  )
  return rows
}

/** Lists the properties of the newest persons. */
export async function listPersonProperties(db: Db, projectId: number): Promise<PropertyRow[]> {
  const newest = sql`
    select p.key as name, p.type as kind, recent.created_at as timestamp from (
      select ${persons.properties}, ${persons.createdAt} from ${persons} where ${persons.projectId} = ${projectId}
      order by ${persons.createdAt} desc, ${persons.id} desc limit ${NEWEST_PERSONS}) recent
      cross join json_each(recent.properties) p`
  const [rows] = await readBatch(db, query<PropertyRow>(named(newest)))
  return rows
}

/** Returns each name once, with the type of its newest value that is not null. */
const named = (newest: SQL): SQL => sql`
  select name, kind from (
    select name, nullif(kind, 'null') as kind,
      row_number() over (partition by name order by kind = 'null', timestamp desc) as place
    from (${qualified(newest)}))
  where place = 1`

/** Keeps a subquery whole. */
const qualified = (subquery: SQL): SQL =>
  sql`select name, kind, timestamp from (${subquery} limit -1)`
