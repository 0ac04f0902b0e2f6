import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { eachChunk } from '../db/rows.ts'
import { isOfExit } from '../properties/session.ts'
import type { SessionPart } from './session.ts'

/*
 * Building sessions from events.
 */

/** Length of a slot, ms: open sessions are indexed by the quarter of an hour in which their last event was received. */
export const SLOT = 900_000

/**
 * Most distinct ids stored per session, the ones with the lowest keys. A session id that is shared
 * by more distinct ids is not a real session; its row is rebuilt from the events of the stored
 * distinct ids only.
 */
export const MAX_IDENTITIES = 100

/**
 * Returns statements that add parts to their sessions, for the transaction that stores the parts' events. The order of
 * parts does not matter. A closed session is opened again.
 */
export const addToSessions = (projectId: number, parts: readonly SessionPart[]): SQL[] =>
  eachChunk(parts.map(toRow), (rows) => [
    sql`insert into sessions (project_id, session_id, identities, start_time, end_time, events, pageviews, autocaptures,
                              screens, entry_key, entry, exit_key, exit, click_key, click, vitals_key, lcp, open_slot)
        select ${projectId}, value ->> 'id', value ->> 'identities', value ->> 'start', value ->> 'end', value ->> 'events',
               value ->> 'pageviews', value ->> 'autocaptures', value ->> 'screens', value ->> '$.entry.key',
               value ->> '$.entry.value', value ->> '$.exit.key', value ->> '$.exit.value', value ->> '$.click.key',
               value ->> '$.click.value', value ->> '$.vitals.key', value ->> '$.vitals.value', value ->> 'slot'
        from json_each(${rows}) where true
        on conflict (project_id, session_id) do update set
          identities = case when identities = excluded.identities then identities else (
            select json_group_array(value) from (
              select value from json_each(sessions.identities) union select value from json_each(excluded.identities)
              order by value limit ${MAX_IDENTITIES})) end,
          start_time = min(start_time, excluded.start_time), end_time = max(end_time, excluded.end_time),
          events = events + excluded.events, pageviews = pageviews + excluded.pageviews,
          autocaptures = autocaptures + excluded.autocaptures, screens = screens + excluded.screens,
          ${picked('entry', '<')}, ${picked('exit', '>')}, ${picked('click', '>')}, ${picked('vitals', '<', 'lcp')},
          open_slot = max(coalesce(open_slot, excluded.open_slot), excluded.open_slot), revision = revision + 1`
  ])

/** SQL: keeps the value with the lower (`<`) or the higher (`>`) key. */
function picked(name: string, order: '<' | '>', column = name): SQL {
  const [key, value] = [sql.raw(`${name}_key`), sql.raw(column)]
  const wins = sql`sessions.${key} is null or excluded.${key} ${sql.raw(order)} sessions.${key}`
  return sql`${value} = case when ${wins} then excluded.${value} else sessions.${value} end,
    ${key} = case when ${wins} then excluded.${key} else sessions.${key} end`
}

const toRow = (part: SessionPart) => ({
  id: part.sessionId,
  identities: [...part.identities].sort((a, b) => a - b).slice(0, MAX_IDENTITIES),
  start: part.startTime,
  end: part.endTime,
  events: part.events,
  pageviews: part.pageviews,
  autocaptures: part.autocaptures,
  screens: part.screens,
  entry: part.entry,
  exit: part.exit,
  click: part.click,
  vitals: part.vitals,
  slot: Math.floor(part.receivedAt / SLOT)
})

/**
 * Reopens sessions that were closed before their recording arrived, so that they are closed again
 * as recorded sessions.
 */
export const reopenSessions = (projectId: number, sessionIds: readonly string[]): SQL[] =>
  eachChunk(sessionIds, (json) => [
    sql`update sessions set open_slot = 0, revision = revision + 1
        where project_id = ${projectId} and session_id in (select value from json_each(${json})) and open_slot is null`
  ])

/*
 * Sessions that lose events.
 */

/**
 * Marks sessions to be rebuilt because the same transaction is about to delete some of their
 * events. `chunk` selects the `session_id` of exactly these events.
 */
export const markStale = (projectId: number, chunk: SQL): SQL =>
  sql`update sessions set is_stale = 1, revision = revision + 1
      where project_id = ${projectId} and not is_stale and session_id in (${chunk})`

/*
 * Reading.
 */

/**
 * SQL: whether a session is a bounce: one page, no clicks, and less than ten seconds. Null for a
 * session without a page.
 */
export const IS_BOUNCE = sql`case when s.pageviews + s.screens > 0 then
  s.pageviews + s.screens + s.autocaptures <= 1 and s.end_time - s.start_time < 10000 end`

const isoOf = (time: SQL): SQL => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch')`

const OF_ROW: Record<string, SQL> = {
  $start_timestamp: sql`json_object('$start_timestamp', ${isoOf(sql`s.start_time`)})`,
  $end_timestamp: sql`json_object('$end_timestamp', ${isoOf(sql`s.end_time`)})`,
  $pageview_count: sql`json_object('$pageview_count', s.pageviews)`,
  $autocapture_count: sql`json_object('$autocapture_count', s.autocaptures)`,
  $screen_count: sql`json_object('$screen_count', s.screens)`,
  $vitals_lcp: sql`json_object('$vitals_lcp', s.lcp)`,
  $session_duration: sql`json_object('$session_duration', (s.end_time - s.start_time) / 1000)`,
  $is_bounce: sql`json_object('$is_bounce', json(case ${IS_BOUNCE} when 1 then 'true' when 0 then 'false' end))`,
  $last_external_click_url: sql`json_object('$last_external_click_url', s.click)`
}

/** SQL: the JSON object that holds a property of a row `s` of `sessions`. Contains no bound values. */
export const sessionColumn = (key: string): SQL =>
  OF_ROW[key] ?? (isOfExit(key) ? sql`s.exit` : sql`s.entry`)

export type CountedValue = { name: string; count: number }

/**
 * Lists the values of a property in closed sessions: at most `limit` values that several sessions
 * have, the most frequent first, then at most `limit` values that only one session has. Reads at
 * most `3 * limit` rows.
 */
export async function listValues(
  db: Db,
  projectId: number,
  key: string,
  limit: number
): Promise<CountedValue[]> {
  const of = sql`select value as name, count from session_values where project_id = ${projectId} and key = ${key}`
  const [frequent] = await readBatch(
    db,
    query<CountedValue>(sql`${of} and count > 1 order by count desc, value limit ${limit}`)
  )
  // This statement also scans the values that several sessions have, of which there are fewer than
  // `limit` here.
  if (frequent.length === limit) {
    return frequent
  }
  const [single] = await readBatch(
    db,
    query<CountedValue>(sql`${of} and count = 1 order by value limit ${limit}`)
  )
  return [...frequent, ...single]
}
