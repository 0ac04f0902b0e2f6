import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { UserJson } from '../access/user.ts'
import { toIso } from '../calendar/clock.ts'
import { query, writeBatch, writeThenRead } from '../db/batch.ts'
import type { PageRows } from '../db/page.ts'
import { jsonChunks } from '../db/rows.ts'
import { cohortMembers, cohorts, distinctIds, persons } from '../db/schema.ts'
import { bare, list, updateFrom } from '../db/statements.ts'
import type { JsonObject } from '../input/json.ts'
import type { CohortCount } from './count.ts'
import { type CohortJson, MAX_UNMATCHED, type UploadJson } from './schemas.ts'

/** A cohort, with the number of its members; those of a cohort that is not static are not stored. */
export type CohortRow = typeof cohorts.$inferSelect & { members: number }

/** Filters of a list, all of which must match. `search` ignores the case of ASCII letters. */
export type CohortListing = {
  search?: string | undefined
  isStatic?: boolean | undefined
  createdBy?: number | undefined
}

const MEMBERS = sql<number>`(select count(*) from ${cohortMembers}
  where ${cohortMembers.cohortId} = ${cohorts.id})`

const selected = ({ db }: Scope) =>
  db.select({ ...getTableColumns(cohorts), members: MEMBERS }).from(cohorts)

/** Lists a page of cohorts, newest first, and counts all that match. */
export async function listCohorts(
  scope: Scope,
  { search, isStatic, createdBy }: CohortListing,
  page: { limit: number; offset: number }
): Promise<PageRows<CohortRow>> {
  const where = and(
    eq(cohorts.projectId, scope.project.id),
    search === undefined
      ? undefined
      : sql`instr(lower(coalesce(${cohorts.name}, '')), lower(${search})) > 0`,
    isStatic === undefined ? undefined : eq(cohorts.isStatic, isStatic),
    createdBy === undefined ? undefined : sql`${cohorts.createdBy} ->> '$.id' = ${createdBy}`
  )
  const [rows, count] = await Promise.all([
    selected(scope)
      .where(where)
      .orderBy(desc(cohorts.createdAt), desc(cohorts.id))
      .limit(page.limit)
      .offset(page.offset),
    scope.db.$count(cohorts, where)
  ])
  return { rows, count }
}

export async function findCohortRow(scope: Scope, id: number): Promise<CohortRow | undefined> {
  const [row] = await selected(scope).where(
    and(eq(cohorts.projectId, scope.project.id), eq(cohorts.id, id))
  )
  return row
}

/** What users write of a cohort. */
export type CohortTerms = {
  name: string | null
  description: string
  isStatic: boolean
  filters: JsonObject | null
}

/** Stores a cohort. @returns its id */
export async function insertCohort(
  { db, project }: Scope,
  terms: CohortTerms,
  { by, now }: { by: UserJson; now: Date }
): Promise<number> {
  const at = now.getTime()
  const [row] = await db
    .insert(cohorts)
    .values({ ...terms, projectId: project.id, createdBy: by, createdAt: at, changedAt: at })
    .returning({ id: cohorts.id })
  if (!row) {
    throw new Error('The write returned no row.')
  }
  return row.id
}

export const updateCohort = async (
  { db, project }: Scope,
  id: number,
  { name, description, filters }: CohortTerms
): Promise<void> => {
  await db
    .update(cohorts)
    .set({ name, description, filters })
    .where(and(eq(cohorts.projectId, project.id), eq(cohorts.id, id)))
}

/** Deletes a cohort and its memberships. */
export const deleteCohort = async ({ db, project }: Scope, id: number): Promise<void> => {
  await writeBatch(db, [
    sql`delete from ${cohortMembers} where ${cohortMembers.cohortId} = ${id} and +${cohortMembers.projectId} = ${project.id}`,
    sql`delete from ${cohorts} where ${cohorts.id} = ${id} and +${cohorts.projectId} = ${project.id}`
  ])
}

/** How a list names persons. */
export type Identifier = 'person_id' | 'distinct_id' | 'email'

type Persons = { id: SQL; from: SQL }

