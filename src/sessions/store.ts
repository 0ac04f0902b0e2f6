import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Scope } from '../access/open.ts'
import { SLOT } from '../columns/slots/store.ts'
import { eachChunk } from '../db/rows.ts'
import { sessions, sessionValues } from '../db/schema.ts'
import {
  assign,
  bare,
  type ColumnValues,
  excluded,
  insertSelect,
  updateFrom
} from '../db/statements.ts'
import type { SessionPart } from './session.ts'

/*
 * Building sessions from events.
 */

/**
 * Maximum number of distinct ids stored per session: those with the lowest keys. Real sessions have
 * fewer. If a session with more is ever rebuilt, only the events of its stored distinct ids are
 * counted.
 */
export const MAX_IDENTITIES = 100

/**
 * Returns statements that add parts to their sessions, for the transaction that stores the parts'
 * events. The order of parts does not matter. A closed session is opened again.
 */
export const addToSessions = (projectId: number, parts: readonly SessionPart[]): SQL[] =>
  eachChunk(parts.map(toRow), (rows) => [
    sql`${insertSelect(
      sessions,
      {
        projectId,
        sessionId: sql`value ->> 'id'`,
        identities: sql`value ->> 'identities'`,
        startTime: sql`value ->> 'start'`,
        endTime: sql`value ->> 'end'`,
        events: sql`value ->> 'events'`,
        pageviews: sql`value ->> 'pageviews'`,
        autocaptures: sql`value ->> 'autocaptures'`,
        screens: sql`value ->> 'screens'`,
        entryKey: sql`value ->> '$.entry.key'`,
        entry: sql`value ->> '$.entry.value'`,
        exitKey: sql`value ->> '$.exit.key'`,
        exit: sql`value ->> '$.exit.value'`,
        clickKey: sql`value ->> '$.click.key'`,
        click: sql`value ->> '$.click.value'`,
        vitalsKey: sql`value ->> '$.vitals.key'`,
        lcp: sql`value ->> '$.vitals.value'`,
        openSlot: sql`value ->> 'slot'`
      },
      // Without `where true`, SQLite would read `on conflict` as a join condition.
      sql`json_each(${rows}) where true`
    )} on conflict (${bare(sessions.projectId)}, ${bare(sessions.sessionId)}) do update set ${MERGED}`
  ])

const sum = (column: SQLiteColumn): SQL => sql`${column} + ${excluded(column)}`

const MERGED = assign(sessions, {
  identities: sql`case when ${sessions.identities} = ${excluded(sessions.identities)} then ${sessions.identities} else (
    select json_group_array(value) from (
      select value from json_each(${sessions.identities})
      union select value from json_each(${excluded(sessions.identities)})
      order by value limit ${MAX_IDENTITIES})) end`,
  startTime: sql`min(${sessions.startTime}, ${excluded(sessions.startTime)})`,
  endTime: sql`max(${sessions.endTime}, ${excluded(sessions.endTime)})`,
  events: sum(sessions.events),
  pageviews: sum(sessions.pageviews),
  autocaptures: sum(sessions.autocaptures),
  screens: sum(sessions.screens),
  ...pick('entry', 'entryKey', '<'),
  ...pick('exit', 'exitKey', '>'),
  ...pick('click', 'clickKey', '>'),
  ...pick('lcp', 'vitalsKey', '<'),
  openSlot: sql`max(coalesce(${sessions.openSlot}, ${excluded(sessions.openSlot)}), ${excluded(sessions.openSlot)})`,
  revision: sql`${sessions.revision} + 1`
})

type Column = keyof typeof sessions.$inferSelect

/** Keeps the value with the lower (`<`) or higher (`>`) key; no key changes nothing. */
function pick(name: Column, keyName: Column, order: '<' | '>'): ColumnValues<typeof sessions> {
  const [value, key] = [sessions[name], sessions[keyName]]
  const wins = sql`(${key} is null or ${excluded(key)} ${sql.raw(order)} ${key})`
  return {
    [name]: sql`case when ${wins} then ${excluded(value)} else ${value} end`,
    [keyName]: sql`case when ${wins} then ${excluded(key)} else ${key} end`
  }
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
 * as recorded sessions. Slot 0 makes the next run close them.
 */
export const reopenSessions = (projectId: number, sessionIds: readonly string[]): SQL[] =>
  eachChunk(sessionIds, (json) => [
    updateFrom(sessions, {
      set: { openSlot: 0, revision: sql`${sessions.revision} + 1` },
      where: sql`${sessions.projectId} = ${projectId} and ${sessions.openSlot} is null
        and ${sessions.sessionId} in (select value from json_each(${json}))`
    })
  ])

/*
 * Sessions that lose events.
 */

/**
 * Marks sessions to be rebuilt because the same transaction is about to delete some of their
 * events. `chunk` selects the `session_id` of exactly these events.
 */
export const markStale = (projectId: number, chunk: SQL): SQL =>
  updateFrom(sessions, {
    set: { isStale: 1, revision: sql`${sessions.revision} + 1` },
    where: sql`${sessions.projectId} = ${projectId} and not ${sessions.isStale}
      and ${sessions.sessionId} in (${chunk})`
  })

/*
 * Reading.
 */

export type CountedValue = { name: string; count: number }

/**
 * Lists the values of a property in closed sessions: at most `limit` values that several sessions
 * have, the most frequent first. If these are fewer than `limit`, at most `limit` values that only
 * one session has follow. Reads at most `3 * limit` rows.
 */
export async function listValues(
  { db, project }: Scope,
  key: string,
  limit: number
): Promise<CountedValue[]> {
  const select = (condition: SQL) =>
    db
      .select({ name: sessionValues.value, count: sessionValues.count })
      .from(sessionValues)
      .where(and(eq(sessionValues.projectId, project.id), eq(sessionValues.key, key), condition))
      .limit(limit)
  // Repeats the condition of the index `session_values_frequent` literally: with a bound value,
  // SQLite would not use it.
  const frequent = await select(sql`${sessionValues.count} > 1`).orderBy(
    desc(sessionValues.count),
    asc(sessionValues.value)
  )
  if (frequent.length === limit) {
    return frequent
  }
  // The scan also passes the values that several sessions have; here there are fewer than `limit`
  // of them.
  const single = await select(sql`${sessionValues.count} = 1`).orderBy(asc(sessionValues.value))
  return [...frequent, ...single]
}
