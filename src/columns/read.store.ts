import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { eventNames, events, lateEvents, segmentColumns, segments } from '../db/schema.ts'
import type { Json } from '../input/json.ts'
import type { Span, WantedColumns } from './batch.ts'
import { listedIn } from './names.store.ts'

/** The beginning of the name of a property's column. */
export const PROPERTY = 'event:'

const n = alias(eventNames, 'n')
const c = alias(segmentColumns, 'c')
const s = alias(segments, 's')
const e = alias(events, 'e')
const l = alias(lateEvents, 'l')

/**
 * Returns the time, ms UTC, of the first event with one of these names, or with any name, from
 * `since` on; undefined if there is none. Looks up one event of each name.
 */
export async function findFirst(
  db: Db,
  projectId: number,
  { names, since }: { names: readonly string[] | undefined; since: number }
): Promise<number | undefined> {
  const isNamed = names === undefined ? sql`1` : sql`${n.name} in ${inJson(names)}`
  const [[row]] = await readBatch(
    db,
    query<{ first: number | null }>(sql`
      select min((select ${e.timestamp} from ${events} ${e} where ${e.projectId} = ${n.projectId} and ${e.eventId} = ${n.id}
                    and ${e.timestamp} >= ${since}
                  order by ${e.timestamp} limit 1)) as first
      from ${eventNames} ${n} where ${n.projectId} = ${projectId} and ${isNamed}`)
  )
  return row?.first ?? undefined
}

/** The encoded columns of a segment, by name. */
export type Encoded = Map<string, string>

/** The encoded names of a segment's properties without a column, and those with one. */
export type Cold = { data: string; withColumn: string[] }

/** Rows as columns. A column that is not wanted is undefined. */
export type RowColumns = {
  length: number
  times: number[]
  names: number[] | undefined
  identities: number[] | undefined
  versions: (number | null)[] | undefined
  sessions: (string | null)[] | undefined
  uuids: string[] | undefined
  bodies: string[] | undefined
  properties: Json[][]
}

/** A segment, the names of its columns to read, and whether it has late events. */
export type AskedSegment = { id: number; columns: readonly string[]; isLate: boolean }

/**
 * The columns and late events of a segment. A property that no event of the segment has is not
 * among the columns. `cold` is set if a column of the request is missing.
 */
export type Sealed = { encoded: Encoded; cold: Cold | undefined; late: RowColumns | undefined }

/**
 * Reads columns of some segments, and the late events of each. Leaves out a segment that is gone,
 * or whose events may have a wanted property without a column. One round trip, one snapshot.
 * @param asked the segments, with the wanted columns that are not cached
 */
export async function readSegments(
  db: Db,
  projectId: number,
  asked: readonly AskedSegment[],
  wanted: WantedColumns
): Promise<Map<number, Sealed>> {
  const isMissing = sql`name.value is not null and ${segmentColumns.name} is null`
  const lateIds = asked.filter(({ isLate }) => isLate).map(({ id }) => id)
  const [columns, late = []] = await readBatch(
    db,
    query<{ id: number } & ColumnRow>(sql`
      select ${s.id}, ${segmentColumns.name}, ${segmentColumns.data},
        iif(${isMissing}, ${s.cold}, null) as cold,
        iif(${isMissing}, (
          select json_group_array(substr(${c.name}, ${PROPERTY.length + 1})) from ${segmentColumns} ${c}
          where ${c.segmentId} = ${s.id} and substr(${c.name}, 1, ${PROPERTY.length}) = ${PROPERTY}), null) as with_column
      from json_each(${JSON.stringify(asked)}) a
        cross join ${segments} ${s}
          on ${s.id} = a.value ->> 'id' and ${s.projectId} = ${projectId} and ${s.isSealed}
          and ${hasColumns(wanted.properties)}
        left join json_each(a.value -> 'columns') name
        left join ${segmentColumns}
          on ${segmentColumns.segmentId} = ${s.id} and ${segmentColumns.name} = name.value`),
    ...(lateIds.length > 0 ? [readLate(projectId, lateIds, wanted)] : [])
  )
  const lateOf = new Map(late.map((row) => [row.segment_id, toRows(row, wanted)]))
  const found = Map.groupBy(columns, ({ id }) => id)
  return new Map(
    Array.from(found, ([id, own]) => [id, { ...toEncoded(own), late: lateOf.get(id) }])
  )
}

