import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { query, readBatch } from '../db/batch.ts'
import { distinctIds, persons, recordings } from '../db/schema.ts'
import { idOfPerson, type PersonName } from '../persons/store.ts'

/**
 * A visitor: the distinct ids, the person's uuid if there is a person, and the URLs at which the
 * visitor's recordings start, newest first.
 */
export type NamedVisitor = { uuid: string | undefined; distinctIds: string[]; urls: string[] }

/** URLs read per visitor. */
const MAX_URLS = 20

/**
 * Finds a visitor by id, uuid or distinct id. A visitor without a person has just that distinct id.
 * Returns undefined for an unknown visitor.
 */
export async function findSubject(
  { db, project }: Scope,
  name: PersonName
): Promise<NamedVisitor | undefined> {
  const identities = identitiesOf(project.id, name)
  const [ids, urls] = await readBatch(
    db,
    query<{ distinct_id: string; uuid: string | null }>(sql`
      select distinct_id, (select ${persons.uuid} from ${persons} where ${persons.id} = person_id) as uuid
      from (${identities}) order by key`),
    query<{ start_url: string }>(sql`
      select ${recordings.startUrl} from ${recordings}
      where ${recordings.projectId} = ${project.id} and ${recordings.identity} in (select key from (${identities}))
        and not ${recordings.deleted} and ${recordings.startUrl} is not null
      group by ${recordings.startUrl} order by max(${recordings.startTime}) desc limit ${MAX_URLS}`)
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

/** Selects the identities of the named person, or of a distinct id without a person. */
function identitiesOf(projectId: number, name: PersonName): SQL {
  const ofProject = sql`select ${distinctIds.key}, ${distinctIds.distinctId}, ${distinctIds.personId} from ${distinctIds}
    where ${distinctIds.projectId} = ${projectId}`
  const ofPerson = sql`${ofProject} and ${distinctIds.personId} = ${idOfPerson(projectId, name)}`
  return 'distinctId' in name
    ? sql`${ofProject} and ${distinctIds.distinctId} = ${name.distinctId} union ${ofPerson}`
    : ofPerson
}
