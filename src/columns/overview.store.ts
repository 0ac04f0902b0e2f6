import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { planRead, query, type Read, template } from '../db/batch.ts'
import { eventCounts, eventNames, lateEvents, segments } from '../db/schema.ts'
import type { EventScope, Span } from './batch.ts'
import { decodeSlots, type SlotCount, type Slots, unlessDamaged } from './codec.ts'
import {
  type Located,
  type Loose,
  MAX_COUNTS,
  MAX_SEGMENTS,
  Overview,
  type Segment,
  type SegmentKey
} from './overview.ts'
import { placeOfSlots } from './places.ts'
import { SLOT } from './slots/store.ts'

const n = alias(eventNames, 'n')
const s = alias(segments, 's')
const t = alias(segments, 't')
const c = alias(eventCounts, 'c')

/**
 * A sealed segment. `slots` is null if the caller knows them. `late` counts the late events by
 * slot; null if there are none.
 */
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

/**
 * Events of a name outside segments: the number of slots that have any, and a JSON list such as
 * `[[1966272,3]]`. A row has at most 65,536 consecutive slots, because its text must fit into 2 MB.
 */
type LooseRow = { event_id: number; length: number; counts: string }

/** The members of a segment that never change. */
export type KnownSegment = Pick<Segment, 'eventId' | 'since' | 'until' | 'count' | 'slots'>

type Known = ReadonlyMap<string, KnownSegment>

function locate(
  projectId: number,
  sealed: readonly SealedRow[],
  loose: readonly LooseRow[],
  known: Known
): Located {
  const segments: Segment[] = []
  const damaged: SegmentKey[] = []
  for (const row of sealed.slice(0, MAX_SEGMENTS)) {
    const { id, build, event_id: eventId, since, until, count, late } = row
    const slots = slotsOf(projectId, row, known.get(build))
    if (slots) {
      const counts = readCounts(late ?? '[]')
      segments.push({ id, build, eventId, since, until, count, slots, late: counts })
    } else {
      damaged.push({ id, build })
    }
  }
  const length = loose.reduce((sum, { length }) => sum + length, 0)
  return {
    segments,
    damaged,
    loose: readLoose(loose, length),
    isCut: sealed.length > MAX_SEGMENTS || length > MAX_COUNTS
  }
}

/** Joins counts, which are sorted by name and time except within a row, to lists of this length. */
function readLoose(rows: readonly LooseRow[], length: number): Loose {
  const eventIds = new Uint32Array(length)
  const slots = new Int32Array(length)
  const counts = new Uint32Array(length)
  let at = 0
  for (const row of rows) {
    const found: [slot: number, count: number][] = JSON.parse(row.counts)
    found.sort(([a], [b]) => a - b)
    for (const [slot, count] of found) {
      eventIds[at] = row.event_id
      slots[at] = slot
      counts[at] = count
      at += 1
    }
  }
  return { eventIds, slots, counts }
}

/** Returns a segment's slots; undefined if they are damaged or no longer the known ones. */
function slotsOf(
  projectId: number,
  { build, event_id: eventId, since, until, count, slots }: SealedRow,
  known: KnownSegment | undefined
): Slots | undefined {
  if (slots === null) {
    const isSame =
      known?.eventId === eventId &&
      known.since === since &&
      known.until === until &&
      known.count === count
    return isSame ? known.slots : undefined
  }
  const place = placeOfSlots({ build, projectId, eventId, since, until, count })
  return unlessDamaged(() => decodeSlots(slots, place))
}

/** SQL: where a name's first segment `t` that fulfils a condition begins; null without one. */
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

/** Converts the statements for the names that fulfil `isNamed` to SQL, once for all trends. */
function overviewOf(isNamed: SQL) {
  const sealed = sql`
    ${eventNames} ${n} cross join ${segments} ${s}
      on ${s.projectId} = ${n.projectId} and ${s.eventId} = ${n.id} and ${s.since} < ${end} and ${s.until} > ${from} and ${s.isSealed}
    where ${n.projectId} = ${projectId} and ${isNamed}`
  return {
    sealed: template<OverviewValues>(sql`
      select ${s.id}, ${s.build}, ${s.eventId}, ${s.since}, ${s.until}, ${s.count},
        iif(${s.build} in (select value from json_each(${knownBuilds})), null, ${s.slots}) as slots,
        (select json_group_array(json_array(slot, count)) from (
           select cast(floor(${lateEvents.timestamp} / ${SLOT}) as integer) as slot, count(*) as count from ${lateEvents}
           where ${lateEvents.segmentId} = ${s.id} group by slot) having count(*) > 0) as late
      from ${sealed} order by ${s.eventId}, ${s.since} limit ${MAX_SEGMENTS + 1}`),
    loose: template<OverviewValues>(sql`
      select event_id, count(*) as length, json_group_array(json_array(slot, count)) as counts from (
        select ${c.eventId}, ${c.slot}, ${c.count}
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
        where g.since < coalesce(g.until, ${end}) limit ${MAX_COUNTS + 1})
      group by event_id, slot / 65536 order by event_id, slot / 65536`)
  }
}

const overviewOfName = overviewOf(sql`${n.name} = ${event}`)
const overviewOfAll = overviewOf(sql`1`)

/**
 * Plans a read of where the events of a range are: in which segments, and in which slots that no
 * segment covers.
 * @param known segments whose slots are not read again, by token
 */
export function planOverview(
  source: EventScope,
  { since, until }: Span,
  known: Known
): Read<Overview> {
  const { sealed, loose } = source.event === null ? overviewOfAll : overviewOfName
  const knownBuilds = JSON.stringify([...known.keys()])
  const values = { ...source, from: since, end: until, knownBuilds }
  return planRead(
    [query<SealedRow>(sealed(values)), query<LooseRow>(loose(values))],
    ([sealedRows, looseRows]) =>
      new Overview(locate(source.projectId, sealedRows, looseRows, known))
  )
}

const readCounts = (json: string): SlotCount[] =>
  (JSON.parse(json) as [slot: number, count: number][]).map(([slot, count]) => ({ slot, count }))