/** SQL: whether no event of the segment `s` has one of these properties without a column. */
function hasColumns(properties: readonly string[]): SQL {
  const keys = JSON.stringify(properties)
  return sql`(${s.cold} is not null or ${properties.length} = (
      select count(*) from ${segmentColumns} where ${segmentColumns.segmentId} = ${s.id}
        and ${segmentColumns.name} in (select 'event:' || value from json_each(${keys}))))
    and not exists (
      select 1 from json_each(${listedIn(s.cold)}) where value in (select value from json_each(${keys})))`
}

/** Lists those of some segments whose events may have one of these properties without a column. */
export async function findUnread(
  db: Db,
  projectId: number,
  asked: readonly { id: number }[],
  properties: readonly string[]
): Promise<number[]> {
  const [rows] = await readBatch(
    db,
    query<{ id: number }>(sql`
      select ${s.id} from json_each(${JSON.stringify(asked.map(({ id }) => id))}) a
        cross join ${segments} ${s} on ${s.id} = a.value and ${s.projectId} = ${projectId}
      where not (${hasColumns(properties)})`)
  )
  return rows.map(({ id }) => id)
}

/** A column of a segment, or a row that says that the segment lacks a column. */
type ColumnRow =
  | { name: string; data: string }
  | { name: null; cold: string | null; with_column: string | null }

function toEncoded(rows: readonly ColumnRow[]): Pick<Sealed, 'encoded' | 'cold'> {
  const encoded: Encoded = new Map()
  let cold: Cold | undefined
  for (const row of rows) {
    if (row.name !== null) {
      encoded.set(row.name, row.data)
    } else if (row.cold !== null && row.with_column !== null) {
      cold = { data: row.cold, withColumn: JSON.parse(row.with_column) }
    }
  }
  return { encoded, cold }
}

const readLate = (projectId: number, segmentIds: readonly number[], wanted: WantedColumns) =>
  query<Found & { segment_id: number }>(sql`
    select ${l.segmentId}, ${aggregates(wanted)}
    from ${inJson(segmentIds)} a
      cross join ${segments} ${s} on ${s.id} = a.value and ${s.projectId} = ${projectId}
      cross join ${lateEvents} ${l} on ${l.segmentId} = ${s.id}
      cross join ${events} ${e} on ${e.projectId} = ${s.projectId} and ${e.eventId} = ${s.eventId} and ${e.timestamp} = ${l.timestamp}
        and ${e.uuid} = ${l.uuid}
    group by ${l.segmentId}`)

/** A row of `aggregates`: the number of events, and a JSON list for each wanted column. */
type Found = Record<'n' | 'times', number | string> & Record<string, number | string | null>

/** SQL: the number of events `e`, and their times and wanted columns as JSON arrays. */
function aggregates(wanted: WantedColumns): SQL {
  const { names, identities, versions, sessions, properties, uuids, bodies } = wanted
  return sql.join(
    [
      sql`count(*) as n, json_group_array(${e.timestamp}) as times`,
      ...(names ? [sql`json_group_array(${e.eventId}) as names`] : []),
      ...(identities ? [sql`json_group_array(${e.identity}) as identities`] : []),
      ...(versions ? [sql`json_group_array(${e.version}) as versions`] : []),
      ...(sessions ? [sql`json_group_array(${e.sessionId}) as sessions`] : []),
      ...(uuids ? [sql`json_group_array(hex(${e.uuid})) as uuids`] : []),
      // The operator makes the JSON a text, which is quoted in the list.
      ...(bodies ? [sql`json_group_array(json(${e.properties}) || '') as bodies`] : []),
      ...properties.map(
        (key, i) =>
          sql`json_group_array(${e.properties} -> ${`$.${JSON.stringify(key)}`}) as ${sql.identifier(`p${i}`)}`
      )
    ],
    sql`, `
  )
}

