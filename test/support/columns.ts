import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import {
  CHUNK,
  decodeActors,
  decodeColumn,
  decodeNames,
  decodeNumbers,
  decodeSlots,
  toSlotCounts
} from '../../src/columns/codec.ts'
import { continueSealing } from '../../src/columns/consumer.ts'
import type { ColumnsMessage } from '../../src/columns/message.ts'
import {
  placeOfActors,
  placeOfCold,
  placeOfColumn,
  placeOfSlots
} from '../../src/columns/places.ts'
import { SLOT } from '../../src/columns/slots/store.ts'
import { newUsage } from '../../src/db/client.ts'
import { toId } from '../../src/db/version-id.ts'
import type { Json, JsonObject } from '../../src/input/json.ts'
import { db, deliverMessage, newProject } from './project.ts'

/** A time long after the events of these tests. */
export const LATER = Date.UTC(2027, 0, 1)

/** Seals a project's events as far as one invocation does. @returns what was built, and the messages for the rest */
export async function seal(
  projectId: number,
  { minLate = 257, chunks = [] as number[], queries = 0, DB = env.DB, now = LATER } = {}
) {
  const names = await db.all<{ id: number }>(
    sql`select id from event_names where project_id = ${projectId} order by id`
  )
  const sent: ColumnsMessage[] = []
  const COLUMNS_QUEUE = { send: async (body: ColumnsMessage) => void sent.push(body) }
  const invocation = {
    env: { ...env, DB, COLUMNS_QUEUE },
    usage: { ...newUsage(), queries },
    clock: () => new Date(now)
  }
  const message = {
    project_id: projectId,
    min_late: minLate,
    chunks,
    names: names.map(({ id }) => id)
  }
  return { ...(await continueSealing(message, invocation)), sent }
}

/** Lets the worker consume a message as its queue does. @returns whether the message was acknowledged */
export const deliverColumns = (body: unknown, more: Partial<Env> = {}): Promise<boolean> =>
  deliverMessage('edge-analytics-columns', body, more)

type SegmentRow = {
  id: number
  build: string
  project_id: number
  event_id: number
  event: string
  since: number
  until: number
  is_sealed: number
  count: number
  slots: string
  cold: string | null
}

/** Lists a project's segments. */
export const listSegments = (projectId: number): Promise<SegmentRow[]> =>
  db.all<SegmentRow>(sql`
    select s.*, n.name as event from segments s join event_names n on n.id = s.event_id
    where s.project_id = ${projectId} order by event, since`)

/** An event as its segment or its row stores it, without the properties that have no column. */
export type Copied = {
  timestamp: number
  identity: number
  version: Json
  session: Json
  properties: JsonObject
}

/** Reads the events of a segment from its columns. */
export async function readSegment(segment: SegmentRow): Promise<Copied[]> {
  const rows = await db.all<{ name: string; data: string }>(
    sql`select name, data from segment_columns where segment_id = ${segment.id} order by name`
  )
  const data = new Map(rows.map(({ name, data }) => [name, data]))
  const column = (name: string): Json[] => {
    const place = placeOfColumn(segment, name)
    const { codes, values } = decodeColumn(data.get(name) ?? '', segment.count, place)
    return Array.from(codes, (code) => values[code] ?? null)
  }
  const numbers = (name: string) =>
    decodeNumbers(data.get(name) ?? '', placeOfColumn(segment, name))
  const [identities, times] = [numbers('identity'), numbers('time')]
  const slots = toSlotCounts(decodeSlots(segment.slots, slotsPlaceOf(segment))).flatMap(
    ({ slot, count }) => Array<number>(count).fill(slot)
  )
  const [versions, sessions] = [column('version'), column('session')]
  const properties = [...data.keys()]
    .filter((name) => name.startsWith('event:'))
    .map((name) => ({ key: name.slice('event:'.length), values: column(name) }))
  return slots.map((slot, i) => ({
    timestamp: slot * SLOT + (times[i] ?? 0),
    identity: identities[i] ?? 0,
    version: typeof versions[i] === 'number' ? toId(versions[i], identities[i] ?? 0) : null,
    session: sessions[i] ?? null,
    properties: Object.fromEntries(
      properties.flatMap(({ key, values }) =>
        (values[i] ?? null) === null ? [] : [[key, values[i] ?? null]]
      )
    )
  }))
}

/** Reads the events of a segment's range from their rows, without the segment's late events. */
export async function readRows(projectId: number, segment: SegmentRow): Promise<Copied[]> {
  const cold = await coldOf(segment)
  const rows = await db.all<{
    timestamp: number
    identity: number
    version: number | null
    session_id: string | null
    properties: string
  }>(sql`
    select timestamp, identity, version, session_id, json(properties) as properties from events e
    where project_id = ${projectId} and event_id = (
        select id from event_names where project_id = ${projectId} and name = ${segment.event})
      and timestamp >= ${segment.since} and timestamp < ${segment.until}
      and not exists (select 1 from late_events l
        where l.segment_id = ${segment.id} and l.timestamp = e.timestamp and l.uuid = e.uuid)
    order by timestamp, uuid`)
  return rows.map(({ session_id, properties, ...row }) => {
    const members = Object.entries(JSON.parse(properties) as JsonObject)
    const kept = members.filter(([key, value]) => !cold.includes(key) && value !== null)
    return { ...row, session: session_id, properties: Object.fromEntries(kept.sort()) }
  })
}

