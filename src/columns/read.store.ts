import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { planRead, query, type Read, readBatch, template } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import {
  eventCounts,
  eventNames,
  events,
  lateEvents,
  segmentColumns,
  segments
} from '../db/schema.ts'
import type { Json } from '../input/json.ts'
import { SLOT } from '../rollups/store.ts'
import type { Source, Wanted } from './batch.ts'
import { decodeSlots, type SlotCount, type Slots } from './codec.ts'
import { type Name, Overview } from './overview.ts'

type Range = { since: number; until: number }

const n = alias(eventNames, 'n')
const s = alias(segments, 's')
const t = alias(segments, 't')
const c = alias(eventCounts, 'c')
const e = alias(events, 'e')
const l = alias(lateEvents, 'l')

/** A sealed segment; `slots` is null if the caller knows them. `late` lists the slots of its late events, null without any. */
type SealedRow = {
  id: number
  build: string
  event_id: number
  since: number
  until: number
  count: number
  slots: string | null
  late: string | null
}

/** The slots of a name that have events outside segments, and the numbers of these events, as JSON lists. */
type LooseRow = { event_id: number; slots: string; counts: string }

function namesOf(
  sealed: readonly SealedRow[],
  loose: readonly LooseRow[],
  known: ReadonlyMap<string, Slots>
): Name[] {
  const names = new Map<number, Name>()
  const nameOf = (eventId: number): Name => {
    const name = names.get(eventId) ?? { eventId, segments: [], loose: [] }
    names.set(eventId, name)
    return name
  }
  for (const { id, build, event_id, slots, late, ...segment } of sealed) {
    nameOf(event_id).segments.push({
      id,
      build,
      eventId: event_id,
      ...segment,
      slots: known.get(build) ?? decodeSlots(slots ?? ''),
      late: countEach(JSON.parse(late ?? '[]'))
    })
  }
  for (const { event_id, slots, counts } of loose) {
    const numbers: number[] = JSON.parse(counts)
    const places: number[] = JSON.parse(slots)
    nameOf(event_id).loose = places
      .map((slot, i) => ({ slot, count: numbers[i] ?? 0 }))
      .sort((a, b) => a.slot - b.slot)
  }
  return [...names.values()]
}

/** SQL: the beginning of the first segment `t` of a name for which a condition holds; null if there is none. */
const nextSegment = (projectId: SQLWrapper, eventId: SQLWrapper, condition: SQL): SQL => sql`(
  select ${t.since} from ${segments} ${t}
  where ${t.projectId} = ${projectId} and ${t.eventId} = ${eventId} and ${condition} and ${t.isSealed}
  order by ${t.since} limit 1)`

const projectId = sql.placeholder('projectId')
const event = sql.placeholder('event')
const from = sql.placeholder('from')
const end = sql.placeholder('end')
const knownBuilds = sql.placeholder('knownBuilds')

type OverviewValues = {
  projectId: number
  event: string | null
  from: number
  end: number
  /** JSON. */
  knownBuilds: string
}

/** Converts the statements of an overview to SQL, once for all trends. */
function overviewOf(isNamed: SQL) {
  const sealed = sql`
    ${eventNames} ${n} cross join ${segments} ${s}
      on ${s.projectId} = ${n.projectId} and ${s.eventId} = ${n.id} and ${s.since} < ${end} and ${s.until} > ${from} and ${s.isSealed}
    where ${n.projectId} = ${projectId} and ${isNamed}`
  return {
    sealed: template<OverviewValues>(sql`
      select ${s.id}, ${s.build}, ${s.eventId}, ${s.since}, ${s.until}, ${s.count},
        iif(${s.build} in (select value from json_each(${knownBuilds})), null, ${s.slots}) as slots,
        (select json_group_array(cast(floor(${lateEvents.timestamp} / ${SLOT}) as integer)) from ${lateEvents}
         where ${lateEvents.segmentId} = ${s.id} having count(*) > 0) as late
      from ${sealed} order by ${s.eventId}, ${s.since}`),
    loose: template<OverviewValues>(sql`
      select ${c.eventId}, json_group_array(${c.slot}) as slots, json_group_array(${c.count}) as counts
      from (
        select ${n.id} as event_id, ${from} as since, ${nextSegment(n.projectId, n.id, sql`${t.until} > ${from}`)} as until
        from ${eventNames} ${n} where ${n.projectId} = ${projectId} and ${isNamed}
        union all
        select ${s.eventId}, ${s.until}, ${nextSegment(s.projectId, s.eventId, sql`${t.since} >= ${s.until}`)}
        from ${sealed}) g
      cross join ${eventCounts} ${c}
        on ${c.projectId} = ${projectId} and ${c.eventId} = g.event_id and ${c.count} > 0
           and ${c.slot} >= cast(floor(g.since / ${SLOT}) as integer)
           and ${c.slot} < ceil(min(coalesce(g.until, ${end}), ${end}) / ${SLOT})
      where g.since < coalesce(g.until, ${end}) group by ${c.eventId}`)
  }
}