function toRows(row: Found, wanted: WantedColumns): RowColumns {
  const { names, identities, versions, sessions, properties, uuids, bodies } = wanted
  const parse = (name: string) => JSON.parse(String(row[name]))
  return {
    length: Number(row.n),
    times: parse('times'),
    names: names ? parse('names') : undefined,
    identities: identities ? parse('identities') : undefined,
    versions: versions ? parse('versions') : undefined,
    sessions: sessions ? parse('sessions') : undefined,
    uuids: uuids ? parse('uuids') : undefined,
    bodies: bodies ? parse('bodies') : undefined,
    properties: properties.map((_, i) => parse(`p${i}`))
  }
}

type Kind = { projectId: number; eventId: number }

/** A span of time of one name's events. */
export type NameSpan = Span & { eventId: number }

/** The events of some spans, span by span. */
function eventsOf(projectId: number, spans: readonly NameSpan[]): SQL {
  const list = spans.map(({ eventId, since, until }) => [eventId, since, until])
  return sql`json_each(${JSON.stringify(list)}) span cross join ${events} ${e} not indexed
    on ${e.projectId} = ${projectId} and ${e.eventId} = span.value ->> 0
    and ${e.timestamp} >= span.value ->> 1 and ${e.timestamp} < span.value ->> 2`
}

/**
 * Reads the events of some spans, span by span. Those of a span come in the order of time and uuid.
 */
export async function readRows(
  db: Db,
  projectId: number,
  spans: readonly NameSpan[],
  wanted: WantedColumns
): Promise<RowColumns> {
  const [[row]] = await readBatch(
    db,
    query<Found>(sql`select ${aggregates(wanted)} from ${eventsOf(projectId, spans)}`)
  )
  return toRows(row ?? { n: 0, times: '[]' }, wanted)
}

/** Measures the properties of the events of some spans, bytes. */
export async function measureRows(
  db: Db,
  projectId: number,
  spans: readonly NameSpan[]
): Promise<{ bytes: number; longest: number }> {
  const [[row]] = await readBatch(
    db,
    query<{ bytes: number; longest: number }>(sql`
      select coalesce(sum(length(${e.properties})), 0) as bytes, coalesce(max(length(${e.properties})), 0) as longest
      from ${eventsOf(projectId, spans)}`)
  )
  return row ?? { bytes: 0, longest: 0 }
}

/**
 * Reads a page of the events of one name at a moment, in the order of uuids. @returns also the last
 * uuid, in hexadecimal
 */
export async function readMoment(
  db: Db,
  { projectId, eventId }: Kind,
  { time, after, limit }: { time: number; after: string; limit: number },
  wanted: WantedColumns
): Promise<{ rows: RowColumns; last: string }> {
  const [[row]] = await readBatch(
    db,
    query<Found & { last: string | null }>(sql`
      select ${aggregates(wanted)}, hex(max(${e.uuid})) as last from (
        select ${e}.* from ${events} ${e} not indexed
        where ${e.projectId} = ${projectId} and ${e.eventId} = ${eventId} and ${e.timestamp} = ${time}
          and ${e.uuid} > unhex(${after})
        order by ${e.uuid} limit ${limit}) e`)
  )
  return { rows: toRows(row ?? { n: 0, times: '[]' }, wanted), last: row?.last ?? '' }
}

/** Reads the events of several names in a range, in the order of time and uuid. */
export async function readSortedRows(
  db: Db,
  { projectId, eventIds }: { projectId: number; eventIds: readonly number[] },
  { since, until }: Span,
  wanted: WantedColumns
): Promise<RowColumns> {
  const [[row]] = await readBatch(
    db,
    query<Found>(sql`
      select ${aggregates(wanted)} from (
        select ${e}.* from json_each(${JSON.stringify(eventIds)}) wanted cross join ${events} ${e} not indexed
          on ${e.projectId} = ${projectId} and ${e.eventId} = wanted.value and ${e.timestamp} >= ${since} and ${e.timestamp} < ${until}
        order by ${e.timestamp}, ${e.uuid} limit -1) e`)
  )
  return toRows(row ?? { n: 0, times: '[]' }, wanted)
}
