import { type SQL, sql } from 'drizzle-orm'
import { v7 as uuidv7 } from 'uuid'
import type { Scope } from '../../access/open.ts'
import { query, readBatch } from '../../db/batch.ts'
import { countRows, eachChunk } from '../../db/rows.ts'
import { activity, counters, distinctIds, persons } from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import { idOfPerson, type PersonId } from '../store.ts'
import { type ActivityEntry, MAX_FOLDED_IDENTITIES, MAX_IDS_BYTES } from './entry.ts'
import type { ActivityRow } from './schemas.ts'

/** Returns statements that write entries, for the transaction that makes the changes. */
export const activityStatements = (projectId: number, entries: readonly ActivityEntry[]): SQL[] => [
  ...eachChunk(
    entries.map((entry) => ({ ...entry, uuid: uuidv7({ msecs: entry.at }) })),
    (rows) => [
      insertSelect(
        activity,
        {
          projectId,
          uuid: sql`value ->> 'uuid'`,
          scope: sql`value ->> 'scope'`,
          itemId: sql`value ->> 'itemId'`,
          ownerId: sql`value ->> 'itemId'`,
          activity: sql`value ->> 'activity'`,
          actor: sql`nullif(value -> 'actor', 'null')`,
          detail: sql`value -> 'detail'`,
          createdAt: sql`value ->> 'at'`
        },
        sql`json_each(${rows})`
      )
    ]
  ),
  ...countRows(projectId, 'activity', entries.length)
]

/**
 * Returns statements that write an entry for each merge and move the merged person's entries to the
 * remaining person (`into`). They must run before the merge, in the same transaction. `at` is ms
 * UTC.
 */
export const mergeActivity = (
  projectId: number,
  merged: readonly { id: number; into: number; at: number }[]
): SQL[] => [
  ...eachChunk(
    merged.map(({ id, into, at }) => ({ id, into, at, uuid: uuidv7({ msecs: at }) })),
    (rows) => [
      updateFrom(activity, {
        set: { ownerId: sql`merged.value ->> 'into'` },
        from: sql`json_each(${rows}) as merged`,
        where: sql`${activity.projectId} = ${projectId} and ${activity.scope} = 'Person'
            and ${activity.ownerId} = merged.value ->> 'id'`
      }),
      insertSelect(
        activity,
        {
          projectId,
          uuid: sql`merged.value ->> 'uuid'`,
          scope: 'Person',
          itemId: sql`merged.value ->> 'into'`,
          ownerId: sql`merged.value ->> 'into'`,
          activity: 'merged',
          actor: null,
          detail: sql`json_object('name', null, 'changes', json_array(json_object(
            'type', 'Person', 'action', 'merged', 'field', 'distinct_ids',
            'before', null, 'after', json_object('uuid', ${persons.uuid}),
            'identities', json_object('distinct_ids', (
              select json_group_array(key) from (
                select ${distinctIds.key} as key from ${distinctIds} where ${distinctIds.personId} = ${persons.id}
                order by ${distinctIds.key} limit ${MAX_FOLDED_IDENTITIES}))))))`,
          createdAt: sql`merged.value ->> 'at'`
        },
        sql`json_each(${rows}) as merged cross join ${persons}
            where ${persons.id} = merged.value ->> 'id' and +${persons.projectId} = ${projectId}`
      )
    ]
  ),
  ...countRows(projectId, 'activity', merged.length)
]

/** A page of entries; `after` is the id of the previous page's last entry. */
type Page = { limit: number; offset: number; after?: number | undefined }

/**
 * Returns a page of the activity of one person or all, newest first, and the number of entries,
 * which is counted unless `knownCount` is given; one round trip. Undefined when the person does not
 * exist.
 */
export async function listActivity(
  { db, project }: Scope,
  person: PersonId | undefined,
  { page, knownCount }: { page: Page; knownCount: number | undefined }
): Promise<{ rows: ActivityRow[]; count: number } | undefined> {
  const [rows, counted, found] = await readBatch(
    db,
    query<ActivityRow>(selectPage(COLUMNS, project.id, person, page)),
    query<{ count: number }>(
      knownCount === undefined ? countOf(project.id, person) : sql`select ${knownCount} as count`
    ),
    // Null if the person does not exist. A list of all persons looks for none, so any id will do.
    query<{ id: number | null }>(
      person ? sql`select ${idOfPerson(project.id, person)} as id` : sql`select 0 as id`
    )
  )
  return found[0]?.id === null ? undefined : { rows, count: counted[0]?.count ?? 0 }
}

