import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { listedIn } from '../../columns/names.store.ts'
import { SLOT } from '../../columns/slots/store.ts'
import { query, readBatch } from '../../db/batch.ts'
import {
  eventCounts,
  eventNames,
  events,
  lateEvents,
  persons,
  segmentColumns,
  segments
} from '../../db/schema.ts'

export type NameRow = { id: number; name: string }

/** Lists the names that stored events of a project have, sorted by code points. */
export async function listNames({ db, project }: Scope): Promise<NameRow[]> {
  const [rows] = await readBatch(
    db,
    query<NameRow>(sql`
      select ${eventNames.id}, ${eventNames.name} from ${eventNames}
      where ${eventNames.projectId} = ${project.id} and exists (
        select 1 from ${events} not indexed
        where ${events.projectId} = ${eventNames.projectId} and ${events.eventId} = ${eventNames.id})
      order by ${eventNames.name}`)
  )
  return rows
}

export type NameCount = { id: number; count: number; last: number }

/**
 * Counts the events of some names, and finds the time of the last event of each. A segment's row
 * has the number of its events, so `event_counts` is added up only for the slots that no segment
 * covers.
 */
export async function countNames(
  { db, project }: Scope,
  ids: readonly number[]
): Promise<NameCount[]> {
  const wanted = sql`json_each(${JSON.stringify(ids)})`
  const sealed = sql`
    select wanted.value as id, ${segments.since}, ${segments.until}, ${segments.count} + (
      select count(*) from ${lateEvents} where ${lateEvents.segmentId} = ${segments.id}) as count
    from ${wanted} wanted cross join ${segments}
      on ${segments.projectId} = ${project.id} and ${segments.eventId} = wanted.value and ${segments.isSealed}`
  // The ranges before, between and after the segments of a name: null is an open end.
  const gaps = sql`
    select id, lag(until) over (partition by id order by since) as since, since as until from sealed
    union all select id, max(until), null from sealed group by id
    union all select value, null, null from ${wanted} where value not in (select id from sealed)`
  const loose = sql`
    select gap.id, (
      select coalesce(sum(${eventCounts.count}), 0) from ${eventCounts}
      where ${eventCounts.projectId} = ${project.id} and ${eventCounts.eventId} = gap.id
        and ${eventCounts.slot} >= coalesce(gap.since / ${SLOT}, -9e15)
        and ${eventCounts.slot} < coalesce(gap.until / ${SLOT}, 9e15)) as count
    from gaps gap`
  const last = sql`
    select ${events.timestamp} from ${events} not indexed
    where ${events.projectId} = ${project.id} and ${events.eventId} = counted.id
    order by ${events.timestamp} desc limit 1`
  const [rows] = await readBatch(
    db,
    query<NameCount>(sql`
      with sealed as materialized (${sealed}), gaps as materialized (${gaps}), loose as materialized (${loose})
      select id, sum(count) as count, (${last}) as last
      from (select id, count from sealed union all select id, count from loose) counted group by id`)
  )
  return rows
}

/**
 * A property. `kind` is the JSON type of its newest value that is not null, among the newest events
 * or persons; null if these have no such value.
 */
export type PropertyRow = { name: string; kind: string | null }

/** Newest events whose properties are listed, of all names together; at least one of each name. */
const NEWEST_EVENTS = 1_000
/** Newest events of each name whose properties are listed. */
export const NEWEST_OF_NAME = 20
/** Newest persons whose properties are listed. */
export const NEWEST_PERSONS = 1_000

/**
 * SQL: whether a segment's column is a property, named `event:<property>`. In ASCII, `;` comes
 * right after `:`.
 */
const IS_PROPERTY = sql`(${segmentColumns.name} >= 'event:' and ${segmentColumns.name} < 'event;')`

/** SQL: the properties of the newest events of some names, with the types of their values. */
function newestEventKinds(projectId: number, names: readonly number[]): SQL {
  const each = Math.max(1, Math.min(NEWEST_OF_NAME, Math.floor(NEWEST_EVENTS / names.length)))
  return newestKinds(sql`
    select property.key as name, property.type as kind, ${events.timestamp} as timestamp
      from json_each(${JSON.stringify(names)}) wanted
      cross join json_each((
        select json_group_array(json_array(timestamp, hex(uuid))) from (
          select ${events.timestamp}, ${events.uuid} from ${events} not indexed
          where ${events.projectId} = ${projectId} and ${events.eventId} = wanted.value
          order by ${events.timestamp} desc, ${events.uuid} desc limit ${each}))) recent
      cross join ${events} not indexed on ${events.projectId} = ${projectId} and ${events.eventId} = wanted.value
        and ${events.timestamp} = recent.value ->> 0 and ${events.uuid} = unhex(recent.value ->> 1)
      cross join json_each(${events.properties}) property`)
}

/** Finds the types of the properties that the newest events of some names have. */
export async function findEventKinds(
  { db, project }: Pick<Scope, 'db'> & { project: { id: number } },
  names: readonly number[]
): Promise<PropertyRow[]> {
  return (await readBatch(db, query<PropertyRow>(newestEventKinds(project.id, names))))[0]
}

/** Lists the properties that segments have, and those of the newest events of some names. */
export async function listEventProperties(
  { db, project }: Scope,
  names: readonly number[]
): Promise<PropertyRow[]> {
  const [rows] = await readBatch(
    db,
    query<PropertyRow>(sql`
      with newest as materialized (${newestEventKinds(project.id, names)})
      select name, kind from newest
      union all
      select distinct substr(${segmentColumns.name}, length('event:') + 1), null
      from ${segments} cross join ${segmentColumns} on ${segmentColumns.segmentId} = ${segments.id}
      where ${segments.projectId} = ${project.id} and ${segments.isSealed} and ${IS_PROPERTY}
      union all
      select distinct cold.value, null from ${segments} cross join json_each(${listedIn(segments.cold)}) cold
      where ${segments.projectId} = ${project.id} and ${segments.isSealed}`)
  )
  return rows
}

/** Lists the properties of the newest persons. */
export async function listPersonProperties({ db, project }: Scope): Promise<PropertyRow[]> {
  const newest = sql`
    select property.key as name, property.type as kind, recent.created_at as timestamp from (
      select ${persons.properties}, ${persons.createdAt} from ${persons} where ${persons.projectId} = ${project.id}
      order by ${persons.createdAt} desc, ${persons.id} desc limit ${NEWEST_PERSONS}) recent
      cross join json_each(recent.properties) property`
  const [rows] = await readBatch(db, query<PropertyRow>(newestKinds(newest)))
  return rows
}

/** Selects each name of `values` once, with the type of its newest value that is not null. */
const newestKinds = (values: SQL): SQL => sql`
  select name, kind from (
    select name, nullif(kind, 'null') as kind,
      row_number() over (partition by name order by kind = 'null', timestamp desc) as place
    from (${values} limit -1))
  where place = 1`
