import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { planRead, query, type Read, template } from '../db/batch.ts'
import { eventCounts, eventNames, lateEvents, segments } from '../db/schema.ts'
import { SLOT } from '../rollups/store.ts'
import type { Source } from './batch.ts'
import { decodeSlots, type SlotCount, type Slots, unlessDamaged } from './codec.ts'
import { type Name, Overview, type Segment, type SegmentKey } from './overview.ts'
import { placeOfSlots } from './places.ts'

type Range = { since: number; until: number }

const n = alias(eventNames, 'n')
const s = alias(segments, 's')
const t = alias(segments, 't')
const c = alias(eventCounts, 'c')

/** A sealed segment. `slots` is null if the caller knows them. `late` counts the late events by slot; null if there are none. */
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

/** The members of a segment that never change. */
export type KnownSegment = Pick<Segment, 'eventId' | 'since' | 'until' | 'count' | 'slots'>

type Known = ReadonlyMap<string, KnownSegment>

function toOverview(
  projectId: number,
  sealed: readonly SealedRow[],
  loose: readonly LooseRow[],
  known: Known
): Overview {
  const damaged: SegmentKey[] = []
  const names = new Map<number, Name>()
  const nameOf = (eventId: number): Name => {
    const name = names.get(eventId) ?? { eventId, segments: [], loose: [] }
    names.set(eventId, name)
    return name
  }
  for (const row of sealed) {
    const { id, build, event_id: eventId, since, until, count, late } = row
    const slots = slotsOf(projectId, row, known.get(build))
    if (slots) {
      const segment = { id, build, eventId, since, until, count, slots }
      nameOf(eventId).segments.push({ ...segment, late: readCounts(late ?? '[]') })
    } else {
      damaged.push({ id, build })
    }
  }
  for (const { event_id, slots, counts } of loose) {
    const numbers: number[] = JSON.parse(counts)
    const places: number[] = JSON.parse(slots)
    nameOf(event_id).loose = places
      .map((slot, i) => ({ slot, count: numbers[i] ?? 0 }))
      .sort((a, b) => a.slot - b.slot)
  }
  return new Overview([...names.values()], damaged)
}

/** Returns the slots of a segment; undefined if they are damaged, or the row is no longer the known one. */
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

/** Returns an expression for the beginning of a name's first segment `t` that fulfils a condition; null if there is none. */
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

/** Converts the statements of an overview of the names that fulfil `isNamed` to SQL, once for all trends. */
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
 * @param known segments whose slots are not read again, by token
 */
export function planOverview(
  source: Source,
  { since, until }: Range,
  known: Known
): Read<Overview> {
  const { sealed, loose } = source.event === null ? overviewOfAll : overviewOfName
  const knownBuilds = JSON.stringify([...known.keys()])
  const values = { ...source, from: since, end: until, knownBuilds }
  return planRead(
    [query<SealedRow>(sealed(values)), query<LooseRow>(loose(values))],
    ([sealedRows, looseRows]) => toOverview(source.projectId, sealedRows, looseRows, known)
  )
}

/** Reads `[[1966272,3]]`: three events in the slot 1,966,272. */
const readCounts = (json: string): SlotCount[] =>
  (JSON.parse(json) as [slot: number, count: number][]).map(([slot, count]) => ({ slot, count }))
