import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { noteLastErasure } from '../../barred/tombstones/store.ts'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk, expectRows, inJson } from '../../db/rows.ts'
import { erasedIdentities, erasures } from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import type { Announced } from '../../ledger/entry.ts'
import type { Actor } from '../../persons/activity/entry.ts'
import type { CompletionEntry } from '../entries.ts'
import type { Extent } from '../extent.ts'
import { deleteRecordingsOf, isOneOf } from '../persons/identity.store.ts'

const earlier = alias(erasures, 'earlier')
const later = alias(erasures, 'later')

/** An erasure, and the identities that link it to the data that it kept. */
export type Remains = Extent & {
  id: number
  personUuid: string
  isCompleted: boolean
  identities: { key: number; hash: string }[]
}

/**
 * Finds erasures with a link to the data that they kept, and erasures that kept nothing, by the
 * UUIDs of their persons and the hashes of distinct ids.
 */
export async function findRemains(
  db: Db,
  projectId: number,
  { uuids, hashes }: { uuids: string[]; hashes: string[] }
): Promise<Remains[]> {
  const wanted = sql`
    select ${erasures.id} from ${erasures}
      where ${erasures.projectId} = ${projectId} and ${erasures.personUuid} in ${inJson(uuids)}
    union select ${erasedIdentities.erasureId} from ${erasedIdentities}
      where ${erasedIdentities.projectId} = ${projectId} and ${erasedIdentities.hash} in ${inJson(hashes)}`
  const [found, identities] = await readBatch(
    db,
    query<{
      id: number
      person_uuid: string
      is_completed: number
      delete_events: number
      delete_recordings: number
    }>(sql`
      select ${erasures.id}, ${erasures.personUuid}, ${erasures.status} = 'completed' as is_completed,
        ${erasures.deleteEvents}, ${erasures.deleteRecordings}
      from ${erasures} where +${erasures.projectId} = ${projectId} and ${erasures.id} in (${wanted})
        and (${erasures.linkedUntil} is not null or (${erasures.deleteEvents} and ${erasures.deleteRecordings}))
      order by ${erasures.id}`),
    query<{ key: number; hash: string; erasure_id: number }>(sql`
      select ${erasedIdentities.key}, ${erasedIdentities.hash}, ${erasedIdentities.erasureId}
      from ${erasedIdentities}
      where +${erasedIdentities.projectId} = ${projectId} and ${erasedIdentities.erasureId} in (${wanted})
      order by ${erasedIdentities.key}`)
  )
  const byErasure = Map.groupBy(identities, ({ erasure_id }) => erasure_id)
  // An erasure without identities has passed them on to its completion.
  return found
    .filter(({ id }) => byErasure.has(id))
    .map((row) => ({
      id: row.id,
      personUuid: row.person_uuid,
      isCompleted: row.is_completed === 1,
      deleteEvents: row.delete_events === 1,
      deleteRecordings: row.delete_recordings === 1,
      identities: (byErasure.get(row.id) ?? []).map(({ key, hash }) => ({ key, hash }))
    }))
}

type Completion = { remains: Remains[]; actor: Actor; linkedUntil: number | null }

/**
 * In one transaction, widens open erasures so that they delete more, and creates for each completed
 * erasure a new one, which takes over the identities and deletes what was kept.
 * @returns the ids of the erasures that have work to do
 * @throws ConflictError when an erasure has changed since it was read
 */
