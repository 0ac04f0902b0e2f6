import { type SQL, sql } from 'drizzle-orm'
import { v7 as uuidv7 } from 'uuid'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { countRows, eachChunk } from '../../db/rows.ts'
import { onePerson, type PersonId } from '../store.ts'
import type { Entry } from './entry.ts'
import type { ActivityRow } from './schemas.ts'

/**
 * Most identities listed in the entry of a merge. Fewer than in other entries, because anyone's
 * events can cause merges.
 */
const MAX_FOLDED_IDENTITIES = 100

/** Returns statements that write entries, for the transaction of the changes that they describe. */
export const activityStatements = (projectId: number, entries: readonly Entry[]): SQL[] => [
  ...eachChunk(
    entries.map((entry) => ({ ...entry, uuid: uuidv7({ msecs: entry.at }) })),
    (rows) => [
      sql`insert into activity (project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at)
          select ${projectId}, value ->> 'uuid', value ->> 'scope', value ->> 'itemId', value ->> 'itemId',
                 value ->> 'activity', nullif(value -> 'actor', 'null'), value -> 'detail', value ->> 'at'
          from json_each(${rows})`
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
      sql`update activity set owner_id = merged.value ->> 'into' from json_each(${rows}) as merged
          where activity.project_id = ${projectId} and activity.scope = 'Person'
            and activity.owner_id = merged.value ->> 'id'`,
      sql`insert into activity (project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at)
          select ${projectId}, merged.value ->> 'uuid', 'Person', merged.value ->> 'into', merged.value ->> 'into',
                 'merged', null,
                 json_object('name', null, 'changes', json_array(json_object(
                   'type', 'Person', 'action', 'merged', 'field', 'distinct_ids',
                   'before', null, 'after', json_object('uuid', folded.uuid),
                   'identities', json_object('distinct_ids', (
                     select json_group_array(key) from (
                       select d.key from distinct_ids d where d.person_id = folded.id order by d.key limit ${MAX_FOLDED_IDENTITIES})))))),
                 merged.value ->> 'at'
          from json_each(${rows}) as merged cross join persons as folded
          where folded.id = merged.value ->> 'id' and +folded.project_id = ${projectId}`
    ]
  ),
  ...countRows(projectId, 'activity', merged.length)
]

/** A page of entries; `after` is the id of the previous page's last entry. */
type Page = { limit: number; offset: number; after?: number | undefined }

/**
 * Returns a page of the activity of one person or all, newest first, and the number of entries, which is counted unless
 * `knownCount` is given; one round trip. Undefined when the person does not exist.
 */
export async function listActivity(
  db: Db,
  projectId: number,
  person: PersonId | undefined,
  page: Page,
  knownCount?: number
): Promise<{ rows: ActivityRow[]; count: number } | undefined> {
  const [rows, counted, found] = await readBatch(
    db,
    query<ActivityRow>(sql`
      select ${COLUMNS} from activity a where ${matching(projectId, person)} ${orderedPage(page)}`),
    query<{ count: number }>(
      knownCount === undefined ? countOf(projectId, person) : sql`select ${knownCount} as count`
    ),
    query<{ id: number }>(
      person ? sql`select id ${onePerson(projectId, person)}` : sql`select 0 as id`
    )
  )
  return found.length > 0 ? { rows, count: counted[0]?.count ?? 0 } : undefined
}

/** Entries in a page of an export. */
const MAX_PAGE_ROWS = 1_000
/** Bytes of details after which a page of an export gets no further entry. */
const MAX_PAGE_BYTES = 4_000_000

/** Yields all entries of one person or all, newest first, in pages of at most 1,000 entries and about 4 MB. */
export async function* exportActivity(
  db: Db,
  projectId: number,
  person: PersonId | undefined,
  window: { limit?: number | undefined; offset: number }
): AsyncGenerator<ActivityRow[], void> {
  let left = window.limit ?? Number.POSITIVE_INFINITY
  let page: Page = { limit: Math.min(left, MAX_PAGE_ROWS), offset: window.offset }
  while (left > 0) {
    const [rows] = await readBatch(
      db,
      query<ActivityRow>(sql`select ${COLUMNS} from activity a where a.id in (
        select id from (
          select id, sum(bytes) over (order by id desc) - bytes as bytes_before from (
            select a.id, length(a.detail) as bytes from activity a
            where ${matching(projectId, person)} ${orderedPage(page)}))
        where bytes_before < ${MAX_PAGE_BYTES}) order by a.id desc`)
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

const COLUMNS = sql`a.id, a.uuid, a.item_id, a.activity, a.actor, a.detail, a.created_at,
  (select json_group_object(d.key, d.distinct_id)
   from json_each(a.detail, '$.changes') as change cross join json_tree(change.value, '$.identities') as named
     cross join distinct_ids d on d.key = named.value and d.project_id = a.project_id
   where named.type = 'integer') as ids`

const matching = (projectId: number, person: PersonId | undefined): SQL =>
  sql`a.project_id = ${projectId} and a.scope = 'Person'
    ${person ? sql`and a.owner_id = (select id ${onePerson(projectId, person)})` : sql``}`

/** Returns the end of a select over entries `a`, after an open `where`. */
const orderedPage = ({ limit, offset, after }: Page): SQL => sql`
  ${after === undefined ? sql`` : sql`and a.id < ${after}`} order by a.id desc limit ${limit} offset ${offset}`

const countOf = (projectId: number, person: PersonId | undefined): SQL =>
  person
    ? sql`select count(*) as count from activity a where ${matching(projectId, person)}`
    : sql`select value as count from counters where project_id = ${projectId} and name = 'activity'`

/** SQL: whether an entry contains values of properties. */
export const hasValues = sql`exists (
  select 1 from json_each(detail, '$.changes') as change
  where change.value ->> '$.before' is not null or change.value ->> '$.after' is not null)`

/** SQL: an entry's `detail` without the values of properties. */
export const withoutValues = sql`json_set(detail, '$.changes', (
  select json_group_array(json_set(change.value, '$.before', null, '$.after', null))
  from json_each(detail, '$.changes') as change))`
