import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Scope } from '../access/open.ts'
import { planRead, query, type Read, readBatch } from '../db/batch.ts'
import { counters, distinctIds, persons } from '../db/schema.ts'
import { m } from '../membership/store.ts'
import {
  driverOf,
  hasOneFilter,
  isUnfiltered,
  matching,
  type PersonFilters
} from './filters.store.ts'
import { LISTED_DISTINCT_IDS } from './schemas.ts'
import type { PersonRow } from './store.ts'

/** The last person of the previous page: its creation time (`at`, ms UTC) and its id. */
export const PersonPosition = z.object({ at: z.int(), id: z.int() })
export type PersonPosition = z.infer<typeof PersonPosition>

type Page = { limit: number; offset: number; after?: PersonPosition | undefined }

/** A page's persons, newest first, and the exact number of matches. */
type Found = { rows: PersonRow[]; count: number }

/** Plans the read of one page, and of the number of matches unless it is known already. */
export function listPersons(
  projectId: number,
  filters: PersonFilters,
  page: Page,
  knownCount?: number
): Read<Found> {
  if (knownCount === undefined && hasOneFilter(filters) && isFirst(page)) {
    const driver = driverOf(projectId, filters)
    if (driver) {
      return planRead(
        [query<CountedRow>(selectCounted(driver.ids, projectId, page))],
        ([found]) => ({
          rows: found.map(({ count: _, ...row }) => toRow(row)),
          count: found[0]?.count ?? found.length
        })
      )
    }
  }
  const rows = query<ListedRow>(selectListed(projectId, filters, page))
  if (knownCount !== undefined) {
    return planRead([rows], ([found]) => ({ rows: found.map(toRow), count: knownCount }))
  }
  const counted = query<{ count: number }>(countOf(projectId, filters))
  return planRead([rows, counted], ([found, [total]]) => ({
    rows: found.map(toRow),
    count: total?.count ?? 0
  }))
}

const isFirst = ({ offset, after }: Page): boolean => offset === 0 && !after

/**
 * Reads one page. Counts the matches afterwards, and only if the page does not tell their number:
 * with a filter that examines every person, counting takes as long as finding.
 */
export async function readPersons(
  { db, project }: Scope,
  filters: PersonFilters,
  page: Page,
  knownCount?: number
): Promise<Found> {
  const rows = await readPersonRows({ db, project }, filters, page)
  const count = knownCount ?? countFromPage(rows.length, page)
  if (count !== undefined) {
    return { rows, count }
  }
  const [[total]] = await readBatch(db, query<{ count: number }>(countOf(project.id, filters)))
  return { rows, count: total?.count ?? 0 }
}

/** Reads the persons of one page, newest first. */
export async function readPersonRows(
  { db, project }: Scope,
  filters: PersonFilters,
  page: Page
): Promise<PersonRow[]> {
  const [found] = await readBatch(db, query<ListedRow>(selectListed(project.id, filters, page)))
  return found.map(toRow)
}

/** Returns the number of matches if a page ends with the last of them; undefined otherwise. */
function countFromPage(rows: number, { limit, offset, after }: Page): number | undefined {
  const isLast = rows < limit && (rows > 0 || offset === 0)
  return isLast && !after ? offset + rows : undefined
}

type ListedRow = Omit<PersonRow, 'distinct_ids'> & { distinct_ids: string }

type CountedRow = ListedRow & { count: number | null }

const toRow = (row: ListedRow): PersonRow => ({
  ...row,
  distinct_ids: JSON.parse(row.distinct_ids)
})

/**
 * Selects the persons of a page. Without a driver (see `driverOf`), they come from the index in
 * order. With one, only the rows of the page are read in full.
 */
function selectListed(projectId: number, filters: PersonFilters, page: Page): SQL {
  const select = pageOf(projectId, filters, page)
  return driverOf(projectId, filters)
    ? sql`select ${COLUMNS} from (${select(sql`${m.id}`)}) as page cross join ${persons} ${m} on ${m.id} = page.id
          order by ${m.createdAt} desc, ${m.id} desc`
    : select(COLUMNS)
}

/**
 * Selects the first page of the persons with these ids. Each row has the number of ids, or null if
 * the page has all of them: most pages are not full, and need not find the ids again to count them.
 */
const selectCounted = (ids: SQL, projectId: number, { limit }: Page): SQL => sql`
  with page as materialized (
    select ${m.id} from (${ids}) as candidate cross join ${persons} ${m} on ${m.id} = candidate.id
    where ${m.projectId} = ${projectId} order by ${m.createdAt} desc, ${m.id} desc limit ${limit}
  )
  select ${COLUMNS},
    iif((select count(*) from page) < ${limit}, null, (select count(*) from (${ids}))) as count
  from page cross join ${persons} ${m} on ${m.id} = page.id
  order by ${m.createdAt} desc, ${m.id} desc`

type Window = { limit?: number | undefined; offset: number }

/** Yields the matches in the window, newest first and with every distinct id, page by page. */
export const exportPersons = ({ db, project }: Scope, filters: PersonFilters, window: Window) =>
  inPages(project.id, filters, window, async (ids): Promise<PersonRow[]> => {
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

/** Yields the uuids and properties of the persons that `exportPersons` yields. */
export const exportProperties = ({ db, project }: Scope, filters: PersonFilters, window: Window) =>
  inPages(project.id, filters, window, async (ids) => {
    const rows = query<Omit<PersonRow, 'distinct_ids'>>(sql`
      select ${persons.id}, ${persons.uuid}, ${persons.createdAt}, ${persons.properties} from ${persons}
      where ${persons.id} in (${ids}) order by ${persons.createdAt} desc, ${persons.id} desc`)
    return (await readBatch(db, rows))[0]
  })

/** Maximum number of rows in a page of an export. */
const MAX_PAGE_ROWS = 5_000
/** Characters of properties that fill a page of an export; its last person may exceed them. */
const MAX_PAGE_CHARACTERS = 4_000_000

/**
 * Yields the matches in the window, in pages up to the limits above. `read` gets a subquery of the
 * ids of a page, and returns their rows, newest first.
 */
async function* inPages<Row extends { id: number; created_at: number }>(
  projectId: number,
  filters: PersonFilters,
  window: Window,
  read: (ids: SQL) => Promise<Row[]>
): AsyncGenerator<Row[], void> {
  let left = window.limit ?? Number.POSITIVE_INFINITY
  let offset = window.offset
  let after: PersonPosition | undefined
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
  if (driver && hasOneFilter(filters)) {
    return sql`select count(*) as count from (${driver.ids})`
  }
  const { from, where } = matching(projectId, filters)
  return sql`select count(*) as count from ${from} where ${where}`
}

/** JSON of the distinct ids of person `m` that a list shows, and one more if there are. */
const LISTED = sql`(
  select json_group_array(distinct_id) from (
    select ${distinctIds.distinctId} as distinct_id from ${distinctIds}
    where ${distinctIds.personId} = ${m.id} order by ${distinctIds.key} limit ${LISTED_DISTINCT_IDS + 1}))`

/** The columns of a listed person `m`. */
const COLUMNS = sql`${m.id}, ${m.uuid}, ${m.createdAt}, ${m.properties}, ${LISTED} as distinct_ids`
