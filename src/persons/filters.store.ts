import { type SQL, sql } from 'drizzle-orm'
import { distinctIds, persons } from '../db/schema.ts'
import { m, membersOf } from '../membership/store.ts'
import { foldSearch } from './person.ts'
import { isSearchRowOf, personOfSearchRow } from './search-index.store.ts'

/** Filters by a text, beginning with the one that selects the fewest persons. */
const TEXT_FILTERS = ['distinct_id', 'email', 'search'] as const
export type TextFilter = (typeof TEXT_FILTERS)[number]

/**
 * Filters, all of which must match. `properties` comes from `compilePersonFilter`, `members` is the
 * id of a static cohort.
 */
export type PersonFilters = Partial<Record<TextFilter, string | undefined>> & {
  members?: number | undefined
  properties?: SQL | undefined
}

const countFilters = (filters: PersonFilters): number =>
  Object.values(filters).filter((filter) => filter !== undefined).length

export const isUnfiltered = (filters: PersonFilters): boolean => countFilters(filters) === 0

/** Whether a driver (see `driverOf`) selects exactly the matches. */
export const hasOneFilter = (filters: PersonFilters): boolean => countFilters(filters) === 1

/**
 * Returns the matches, persons `m`, as a complete source and a complete condition. With a driver
 * (see `driverOf`), only the persons that it selects are read.
 */
export function matching(projectId: number, filters: PersonFilters): { from: SQL; where: SQL } {
  const driver = driverOf(projectId, filters)
  const conditions = [sql`${m.projectId} = ${projectId}`, ...restOf(projectId, filters)]
  return {
    from: driver
      ? sql`(${driver.ids}) as candidate cross join ${persons} ${m} on ${m.id} = candidate.id`
      : sql`${persons} ${m}`,
    where: sql.join(conditions, sql` and `)
  }
}

/** A filter in two forms: a query of the persons' ids, each once, and a condition on person `m`. */
type IdFilter = { ids: SQL; holds: SQL }

/** Returns the filters that can select ids; the first selects the fewest persons. */
function idFilters(projectId: number, filters: PersonFilters): IdFilter[] {
  const by: Record<TextFilter, (projectId: number, text: string) => IdFilter> = {
    distinct_id: byDistinctId,
    email: byEmail,
    search: bySearch
  }
  const byText = TEXT_FILTERS.flatMap((name) => {
    const text = filters[name]
    return text === undefined ? [] : [by[name](projectId, text)]
  })
  return filters.members === undefined ? byText : [...byText, byCohort(projectId, filters.members)]
}

/** Returns the filter that selects the fewest persons by their ids, if there is one. */
export const driverOf = (projectId: number, filters: PersonFilters): IdFilter | undefined =>
  idFilters(projectId, filters)[0]

const restOf = (projectId: number, filters: PersonFilters): SQL[] => [
  ...idFilters(projectId, filters)
    .slice(1)
    .map(({ holds }) => holds),
  ...(filters.properties ? [filters.properties] : [])
]

function byDistinctId(projectId: number, distinctId: string): IdFilter {
  const ids = withDistinctId(projectId, distinctId)
  return { ids, holds: sql`${m.id} in (${ids})` }
}

function byCohort(projectId: number, cohortId: number): IdFilter {
  const ids = membersOf(projectId, cohortId)
  return { ids, holds: sql`${m.id} in (${ids})` }
}

const byEmail = (projectId: number, email: string): IdFilter => ({
  ids: sql`select ${persons.id} from ${persons} where ${persons.projectId} = ${projectId} and ${persons.email} = ${email}`,
  holds: sql`${m.email} = ${email}`
})

/**
 * Selects the persons with a name-like property that contains the term, and the person whose
 * distinct id or uuid is the term.
 */
function bySearch(projectId: number, search: string): IdFilter {
  // The searchable texts are without blanks at their ends, too; a distinct id is not.
  const term = foldSearch(search.trim())
  const named = sql`${withDistinctId(projectId, search)}
    union select ${persons.id} from ${persons}
      where ${persons.projectId} = ${projectId} and ${persons.uuid} = ${search.trim().toLowerCase()}`
  if (term === '') {
    return { ids: named, holds: sql`${m.id} in (${named})` }
  }

  // The full-text index contains every three consecutive characters; a shorter term has to be
  // compared with each person.
  const containing =
    [...term].length >= 3
      ? sql`select ${personOfSearchRow} as id from persons_search
            where persons_search match ${`"${term.replaceAll('"', '""')}"`}
              and ${isSearchRowOf(projectId)}`
      : sql`select ${persons.id} from ${persons}
            where ${persons.projectId} = ${projectId} and instr(${persons.search}, ${term}) > 0`
  return {
    ids: sql`${containing} union all select ${persons.id} from ${persons}
      where ${persons.id} in (${named}) and instr(${persons.search}, ${term}) = 0`,
    holds: sql`(instr(${m.search}, ${term}) > 0 or ${m.id} in (${named}))`
  }
}

const withDistinctId = (projectId: number, distinctId: string): SQL =>
  sql`select ${distinctIds.personId} as id from ${distinctIds}
      where ${distinctIds.projectId} = ${projectId} and ${distinctIds.distinctId} = ${distinctId}
        and ${distinctIds.personId} is not null`
