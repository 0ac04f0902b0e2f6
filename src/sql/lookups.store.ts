import { sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inHalves } from '../db/halves.ts'
import { inJson } from '../db/rows.ts'
import { distinctIds, eventNames, persons, personVersions } from '../db/schema.ts'

/** Lists the names of a project's events, by their ids. */
export async function readEventNames(db: Db, projectId: number): Promise<Map<number, string>> {
  const [rows] = await readBatch(
    db,
    query<{ id: number; name: string }>(sql`
      select ${eventNames.id}, ${eventNames.name} from ${eventNames}
      where ${eventNames.projectId} = ${projectId}`)
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Returns the UUIDs of persons, by their ids; erased persons are missing. */
export async function readPersonUuids(
  db: Db,
  projectId: number,
  ids: readonly number[]
): Promise<Map<number, string>> {
  const [rows] = await readBatch(
    db,
    query<{ id: number; uuid: string }>(sql`
      select ${persons.id}, ${persons.uuid} from ${persons}
      where ${persons.id} in ${inJson(ids)} and +${persons.projectId} = ${projectId}`)
  )
  return new Map(rows.map(({ id, uuid }) => [id, uuid]))
}

/** Returns the distinct ids of identities, by their keys; erased ones are missing. */
export async function readDistinctIds(
  db: Db,
  projectId: number,
  keys: readonly number[]
): Promise<Map<number, string>> {
  const [rows] = await readBatch(
    db,
    query<{ key: number; distinct_id: string }>(sql`
      select ${distinctIds.key}, ${distinctIds.distinctId} from ${distinctIds}
      where ${distinctIds.key} in ${inJson(keys)} and +${distinctIds.projectId} = ${projectId}`)
  )
  return new Map(rows.map(({ key, distinct_id }) => [key, distinct_id]))
}

/** Returns the times, ms UTC, when persons were created, by their ids; erased persons are missing. */
export async function readPersonTimes(
  db: Db,
  projectId: number,
  ids: readonly number[]
): Promise<Map<number, number>> {
  const [rows] = await readBatch(
    db,
    query<{ id: number; created_at: number }>(sql`
      select ${persons.id}, ${persons.createdAt} from ${persons}
      where ${persons.id} in ${inJson(ids)} and +${persons.projectId} = ${projectId}`)
  )
  return new Map(rows.map(({ id, created_at }) => [id, created_at]))
}

/** Returns all properties of versions of persons, JSON texts, by the ids of the versions. */
export async function readVersionBodies(
  db: Db,
  projectId: number,
  ids: readonly number[]
): Promise<Map<number, string>> {
  const rows = await inHalves(ids, async (some) => {
    const [found] = await readBatch(
      db,
      query<{ id: number; body: string }>(sql`
        select ${personVersions.id}, json(${personVersions.properties}) as body from ${personVersions}
        where ${personVersions.id} in ${inJson(some)} and +${personVersions.projectId} = ${projectId}`)
    )
    return found
  })
  return new Map(rows.map(({ id, body }) => [id, body]))
}
