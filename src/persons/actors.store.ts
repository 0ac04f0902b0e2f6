import { sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { query, readBatch } from '../db/batch.ts'
import { inJson } from '../db/rows.ts'
import { distinctIds, persons } from '../db/schema.ts'
import { LISTED_DISTINCT_IDS } from './schemas.ts'
import type { PersonRow } from './store.ts'

/** Persons by their ids, and distinct ids by the keys of their identities. */
export type KnownActors = { persons: Map<number, PersonRow>; distinctIds: Map<number, string> }

/**
 * Reads the persons of a project with these ids, and the distinct ids of the identities with these
 * keys.
 * @param hasAllIds whether to read every distinct id of a person. Otherwise reads the first
 * `LISTED_DISTINCT_IDS + 1`: one more than a list shows, which tells whether there are more
 */
export async function readKnownActors(
  { db, project }: Scope,
  { ids, keys, hasAllIds }: { ids: readonly number[]; keys: readonly number[]; hasAllIds: boolean }
): Promise<KnownActors> {
  const [rows, identities] = await readBatch(
    db,
    query<Omit<PersonRow, 'distinct_ids'> & { distinct_ids: string }>(sql`
      select ${persons.id}, ${persons.uuid}, ${persons.createdAt}, ${persons.properties}, (
        select json_group_array(distinct_id) from (
          select ${distinctIds.distinctId} as distinct_id from ${distinctIds}
          where ${distinctIds.personId} = ${persons.id} order by ${distinctIds.key} limit ${hasAllIds ? -1 : LISTED_DISTINCT_IDS + 1})
        ) as distinct_ids
      from ${persons} where ${persons.id} in ${inJson(ids)} and +${persons.projectId} = ${project.id}`),
    query<{ key: number; distinct_id: string }>(sql`
      select ${distinctIds.key}, ${distinctIds.distinctId} from ${distinctIds}
      where ${distinctIds.key} in ${inJson(keys)} and +${distinctIds.projectId} = ${project.id}`)
  )
  return {
    persons: new Map(
      rows.map((row) => [row.id, { ...row, distinct_ids: JSON.parse(row.distinct_ids) }])
    ),
    distinctIds: new Map(identities.map(({ key, distinct_id }) => [key, distinct_id]))
  }
}
