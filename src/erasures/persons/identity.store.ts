import { type SQL, sql } from 'drizzle-orm'
import { eachChunk } from '../../db/rows.ts'
import { erasedIdentities, erasures, events, personVersions, recordings } from '../../db/schema.ts'
import { list, updateFrom } from '../../db/statements.ts'
import { VERSIONS } from '../../db/version-id.ts'
import { tombstoneRecordings } from '../../recordings/purge.store.ts'

/** SQL: whether a version belongs to the identity with this key: see `db/version-id.ts`. */
export function isVersionOf(key: SQL): SQL {
  const first = sql`${key} * ${sql.raw(String(VERSIONS))}`
  return sql`${personVersions.id} between ${first} and ${first} + ${sql.raw(String(VERSIONS - 1))}`
}

/** An event's position in the index `events_identity`, `uuid` in hexadecimal. */
export type Place = { timestamp: number; event_id: number; uuid: string }

export const placeColumns = sql`${events.timestamp}, ${events.eventId}, hex(${events.uuid}) as uuid`

/** Returns a `from` for an identity's events in the order of `events_identity`. */
export function eventsOf(projectId: number, key: number, after: Place | undefined): SQL {
  const order = list([events.timestamp, events.projectId, events.eventId, events.uuid])
  const isLater = after
    ? sql`(${order}) > (${after.timestamp}, ${projectId}, ${after.event_id}, unhex(${after.uuid}))`
    : sql`true`
  return sql`from ${events} where ${events.identity} = ${key} and ${isLater} order by ${order}`
}

/** SQL: whether an erased identity is in a JSON list of rows with a `key`. */
export const isOneOf = (rows: string): SQL =>
  sql`${erasedIdentities.key} in (select value ->> 'key' from json_each(${rows}))`

/** Turns recordings of erased identities into tombstones, and counts them for the erasures. */
export const deleteRecordingsOf = (
  projectId: number,
  identities: readonly { key: number }[],
  now: number
): SQL[] => {
  const keys = identities.map(({ key }) => ({ key }))
  return [
    ...eachChunk(keys, (rows) =>
      tombstoneRecordings(
        projectId,
        sql`${recordings.identity} in (select value ->> 'key' from json_each(${rows}))`,
        now,
        sql`(select ${erasedIdentities.erasureId} from ${erasedIdentities} where ${erasedIdentities.key} = ${recordings.identity})`
      )
    ),
    ...eachChunk(keys, (rows) => [
      updateFrom(erasures, {
        set: {
          stores: sql`json_set(${erasures.stores}, '$.recordings',
            (select count(*) from ${recordings} where ${recordings.erasureId} = ${erasures.id}))`
        },
        where: sql`+${erasures.projectId} = ${projectId} and ${erasures.id} in (
          select ${erasedIdentities.erasureId} from ${erasedIdentities} where ${isOneOf(rows)})`
      })
    ])
  ]
}
