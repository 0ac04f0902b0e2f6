import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { countValues, query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { compileFilter, distinctTexts, textOf } from '../db/filter.ts'
import { distinctIds, persons } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { type FilterGroup, invalid, leavesOf } from '../properties/filter.ts'
import { matchTexts } from '../properties/matching.ts'
import { foldSearch } from './person.ts'
import { isSearchRowOf, personOfSearchRow } from './search-index.store.ts'

/** The table `persons` under the alias that filters use. */
export const m = alias(persons, 'm')

/** Filters by a text, beginning with the one that selects the fewest persons. */
const TEXT_FILTERS = ['distinct_id', 'email', 'search'] as const
export type TextFilter = (typeof TEXT_FILTERS)[number]

/** Filters, all of which must match. `properties` comes from `compilePropertyFilter`. */
export type PersonFilters = Partial<Record<TextFilter, string | undefined>> & {
  properties?: SQL | undefined
}

const countFilters = (filters: PersonFilters): number =>
  Object.values(filters).filter((filter) => filter !== undefined).length

export const isUnfiltered = (filters: PersonFilters): boolean => countFilters(filters) === 0

/** Whether a driver (see `driverOf`) selects exactly the matches. */
export const hasOneFilter = (filters: PersonFilters): boolean => countFilters(filters) === 1

/**
 * Maximum number of bound values in a filter on properties. A D1 statement allows 100, of which the
 * page, its cursor and the other filters take up to 14. A filter usually takes two values, so that
 * a request's 40 filters fit.
 */
const MAX_VALUES = 85

/** Maximum number of distinct values of a key for an operator that must examine each of them. */
export const MAX_DISTINCT_VALUES = 200_000

/**
 * Compiles a filter on persons' properties to SQL. For operators that SQL lacks, it reads the
 * distinct values of their keys, in one round trip, and compares each of them.
 * @throws invalid_input, attr `properties`, for a key with too many distinct values
 * @throws query_too_large, attr `properties`, when the values have too many bytes, comparing them
 * takes too much work, or the filter takes more than `MAX_VALUES` bound values
 */
export async function compilePropertyFilter(
  db: Db,
  project: { id: number; timezone: string },
  group: FilterGroup,
  now: Date
): Promise<SQL> {
  const matching = await matchTexts(leavesOf(group), {
    timezone: project.timezone,
    now,
    limit: MAX_DISTINCT_VALUES,
    tooMany: (key) =>
      invalid(
        `${JSON.stringify(key)} has more than ${MAX_DISTINCT_VALUES} distinct values, too many for this operator.`
      ),
    readTexts: async (filters, maxBytes) => {
      const most = { texts: MAX_DISTINCT_VALUES, bytes: maxBytes }
      const queries = filters.map(({ key }) =>
        query<{ text: string }>(distinctTexts(textsOf(project.id, key), most))
      )
      return (await readBatch(db, ...queries)).map((rows) => rows.map(({ text }) => text))
    }
  })
  const condition = compileFilter(() => sql`${m.properties}`, group, matching)
  if (countValues(condition) > MAX_VALUES) {
    throw new AppError(
      'query_too_large',
      'There are too many filters for one query: send fewer filters.',
      'properties'
    )
  }
  return condition
}

const textsOf = (projectId: number, key: string): SQL =>
  sql`select ${textOf(sql`${m.properties}`, key)} as text from ${persons} ${m} where ${m.projectId} = ${projectId}`

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
  return TEXT_FILTERS.flatMap((name) => {
    const text = filters[name]
    return text === undefined ? [] : [by[name](projectId, text)]
  })
}

/** Returns the text filter that selects the fewest persons, if there is one. */
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
