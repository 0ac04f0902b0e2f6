import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  countSuppressed,
  expectSerial,
  type Joining,
  joinSuppressions
} from '../barred/suppressions/store.ts'
import type { Drops } from '../barred/suppressions/suppression.ts'
import { countDropped, expectLastErasure, expectOpenErasures } from '../barred/tombstones/store.ts'
import { countEvents } from '../columns/slots/store.ts'
import { writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { countRows, eachChunk, expectRows, inJson } from '../db/rows.ts'
import { distinctIds, eventNames, events, persons } from '../db/schema.ts'
import { insertSelect, updateFrom } from '../db/statements.ts'
import { uuidToHex } from '../input/uuid.ts'
import { mergeMembers } from '../membership/merge.store.ts'
import { mergeActivity } from '../persons/activity/store.ts'
import {
  expectUnchanged,
  insertPersons,
  insertVersions,
  moveIdentities,
  updatePersons
} from '../persons/write.store.ts'
import { addToSessions } from '../sessions/store.ts'
import type { Changes } from './changes.ts'
import { expectNoSessions } from './cookieless/store.ts'

/* The `+` before a project's id is explained in `persons/write.store.ts`. */

/** How many events suppressions drop, and the distinct ids that are added to them. */
export type SuppressedChanges = {
  /** `Known.suppressionSerial`. The write fails if the suppressions have changed since. */
  serial: number
  dropped: Drops[]
  joining: Joining[]
}

/**
 * Writes a plan in one transaction, or writes nothing if the rows that the plan was made from have
 * changed since.
 * @throws ConflictError
 */
export async function writeChanges(
  db: Db,
  projectId: number,
  changes: Changes,
  suppressed: SuppressedChanges
): Promise<void> {
  await writeBatch(db, [
    expectSerial(projectId, suppressed.serial),
    ...expectPlanned(projectId, changes),
    ...countSuppressed(projectId, 'events', suppressed.dropped),
    ...joinSuppressions(projectId, suppressed.joining),
    ...countDropped(projectId, changes.dropped),
    ...writePersons(projectId, changes),
    ...writeEvents(projectId, changes)
  ])
}

/**
 * Rolls the batch back as a conflict unless the rows that the plan was made from are unchanged. Put
 * it before the writes, because they change these rows.
 */
const expectPlanned = (projectId: number, changes: Changes): SQL[] => [
  ...expectUnchanged(projectId, [...changes.changedPersons, ...changes.mergedPersons]),
  ...eachChunk(changes.attached, (rows, count) => [
    expectRows(count, sql`${storedIdentities(projectId, rows)} where ${identity.personId} is null`)
  ]),
  ...eachChunk(
    changes.expectedIdentities.map((key) => ({ key })),
    (rows, count) => [expectRows(count, storedIdentities(projectId, rows))]
  ),
  // The checks above notice erasures of the stored identities. Another erasure could have erased
  // the person of a new identity, so a plan with new identities fails after any erasure.
  ...(changes.newIdentities.length > 0 ? [expectLastErasure(projectId, changes.lastErasure)] : []),
  ...expectNoSessions(projectId, changes.begunSessions),
  ...expectOpenErasures(projectId, changes.usedTombstones)
]

const identity = alias(distinctIds, 'identity')

/** Selects those of the given identities that are stored; a `where` may follow. */
const storedIdentities = (projectId: number, rows: string): SQL =>
  sql`json_each(${rows}) as used cross join ${distinctIds} ${identity}
      on ${identity.key} = used.value ->> 'key' and ${identity.projectId} = ${projectId}`

/** Writes persons, identities and versions. */
const writePersons = (projectId: number, changes: Changes): SQL[] => [
  ...insertPersons(projectId, changes.newPersons),
  ...updatePersons(projectId, changes.changedPersons),
  ...foldPersons(projectId, changes.mergedPersons),
  ...moveIdentities(projectId, changes.attached),
  ...eachChunk(changes.newIdentities, (rows) => [
    insertSelect(
      distinctIds,
      {
        key: sql`value ->> 'key'`,
        projectId,
        distinctId: sql`value ->> 'distinct_id'`,
        personId: sql`value ->> 'person_id'`
      },
      sql`json_each(${rows})`
    )
  ]),
  ...insertVersions(projectId, changes.versions),
  // Changes the stored number of persons by the difference.
  ...countRows(projectId, 'persons', changes.newPersons.length - changes.mergedPersons.length)
]

/** Moves activity, memberships and distinct ids to the remaining persons, and deletes the others. */
const foldPersons = (projectId: number, merged: Changes['mergedPersons']): SQL[] => [
  ...mergeActivity(projectId, merged),
  ...mergeMembers(projectId, merged),
  ...eachChunk(merged, (rows) => [
    updateFrom(distinctIds, {
      set: { personId: sql`merged.value ->> 'into'` },
      from: sql`json_each(${rows}) as merged`,
      where: sql`${distinctIds.personId} = merged.value ->> 'id' and +${distinctIds.projectId} = ${projectId}`
    }),
    sql`delete from ${persons} where +${persons.projectId} = ${projectId}
        and ${persons.id} in (select value ->> 'id' from json_each(${rows}))`
  ])
]

/** Writes event names, events, their counts and their sessions. */
const writeEvents = (projectId: number, changes: Changes): SQL[] => [
  ...eachChunk(changes.eventNames, (rows) => [
    insertSelect(
      eventNames,
      { id: sql`value ->> 'id'`, projectId, name: sql`value ->> 'name'` },
      sql`json_each(${rows})`
    )
  ]),
  ...countRows(projectId, 'event_names', changes.eventNames.length),
  ...eachChunk(
    changes.events.map((event) => ({ ...event, uuid: uuidToHex(event.uuid) })),
    (rows) => [
      insertSelect(
        events,
        {
          projectId,
          eventId: sql`value ->> 'event_id'`,
          timestamp: sql`value ->> 'timestamp'`,
          uuid: sql`unhex(value ->> 'uuid')`,
          identity: sql`value ->> 'identity'`,
          version: sql`value ->> 'version'`,
          sessionId: sql`value ->> 'session_id'`,
          windowId: sql`value ->> 'window_id'`,
          properties: sql`jsonb(value -> 'properties')`
        },
        sql`json_each(${rows})`
      )
    ]
  ),
  ...countEvents(projectId, changes.events),
  ...addToSessions(projectId, changes.sessions)
]

/** Lists the distinct ids of persons, with their persons. */
export const listDistinctIds = (
  db: Db,
  projectId: number,
  personIds: number[]
): Promise<{ distinctId: string; personId: number | null }[]> =>
  db
    .select({ distinctId: distinctIds.distinctId, personId: distinctIds.personId })
    .from(distinctIds)
    .where(
      sql`${distinctIds.personId} in ${inJson(personIds)} and +${distinctIds.projectId} = ${projectId}`
    )

/** Runs a trivial statement: D1 reports the size of the database with every answer. */
export const measureDatabase = (db: Db) => db.run(sql`select 1`)