/** Maximum number of entries in a page of an export. */
export const MAX_PAGE_ROWS = 1_000
/** Characters of details after which a page of an export gets no further entry. */
const MAX_PAGE_CHARACTERS = 4_000_000

/** Yields all entries of one person or all, newest first, in pages of 1,000 or 4 MB. */
export async function* exportActivity(
  { db, project }: Scope,
  person: PersonId | undefined,
  window: { limit?: number | undefined; offset: number }
): AsyncGenerator<ActivityRow[], void> {
  let left = window.limit ?? Number.POSITIVE_INFINITY
  let page: Page = { limit: Math.min(left, MAX_PAGE_ROWS), offset: window.offset }
  while (left > 0) {
    const [rows] = await readBatch(
      db,
      query<ActivityRow>(sql`select ${COLUMNS} from ${activity} where ${activity.id} in (
        select id from (
          select id, sum(characters) over (order by id desc) - characters as characters_before from (
            ${selectPage(SIZES, project.id, person, page)}))
        where characters_before < ${MAX_PAGE_CHARACTERS}) order by ${activity.id} desc`)
    )
    const last = rows.at(-1)
    if (!last) {
      return
    }
    yield rows
    left -= rows.length
    page = { limit: Math.min(left, MAX_PAGE_ROWS), offset: 0, after: last.id }
  }
}

/** The distinct ids that an entry names, with their keys. */
const NAMED = sql`
  json_each(${activity.detail}, '$.changes') as change cross join json_tree(change.value, '$.identities') as named
    cross join ${distinctIds}
      on ${distinctIds.key} = named.value and ${distinctIds.projectId} = ${activity.projectId}
  where named.type = 'integer'`

/**
 * Characters of details up to which all distinct ids of an entry are read. About 1,000 identities
 * fit into the details, and their distinct ids stay below the 2 MB that D1 allows in a value.
 */
const SHORT = 5_000

/**
 * The columns of an entry. `ids` maps keys to distinct ids. For an entry longer than `SHORT`, the
 * ids are added in the order of their keys up to `MAX_IDS_BYTES`; adding up the bytes reads more
 * rows.
 */
const COLUMNS = sql`${activity.id}, ${activity.uuid}, ${activity.itemId}, ${activity.activity}, ${activity.actor},
  ${activity.detail}, ${activity.createdAt},
  iif(length(${activity.detail}) <= ${SHORT},
    (select json_group_object(${distinctIds.key}, ${distinctIds.distinctId}) from ${NAMED}),
    (select json_group_object(key, distinct_id) from (
      select key, distinct_id, sum(bytes) over (order by key) as total from (
        select distinct ${distinctIds.key} as key, ${distinctIds.distinctId} as distinct_id,
          length(cast(json_quote(${distinctIds.distinctId}) as blob)) as bytes
        from ${NAMED}))
     where total <= ${MAX_IDS_BYTES})) as ids`

const SIZES = sql`${activity.id} as id, length(${activity.detail}) as characters`

/** Whether an entry is about this person or, without `person`, about any of the project. */
const isAbout = (projectId: number, person: PersonId | undefined): SQL =>
  sql`${activity.projectId} = ${projectId} and ${activity.scope} = 'Person'
    ${person ? sql`and ${activity.ownerId} = ${idOfPerson(projectId, person)}` : sql``}`

const selectPage = (
  columns: SQL,
  projectId: number,
  person: PersonId | undefined,
  { limit, offset, after }: Page
): SQL => {
  const isAfter = after === undefined ? sql`1` : sql`${activity.id} < ${after}`
  return sql`select ${columns} from ${activity} where ${isAbout(projectId, person)} and ${isAfter}
    order by ${activity.id} desc limit ${limit} offset ${offset}`
}

const countOf = (projectId: number, person: PersonId | undefined): SQL =>
  person
    ? sql`select count(*) as count from ${activity} where ${isAbout(projectId, person)}`
    : sql`select ${counters.value} as count from ${counters}
          where ${counters.projectId} = ${projectId} and ${counters.name} = 'activity'`

/** SQL: whether an entry contains values of properties or the UUID of a merged person. */
export const hasValues = sql`exists (
  select 1 from json_each(${activity.detail}, '$.changes') as change
  where change.value ->> '$.before' is not null or change.value ->> '$.after' is not null)`

/** SQL: an entry's `detail` without the values that `hasValues` finds. */
export const withoutValues = sql`json_set(${activity.detail}, '$.changes', (
  select json_group_array(json_set(change.value, '$.before', null, '$.after', null))
  from json_each(${activity.detail}, '$.changes') as change))`
