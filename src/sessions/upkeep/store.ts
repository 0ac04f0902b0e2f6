import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk, expectRows, inJson } from '../../db/rows.ts'
import type { JsonObject } from '../../input/json.ts'
import type { SessionPart } from '../session.ts'
import { addToSessions, IS_BOUNCE, MAX_IDENTITIES } from '../store.ts'

/** A session that is to be closed or rebuilt. One list may hold sessions of several projects. */
export type WholeSession = {
  projectId: number
  sessionId: string
  revision: number
  values: Record<string, string>
  counted: Record<string, string>
  identities: number[]
  startTime: number
  endTime: number
  /** Null for a closed session. */
  openSlot: number | null
  isRecorded: boolean
  shingles: number[]
}

type WholeRow = {
  project_id: number
  session_id: string
  revision: number
  entry: string | null
  exit: string | null
  click: string | null
  counted: string | null
  identities: string
  start_time: number
  end_time: number
  open_slot: number | null
  is_bounce: number | null
  is_recorded: number
  shingles: string | null
}

/** Lists at most `limit` open sessions whose last event was received before a slot, the oldest first. */
export async function listIdle(db: Db, slot: number, limit: number): Promise<WholeSession[]> {
  const idle = sql`s.open_slot < ${slot} and not s.is_stale order by s.open_slot limit ${limit}`
  return (await readBatch(db, query<WholeRow>(wholeSessions(idle))))[0].map(toSession)
}

const wholeSessions = (condition: SQL): SQL => sql`
  select s.project_id, s.session_id, s.revision, s.entry, s.exit, s.click, s.counted, s.identities, s.start_time, s.end_time,
         s.open_slot, ${IS_BOUNCE} as is_bounce, s.shingles,
         exists (select 1 from recordings r
                 where r.project_id = s.project_id and r.session_id = s.session_id and not r.deleted) as is_recorded
  from sessions s where ${condition}`

const toSession = (row: WholeRow): WholeSession => ({
  projectId: row.project_id,
  sessionId: row.session_id,
  revision: row.revision,
  values: {
    ...parse(row.entry, {}),
    ...parse(row.exit, {}),
    ...(row.click !== null && { $last_external_click_url: row.click }),
    ...(row.is_bounce !== null && { $is_bounce: row.is_bounce ? 'true' : 'false' })
  },
  counted: parse(row.counted, {}),
  identities: parse(row.identities, []),
  startTime: row.start_time,
  endTime: row.end_time,
  openSlot: row.open_slot,
  isRecorded: row.is_recorded === 1,
  shingles: parse(row.shingles, [])
})

/** Parses JSON that this module wrote; `none` for null. */
const parse = <T>(json: string | null, none: T): T => (json === null ? none : JSON.parse(json))

/** The events of one identity in a session; `after` is the last event that has been read. */
export type Range = Pick<WholeSession, 'projectId' | 'sessionId' | 'startTime' | 'endTime'> & {
  identity: number
  after?: StoredEvent | undefined
}

export type StoredEvent = {
  timestamp: number
  eventId: number
  uuid: string
  name: string
  properties: JsonObject
}

/** Most characters that are read of a text property. */
const MAX_TEXT = 1_000

/**
 * Reads the next `limit` events of each range in order of time, with the named properties that are
 * texts or numbers.
 */
