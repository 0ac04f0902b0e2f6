import { type SQL, sql } from 'drizzle-orm'
import { events, personVersions } from '../db/schema.ts'
import { list } from '../db/statements.ts'
import { VERSIONS } from '../db/version-id.ts'

/** SQL: whether a version belongs to the identity with this key: see `db/version-id.ts`. */
export function isVersionOf(key: SQL): SQL {
  const first = sql`${key} * ${sql.raw(String(VERSIONS))}`
  return sql`${personVersions.id} between ${first} and ${first} + ${sql.raw(String(VERSIONS - 1))}`
}

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
