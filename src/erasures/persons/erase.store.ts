import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { noteLastErasure } from '../../barred/tombstones/store.ts'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { countRows, eachChunk, expectRows, inJson } from '../../db/rows.ts'
import {
  activity,
  cohortMembers,
  distinctIds,
  erasedIdentities,
  erasures,
  persons
} from '../../db/schema.ts'
import { insertSelect, list, updateFrom } from '../../db/statements.ts'
import type { Announced } from '../../ledger/entry.ts'
import { deleteMembers } from '../../membership/merge.store.ts'
import type { Actor } from '../../persons/activity/entry.ts'
import { activityStatements, hasValues, withoutValues } from '../../persons/activity/store.ts'
import type { ErasureEntry } from '../entries.ts'
import type { MentionCount } from '../mentions/schemas.ts'
import type { RemovedAtOnce } from '../stores.ts'
import { deleteRecordingsOf } from './identity.store.ts'

/** Persons by their integer ids, UUIDs and distinct ids. */
export type Selection = { ids?: number[]; uuids?: string[]; distinctIds?: string[] }

export type PersonToErase = {
  id: number
  uuid: string
  identities: { key: number; distinctId: string }[]
  /** Whether this person exists. A visitor gets an id and a UUID only for the erasure. */
  isStored: boolean
}

/**
 * Finds the identities without a person that have one of these distinct ids, in one round trip; in
 * none if `persons`, who were found by the same distinct ids, have them all.
 */
export async function findVisitors(
  db: Db,
  projectId: number,
  names: readonly string[],
  persons: readonly PersonToErase[]
): Promise<PersonToErase['identities']> {
  const known = persons.flatMap(({ identities }) => identities.map((one) => one.distinctId))
  const rest = [...new Set(names).difference(new Set(known))]
  if (rest.length === 0) {
    return []
  }
  return db
    .select({ key: distinctIds.key, distinctId: distinctIds.distinctId })
    .from(distinctIds)
    .where(
      and(
        eq(distinctIds.projectId, projectId),
        sql`${distinctIds.distinctId} in ${inJson(rest)}`,
        isNull(distinctIds.personId)
      )
    )
    .orderBy(distinctIds.key)
}

/** Finds the selected persons, each once, in one round trip. */
export async function findPersonsToErase(
  db: Db,
  projectId: number,
  { ids = [], uuids = [], distinctIds: names = [] }: Selection
): Promise<PersonToErase[]> {
  const selected = sql`
    select ${persons.id} from ${persons} where +${persons.projectId} = ${projectId} and ${persons.id} in ${inJson(ids)}
    union select ${persons.id} from ${persons} where ${persons.projectId} = ${projectId} and ${persons.uuid} in ${inJson(uuids)}
    union select ${distinctIds.personId} from ${distinctIds}
      where ${distinctIds.projectId} = ${projectId} and ${distinctIds.distinctId} in ${inJson(names)}`
  const [found, identities] = await readBatch(
    db,
    query<{ id: number; uuid: string }>(sql`
      select ${persons.id}, ${persons.uuid} from ${persons} where +${persons.projectId} = ${projectId} and ${persons.id} in (${selected})`),
    query<{ key: number; distinct_id: string; person_id: number }>(sql`
      select ${distinctIds.key}, ${distinctIds.distinctId}, ${distinctIds.personId} from ${distinctIds}
      where +${distinctIds.projectId} = ${projectId} and ${distinctIds.personId} in (${selected})
      order by ${distinctIds.key}`)
  )
  const byPerson = Map.groupBy(identities, ({ person_id }) => person_id)
  return found.map(({ id, uuid }) => ({
    id,
    uuid,
    identities: (byPerson.get(id) ?? []).map(({ key, distinct_id }) => ({
      key,
      distinctId: distinct_id
    })),
    isStored: true
  }))
}

/** An identity to erase, with the hashes of its distinct id for the tombstone and the receipt. */
export type IdentityToErase = {
  key: number
  hash: string
  receipt_hash: string
  person_id: number
  person_uuid: string
  /** The person of the identity as it was read; null for a visitor without a person. */
  stored_person: number | null
}

export type NewErasures = {
  persons: PersonToErase[]
  /** All identities of these persons. */
  identities: IdentityToErase[]
  actor: Actor
  /** The time up to which kept data can still be deleted, ms UTC; null if nothing is kept. */
  linkedUntil: number | null
  /** What else names the person; undefined if the request did not look for it. */
  mentions?: readonly MentionCount[] | undefined
  entry: Announced<ErasureEntry>
}

/**
 * Deletes persons, and visitors without a person, and creates their erasures in one transaction.
 * @param requests requests for the erasure of different persons
 * @returns the ids of the erasures
 * @throws ConflictError when a person is gone, or has gained or lost a distinct id, since it was
 * read, or a visitor has got a person
 */
export async function writeErasures(
  db: Db,
  projectId: number,
  requests: readonly NewErasures[]
): Promise<number[]> {
  const results = await writeBatch(
    db,
    requests.flatMap((request) => erasePersonsOf(projectId, request))
  )
  return results.flatMap(({ results: rows }) =>
    (rows as { erasure_id?: number }[]).flatMap((row) => row.erasure_id ?? [])
  )
}

