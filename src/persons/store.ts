import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { planRead, query, type Read, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { compileFilter, textOf } from '../db/filter.ts'
import type { JsonObject } from '../input/json.ts'
import { type FilterGroup, invalid, leavesOf, type PropertyFilter } from '../properties/filter.ts'
import { matcherOf } from '../properties/match.ts'
import { Work } from '../properties/work.ts'
import type { Subject } from './change.ts'
import { foldSearch, nameOf, sortDistinctIds } from './person.ts'
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

/** Filters, all of which must match. `properties` comes from `compilePropertyFilter`. */
export type PersonFilters = {
  distinct_id?: string | undefined
  email?: string | undefined
  search?: string | undefined
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
  // Without a driver, the rows come from the index in order. With a driver, only the page's rows
  // should be read in full.
  const inOrder = sql`${matching(projectId, filters)} ${orderedPage(page)}`
  const listed = driverOf(projectId, filters)
    ? sql`from (select m.id ${inOrder}) as page cross join persons m on m.id = page.id order by m.created_at desc, m.id desc`
    : inOrder
  const rows = query<ListedRow>(sql`
    select m.id, m.uuid, m.created_at, m.properties,
           (select json_group_array(distinct_id) from (
              select d.distinct_id from distinct_ids d where d.person_id = m.id
              order by d.key limit ${LISTED_DISTINCT_IDS + 1})) as distinct_ids
    ${listed}`)
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

/** Yields all matches, newest first and with every distinct id, page by page. */
export const exportPersons = (db: Db, projectId: number, filters: PersonFilters, window: Window) =>
  inPages(projectId, filters, window, async (ids): Promise<PersonRow[]> => {
    const [persons, distinctIds] = await readBatch(
      db,
      query<Omit<PersonRow, 'distinct_ids'>>(sql`
        select id, uuid, created_at, properties from persons where id in (${ids}) order by created_at desc, id desc`),
      query<{ person_id: number; distinct_id: string }>(sql`
        select person_id, distinct_id from distinct_ids where person_id in (${ids}) order by person_id, key`)
    )
    const byPerson = Map.groupBy(distinctIds, ({ person_id }) => person_id)
    return persons.map((person) => ({
      ...person,
      distinct_ids: (byPerson.get(person.id) ?? []).map(({ distinct_id }) => distinct_id)
    }))
  })

/** Yields the properties of the same persons, from which an export finds its columns. */
export const exportProperties = (
  db: Db,
  projectId: number,
  filters: PersonFilters,
  window: Window
) =>
  inPages(projectId, filters, window, async (ids) => {
    const rows = query<Pick<PersonRow, 'id' | 'created_at' | 'properties'>>(sql`
      select id, created_at, properties from persons where id in (${ids}) order by created_at desc, id desc`)
    return (await readBatch(db, rows))[0]
  })

const MAX_PAGE_ROWS = 5_000
const MAX_PAGE_BYTES = 4_000_000

/**
 * Yields all matches in pages of at most 5,000 rows and about 4 MB of properties. `read` gets a
 * subquery of a page's ids.
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
    const rows = await read(sql`select id from (
        select id, sum(bytes) over (order by created_at desc, id desc) - bytes as bytes_before from (
          select m.id, m.created_at, length(m.properties) as bytes ${matching(projectId, filters)} ${orderedPage(page)}))
      where bytes_before < ${MAX_PAGE_BYTES}`)
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

export type PersonId = { id: number } | { uuid: string }

/** Returns `from … where …` for a person's row; another condition may follow. */
export const onePerson = (projectId: number, by: PersonId): SQL =>
  sql`from persons where project_id = ${projectId} and ${'id' in by ? sql`id = ${by.id}` : sql`uuid = ${by.uuid}`}`

/** Plans the read of a person with every distinct id. */
export function findPerson(projectId: number, by: PersonId): Read<PersonRow | undefined> {
  const person = onePerson(projectId, by)
  const row = query<Omit<PersonRow, 'distinct_ids'>>(
    sql`select id, uuid, created_at, properties ${person}`
  )
  const distinctIds = query<{ distinct_id: string }>(sql`
    select distinct_id from distinct_ids where person_id = (select id ${person}) order by key`)
  return planRead(
    [row, distinctIds],
    ([[found], ids]) =>
      found && { ...found, distinct_ids: ids.map(({ distinct_id }) => distinct_id) }
  )
}

/** Returns the end of a select over persons `m`, after an open `where`. */
const orderedPage = ({ limit, offset, after }: Page): SQL => sql`
  ${after ? sql`and (m.created_at, m.id) < (${after.at}, ${after.id})` : sql``}
  order by m.created_at desc, m.id desc limit ${limit} offset ${offset}`

function countOf(projectId: number, filters: PersonFilters): SQL {
  if (isUnfiltered(filters)) {
    return sql`select value as count from counters where project_id = ${projectId} and name = 'persons'`
  }
  const driver = driverOf(projectId, filters)
  return driver && restOf(projectId, filters).length === 0
    ? sql`select count(*) as count from (${driver.ids})`
    : sql`select count(*) as count ${matching(projectId, filters)}`
}

export const isUnfiltered = (filters: PersonFilters): boolean =>
  Object.values(filters).every((filter) => filter === undefined)

/** Most distinct values of a key for an operator that must examine each of them. */
export const MAX_DISTINCT_VALUES = 200_000

/**
 * Compiles a filter on persons' properties to SQL. For operators that SQL lacks, it reads the
 * distinct values of their keys, in one round trip, and compares each of them.
 * @throws invalid_input, attr `properties`, for a key with too many distinct values
 * @throws query_too_large, attr `properties`, when comparing them takes too much work
 */
export async function compilePropertyFilter(
  db: Db,
  project: { id: number; timezone: string },
  group: FilterGroup,
  now: Date
): Promise<SQL> {
  const examined = leavesOf(group).flatMap((filter) => {
    const match = matcherOf(filter, project.timezone, now)
    return match ? [{ filter, match }] : []
  })
  const keys = [...new Set(examined.map(({ filter }) => filter.key))]
  const columns = await readBatch(db, ...keys.map((key) => distinctTexts(project.id, key)))
  const textsOf = new Map(keys.map((key, i) => [key, (columns[i] ?? []).map(({ text }) => text)]))
  for (const [key, texts] of textsOf) {
    if (texts.length > MAX_DISTINCT_VALUES) {
      throw invalid(
        `${JSON.stringify(key)} has more than ${MAX_DISTINCT_VALUES} distinct values, too many for this operator.`
      )
    }
  }
  const matching = new Map<PropertyFilter, string[]>()
  const work = new Work()
  for (const { filter, match } of examined) {
    matching.set(filter, await match(textsOf.get(filter.key) ?? [], work))
  }
  return compileFilter(() => sql`m.properties`, group, matching)
}

const distinctTexts = (projectId: number, key: string) =>
  query<{ text: string }>(sql`
    select distinct text from (select ${textOf(sql`m.properties`, key)} as text from persons m where m.project_id = ${projectId})
    where text is not null limit ${MAX_DISTINCT_VALUES + 1}`)

/**
 * Returns `from … where …` over persons `m`, driven by the filter that selects the fewest persons,
 * so that only these are read.
 */
function matching(projectId: number, filters: PersonFilters): SQL {
  const driver = driverOf(projectId, filters)
  const from = driver
    ? sql`(${driver.ids}) as candidate cross join persons m on m.id = candidate.id`
    : sql`persons m`
  const rest = restOf(projectId, filters).map((condition) => sql` and ${condition}`)
  return sql`from ${from} where m.project_id = ${projectId}${sql.join(rest)}`
}

/** A filter in two forms: a query of the persons' ids, each once, and a condition on person `m`. */
type IdFilter = { ids: SQL; holds: SQL }

/** Returns the filters that can select ids, beginning with the one that selects the fewest persons. */
const idFilters = (
  projectId: number,
  { distinct_id, email, search }: PersonFilters
): IdFilter[] => [
  ...(distinct_id === undefined ? [] : [byDistinctId(projectId, distinct_id)]),
  ...(email === undefined ? [] : [byEmail(projectId, email)]),
  ...(search === undefined ? [] : [bySearch(projectId, search)])
]

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
  return { ids, holds: sql`m.id in (${ids})` }
}

const byEmail = (projectId: number, email: string): IdFilter => ({
  ids: sql`select id from persons where project_id = ${projectId} and email = ${email}`,
  holds: sql`m.email = ${email}`
})

/**
 * Filters persons with a name-like property that contains the term, and persons with the term as an
 * id.
 */
function bySearch(projectId: number, search: string): IdFilter {
  const term = foldSearch(search)
  const named = sql`${withDistinctId(projectId, search)}
    union select id from persons where project_id = ${projectId} and uuid = ${search.toLowerCase()}`
  if (term === '') {
    return { ids: named, holds: sql`m.id in (${named})` }
  }

  // The full-text index contains every three consecutive characters; a shorter term has to be
  // compared with each person.
  const containing =
    [...term].length >= 3
      ? sql`select rowid & 4294967295 as id from persons_search
            where persons_search match ${`"${term.replaceAll('"', '""')}"`}
              and rowid between ${projectId} << 32 and (${projectId} << 32) + 4294967295`
      : sql`select id from persons where project_id = ${projectId} and instr(search, ${term}) > 0`
  return {
    ids: sql`${containing} union all select id from persons where id in (${named}) and instr(search, ${term}) = 0`,
    holds: sql`(instr(m.search, ${term}) > 0 or m.id in (${named}))`
  }
}

const withDistinctId = (projectId: number, distinctId: string): SQL =>
  sql`select person_id as id from distinct_ids
      where project_id = ${projectId} and distinct_id = ${distinctId} and person_id is not null`

/** Returns the row of a changed person without reading it again. */
export const rowOf = ({ person, identities }: Subject): PersonRow => ({
  id: person.id,
  uuid: person.uuid,
  created_at: person.createdAt,
  properties: JSON.stringify(toObject(person.properties)),
  distinct_ids: identities.map(({ distinctId }) => distinctId)
})

/** Returns a person as every endpoint responds with it. */
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
