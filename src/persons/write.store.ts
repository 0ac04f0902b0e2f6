import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { countRows, eachChunk, expectRows } from '../db/rows.ts'
import { activityStatements } from './activity/store.ts'
import type { PersonChange, Subject } from './change.ts'
import { loadPerson, type Person, type StoredPerson, storePerson, type Version } from './person.ts'
import { onePerson, type PersonId } from './store.ts'

/*
 * All writes to persons. The `+` before a project's id keeps SQLite from scanning the project's
 * persons, which it estimates at ten rows, instead of looking up the ids.
 */

/** The columns of a person that a change reads. */
export type PersonRecord = {
  id: number
  uuid: string
  created_at: number
  is_identified: number
  properties: string
  writes: string
  version: number
  versions: number
  copy_credit: number
  is_version_stale: number
  revision: number
}

export const RECORD = sql`id, uuid, created_at, is_identified, properties, writes, version, versions, copy_credit,
  is_version_stale, revision`

export const toStoredPerson = (row: PersonRecord): StoredPerson => ({
  id: row.id,
  uuid: row.uuid,
  createdAt: row.created_at,
  isIdentified: row.is_identified === 1,
  properties: JSON.parse(row.properties),
  writes: JSON.parse(row.writes),
  version: row.version,
  versions: row.versions,
  copyCredit: row.copy_credit,
  isVersionStale: row.is_version_stale === 1,
  revision: row.revision
})

/**
 * Rolls the batch back as a conflict unless these persons are unchanged since they were read. Put
 * it before all writes.
 */
export const expectUnchanged = (
  projectId: number,
  persons: readonly { id: number; revision?: number | undefined }[]
): SQL[] =>
  eachChunk(
    persons.map(({ id, revision }) => ({ id, revision })),
    (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as read cross join persons as person
            on person.id = read.value ->> 'id' and person.revision = read.value ->> 'revision'
               and person.project_id = ${projectId}`
      )
    ]
  )

export const insertPersons = (projectId: number, persons: readonly Person[]): SQL[] =>
  eachChunk(persons.map(storePerson), (rows) => [
    sql`insert into persons (id, project_id, uuid, created_at, is_identified, properties, writes, search, version, versions,
                             copy_credit, is_version_stale, revision)
        select value ->> 'id', ${projectId}, value ->> 'uuid', value ->> 'created_at', value ->> 'is_identified',
               value -> 'properties', value -> 'writes', value ->> 'search', value ->> 'version', value ->> 'versions',
               value ->> 'copy_credit', value ->> 'is_version_stale', 0
        from json_each(${rows})`
  ])

/**
 * Returns the updates of persons. Writes fewer columns of a person whose changes affect no
 * response, version or index.
 */
export const updatePersons = (projectId: number, persons: readonly Person[]): SQL[] => [
  ...eachChunk(persons.filter(({ changed }) => changed).map(storePerson), (rows) => [
    sql`update persons set created_at = changed.value ->> 'created_at', is_identified = changed.value ->> 'is_identified',
          properties = changed.value -> 'properties', writes = changed.value -> 'writes',
          search = changed.value ->> 'search', version = changed.value ->> 'version',
          versions = changed.value ->> 'versions', copy_credit = changed.value ->> 'copy_credit',
          is_version_stale = changed.value ->> 'is_version_stale', revision = persons.revision + 1
        from json_each(${rows}) as changed
        where persons.id = changed.value ->> 'id' and +persons.project_id = ${projectId}`
  ]),
  ...eachChunk(persons.filter(({ changed }) => !changed).map(storePerson), (rows) => [
    sql`update persons set is_identified = changed.value ->> 'is_identified', writes = changed.value -> 'writes',
          copy_credit = changed.value ->> 'copy_credit', is_version_stale = changed.value ->> 'is_version_stale',
          revision = persons.revision + 1
        from json_each(${rows}) as changed
        where persons.id = changed.value ->> 'id' and +persons.project_id = ${projectId}`
  ])
]

export const insertVersions = (projectId: number, versions: readonly Version[]): SQL[] =>
  eachChunk(versions, (rows) => [
    sql`insert into person_versions (id, project_id, properties)
        select value ->> 'id', ${projectId}, jsonb(value -> 'properties') from json_each(${rows})`
  ])

/** Reads a person for a change; undefined if it does not exist. */
export async function readSubject(
  db: Db,
  projectId: number,
  id: PersonId
): Promise<Subject | undefined> {
  const [[record], identities] = await readBatch(
    db,
    query<PersonRecord>(sql`select ${RECORD} ${onePerson(projectId, id)}`),
    query<{ key: number; distinct_id: string }>(sql`
      select key, distinct_id from distinct_ids where person_id = (select id ${onePerson(projectId, id)}) order by key`)
  )
  const [first, ...rest] = identities.map(({ key, distinct_id }) => ({
    key,
    distinctId: distinct_id
  }))
  return (
    record && first && { person: loadPerson(toStoredPerson(record)), identities: [first, ...rest] }
  )
}

/**
 * Writes a changed person in one transaction, or nothing if the person has changed since it was
 * read.
 * @throws ConflictError
 */
export async function writeChange(
  db: Db,
  projectId: number,
  person: Person,
  change: PersonChange
): Promise<void> {
  if (!person.touched) {
    return
  }
  const created = change.parts.map((part) => part.person)
  const moved = change.parts.flatMap((part) =>
    part.identities.map(({ key }) => ({ key, person_id: part.person.id }))
  )
  await writeBatch(db, [
    ...expectUnchanged(projectId, [person]),
    ...updatePersons(projectId, [person]),
    ...insertPersons(projectId, created),
    ...moveIdentities(projectId, moved),
    ...insertVersions(projectId, change.versions),
    ...activityStatements(projectId, change.entries),
    ...countRows(projectId, 'persons', created.length)
  ])
}

/** Moves identities to persons; their events follow. */
export const moveIdentities = (
  projectId: number,
  moved: readonly { key: number; person_id: number }[]
): SQL[] =>
  eachChunk(moved, (rows) => [
    sql`update distinct_ids set person_id = moved.value ->> 'person_id' from json_each(${rows}) as moved
        where distinct_ids.key = moved.value ->> 'key' and +distinct_ids.project_id = ${projectId}`
  ])
