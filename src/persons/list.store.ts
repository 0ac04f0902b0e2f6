import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import { countValues, planRead, query, type Read, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { compileFilter, distinctTexts, textOf } from '../db/filter.ts'
import { counters, distinctIds, persons } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { type FilterGroup, invalid, leavesOf } from '../properties/filter.ts'
import { matchTexts } from '../properties/matching.ts'
import { foldSearch } from './person.ts'
import { LISTED_DISTINCT_IDS } from './schemas.ts'
import { isSearchRowOf, personOfSearchRow } from './search-index.store.ts'
import type { PersonRow } from './store.ts'

/** The table `persons` under the alias that filters use. */
const m = alias(persons, 'm')

/** Filters by a text, beginning with the one that selects the fewest persons. */
const TEXT_FILTERS = ['distinct_id', 'email', 'search'] as const
export type TextFilter = (typeof TEXT_FILTERS)[number]

/** Filters, all of which must match. `properties` comes from `compilePropertyFilter`. */
export type PersonFilters = Partial<Record<TextFilter, string | undefined>> & {
  properties?: SQL | undefined
}

/** The last person of the previous page: its creation time (`at`, ms UTC) and its id. */
export const Position = z.object({ at: z.int(), id: z.int() })
export type Position = z.infer<typeof Position>

type Page = { limit: number; offset: number; after?: Position | undefined }

/**
 * Plans the read of one page, newest first, and of the exact number of matches unless it is known
 * already.
 */
export function listPersons(
  projectId: number,
  filters: PersonFilters,
  page: Page,
  knownCount?: number
): Read<{ rows: PersonRow[]; count: number }> {
  const select = pageOf(projectId, filters, page)
  const columns = sql`${m.id}, ${m.uuid}, ${m.createdAt}, ${m.properties}, ${LISTED} as distinct_ids`
  // Without a driver (see `driverOf`), the rows come from the index in order. With one, only the rows of the page are
  // read in full.
  const rows = query<ListedRow>(
    driverOf(projectId, filters)
      ? sql`select ${columns} from (${select(sql`${m.id}`)}) as page cross join ${persons} ${m} on ${m.id} = page.id
            order by ${m.createdAt} desc, ${m.id} desc`
      : select(columns)
  )
  const toRows = (found: ListedRow[]): PersonRow[] =>
    found.map((row) => ({ ...row, distinct_ids: JSON.parse(row.distinct_ids) }))
  if (knownCount !== undefined) {
    return planRead([rows], ([found]) => ({ rows: toRows(found), count: knownCount }))
  }
  const counted = query<{ count: number }>(countOf(projectId, filters))
  return planRead([rows, counted], ([found, [total]]) => ({
    rows: toRows(found),
    count: total?.count ?? 0
  }))
}

type ListedRow = Omit<PersonRow, 'distinct_ids'> & { distinct_ids: string }

type Window = { limit?: number | undefined; offset: number }

/** Yields the matches in the window, newest first and with every distinct id, page by page. */
export const exportPersons = (db: Db, projectId: number, filters: PersonFilters, window: Window) =>
  inPages(projectId, filters, window, async (ids): Promise<PersonRow[]> => {
    const [rows, names] = await readBatch(
      db,
      query<Omit<PersonRow, 'distinct_ids'>>(sql`
        select ${persons.id}, ${persons.uuid}, ${persons.createdAt}, ${persons.properties} from ${persons}
        where ${persons.id} in (${ids}) order by ${persons.createdAt} desc, ${persons.id} desc`),
      query<{ person_id: number; distinct_id: string }>(sql`
        select ${distinctIds.personId}, ${distinctIds.distinctId} from ${distinctIds}
        where ${distinctIds.personId} in (${ids}) order by ${distinctIds.personId}, ${distinctIds.key}`)
    )
    const byPerson = Map.groupBy(names, ({ person_id }) => person_id)
    return rows.map((person) => ({
      ...person,
      distinct_ids: (byPerson.get(person.id) ?? []).map(({ distinct_id }) => distinct_id)
    }))
  })

/** Yields the properties of the persons that `exportPersons` yields: an export finds its columns in them. */
export const exportProperties = (
  db: Db,
  projectId: number,
  filters: PersonFilters,
  window: Window
) =>
  inPages(projectId, filters, window, async (ids) => {
    const rows = query<Pick<PersonRow, 'id' | 'created_at' | 'properties'>>(sql`
      select ${persons.id}, ${persons.createdAt}, ${persons.properties} from ${persons}
      where ${persons.id} in (${ids}) order by ${persons.createdAt} desc, ${persons.id} desc`)
    return (await readBatch(db, rows))[0]
  })

/** Most rows in a page of an export. */
const MAX_PAGE_ROWS = 5_000
/** Characters of properties at which a page of an export is full; its last person may exceed the limit. */
const MAX_PAGE_CHARACTERS = 4_000_000

/**
 * Yields the matches in the window, in pages up to the limits above. `read` gets a subquery of the ids of a page, and
 * returns their rows, newest first.
 */
async function* inPages<Row extends { id: number; created_at: number }>(
  projectId: number,
  filters: PersonFilters,
  window: Window,
  read: (ids: SQL) => Promise<Row[]>
): AsyncGenerator<Row[], void> {
  let left = window.limit ?? Number.POSITIVE_INFINITY
  let offset = window.offset
  let after: Position | undefined
  while (left > 0) {
    const page = { limit: Math.min(left, MAX_PAGE_ROWS), offset, after }
    const select = pageOf(projectId, filters, page)
    const sizes = sql`${m.id} as id, ${m.createdAt} as created, length(${m.properties}) as characters`
    const rows = await read(sql`select id from (
        select id, sum(characters) over (order by created desc, id desc) - characters as characters_before
        from (${select(sizes)}))
      where characters_before < ${MAX_PAGE_CHARACTERS}`)
    const last = rows.at(-1)
    if (!last) {
      return
    }
    yield rows
    after = { at: last.created_at, id: last.id }
    offset = 0
    left -= rows.length
  }
}

/** Returns a function that selects columns of the matches `m` on a page, newest first. */
const pageOf =
  (projectId: number, filters: PersonFilters, { limit, offset, after }: Page) =>
  (columns: SQL): SQL => {
    const { from, where } = matching(projectId, filters)
    const isAfter = after ? sql`(${m.createdAt}, ${m.id}) < (${after.at}, ${after.id})` : sql`1`
    return sql`select ${columns} from ${from} where ${where} and ${isAfter}
      order by ${m.createdAt} desc, ${m.id} desc limit ${limit} offset ${offset}`
  }

function countOf(projectId: number, filters: PersonFilters): SQL {
  if (isUnfiltered(filters)) {
    return sql`select ${counters.value} as count from ${counters}
      where ${counters.projectId} = ${projectId} and ${counters.name} = 'persons'`
  }
  const driver = driverOf(projectId, filters)
  if (driver && restOf(projectId, filters).length === 0) {
    return sql`select count(*) as count from (${driver.ids})`
  }
  const { from, where } = matching(projectId, filters)
  return sql`select count(*) as count from ${from} where ${where}`
}

export const isUnfiltered = (filters: PersonFilters): boolean =>
  Object.values(filters).every((filter) => filter === undefined)

/**
 * Most bound values in a filter on properties. A D1 statement allows 100, of which the page, its
 * cursor and the other filters take up to 14. A filter usually takes two values, so that a request's
 * 40 filters fit.
 */
const MAX_VALUES = 85

/** Most distinct values of a key for an operator that must examine each of them. */
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

/** Selects the text of a property of each person of a project. */
const textsOf = (projectId: number, key: string): SQL =>
  sql`select ${textOf(sql`${m.properties}`, key)} as text from ${persons} ${m} where ${m.projectId} = ${projectId}`

/**
 * Returns the matches, persons `m`, as a complete source and a complete condition. With a driver (see `driverOf`), only the
 * persons that it selects are read.
 */
function matching(projectId: number, filters: PersonFilters): { from: SQL; where: SQL } {
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

/** Returns the filters that can select ids, beginning with the one that selects the fewest persons. */
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

/** Returns the driver: the text filter that selects the fewest persons; undefined without text filters. */
const driverOf = (projectId: number, filters: PersonFilters): IdFilter | undefined =>
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
 * Selects the persons with a name-like property that contains the term, and the person whose distinct
 * id or uuid is the term.
 */
function bySearch(projectId: number, search: string): IdFilter {
  const term = foldSearch(search)
  const named = sql`${withDistinctId(projectId, search)}
    union select ${persons.id} from ${persons}
      where ${persons.projectId} = ${projectId} and ${persons.uuid} = ${search.toLowerCase()}`
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

/** JSON of the first distinct ids of person `m`: those that a list shows, and one more if there are more. */
const LISTED = sql`(
  select json_group_array(distinct_id) from (
    select ${distinctIds.distinctId} as distinct_id from ${distinctIds}
    where ${distinctIds.personId} = ${m.id} order by ${distinctIds.key} limit ${LISTED_DISTINCT_IDS + 1}))`
