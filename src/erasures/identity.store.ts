import { type SQL, sql } from 'drizzle-orm'
import { events, personVersions } from '../db/schema.ts'
import { list } from '../db/statements.ts'

/** The highest version number of an identity. The id of a version is `key << 24 | number`. */
const LAST_VERSION = sql.raw(String(2 ** 24 - 1))

/** SQL: whether a version belongs to the identity with this key. */
export const isVersionOf = (key: SQL): SQL =>
  sql`${personVersions.id} between ${key} << 24 and (${key} << 24) + ${LAST_VERSION}`

/** An event's position in the index `events_identity`, `uuid` in hexadecimal. */
export type Place = { timestamp: number; event_id: number; uuid: string }

/** The columns of a place, for a `select`. */
export const placeColumns = sql`${events.timestamp}, ${events.eventId}, hex(${events.uuid}) as uuid`

/** Returns a `from` for an identity's events in the order of the index `events_identity`: all, or those after a place. */
export function eventsOf(projectId: number, key: number, after: Place | undefined): SQL {
  const order = list([events.timestamp, events.projectId, events.eventId, events.uuid])
  const isLater = after
    ? sql`(${order}) > (${after.timestamp}, ${projectId}, ${after.event_id}, unhex(${after.uuid}))`
    : sql`true`
  return sql`from ${events} where ${events.identity} = ${key} and ${isLater} order by ${order}`
}
