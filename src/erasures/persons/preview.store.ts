import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { inJson, jsonChunks } from '../../db/rows.ts'
import { events, recordings, segments, sessions } from '../../db/schema.ts'
import { searchRowOf } from '../../persons/search-index.store.ts'
import type { StoreName } from '../names.ts'
import { type Owners, STORES, type StoreCounts } from '../stores.ts'
import { eventsOf, type Place, placeColumns } from './identity.store.ts'

const s = alias(segments, 's')

/** Identities whose events are read together. */
const KEYS_AT_ONCE = 100

/** Events read per query; 10,000 take about 20 ms. */
const EVENTS_AT_ONCE = 10_000

/**
 * Counts the rows of persons in each of these stores, in one round trip and one snapshot.
 * @param ids the persons' ids
 * @param keys the keys of their identities
 */
export async function countOwned(
  db: Db,
  projectId: number,
  { ids, keys }: { ids: number[]; keys: number[] },
  stores: readonly StoreName[]
): Promise<StoreCounts> {
  const lists = jsonChunks(keys).map(({ json }) => sql`select value as key from json_each(${json})`)
  const own = lists.length > 0 ? sql.join(lists, sql` union all `) : sql`select null as key where 0`
  const owners: Owners = {
    projectId,
    ids: sql`select value from json_each(${JSON.stringify(ids)})`,
    searchRows: sql`select ${searchRowOf(projectId, sql`value`)} from json_each(${JSON.stringify(ids)})`,
    keys: own,
    sessionIds: sql`select ${recordings.sessionId} from (${own}) as own cross join ${recordings}
      on ${recordings.identity} = own.key and not ${recordings.deleted}
        and +${recordings.projectId} = ${projectId}`
  }
  const counted = stores.flatMap((name) => {
    const rows = STORES[name].rows?.(owners)
    return rows ? [{ name, rows }] : []
  })
  const counts = await readBatch(
    db,
    ...counted.map(({ rows }) =>
      query<{ count: number }>(sql`select count(*) as count from ${rows}`)
    )
  )
  return Object.fromEntries(counted.map(({ name }, i) => [name, counts[i]?.[0]?.count ?? 0]))
}

/** Some events, and the sessions and segments that they are in. */
type Page = { count: number; sessions: string[]; segments: number[] }

/** Counts events of identities, and the sessions and segments of these events. */
export async function countEventStores(
  db: Db,
  projectId: number,
  keys: number[]
): Promise<{ events: number; sessions: number; segments: number }> {
  let count = 0
  const sessionIds = new Set<string>()
  const segmentIds = new Set<number>()
  for await (const page of pagesOf(db, projectId, keys)) {
    count += page.count
    for (const id of page.sessions) {
      sessionIds.add(id)
    }
    for (const id of page.segments) {
      segmentIds.add(id)
    }
  }
  return { events: count, sessions: sessionIds.size, segments: segmentIds.size }
}

/**
 * Reads the events of up to `KEYS_AT_ONCE` identities in one query if there are fewer than
 * `EVENTS_AT_ONCE`, otherwise identity by identity.
 */
async function* pagesOf(db: Db, projectId: number, keys: number[]): AsyncGenerator<Page> {
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const some = keys.slice(at, at + KEYS_AT_ONCE)
    const { page } = await readPage(
      db,
      projectId,
      sql`from ${events} where ${events.identity} in ${inJson(some)} and +${events.projectId} = ${projectId}`
    )
    if (page.count < EVENTS_AT_ONCE) {
      yield page
    } else {
      for (const key of some) {
        yield* pagesOfOne(db, projectId, key)
      }
    }
  }
}

async function* pagesOfOne(db: Db, projectId: number, key: number): AsyncGenerator<Page> {
  for (let after: Place | undefined; ; ) {
    const { page, last } = await readPage(db, projectId, eventsOf(projectId, key, after))
    yield page
    after = last
    if (!after) {
      return
    }
  }
}

/** @returns a page of events, and the position of its last event if the page is full */
async function readPage(
  db: Db,
  projectId: number,
  from: SQL
): Promise<{ page: Page; last: Place | undefined }> {
  const piece = sql`select ${events.eventId}, ${events.timestamp}, ${events.sessionId} ${from} limit ${EVENTS_AT_ONCE}`
  const [counted, withSessions, withSegments, ends] = await readBatch(
    db,
    query<{ count: number }>(sql`select count(*) as count from (${piece})`),
    query<{ id: string }>(sql`
      select ${sessions.sessionId} as id from ${sessions}
      where ${sessions.projectId} = ${projectId}
        and ${sessions.sessionId} in (select session_id from (${piece}))`),
    // The segment of an event is the last that begins at or before its time, if it has not ended by
    // then.
    query<{ id: number }>(sql`
      select distinct ${s.id} from (${piece}) e cross join ${segments} ${s} on ${s.id} = (
        select ${segments.id} from ${segments}
        where ${segments.projectId} = ${projectId} and ${segments.eventId} = e.event_id
          and ${segments.since} <= e.timestamp
        order by ${segments.since} desc limit 1) and ${s.until} > e.timestamp`),
    query<Place>(sql`select ${placeColumns} ${from} limit 1 offset ${EVENTS_AT_ONCE - 1}`)
  )
  return {
    page: {
      count: counted[0]?.count ?? 0,
      sessions: withSessions.map(({ id }) => id),
      segments: withSegments.map(({ id }) => id)
    },
    last: ends[0]
  }
}
