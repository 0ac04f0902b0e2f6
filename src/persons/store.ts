import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { planRead, query, type Read, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { compileFilter, textOf } from '../db/filter.ts'
import type { JsonObject } from '../input/json.ts'
import { type FilterGroup, invalid, leavesOf } from '../properties/filter.ts'
import { matchTexts } from '../properties/matching.ts'
import type { Subject } from './change.ts'
import { foldSearch, nameOf, sortDistinctIds } from './person.ts'
import { toObject } from './properties.ts'
import { LISTED_DISTINCT_IDS, type PersonJson } from './schemas.ts'

export type PersonRow = {
  id: number
  uuid: string
  created_at: number
  properties: string
  /** In the order in which the ids were first seen. */
  distinct_ids: string[]
}

/** All that are given have to match; `properties` comes from `compilePropertyFilter`. */
export type PersonFilters = {
  distinct_id?: string | undefined
  email?: string | undefined
  search?: string | undefined
  properties?: SQL | undefined
}

/** The last person of the page before: newest first, `at` its creation, then `id`. */
export const Position = z.object({ at: z.int(), id: z.int() })
export type Position = z.infer<typeof Position>

type Page = { limit: number; offset: number; after?: Position | undefined }

/**
 * Reads one page, newest first, and the exact number of matches unless it is known already. One row more than `limit`
 * says that there are more.
 */
export function listPersons(
  projectId: number,
  filters: PersonFilters,
  page: Page,
  knownCount?: number
): Read<{ rows: PersonRow[]; count: number }> {
  // Without a driver the rows come in order from the index; else only the page's rows are to be read in full.
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

/** All matches, newest first and with every distinct id, page by page. */
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

/** The properties of the same persons, for whoever has to know their keys first. */
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

/** Reads all matches in pages of at most 5,000 rows and about 4 MB of properties; `read` gets the SQL of a page's ids. */
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

/** `from … where …` that selects a person's row; open for another condition. */
export const onePerson = (projectId: number, by: PersonId): SQL =>
  sql`from persons where project_id = ${projectId} and ${'id' in by ? sql`id = ${by.id}` : sql`uuid = ${by.uuid}`}`

/** Reads a person with every distinct id. */
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

/** The end of a select over persons `m` whose `where` is open. */
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

/** Different values that a key may have where a filter's operator has to look at each of them. */
export const MAX_DISTINCT_VALUES = 200_000

/**
 * The SQL of a filter on persons' properties; where an operator is not one of SQL, it is asked of each different value
 * of its key first, in one round trip.
 * @throws invalid_input, attr `properties`, for a key with too many different values
 * @throws query_too_large, attr `properties`, when comparing them takes too much work
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
        `${JSON.stringify(key)} has more than ${MAX_DISTINCT_VALUES} values, too many for this operator.`
      ),
    readTexts: async (filters) => {
      const queries = filters.map(({ key }) => distinctTexts(project.id, key))
      return (await readBatch(db, ...queries)).map((rows) => rows.map(({ text }) => text))
    }
  })
  return compileFilter(() => sql`m.properties`, group, matching)
}

const distinctTexts = (projectId: number, key: string) =>
  query<{ text: string }>(sql`
    select distinct text from (select ${textOf(sql`m.properties`, key)} as text from persons m where m.project_id = ${projectId})
    where text is not null limit ${MAX_DISTINCT_VALUES + 1}`)

/** `from … where …` over persons `m`, driven by the filter that names the fewest: nothing else is read. */
function matching(projectId: number, filters: PersonFilters): SQL {
  const driver = driverOf(projectId, filters)
  const from = driver
    ? sql`(${driver.ids}) as candidate cross join persons m on m.id = candidate.id`
    : sql`persons m`
  const rest = restOf(projectId, filters).map((condition) => sql` and ${condition}`)
  return sql`from ${from} where m.project_id = ${projectId}${sql.join(rest)}`
}

/** A filter in two forms: the ids of the persons that it names, each once, or a condition on person `m`. */
type IdFilter = { ids: SQL; holds: SQL }

/** Those filters that name persons, the one that names the fewest first. */
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

/** A name-like property contains the term, or the term is one of the person's ids. */
function bySearch(projectId: number, search: string): IdFilter {
  const term = foldSearch(search)
  const named = sql`${withDistinctId(projectId, search)}
    union select id from persons where project_id = ${projectId} and uuid = ${search.toLowerCase()}`
  if (term === '') {
    return { ids: named, holds: sql`m.id in (${named})` }
  }

  // The full-text index holds every three characters in a row; a shorter term has to look at each person.
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

/** A person as it was changed, without reading it again. */
export const rowOf = ({ person, identities }: Subject): PersonRow => ({
  id: person.id,
  uuid: person.uuid,
  created_at: person.createdAt,
  properties: JSON.stringify(toObject(person.properties)),
  distinct_ids: identities.map(({ distinctId }) => distinctId)
})

/** The person as every endpoint answers it. */
export function personToJson(row: PersonRow) {
  const properties: JsonObject = JSON.parse(row.properties)
  const distinctIds = sortDistinctIds(row.distinct_ids)
  return {
    id: row.id,
    // Of the ids that a list shows, so that a person has one name everywhere.
    name: nameOf(properties, sortDistinctIds(row.distinct_ids.slice(0, LISTED_DISTINCT_IDS))),
    distinct_ids: distinctIds,
    properties,
    created_at: toIso(row.created_at),
    uuid: row.uuid
  } satisfies PersonJson
}

/** As a list shows it: not more distinct ids than `LISTED_DISTINCT_IDS`, of which it then says so. */
export function listedPersonToJson(row: PersonRow) {
  const isTruncated = row.distinct_ids.length > LISTED_DISTINCT_IDS
  const person = personToJson({
    ...row,
    distinct_ids: row.distinct_ids.slice(0, LISTED_DISTINCT_IDS)
  })
  return isTruncated ? ({ ...person, distinct_ids_truncated: true } satisfies PersonJson) : person
}
