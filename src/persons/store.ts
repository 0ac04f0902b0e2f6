import { type SQL, sql } from 'drizzle-orm'
import { toIso } from '../calendar/clock.ts'
import { planRead, query, type Read } from '../db/batch.ts'
import { distinctIds, persons } from '../db/schema.ts'
import type { JsonObject } from '../input/json.ts'
import type { PersonSubject } from './change.ts'
import { nameOf, sortDistinctIds } from './person.ts'
import { toObject } from './properties.ts'
import { LISTED_DISTINCT_IDS, type PersonJson } from './schemas.ts'

export type PersonRow = {
  id: number
  uuid: string
  created_at: number
  properties: string
  /** Ordered by when the ids were first seen. */
  distinct_ids: string[]
}

export type PersonId = { id: number } | { uuid: string }

/** A person by one of its ids. */
export type PersonName = PersonId | { distinctId: string }

/** Returns the condition that a row of `persons` is this person. */
export const isPerson = (projectId: number, by: PersonId): SQL =>
  'id' in by
    ? sql`(${persons.projectId} = ${projectId} and ${persons.id} = ${by.id})`
    : sql`(${persons.projectId} = ${projectId} and ${persons.uuid} = ${by.uuid})`

/** Returns the id of a person as a subquery; null if the person does not exist. */
export const idOfPerson = (projectId: number, by: PersonName): SQL =>
  'distinctId' in by
    ? sql`(select ${distinctIds.personId} from ${distinctIds}
           where ${distinctIds.projectId} = ${projectId} and ${distinctIds.distinctId} = ${by.distinctId})`
    : sql`(select ${persons.id} from ${persons} where ${isPerson(projectId, by)})`

/** Plans the read of a person with every distinct id. */
export function findPerson(projectId: number, by: PersonId): Read<PersonRow | undefined> {
  const row = query<Omit<PersonRow, 'distinct_ids'>>(sql`
    select ${persons.id}, ${persons.uuid}, ${persons.createdAt}, ${persons.properties} from ${persons}
    where ${isPerson(projectId, by)}`)
  const names = query<{ distinct_id: string }>(sql`
    select ${distinctIds.distinctId} from ${distinctIds}
    where ${distinctIds.personId} = ${idOfPerson(projectId, by)} order by ${distinctIds.key}`)
  return planRead(
    [row, names],
    ([[found], ids]) =>
      found && { ...found, distinct_ids: ids.map(({ distinct_id }) => distinct_id) }
  )
}

/** Returns the row of a changed person without reading it again. */
export const rowOf = ({ person, identities }: PersonSubject): PersonRow => ({
  id: person.id,
  uuid: person.uuid,
  created_at: person.createdAt,
  properties: JSON.stringify(toObject(person.properties)),
  distinct_ids: identities.map(({ distinctId }) => distinctId)
})

/** Returns a person as the API shows it. */
export function personToJson(row: PersonRow) {
  const properties: JsonObject = JSON.parse(row.properties)
  const distinctIds = sortDistinctIds(row.distinct_ids)
  return {
    id: row.id,
    // Uses only the ids that a list shows, so that a person has the same name everywhere.
    name: nameOf(properties, sortDistinctIds(row.distinct_ids.slice(0, LISTED_DISTINCT_IDS))),
    distinct_ids: distinctIds,
    properties,
    created_at: toIso(row.created_at),
    uuid: row.uuid
  } satisfies PersonJson
}

/**
 * Returns a person as a list shows it: with at most `LISTED_DISTINCT_IDS` distinct ids, and a flag
 * if there are more.
 */
export function listedPersonToJson(row: PersonRow) {
  const isTruncated = row.distinct_ids.length > LISTED_DISTINCT_IDS
  const person = personToJson({
    ...row,
    distinct_ids: row.distinct_ids.slice(0, LISTED_DISTINCT_IDS)
  })
  return isTruncated ? ({ ...person, distinct_ids_truncated: true } satisfies PersonJson) : person
}