function erasePersonsOf(projectId: number, erasure: NewErasures): SQL[] {
  const { actor, entry } = erasure
  const now = entry.requested_at
  const erased = erasure.persons.map(({ id, uuid, identities, isStored }) => ({
    id,
    uuid,
    distinct_ids: identities.length,
    persons: Number(isStored)
  }))
  const stored = erased.filter(({ persons }) => persons === 1).length
  return [
    ...eachChunk(erased, (rows, count) => deletePersons(projectId, erasure, { rows, count })),
    ...eachChunk(erasure.identities, (rows, count) =>
      writeTombstones(projectId, now, { rows, count })
    ),
    ...(entry.delete_recordings ? deleteRecordingsOf(projectId, erasure.identities, now) : []),
    // After the known distinct ids are deleted, a person must have none left.
    ...eachChunk(erased, (rows) => [
      expectRows(
        0,
        sql`${distinctIds} where +${distinctIds.projectId} = ${projectId} and ${distinctIds.personId} in ${idsIn(rows)}`
      )
    ]),
    ...countRows(projectId, 'persons', -stored),
    ...activityStatements(
      projectId,
      erased.map(({ id, uuid }) => ({
        scope: 'Person',
        itemId: id,
        activity: 'deleted',
        actor,
        detail: { name: uuid, changes: [] },
        at: now
      }))
    ),
    noteLastErasure(projectId, now)
  ]
}

type Chunk = { rows: string; count: number }

/**
 * Statements that create the erasures of persons, delete the persons and their memberships in
 * cohorts, and remove the values from their activity log. One of them returns the ids of the erasures as `erasure_id`.
 */
const deletePersons = (
  projectId: number,
  { entry, actor, linkedUntil, mentions }: NewErasures,
  { rows, count }: Chunk
): SQL[] => [
  expectRows(
    count,
    sql`json_each(${rows}) as read left join ${persons}
        on ${persons.id} = read.value ->> 'id' and ${persons.projectId} = ${projectId}
      where (${persons.id} is not null) = read.value ->> 'persons'`
  ),
  sql`${insertSelect(
    erasures,
    {
      projectId,
      personId: sql`value ->> 'id'`,
      personUuid: sql`value ->> 'uuid'`,
      requestedAt: entry.requested_at,
      requestedBy: JSON.stringify(actor),
      deleteEvents: Number(entry.delete_events),
      deleteRecordings: Number(entry.delete_recordings),
      status: 'queued',
      progressAt: entry.requested_at,
      linkedUntil,
      mentions: mentions ? JSON.stringify(mentions) : null,
      stores: countAtOnce(projectId)
    },
    sql`json_each(${rows})`
  )} returning ${erasures.id} as erasure_id`,
  updateFrom(activity, {
    set: { detail: withoutValues },
    where: sql`${isAbout(projectId, idsIn(rows))} and ${hasValues}`
  }),
  deleteMembers(projectId, idsIn(rows)),
  sql`delete from ${persons} where +${persons.projectId} = ${projectId} and ${persons.id} in ${idsIn(rows)}`
]

const writeTombstones = (projectId: number, now: number, { rows, count }: Chunk): SQL[] => [
  expectRows(
    count,
    sql`json_each(${rows}) as read cross join ${distinctIds}
        on ${distinctIds.key} = read.value ->> 'key' and ${distinctIds.personId} is read.value ->> 'stored_person'
          and ${distinctIds.projectId} = ${projectId}`
  ),
  insertSelect(
    erasedIdentities,
    {
      key: sql`one.value ->> 'key'`,
      projectId,
      hash: sql`one.value ->> 'hash'`,
      receiptHash: sql`one.value ->> 'receipt_hash'`,
      erasureId: sql`${erasures.id}`,
      personId: sql`${erasures.personId}`,
      erasedAt: now
    },
    sql`json_each(${rows}) as one cross join ${erasures}
        on ${erasures.projectId} = ${projectId} and ${erasures.personUuid} = one.value ->> 'person_uuid'`
  ),
  sql`delete from ${distinctIds} where +${distinctIds.projectId} = ${projectId}
      and ${distinctIds.key} in (select value ->> 'key' from json_each(${rows}))`
]

/** Counts the rows of a person, `value` of a list, that the request itself removes. */
function countAtOnce(projectId: number): SQL {
  const counts: Record<RemovedAtOnce, SQL> = {
    persons: sql`value ->> 'persons'`,
    distinct_ids: sql`value ->> 'distinct_ids'`,
    cohort_members: sql`(select count(*) from ${cohortMembers}
      where ${cohortMembers.personId} = value ->> 'id' and +${cohortMembers.projectId} = ${projectId})`,
    search_index: sql`(select count(*) from ${persons}
      where ${persons.id} = value ->> 'id' and ${persons.search} <> '')`,
    activity_values: sql`(select count(*) from ${activity}
      where ${isAbout(projectId, sql`(value ->> 'id')`)} and ${hasValues})`
  }
  const members = Object.entries(counts).map(([store, count]) => sql`${store}, ${count}`)
  return sql`json_object(${list(members)})`
}

const idsIn = (rows: string): SQL => sql`(select value ->> 'id' from json_each(${rows}))`

/** SQL: whether an activity entry is about one of these persons; `ids` is a list in parentheses. */
const isAbout = (projectId: number, ids: SQL): SQL =>
  sql`${activity.projectId} = ${projectId} and ${activity.scope} = 'Person' and ${activity.ownerId} in ${ids}`
