import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { jsonOf } from '../db/filter.ts'
import { distinctIds, persons } from '../db/schema.ts'
import type { Json } from '../input/json.ts'

const p = alias(persons, 'p')
const d = alias(distinctIds, 'd')

/** Persons who were created from `since` up to `until`, ms UTC. */
type CreatedIn = { since: number; until: number }

/** The columns to read of persons. With `distinctIds`, there is a row for each distinct id. */
export type WantedOfPersons = {
  uuids: boolean
  isIdentified: boolean
  bodies: boolean
  distinctIds: boolean
  keys: readonly string[]
}

/** Persons as columns; a column that is not wanted is empty. */
export type PersonColumns = {
  ids: number[]
  times: number[]
  uuids: string[]
  isIdentified: number[]
  bodies: string[]
  identities: (number | null)[]
  distinctIds: (string | null)[]
  properties: Json[][]
}

/** Counts the rows of persons, as far as `limit`. */
export async function countPersonRows(
  db: Db,
  projectId: number,
  created: CreatedIn,
  { hasDistinctIds, limit }: { hasDistinctIds: boolean; limit: number }
): Promise<number> {
  const names = hasDistinctIds
    ? sql` cross join ${distinctIds} ${d} on ${d.personId} = ${p.id}`
    : sql``
  const [[row]] = await readBatch(
    db,
    query<{ count: number }>(sql`
      select count(*) as count from (
        select 1 from ${persons} ${p} indexed by persons_newest${names}
        where ${p.projectId} = ${projectId} and ${isIn(created)} limit ${limit})`)
  )
  return row?.count ?? 0
}

const isIn = ({ since, until }: CreatedIn): SQL =>
  sql`${p.createdAt} >= ${since} and ${p.createdAt} < ${until}`

/** A page of persons in the order of creation: those after a person, or the first ones. */
export type PersonPage = CreatedIn & {
  isNewest: boolean
  after: { at: number; id: number } | undefined
  limit: number
  /** Characters of properties that fill a page; its last person may exceed them. */
  characters: number
}

/** Reads a page of a project's persons. */
export async function readPersonColumns(
  db: Db,
  projectId: number,
  { isNewest, after, limit, characters, ...created }: PersonPage,
  wanted: WantedOfPersons
): Promise<PersonColumns> {
  const order = isNewest ? sql`desc` : sql`asc`
  const follows = isNewest ? sql`<` : sql`>`
  const isAfter = after
    ? sql`(${p.createdAt}, ${p.id}) ${follows} (${after.at}, ${after.id})`
    : sql`1`
  const hasProperties = wanted.bodies || wanted.keys.length > 0
  const columns = [
    sql`${p.id}, ${p.createdAt}`,
    ...(wanted.uuids ? [sql`${p.uuid}`] : []),
    ...(wanted.isIdentified ? [sql`${p.isIdentified}`] : []),
    ...(hasProperties ? [sql`${p.properties}`] : [])
  ]
  const lists = [
    sql`json_group_array(${p.id}) as ids, json_group_array(${p.createdAt}) as times`,
    ...(wanted.uuids ? [sql`json_group_array(${p.uuid}) as uuids`] : []),
    ...(wanted.isIdentified ? [sql`json_group_array(${p.isIdentified}) as identified`] : []),
    ...(wanted.bodies ? [sql`json_group_array(${p.properties}) as bodies`] : []),
    ...(wanted.distinctIds
      ? [sql`json_group_array(${d.key}) as keys, json_group_array(${d.distinctId}) as names`]
      : []),
    ...wanted.keys.map(
      (key, i) =>
        sql`json_group_array(${jsonOf(sql`${p.properties}`, key)}) as ${sql.identifier(`p${i}`)}`
    )
  ]
  const names = wanted.distinctIds
    ? sql` left join ${distinctIds} ${d} on ${d.personId} = ${p.id}`
    : sql``
  const page = sql`
    select ${sql.join(columns, sql`, `)} from ${persons} ${p} indexed by persons_newest
    where ${p.projectId} = ${projectId} and ${isIn(created)} and ${isAfter}
    order by ${p.createdAt} ${order}, ${p.id} ${order} limit ${limit}`
  const rows = hasProperties
    ? sql`
      select * from (
        select p.*, sum(length(properties)) over (rows unbounded preceding) - length(properties) as before
        from (${page}) p)
      where before < ${characters}`
    : page
  const [[row]] = await readBatch(
    db,
    query<Record<string, string>>(sql`select ${sql.join(lists, sql`, `)} from (${rows}) p${names}`)
  )
  const parse = (name: string) => JSON.parse(row?.[name] ?? '[]')
  return {
    ids: parse('ids'),
    times: parse('times'),
    uuids: parse('uuids'),
    isIdentified: parse('identified'),
    bodies: parse('bodies'),
    identities: parse('keys'),
    distinctIds: parse('names'),
    properties: wanted.keys.map((_, i) => parse(`p${i}`))
  }
}
