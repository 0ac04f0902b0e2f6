import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import type { PersonName } from '../recordings/change.ts'

/**
 * A visitor: the distinct ids, the person's uuid if there is a person, and the URLs at which the
 * visitor's recordings start, newest first.
 */
export type Subject = { uuid: string | undefined; distinctIds: string[]; urls: string[] }

/** URLs read per visitor. */
const MAX_URLS = 20

/**
 * Finds a visitor by id, uuid or distinct id. A visitor without a person has just that distinct id.
 * Undefined if unknown.
 */
export async function findSubject(
  db: Db,
  projectId: number,
  name: PersonName
): Promise<Subject | undefined> {
  const identities = identitiesOf(projectId, name)
  const [ids, urls] = await readBatch(
    db,
    query<{ distinct_id: string; uuid: string | null }>(sql`
      select distinct_id, (select uuid from persons where id = person_id) as uuid from (${identities}) order by key`),
    query<{ start_url: string }>(sql`
      select start_url from recordings
      where project_id = ${projectId} and identity in (select key from (${identities})) and not deleted
        and start_url is not null
      group by start_url order by max(start_time) desc limit ${MAX_URLS}`)
  )
  const [first] = ids
  if (!first) {
    return undefined
  }
  return {
    uuid: first.uuid ?? undefined,
    distinctIds: ids.map((row) => row.distinct_id),
    urls: urls.map((row) => row.start_url)
  }
}

function identitiesOf(projectId: number, name: PersonName): SQL {
  const inProject = sql`select key, distinct_id, person_id from distinct_ids where project_id = ${projectId}`
  if ('id' in name) {
    return sql`${inProject} and person_id = ${name.id}`
  }
  if ('uuid' in name) {
    return sql`${inProject} and person_id = (select id from persons where project_id = ${projectId} and uuid = ${name.uuid})`
  }
  return sql`${inProject} and distinct_id = ${name.distinctId}
              union ${inProject} and person_id = (
                select person_id from distinct_ids where project_id = ${projectId} and distinct_id = ${name.distinctId})`
}