/** Returns the place of a segment's slots. */
export const slotsPlaceOf = (segment: SegmentRow): string =>
  placeOfSlots({ ...segment, projectId: segment.project_id, eventId: segment.event_id })

/** Returns the properties of a segment that have no column. */
export async function coldOf(segment: SegmentRow): Promise<string[]> {
  const columns = await db.all<{ name: string }>(
    sql`select name from segment_columns where segment_id = ${segment.id} and name like 'event:%'`
  )
  const withColumn = columns.map(({ name }) => name.slice('event:'.length))
  return segment.cold === null ? [] : decodeNames(segment.cold, placeOfCold(segment, withColumn))
}

/** Lists the chunks that have identities of a project. */
export async function chunksOf(projectId: number): Promise<number[]> {
  const keys = await db.all<{ key: number }>(
    sql`select key from distinct_ids where project_id = ${projectId}`
  )
  return [...new Set(keys.map(({ key }) => Math.floor(key / CHUNK)))]
}

/** Reads the person of each identity in a project's chunks, and the keys of identities that have moved since. */
export async function readActors(projectId: number) {
  const chunks = await db.all<{ chunk: number; build: string; data: string }>(
    sql`select chunk, build, data from actor_chunks where project_id = ${projectId} and data <> '' order by chunk`
  )
  const moved = await db.all<{ key: number }>(
    sql`select key from moved_identities where project_id = ${projectId}`
  )
  const persons = chunks.flatMap(({ chunk, build, data }) => {
    const place = placeOfActors({ project_id: projectId, chunk, build })
    const { offsets, persons } = decodeActors(data, place)
    return Array.from(offsets, (offset, i) => [chunk * CHUNK + offset, persons[i] ?? 0] as const)
  })
  return { persons: new Map(persons), moved: new Set(moved.map(({ key }) => key)) }
}

/** The name of the events that `newShop` stores. */
export const VIEW = 'view'
/** The time of the first of these events. */
export const OPENED = Date.UTC(2026, 9, 1)

/**
 * Creates a project with 2,400 events of one name on two days, from eight persons with versions, in sessions, and with
 * properties of every kind. Capture stores 40 of them, and SQL the others, which is quicker.
 */
export async function newShop() {
  const project = await newProject()
  const person = (n: number) => `person ${n % 8}`
  const events = Array.from({ length: 40 }, (_, n) => ({
    event: VIEW,
    distinct_id: person(n),
    timestamp: OPENED + n * 4_000_000,
    properties: {
      $session_id: `session-${n % 5}`,
      plan: n % 2 === 0 ? 'pro' : null,
      ...(n < 16 && { $set: { n } })
    }
  }))
  await project.ingest(events)
  await db.run(sql`
    with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 2359),
    rows as (
      select n, (select id from event_names where project_id = ${project.id} and name = ${VIEW}) as event_id,
        ${OPENED} + n * 71993 as timestamp, (select min(key) from distinct_ids where project_id = ${project.id}) + n % 8 as identity
      from numbers
    )
    insert into events (project_id, event_id, timestamp, uuid, identity, version, session_id, window_id, properties)
    select ${project.id}, event_id, timestamp, unhex(printf('%032x', n)), identity, null, iif(n % 3, 's-' || n % 11, null), null,
      jsonb(json_object('price', n / 4.0, 'plan', iif(n % 2, 'free', 'pro'), 'note', hex(randomblob(12)),
        'is_new', json(iif(n % 5, 'true', 'false')), 'tags', json_array(n % 3, 'ü"'), 'of', json_object('n', n % 2), 'rare', iif(n = 7, 1, null)))
    from rows`)
  await recount(project.id)
  return project
}

/** Counts a project's events again, after SQL has changed them. */
export async function recount(projectId: number): Promise<void> {
  await db.run(sql`delete from event_counts where project_id = ${projectId}`)
  await db.run(sql`
    insert into event_counts (project_id, event_id, slot, count)
    select project_id, event_id, timestamp / ${sql.raw(String(SLOT))}, count(*) from events where project_id = ${projectId} group by 1, 2, 3`)
}

/** Removes a project's segments. */
export const unseal = (projectId: number) =>
  db.run(sql`delete from segments where project_id = ${projectId}`)

/** Checks that every sealed segment has the events of its rows, except late events. @returns the number of segments */
export async function expectEqualToRows(projectId: number): Promise<number> {
  const sealed = (await listSegments(projectId)).filter(({ is_sealed }) => is_sealed)
  for (const segment of sealed) {
    const [copied, stored] = [await readSegment(segment), await readRows(projectId, segment)]
    expect(copied).toEqual(stored)
    expect(segment.count).toBe(copied.length)
  }
  return sealed.length
}