export async function readEvents(
  db: Db,
  ranges: readonly Range[],
  properties: readonly string[],
  limit: number
): Promise<StoredEvent[][]> {
  if (ranges.length === 0) {
    return []
  }
  const wanted = ranges.map(({ projectId, sessionId, identity, startTime, endTime, after }) => ({
    project: projectId,
    session: sessionId,
    identity,
    end: endTime,
    timestamp: after?.timestamp ?? startTime,
    event: after?.eventId ?? 0,
    uuid: after?.uuid ?? ''
  }))
  const of = (name: string) => sql`range.value ->> ${name}`
  const [rows] = await readBatch(
    db,
    query<{ i: number; events: string }>(sql`
      select range.key as i, (
        select json_group_array(json_object('timestamp', timestamp, 'eventId', event_id, 'uuid', uuid, 'name', name,
                                            'properties', json(properties)))
        from (select e.timestamp, e.event_id, hex(e.uuid) as uuid, n.name, (
                select json_group_object(p.key, case p.type when 'text' then substr(p.value, 1, ${MAX_TEXT}) else p.value end)
                from json_each(e.properties) as p
                where p.key in ${inJson(properties)} and p.type in ('text', 'integer', 'real')) as properties
              from events e indexed by events_identity cross join event_names n on n.id = e.event_id
              where e.identity = ${of('identity')} and e.timestamp between ${of('timestamp')} and ${of('end')}
                and (e.timestamp, e.event_id, e.uuid) > (${of('timestamp')}, ${of('event')}, unhex(${of('uuid')}))
                and e.session_id = ${of('session')} and +e.project_id = ${of('project')}
              order by e.timestamp, e.project_id, e.event_id, e.uuid limit ${limit})) as events
      from json_each(${JSON.stringify(wanted)}) as range`)
  )
  const found = new Map(rows.map(({ i, events }) => [i, parse<StoredEvent[]>(events, [])]))
  return ranges.map((_, i) => found.get(i) ?? [])
}

/** The data written when a session is closed; `steps` is null for a session without a recording. */
export type Closing = {
  session: WholeSession
  counted: Record<string, string>
  steps: string[] | null
  shingles: number[]
}

/**
 * Closes all these sessions or none. @throws ConflictError when a session has changed since it was
 * read
 */
export async function writeClosings(db: Db, closings: readonly Closing[]): Promise<void> {
  const rows = closings.map(({ session, counted, steps, shingles }) => ({
    project: session.projectId,
    id: session.sessionId,
    counted,
    steps,
    shingles: steps && shingles
  }))
  await writeBatch(db, [
    ...expectSame(closings.map(({ session }) => session)),
    ...countValues(closings.map(({ session, counted }) => ({ session, counted }))),
    ...moveShingles(closings),
    ...eachChunk(rows, (json) => [
      sql`update sessions set open_slot = null, counted = closed.value ->> 'counted', steps = closed.value ->> 'steps',
            shingles = closed.value ->> 'shingles', revision = revision + 1
          from json_each(${json}) as closed
          where sessions.project_id = closed.value ->> 'project' and sessions.session_id = closed.value ->> 'id'`
    ])
  ])
}

/**
 * Returns statements that roll the batch back as a conflict if a session has changed since it was
 * read.
 */
const expectSame = (sessions: readonly WholeSession[]): SQL[] =>
  eachChunk(
    sessions.map(({ projectId, sessionId, revision }) => [projectId, sessionId, revision]),
    (json, count) => [
      expectRows(
        count,
        sql`json_each(${json}) as read cross join sessions s on s.project_id = read.value ->> 0
            and s.session_id = read.value ->> 1 and s.revision = read.value ->> 2`
      )
    ]
  )

/**
 * Returns statements that count the new values of each session in `session_values` and uncount its
 * previous values.
 */
function countValues(
  sessions: readonly { session: WholeSession; counted: Record<string, string> }[]
): SQL[] {
  const changes = new Map<string, [projectId: number, key: string, value: string, by: number]>()
  const add = (projectId: number, key: string, value: string, by: number) => {
    const name = JSON.stringify([projectId, key, value])
    const before = changes.get(name)?.[3] ?? 0
    changes.set(name, [projectId, key, value, before + by])
  }
  for (const { session, counted } of sessions) {
    for (const [key, value] of Object.entries(session.counted)) {
      add(session.projectId, key, value, -1)
    }
    for (const [key, value] of Object.entries(counted)) {
      add(session.projectId, key, value, 1)
    }
  }
  const moved = [...changes.values()].filter(([, , , by]) => by !== 0)
  return [
    ...eachChunk(moved, (json) => [
      sql`insert into session_values (project_id, key, value, count)
          select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${json}) where true
          on conflict (project_id, key, value) do update set count = count + excluded.count`
    ]),
    ...eachChunk(
      moved.filter(([, , , by]) => by < 0),
      (json) => [
        sql`delete from session_values where count <= 0 and (project_id, key, value) in
              (select value ->> 0, value ->> 1, value ->> 2 from json_each(${json}))`
      ]
    )
  ]
}