const overviewOfName = overviewOf(sql`${n.name} = ${event}`)
const overviewOfAll = overviewOf(sql`1`)

/**
 * Plans a read of where the events of a range are: in which segments, and in which slots that no segment covers.
 * @param known slots by the token of their segment, which are not read again
 */
export function planOverview(
  source: Source,
  { since, until }: Range,
  known: ReadonlyMap<string, Slots>
): Read<Overview> {
  const { sealed, loose } = source.event === null ? overviewOfAll : overviewOfName
  const knownBuilds = JSON.stringify([...known.keys()])
  const values = { ...source, from: since, end: until, knownBuilds }
  return planRead(
    [query<SealedRow>(sealed(values)), query<LooseRow>(loose(values))],
    ([sealedRows, looseRows]) => new Overview(namesOf(sealedRows, looseRows, known))
  )
}

/** Counts how often each slot is listed. */
function countEach(slots: readonly number[]): SlotCount[] {
  const counts = new Map<number, number>()
  for (const slot of slots) {
    counts.set(slot, (counts.get(slot) ?? 0) + 1)
  }
  return [...counts].map(([slot, count]) => ({ slot, count }))
}

/** Returns the time of the project's first event; undefined if it has none. */
export async function findFirst(db: Db, projectId: number): Promise<number | undefined> {
  const [[row]] = await readBatch(
    db,
    query<{ first: number | null }>(sql`
      select min((select ${e.timestamp} from ${events} ${e} where ${e.projectId} = ${n.projectId} and ${e.eventId} = ${n.id}
                  order by ${e.timestamp} limit 1)) as first
      from ${eventNames} ${n} where ${n.projectId} = ${projectId}`)
  )
  return row?.first ?? undefined
}

/** The encoded columns of a segment, by name. */
export type Encoded = Map<string, string>

/** Rows as columns. A column that is not wanted is undefined. */
export type Rows = {
  length: number
  times: number[]
  identities: number[] | undefined
  versions: (number | null)[] | undefined
  sessions: (string | null)[] | undefined
  properties: Json[][]
}

/** A segment, the names of its columns that are read, and whether it has late events. */
export type AskedSegment = { id: number; columns: readonly string[]; isLate: boolean }

/** The columns and late events of a segment. Properties that none of its events has are not among the columns. */
export type Sealed = { encoded: Encoded; late: Rows | undefined }

/**
 * Reads columns of some segments, and the late events of each. Leaves out a segment that is gone, or whose events have a wanted
 * property without a column. One round trip, one snapshot.
 * @param asked the segments, with the wanted columns that are not cached
 */
