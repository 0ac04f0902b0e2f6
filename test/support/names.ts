import { sql } from 'drizzle-orm'
import { HOUR } from '../../src/calendar/units.ts'
import {
  decodeColumn,
  decodeNames,
  decodeNumbers,
  decodeSlots,
  encodeColumn,
  encodeNames,
  encodeNumbers,
  encodeSlots,
  toSlotCounts
} from '../../src/columns/codec.ts'
import {
  type BuiltSegment,
  placeOfCold,
  placeOfColumn,
  placeOfSlots
} from '../../src/columns/places.ts'
import { reserveNumbers } from '../../src/db/sequences.ts'
import { recount } from './columns.ts'
import { db, newProject, type TestProject } from './project.ts'
import { sealRange } from './segments.ts'

/** The day on which the events of `newVocabulary` begin; they go on for three days. */
export const BEGUN = Date.UTC(2026, 8, 1)

/** Hours between two events of a name. */
const EVERY = 12

/**
 * Creates a project with events of many names: the same six events of each name, 12 hours apart, from eight persons with
 * versions and four sessions. With `isJoined`, all events have one name, `n0`; everything else is the same.
 */
export async function newVocabulary(names: number, isJoined = false): Promise<TestProject> {
  const project = await newProject()
  await project.ingest(
    Array.from({ length: 8 }, (_, n) => ({
      event: 'begin',
      distinct_id: `person ${n}`,
      timestamp: BEGUN - HOUR,
      properties: {
        $session_id: `session-${n % 4}`,
        $current_url: `https://a.test/${n % 4}`,
        $set: { n: n % 3 }
      }
    }))
  )
  const numbers = (count: number) =>
    sql`numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
  const { event_name: first } = await reserveNumbers(db, { event_name: names })
  await db.run(sql`
    with recursive ${numbers(isJoined ? 1 : names)}
    insert into event_names (id, project_id, name) select ${first} + n, ${project.id}, 'n' || n from numbers`)
  await db.run(sql`
    with recursive ${numbers(names)}, steps(j) as (select value from json_each('[0,1,2,3,4,5]'))
    insert into events (project_id, event_id, timestamp, uuid, identity, version, session_id, properties)
    select ${project.id},
      (select id from event_names where project_id = ${project.id} and name = 'n' || ${isJoined ? sql`0` : sql`n`}),
      ${BEGUN} + j * ${EVERY * HOUR}, unhex(printf('%016x%016x', j, n)), e.identity, e.version, 'session-' || (j % 4),
      jsonb(json_object('price', j, 'plan', iif(j % 2, 'free', 'pro'), 'note', printf('%08x', n * 48271 + j)))
    from numbers cross join steps
      join (select row_number() over (order by identity) - 1 as place, identity, version from events where project_id = ${project.id}) e
        on e.place = (n + j) % 8`)
  await recount(project.id)
  return project
}

/** Seals the second to the fourth event of each name; then a late event follows for every tenth name. */
export async function sealVocabulary({ id }: TestProject): Promise<void> {
  const kinds = await db.all<{ project_id: number; event_id: number }>(
    sql`select project_id, id as event_id from event_names where project_id = ${id} and name <> 'begin' order by id`
  )
  const [since, until] = [BEGUN + 6 * HOUR, BEGUN + 42 * HOUR]
  // Eight consecutive names begin with each of the eight persons; the segments of all other names are copies of theirs.
  for (const kind of kinds.slice(0, 8)) {
    await sealRange(db, kind, since, until)
  }
  const copies = await copySegments(id)
  const columns = await db.all<ColumnRow>(sql`
    select segment_id, c.name, c.data from segments s join segment_columns c on c.segment_id = s.id
    where s.project_id = ${id}`)
  const columnsOf = Map.groupBy(columns, ({ segment_id }) => segment_id)
  const placed = copies.map((copy) => placeCopy(copy, columnsOf.get(copy.from_id) ?? []))
  await db.run(sql`
    update segments set slots = copy.value ->> 'slots', cold = copy.value ->> 'cold'
    from json_each(${JSON.stringify(placed)}) copy where segments.id = copy.value ->> 'id'`)
  await db.run(sql`
    insert into segment_columns (segment_id, name, data)
    select value ->> 'segment_id', value ->> 'name', value ->> 'data'
    from json_each(${JSON.stringify(placed.flatMap((copy) => copy.columns))})`)
}

type CopyRow = BuiltSegment & {
  id: number
  count: number
  from_id: number
  from_event: number
  from_build: string
  slots: string
  cold: string | null
}
type ColumnRow = { segment_id: number; name: string; data: string }

/** Copies the segments of the first eight names to all others, with the texts as they are. */
async function copySegments(id: number): Promise<CopyRow[]> {
  const origin = sql`event_names first
    on first.project_id = n.project_id and first.name = 'n' || (cast(substr(n.name, 2) as integer) % 8)`
  await db.run(sql`
    insert into segments (project_id, event_id, since, until, is_sealed, started_at, build, count, slots, cold)
    select s.project_id, n.id, since, until, is_sealed, started_at, hex(randomblob(16)), count, slots, cold
    from event_names n join ${origin}
      join segments s on s.project_id = n.project_id and s.event_id = first.id
    where n.project_id = ${id} and n.name <> 'begin' and n.id <> first.id`)
  return db.all<CopyRow>(sql`
    select copy.id, copy.project_id as projectId, copy.event_id as eventId, copy.since, copy.until, copy.build,
      copy.count, s.id as from_id, s.event_id as from_event, s.build as from_build, s.slots, s.cold
    from segments copy join event_names n on n.id = copy.event_id join ${origin}
      join segments s on s.project_id = n.project_id and s.event_id = first.id
    where copy.project_id = ${id} and copy.id <> s.id`)
}

/** Encodes the texts of a copied segment for their new place, which their checksums cover. */
function placeCopy(copy: CopyRow, columns: readonly ColumnRow[]) {
  const from = { ...copy, build: copy.from_build, eventId: copy.from_event }
  const properties = columns.flatMap(({ name }) =>
    name.startsWith('event:') ? [name.slice('event:'.length)] : []
  )
  return {
    id: copy.id,
    slots: encodeSlots(
      toSlotCounts(decodeSlots(copy.slots, placeOfSlots(from))),
      placeOfSlots(copy)
    ),
    cold:
      copy.cold &&
      encodeNames(
        decodeNames(copy.cold, placeOfCold(from, properties)),
        placeOfCold(copy, properties)
      ),
    columns: columns.map(({ name, data }) => {
      const [before, after] = [placeOfColumn(from, name), placeOfColumn(copy, name)]
      const isNumbers = name === 'time' || name === 'identity'
      return {
        segment_id: copy.id,
        name,
        data: isNumbers
          ? encodeNumbers(decodeNumbers(data, before), after)
          : encodeColumn(decodeColumn(data, copy.count, before), after)
      }
    })
  }
}

/** Stores one more event of every tenth name, 25 hours after the first. */
export async function addLate({ id }: TestProject, names: number): Promise<void> {
  await db.run(sql`
    with recursive numbers(n) as (select 0 union all select n + 10 from numbers where n < ${names - 10})
    insert into events (project_id, event_id, timestamp, uuid, identity, version, session_id, properties)
    select ${id},
      coalesce((select id from event_names where project_id = ${id} and name = 'n' || n),
        (select id from event_names where project_id = ${id} and name = 'n0')),
      ${BEGUN + 25 * HOUR}, unhex(printf('%016x%016x', 99, n)), e.identity, e.version, 'session-1',
      jsonb('{"price":100,"plan":"late"}')
    from numbers, (select identity, version from events where project_id = ${id} order by identity limit 1) e`)
  await recount(id)
}
