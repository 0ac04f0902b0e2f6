import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { query, readBatch, writeBatch, writeThenRead } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk, expectRows } from '../../db/rows.ts'
import { recordings, sessionShingles, sessions, sessionValues } from '../../db/schema.ts'
import { IS_BOUNCE, session } from '../../db/session.ts'
import { assign, bare, excluded, insertSelect, updateFrom } from '../../db/statements.ts'
import { FOLDED_PROPERTIES, type SessionPart } from '../session.ts'
import { addToSessions } from '../store.ts'
import { type FirstPageRow, type Page, queryFirstPages, toFirstPages } from './events.store.ts'

/** A session that is to be closed or rebuilt. One list may hold sessions of several projects. */
export type WholeSession = {
  projectId: number
  sessionId: string
  revision: number
  /** The values to count in `session_values` when the session is closed. */
  values: Record<string, string>
  /** The values that `session_values` counts now, from when the session was last closed. */
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

/** Lists open sessions whose last event was received before a slot, the oldest first. */
export async function listIdle(db: Db, slot: number, limit: number): Promise<WholeSession[]> {
  const isIdle = sql`${session.openSlot} < ${slot} and not ${session.isStale}`
  const idle = sql`${wholeSessions(isIdle)} order by ${session.openSlot} limit ${limit}`
  return (await readBatch(db, query<WholeRow>(idle)))[0].map(toSession)
}

const wholeSessions = (condition: SQL): SQL => sql`
  select ${session.projectId}, ${session.sessionId}, ${session.revision}, ${session.entry}, ${session.exit},
         ${session.click}, ${session.counted}, ${session.identities}, ${session.startTime}, ${session.endTime},
         ${session.openSlot}, ${IS_BOUNCE} as is_bounce, ${session.shingles},
         exists (select 1 from ${recordings}
                 where ${recordings.projectId} = ${session.projectId}
                   and ${recordings.sessionId} = ${session.sessionId} and not ${recordings.deleted}) as is_recorded
  from ${sessions} ${session} where ${condition}`

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

const parse = <T>(json: string | null, none: T): T => (json === null ? none : JSON.parse(json))

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
    ...countValues(closings),
    ...moveShingles(closings),
    ...eachChunk(rows, (json) => [
      updateFrom(sessions, {
        set: {
          openSlot: null,
          counted: sql`closed.value ->> 'counted'`,
          steps: sql`closed.value ->> 'steps'`,
          shingles: sql`closed.value ->> 'shingles'`,
          revision: sql`${sessions.revision} + 1`
        },
        from: sql`json_each(${json}) as closed`,
        where: sql`${sessions.projectId} = closed.value ->> 'project' and ${sessions.sessionId} = closed.value ->> 'id'`
      })
    ])
  ])
}

/**
 * Returns statements that roll the batch back as a conflict if a session has changed since it was
 * read.
 */
const expectSame = (read: readonly WholeSession[]): SQL[] =>
  eachChunk(
    read.map(({ projectId, sessionId, revision }) => [projectId, sessionId, revision]),
    (json, count) => [
      expectRows(
        count,
        sql`json_each(${json}) as read cross join ${sessions} on ${sessions.projectId} = read.value ->> 0
            and ${sessions.sessionId} = read.value ->> 1 and ${sessions.revision} = read.value ->> 2`
      )
    ]
  )

type Counted = { session: WholeSession; counted: Record<string, string> }

type CountChange = { project: number; key: string; value: string; by: number }

function countValues(counted: readonly Counted[]): SQL[] {
  const changes = changesOf(counted)
  return [
    ...eachChunk(changes, (json) => [
      sql`${insertSelect(
        sessionValues,
        {
          projectId: sql`value ->> 'project'`,
          key: sql`value ->> 'key'`,
          value: sql`value ->> 'value'`,
          count: sql`value ->> 'by'`
        },
        sql`json_each(${json}) where true`
      )} on conflict (${bare(sessionValues.projectId)}, ${bare(sessionValues.key)}, ${bare(sessionValues.value)})
        do update set ${assign(sessionValues, { count: sql`${sessionValues.count} + ${excluded(sessionValues.count)}` })}`
    ]),
    ...eachChunk(
      changes.filter(({ by }) => by < 0),
      (json) => [
        sql`delete from ${sessionValues} where ${sessionValues.count} <= 0
            and (${sessionValues.projectId}, ${sessionValues.key}, ${sessionValues.value}) in
              (select value ->> 'project', value ->> 'key', value ->> 'value' from json_each(${json}))`
      ]
    )
  ]
}