export async function writeCompletions(
  db: Db,
  entry: Announced<CompletionEntry>,
  completion: Completion
): Promise<number[]> {
  const { remains } = completion
  const { project: projectId, requested_at: now } = entry
  const rows = remains.map((erasure) => ({
    id: erasure.id,
    is_completed: Number(erasure.isCompleted),
    identities: erasure.identities.length,
    had_events: Number(erasure.deleteEvents),
    had_recordings: Number(erasure.deleteRecordings),
    delete_events: Number(erasure.deleteEvents || entry.delete_events),
    delete_recordings: Number(erasure.deleteRecordings || entry.delete_recordings)
  }))
  const keys = remains.flatMap(({ identities }) => identities.map(({ key }) => ({ key })))
  const results = await writeBatch(db, [
    ...eachChunk(rows, (json, count) => [
      expectUnchanged(projectId, json, count),
      widenOpen(projectId, json, now),
      ...continueCompleted(entry, json, completion)
    ]),
    ...(entry.delete_recordings ? deleteRecordingsOf(projectId, keys, now) : []),
    // The erasures that now have the identities.
    ...eachChunk(keys, (json) => [
      sql`select distinct ${erasedIdentities.erasureId} as completing from ${erasedIdentities}
          where ${isOneOf(json)} and +${erasedIdentities.projectId} = ${projectId}`
    ]),
    noteLastErasure(projectId, now)
  ])
  const ids = results.flatMap(({ results: found }) =>
    (found as { completing?: number }[]).flatMap(({ completing }) => completing ?? [])
  )
  return [...new Set(ids)]
}

/** Rolls the batch back as a conflict unless all erasures of a list are as they were read. */
const expectUnchanged = (projectId: number, json: string, count: number): SQL =>
  expectRows(
    count,
    sql`json_each(${json}) as one cross join ${erasures} on ${erasures.id} = one.value ->> 'id'
        and ${erasures.projectId} = ${projectId} and ${erasures.linkedUntil} is not null
        and ${erasures.deleteEvents} = one.value ->> 'had_events'
        and ${erasures.deleteRecordings} = one.value ->> 'had_recordings'
        and (${erasures.status} = 'completed') = one.value ->> 'is_completed'
        and (select count(*) from ${erasedIdentities}
          where ${erasedIdentities.erasureId} = ${erasures.id}) = one.value ->> 'identities'`
  )

const widenOpen = (projectId: number, json: string, now: number): SQL =>
  updateFrom(erasures, {
    set: {
      deleteEvents: sql`one.value ->> 'delete_events'`,
      deleteRecordings: sql`one.value ->> 'delete_recordings'`,
      clearedAt: null,
      progressAt: now
    },
    from: sql`json_each(${json}) as one`,
    where: sql`${erasures.id} = one.value ->> 'id' and +${erasures.projectId} = ${projectId}
      and not one.value ->> 'is_completed'`
  })

/**
 * Creates an erasure for each completed one of a list, and moves the identities of the completed
 * one to it: only the new erasure can be completed from then on.
 */
const continueCompleted = (
  { project: projectId, requested_at: now }: CompletionEntry,
  json: string,
  { actor, linkedUntil }: Completion
): SQL[] => [
  insertSelect(
    erasures,
    {
      projectId,
      personId: sql`${earlier.personId}`,
      personUuid: sql`${earlier.personUuid}`,
      requestedAt: now,
      requestedBy: JSON.stringify(actor),
      deleteEvents: sql`one.value ->> 'delete_events'`,
      deleteRecordings: sql`one.value ->> 'delete_recordings'`,
      status: 'queued',
      progressAt: now,
      stores: '{}',
      linkedUntil,
      completes: sql`${earlier.id}`
    },
    sql`json_each(${json}) as one cross join ${erasures} ${earlier}
        on ${earlier.id} = one.value ->> 'id' and ${earlier.projectId} = ${projectId}
        where one.value ->> 'is_completed'`
  ),
  updateFrom(erasedIdentities, {
    set: {
      erasureId: sql`(select max(${later.id}) from ${erasures} ${earlier} cross join ${erasures} ${later}
        on ${later.projectId} = ${earlier.projectId} and ${later.personUuid} = ${earlier.personUuid}
          and ${later.completes} = ${earlier.id}
        where ${earlier.id} = ${erasedIdentities.erasureId})`
    },
    where: sql`+${erasedIdentities.projectId} = ${projectId} and ${erasedIdentities.erasureId} in (
      select value ->> 'id' from json_each(${json}) where value ->> 'is_completed')`
  }),
  updateFrom(erasures, {
    set: { linkedUntil: null },
    from: sql`json_each(${json}) as one`,
    where: sql`${erasures.id} = one.value ->> 'id' and +${erasures.projectId} = ${projectId}
      and one.value ->> 'is_completed'`
  })
]