export async function readSegments(
  db: Db,
  projectId: number,
  asked: readonly AskedSegment[],
  wanted: Wanted
): Promise<Map<number, Sealed>> {
  const keys = JSON.stringify(wanted.properties)
  const [columns, late] = await readBatch(
    db,
    query<{ id: number } & ({ name: string; data: string } | { name: null })>(sql`
      select ${s.id}, ${segmentColumns.name}, ${segmentColumns.data}
      from json_each(${JSON.stringify(asked)}) a
        cross join ${segments} ${s}
          on ${s.id} = a.value ->> 'id' and ${s.projectId} = ${projectId} and ${s.isSealed}
          and (${s.cold} is not null or ${wanted.properties.length} = (
            select count(*) from ${segmentColumns} where ${segmentColumns.segmentId} = ${s.id}
              and ${segmentColumns.name} in (select 'event:' || value from json_each(${keys}))))
          and not exists (select 1 from json_each(${s.cold}) where value in (select value from json_each(${keys})))
        left join json_each(a.value -> 'columns') name
        left join ${segmentColumns}
          on ${segmentColumns.segmentId} = ${s.id} and ${segmentColumns.name} = name.value`),
    query<Found & { segment_id: number }>(sql`
      select ${l.segmentId}, ${aggregates(wanted)}
      from ${inJson(asked.filter(({ isLate }) => isLate).map(({ id }) => id))} a
        cross join ${segments} ${s} on ${s.id} = a.value and ${s.projectId} = ${projectId}
        cross join ${lateEvents} ${l} on ${l.segmentId} = ${s.id}
        cross join ${events} ${e} on ${e.projectId} = ${s.projectId} and ${e.eventId} = ${s.eventId} and ${e.timestamp} = ${l.timestamp}
          and ${e.uuid} = ${l.uuid}
      group by ${l.segmentId}`)
  )
  const lateOf = new Map(late.map((row) => [row.segment_id, toRows(row, wanted)]))
  const found = new Map<number, Sealed>()
  for (const { id, ...column } of columns) {
    const { encoded } = found.get(id) ?? { encoded: new Map() }
    if (column.name !== null) {
      encoded.set(column.name, column.data)
    }
    found.set(id, { encoded, late: lateOf.get(id) })
  }
  return found
}

/** A row of `aggregates`: the number of events, and a JSON list for each wanted column. */
type Found = Record<'n' | 'times', number | string> & Record<string, number | string | null>

/** Aggregates over events `e` that list what is wanted, each as a JSON array. */
function aggregates({ identities, versions, sessions, properties }: Wanted): SQL {
  return sql.join(
    [
      sql`count(*) as n, json_group_array(${e.timestamp}) as times`,
      ...(identities ? [sql`json_group_array(${e.identity}) as identities`] : []),
      ...(versions ? [sql`json_group_array(${e.version}) as versions`] : []),
      ...(sessions ? [sql`json_group_array(${e.sessionId}) as sessions`] : []),
      ...properties.map(
        (key, i) =>
          sql`json_group_array(${e.properties} -> ${`$.${JSON.stringify(key)}`}) as ${sql.identifier(`p${i}`)}`
      )
    ],
    sql`, `
  )
}

function toRows(row: Found, { identities, versions, sessions, properties }: Wanted): Rows {
  const parse = (name: string) => JSON.parse(String(row[name]))
  return {
    length: Number(row.n),
    times: parse('times'),
    identities: identities ? parse('identities') : undefined,
    versions: versions ? parse('versions') : undefined,
    sessions: sessions ? parse('sessions') : undefined,
    properties: properties.map((_, i) => parse(`p${i}`))
  }
}

/** A project's events of one name. */
type Kind = { projectId: number; eventId: number }

/** Reads the events of one name from a moment up to another, by time and uuid. */
export async function readRows(
  db: Db,
  { projectId, eventId }: Kind,
  { since, until }: Range,
  wanted: Wanted
): Promise<Rows> {
  const [[row]] = await readBatch(
    db,
    query<Found>(sql`
      select ${aggregates(wanted)} from ${events} ${e} not indexed
      where ${e.projectId} = ${projectId} and ${e.eventId} = ${eventId}
        and ${e.timestamp} >= ${since} and ${e.timestamp} < ${until}`)
  )
  return toRows(row ?? { n: 0, times: '[]' }, wanted)
}

/** Reads a page of the events of one name at a moment, by uuid. @returns also the last uuid, in hexadecimal digits */
export async function readMoment(
  db: Db,
  { projectId, eventId }: Kind,
  { time, after, limit }: { time: number; after: string; limit: number },
  wanted: Wanted
): Promise<{ rows: Rows; last: string }> {
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

/** Reads the events of several names from a moment up to another, in the order of time and uuid. */
export async function readSortedRows(
  db: Db,
  { projectId, eventIds }: { projectId: number; eventIds: readonly number[] },
  { since, until }: Range,
  wanted: Wanted
): Promise<Rows> {
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