/** Adds up the changes of each value; leaves out values whose count stays the same. */
function changesOf(counted: readonly Counted[]): CountChange[] {
  const single = counted.flatMap(
    ({ session: { projectId: project, counted: before }, counted: after }) => [
      ...Object.entries(before).map(([key, value]) => ({ project, key, value, by: -1 })),
      ...Object.entries(after).map(([key, value]) => ({ project, key, value, by: 1 }))
    ]
  )
  const sums = new Map<string, CountChange>()
  for (const { project, key, value, by } of single) {
    const name = JSON.stringify([project, key, value])
    const sum = (sums.get(name)?.by ?? 0) + by
    sums.set(name, { project, key, value, by: sum })
  }
  return [...sums.values()].filter(({ by }) => by !== 0)
}

function moveShingles(closed: readonly { session: WholeSession; shingles: number[] }[]): SQL[] {
  const rows = (of: (one: (typeof closed)[number]) => number[]) =>
    closed.flatMap((one) =>
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
      sql`delete from ${sessionShingles}
          where (${sessionShingles.projectId}, ${sessionShingles.shingle}, ${sessionShingles.sessionId}) in
            (select value ->> 0, value ->> 1, value ->> 2 from json_each(${json}))`
    ]),
    ...eachChunk(fresh, (json) => [
      insertSelect(
        sessionShingles,
        { projectId: sql`value ->> 0`, shingle: sql`value ->> 1`, sessionId: sql`value ->> 2` },
        sql`json_each(${json})`
      )
    ])
  ]
}

/** Sessions to rebuild, and the first events of their identities, from the same snapshot. */
export type StaleSessions = {
  sessions: WholeSession[]
  /** Pages by `nameOf` their ranges. A range without a page was not read: there are too many. */
  first: ReadonlyMap<string, Page>
}

/** Reads at most `limit` stale sessions of a project. */
export async function readStale({ db, project }: Scope, limit: number): Promise<StaleSessions> {
  return toStale(...(await readBatch(db, ...queryStale(project.id, limit))))
}

function queryStale(projectId: number, limit: number) {
  const isStale = sql`${session.projectId} = ${projectId} and ${session.isStale}`
  const ranges = sql`
    select project_id, session_id, start_time, end_time, own.value as identity
    from (select ${session.projectId}, ${session.sessionId}, ${session.startTime}, ${session.endTime}, ${session.identities}
          from ${sessions} ${session} where ${isStale} limit ${limit}) cross join json_each(identities) as own`
  return [
    query<WholeRow>(sql`${wholeSessions(isStale)} limit ${limit}`),
    queryFirstPages(ranges, FOLDED_PROPERTIES)
  ] as const
}

const toStale = (sessions: readonly WholeRow[], pages: readonly FirstPageRow[]): StaleSessions => ({
  sessions: sessions.map(toSession),
  first: toFirstPages(pages)
})

/**
 * Replaces sessions by parts built from their remaining events; a session without a part is
 * removed. The replaced sessions are open and will be closed again.
 * @returns the next stale sessions, at most `limit`, as `readStale` would read them: this saves its
 * round trip
 * @throws ConflictError when a session has changed since it was read
 */
export async function replaceStale(
  { db, project }: Scope,
  { replaced, parts }: { replaced: readonly WholeSession[]; parts: readonly SessionPart[] },
  limit: number
): Promise<StaleSessions> {
  const emptied = replaced.map((whole) => ({ session: whole, counted: {}, shingles: [] }))
  const revisions = replaced.map(({ sessionId, revision }) => [sessionId, revision + 1])
  const writes = [
    ...expectSame(replaced),
    ...countValues(emptied),
    ...moveShingles(emptied),
    ...eachChunk(revisions, (json) => [
      sql`delete from ${sessions} where ${sessions.projectId} = ${project.id}
          and ${sessions.sessionId} in (select value ->> 0 from json_each(${json}))`
    ]),
    ...addToSessions(project.id, parts),
    // A new row begins at revision 0; a writer that has read the old row must notice the change.
    ...eachChunk(revisions, (json) => [
      updateFrom(sessions, {
        set: { revision: sql`replaced.value ->> 1` },
        from: sql`json_each(${json}) as replaced`,
        where: sql`${sessions.projectId} = ${project.id} and ${sessions.sessionId} = replaced.value ->> 0`
      })
    ])
  ]
  return toStale(...(await writeThenRead(db, writes, ...queryStale(project.id, limit))))
}