/** The persons that `wanted.value` names: the column of their ids, and a source that finds them. */
const PERSONS_BY: Record<Identifier | 'id', (projectId: number) => Persons> = {
  id: (projectId) => ({
    id: sql`${persons.id}`,
    from: sql`${persons} on ${persons.id} = wanted.value and +${persons.projectId} = ${projectId}`
  }),
  person_id: (projectId) => ({
    id: sql`${persons.id}`,
    from: sql`${persons} on ${persons.projectId} = ${projectId} and ${persons.uuid} = lower(wanted.value)`
  }),
  distinct_id: (projectId) => ({
    id: sql`${distinctIds.personId}`,
    from: sql`${distinctIds} on ${distinctIds.projectId} = ${projectId}
      and ${distinctIds.distinctId} = wanted.value and ${distinctIds.personId} is not null`
  }),
  email: (projectId) => ({
    id: sql`${persons.id}`,
    from: sql`${persons} on ${persons.projectId} = ${projectId} and ${persons.email} = wanted.value`
  })
}

/** Members that a statement writes: some 100,000 rows of tables and indexes. */
const ADDED_AT_ONCE = 25_000

/**
 * Adds persons to a static cohort of the project, unless it is gone. Who is a member already stays
 * one. @returns how many of the names belong to persons
 */
export async function addMembers(
  { db, project }: Scope,
  cohortId: number,
  { by, names, now }: { by: Identifier | 'id'; names: readonly (string | number)[]; now: Date }
): Promise<UploadJson> {
  const distinct = [...new Set(names)]
  const { id, from } = PERSONS_BY[by](project.id)
  let unmatched = 0
  const examples: string[] = []
  for (let at = 0; at < distinct.length; at += ADDED_AT_ONCE) {
    for (const { json } of jsonChunks(distinct.slice(at, at + ADDED_AT_ONCE))) {
      const [[missing]] = await writeThenRead(
        db,
        [insertMembers(project.id, cohortId, { id, from, json }), touch(project.id, cohortId, now)],
        query<{ count: number; examples: string }>(sql`
          select count(*) as count,
            json_group_array(value) filter (where place <= ${MAX_UNMATCHED}) as examples
          from (
            select wanted.value, row_number() over () as place from json_each(${json}) as wanted
            where not exists (select 1 from (select 1) cross join ${from}))`)
      )
      unmatched += missing?.count ?? 0
      examples.push(...JSON.parse(missing?.examples ?? '[]'))
    }
  }
  return {
    matched: distinct.length - unmatched,
    unmatched,
    duplicates: names.length - distinct.length,
    unmatched_examples: examples.slice(0, MAX_UNMATCHED)
  }
}

const insertMembers = (
  projectId: number,
  cohortId: number,
  { id, from, json }: Persons & { json: string }
): SQL => sql`
  insert or ignore into ${cohortMembers} (${list([cohortMembers.cohortId, cohortMembers.personId, cohortMembers.projectId].map(bare))})
  select ${cohorts.id}, ${id}, ${cohorts.projectId} from ${cohorts}
    cross join json_each(${json}) as wanted cross join ${from}
  where ${cohorts.id} = ${cohortId} and +${cohorts.projectId} = ${projectId} and ${cohorts.isStatic}`

const touch = (projectId: number, cohortId: number, now: Date): SQL =>
  updateFrom(cohorts, {
    set: { changedAt: now.getTime() },
    where: sql`${cohorts.id} = ${cohortId} and +${cohorts.projectId} = ${projectId}`
  })

/** Removes a person from a static cohort, if the person is a member. */
export const removeMember = async (
  { db, project }: Scope,
  cohortId: number,
  { uuid, now }: { uuid: string; now: Date }
): Promise<void> => {
  await writeBatch(db, [
    sql`delete from ${cohortMembers}
      where ${cohortMembers.cohortId} = ${cohortId} and +${cohortMembers.projectId} = ${project.id}
        and ${cohortMembers.personId} = (select ${persons.id} from ${persons}
          where ${persons.projectId} = ${project.id} and ${persons.uuid} = ${uuid.toLowerCase()})`,
    touch(project.id, cohortId, now)
  ])
}

/** Returns a cohort in the format of the API; without `counted`, its persons are not counted. */
export const cohortToJson = (row: CohortRow, counted?: CohortCount): CohortJson => ({
  id: row.id,
  name: row.name,
  description: row.description,
  groups: [],
  deleted: false,
  filters: row.filters,
  is_calculating: false,
  created_by: UserJson.parse(row.createdBy),
  created_at: toIso(row.createdAt),
  last_calculation: row.isStatic ? toIso(row.changedAt) : (counted?.at ?? null),
  errors_calculating: counted?.error === undefined ? 0 : 1,
  last_error_message: counted?.error ?? null,
  count: row.isStatic ? row.members : (counted?.count ?? null),
  is_static: row.isStatic
})
