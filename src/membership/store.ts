import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Scope } from '../access/open.ts'
import { query, readBatch } from '../db/batch.ts'
import { inJson } from '../db/rows.ts'
import { cohortMembers, cohorts, counters, persons } from '../db/schema.ts'
import type { JsonObject } from '../input/json.ts'

/** The table `persons` under the alias that filters use. */
export const m = alias(persons, 'm')

/** A cohort, and the filters of one that is not static. */
export type StoredDefinition = { id: number; isStatic: boolean; filters: JsonObject | null }

/** Reads cohorts of a project by their ids. */
export async function readDefinitions(
  { db, project }: Scope,
  ids: readonly string[]
): Promise<StoredDefinition[]> {
  const { id, isStatic, filters } = cohorts
  return db
    .select({ id, isStatic, filters })
    .from(cohorts)
    .where(
      sql`+${cohorts.projectId} = ${project.id} and ${cohorts.id} in ${inJson(ids.map(Number))}`
    )
}

/** Finds a cohort of a project. */
export async function findCohort(scope: Scope, id: number): Promise<StoredDefinition | undefined> {
  const [found] = await readDefinitions(scope, [String(id)])
  return found
}

/** Selects the ids of the members of a static cohort of a project, each once. */
export const membersOf = (projectId: number, cohortId: number): SQL =>
  sql`select ${cohortMembers.personId} as id from ${cohortMembers}
      where ${cohortMembers.cohortId} = ${cohortId} and +${cohortMembers.projectId} = ${projectId}`

/** Members that a statement reads; their ids take 800 kB. */
const MEMBERS_AT_ONCE = 100_000

/** Reads the ids of the members of a static cohort, in pages. */
export async function* readMembers(
  { db, project }: Scope,
  cohortId: number
): AsyncGenerator<number[]> {
  for (let after = 0; ; ) {
    const [[row]] = await readBatch(
      db,
      query<{ ids: string }>(sql`select json_group_array(id) as ids from (
        select id from (${membersOf(project.id, cohortId)}) where id > ${after} order by id limit ${MEMBERS_AT_ONCE})`)
    )
    const ids: number[] = JSON.parse(row?.ids ?? '[]')
    yield ids
    if (ids.length < MEMBERS_AT_ONCE) {
      return
    }
    after = ids.at(-1) ?? after
  }
}

/** Persons that a statement examines; with a filter on a property, this takes about 40 ms. */
const PERSONS_AT_ONCE = 20_000

/** Reads the ids of the persons `m` of a project that fulfil a condition, in pages. */
export async function* readMatching(
  { db, project }: Scope,
  condition: SQL
): AsyncGenerator<number[]> {
  let after = { at: Number.MIN_SAFE_INTEGER, id: 0 }
  for (;;) {
    const page = (columns: SQL) => sql`
      select ${columns} from ${persons} ${m}
      where ${m.projectId} = ${project.id} and (${m.createdAt}, ${m.id}) > (${after.at}, ${after.id})
      order by ${m.createdAt}, ${m.id}`
    const [[row], [last]] = await readBatch(
      db,
      query<{ ids: string }>(sql`
        select json_group_array(id) filter (where matches) as ids from (
          ${page(sql`${m.id} as id, ${condition} as matches`)} limit ${PERSONS_AT_ONCE})`),
      query<{ at: number; id: number }>(sql`
        ${page(sql`${m.createdAt} as at, ${m.id} as id`)} limit 1 offset ${PERSONS_AT_ONCE - 1}`)
    )
    yield JSON.parse(row?.ids ?? '[]')
    if (!last) {
      return
    }
    after = last
  }
}

/** Counts all persons of a project. */
export async function countPersons({ db, project }: Scope): Promise<number> {
  const [[row]] = await readBatch(
    db,
    query<{ count: number }>(sql`select ${counters.value} as count from ${counters}
      where ${counters.projectId} = ${project.id} and ${counters.name} = 'persons'`)
  )
  return row?.count ?? 0
}

/** Counts the persons of a project that have one of these ids. */
export async function countPersonsAmong(
  { db, project }: Scope,
  ids: readonly number[]
): Promise<number> {
  const [[row]] = await readBatch(
    db,
    query<{ count: number }>(sql`select count(*) as count from ${persons}
      where +${persons.projectId} = ${project.id} and ${persons.id} in ${inJson(ids)}`)
  )
  return row?.count ?? 0
}