/** Returns statements that replace the stored shingles of each session. */
function moveShingles(sessions: readonly { session: WholeSession; shingles: number[] }[]): SQL[] {
  const rows = (of: (one: (typeof sessions)[number]) => number[]) =>
    sessions.flatMap((one) =>
      of(one).map((shingle) => [one.session.projectId, shingle, one.session.sessionId] as const)
    )
  const gone = rows(({ session, shingles }) =>
    session.shingles.filter((shingle) => !shingles.includes(shingle))
  )
  const fresh = rows(({ session, shingles }) =>
    shingles.filter((shingle) => !session.shingles.includes(shingle))
  )
  return [
    ...eachChunk(gone, (json) => [
      sql`delete from session_shingles where (project_id, shingle, session_id) in
            (select value ->> 0, value ->> 1, value ->> 2 from json_each(${json}))`
    ]),
    ...eachChunk(fresh, (json) => [
      sql`insert into session_shingles (project_id, shingle, session_id)
          select value ->> 0, value ->> 1, value ->> 2 from json_each(${json})`
    ])
  ]
}

/** Lists at most `limit` sessions that are marked to be rebuilt. */
export async function listStale(db: Db, projectId: number, limit: number): Promise<WholeSession[]> {
  const stale = sql`s.project_id = ${projectId} and s.is_stale limit ${limit}`
  return (await readBatch(db, query<WholeRow>(wholeSessions(stale))))[0].map(toSession)
}

/**
 * Replaces sessions by parts built from their remaining events; a session without a part is removed. The replaced sessions
 * are open and will be closed again.
 * @throws ConflictError when a session has changed since it was read
 */
export async function replaceStale(
  db: Db,
  projectId: number,
  sessions: readonly WholeSession[],
  parts: readonly SessionPart[]
): Promise<void> {
  const nothing = sessions.map((session) => ({ session, counted: {}, shingles: [] }))
  const revisions = sessions.map(({ sessionId, revision }) => [sessionId, revision + 1])
  await writeBatch(db, [
    ...expectSame(sessions),
    ...countValues(nothing),
    ...moveShingles(nothing),
    ...eachChunk(revisions, (json) => [
      sql`delete from sessions where project_id = ${projectId} and session_id in
            (select value ->> 0 from json_each(${json}))`
    ]),
    ...addToSessions(projectId, parts),
    ...eachChunk(revisions, (json) => [
      sql`update sessions set revision = replaced.value ->> 1 from json_each(${json}) as replaced
          where sessions.project_id = ${projectId} and sessions.session_id = replaced.value ->> 0`
    ])
  ])
}

export type ComparedSession = {
  session_id: string
  /** The event count, start and end in the session's row. */
  from_row: [events: number, start: number, end: number]
  /** The event count, start and end, computed from the session's events. */
  from_events: [events: number, start: number | null, end: number | null]
  /**
   * False for a session that still has to be rebuilt, or whose row does not list all its
   * identities.
   */
  isComparable: boolean
}

/**
 * Lists at most `limit` sessions of a project with ids below `before`, by descending id. The
 * numbers from rows and from events are read in the same statement.
 */
export async function compareSessions(
  db: Db,
  projectId: number,
  before: string | undefined,
  limit: number
): Promise<ComparedSession[]> {
  const compared = query<{
    session_id: string
    from_row: string
    from_events: string
    is_comparable: number
  }>(sql`
    select s.session_id, json_array(s.events, s.start_time, s.end_time) as from_row,
           not s.is_stale and json_array_length(s.identities) < ${MAX_IDENTITIES} as is_comparable,
           (select json_array(count(*), min(e.timestamp), max(e.timestamp))
            from json_each(s.identities) as own cross join events e indexed by events_identity
              on e.identity = own.value and e.timestamp between s.start_time and s.end_time
                 and e.session_id = s.session_id and +e.project_id = s.project_id) as from_events
    from sessions s where s.project_id = ${projectId} ${before === undefined ? sql`` : sql`and s.session_id < ${before}`}
    order by s.session_id desc limit ${limit}`)
  return (await readBatch(db, compared))[0].map(
    ({ session_id, from_row, from_events, is_comparable }) => ({
      session_id,
      from_row: JSON.parse(from_row),
      from_events: JSON.parse(from_events),
      isComparable: is_comparable === 1
    })
  )
}
