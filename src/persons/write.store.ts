import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import { countRows, eachChunk, expectRows } from '../db/rows.ts'
import { distinctIds, persons, personVersions } from '../db/schema.ts'
import { type ColumnValues, insertSelect, list, updateFrom } from '../db/statements.ts'
import { activityStatements } from './activity/store.ts'
import type { PersonChange, PersonSubject } from './change.ts'
import {
  loadPerson,
  type Person,
  type PersonVersion,
  type StoredPerson,
  storePerson
} from './person.ts'
import { idOfPerson, isPerson, type PersonId } from './store.ts'

/*
 * Inserts and updates of persons; merges and erasures delete them. The `+` before a project's id
 * keeps SQLite from scanning the project's persons, which it estimates at ten rows, instead of
 * looking up the ids.
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

/** The columns of `persons` that a `PersonRecord` holds. */
export const RECORD = list([
  persons.id,
  persons.uuid,
  persons.createdAt,
  persons.isIdentified,
  persons.properties,
  persons.writes,
  persons.version,
  persons.versions,
  persons.copyCredit,
  persons.isVersionStale,
  persons.revision
])

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
 * Returns statements that roll the batch back as a conflict unless these persons are unchanged
 * since they were read. Put them before all writes.
 */
export const expectUnchanged = (
  projectId: number,
  read: readonly { id: number; revision?: number | undefined }[]
): SQL[] =>
  eachChunk(
    read.map(({ id, revision }) => ({ id, revision })),
    (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as read cross join ${persons}
            on ${persons.id} = read.value ->> 'id' and ${persons.revision} = read.value ->> 'revision'
               and ${persons.projectId} = ${projectId}`
      )
    ]
  )

export const insertPersons = (projectId: number, inserted: readonly Person[]): SQL[] =>
  eachChunk(inserted.map(storePerson), (rows) => [
    insertSelect(
      persons,
      {
        id: sql`value ->> 'id'`,
        projectId,
        uuid: sql`value ->> 'uuid'`,
        createdAt: sql`value ->> 'created_at'`,
        isIdentified: sql`value ->> 'is_identified'`,
        properties: sql`value -> 'properties'`,
        writes: sql`value -> 'writes'`,
        search: sql`value ->> 'search'`,
        version: sql`value ->> 'version'`,
        versions: sql`value ->> 'versions'`,
        copyCredit: sql`value ->> 'copy_credit'`,
        isVersionStale: sql`value ->> 'is_version_stale'`,
        revision: 0
      },
      sql`json_each(${rows})`
    )
  ])

/**
 * Returns the updates of persons. If the changes of a person affect no response, version or index,
 * only the columns of `BOOKKEEPING` are written.
 */
export const updatePersons = (projectId: number, updated: readonly Person[]): SQL[] => [
  ...updateEach(
    projectId,
    updated.filter(({ changed }) => changed),
    { ...BOOKKEEPING, ...SHOWN }
  ),
  ...updateEach(
    projectId,
    updated.filter(({ changed }) => !changed),
    BOOKKEEPING
  )
]

const BOOKKEEPING = {
  isIdentified: sql`changed.value ->> 'is_identified'`,
  writes: sql`changed.value -> 'writes'`,
  copyCredit: sql`changed.value ->> 'copy_credit'`,
  isVersionStale: sql`changed.value ->> 'is_version_stale'`,
  revision: sql`${persons.revision} + 1`
} satisfies ColumnValues<typeof persons>

/** The columns that affect responses, versions and indexes. */
const SHOWN = {
  createdAt: sql`changed.value ->> 'created_at'`,
  properties: sql`changed.value -> 'properties'`,
  search: sql`changed.value ->> 'search'`,
  version: sql`changed.value ->> 'version'`,
  versions: sql`changed.value ->> 'versions'`
} satisfies ColumnValues<typeof persons>

const updateEach = (
  projectId: number,
  updated: readonly Person[],
  set: ColumnValues<typeof persons>
): SQL[] =>
  eachChunk(updated.map(storePerson), (rows) => [
    updateFrom(persons, {
      set,
      from: sql`json_each(${rows}) as changed`,
      where: sql`${persons.id} = changed.value ->> 'id' and +${persons.projectId} = ${projectId}`
    })
  ])

export const insertVersions = (projectId: number, versions: readonly PersonVersion[]): SQL[] =>
  eachChunk(versions, (rows) => [
    insertSelect(
      personVersions,
      { id: sql`value ->> 'id'`, projectId, properties: sql`jsonb(value -> 'properties')` },
      sql`json_each(${rows})`
    )
  ])

/** Reads a person for a change; undefined if it does not exist. */
export async function readSubject(
  { db, project }: Scope,
  id: PersonId
): Promise<PersonSubject | undefined> {
  const [[record], identities] = await readBatch(
    db,
    query<PersonRecord>(sql`select ${RECORD} from ${persons} where ${isPerson(project.id, id)}`),
    query<{ key: number; distinct_id: string }>(sql`
      select ${distinctIds.key}, ${distinctIds.distinctId} from ${distinctIds}
      where ${distinctIds.personId} = ${idOfPerson(project.id, id)} order by ${distinctIds.key}`)
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
  { db, project }: Scope,
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
    ...expectUnchanged(project.id, [person]),
    ...updatePersons(project.id, [person]),
    ...insertPersons(project.id, created),
    ...moveIdentities(project.id, moved),
    ...insertVersions(project.id, change.versions),
    ...activityStatements(project.id, change.entries),
    ...countRows(project.id, 'persons', created.length)
  ])
}

/** Moves identities to persons; their events follow. */
export const moveIdentities = (
  projectId: number,
  moved: readonly { key: number; person_id: number }[]
): SQL[] =>
  eachChunk(moved, (rows) => [
    updateFrom(distinctIds, {
      set: { personId: sql`moved.value ->> 'person_id'` },
      from: sql`json_each(${rows}) as moved`,
      where: sql`${distinctIds.key} = moved.value ->> 'key' and +${distinctIds.projectId} = ${projectId}`
    })
  ])
