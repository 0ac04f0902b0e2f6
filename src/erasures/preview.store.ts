import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson, isIn } from '../db/rows.ts'
import { hasValues } from '../persons/activity/store.ts'

/** Identities whose events are read together. */
const KEYS_AT_ONCE = 100

/** Events read per query; 10,000 take about 20 ms. */
const EVENTS_AT_ONCE = 10_000

/**
 * Counts the rows of persons in every store but events, sessions and segments, in one round trip and
 * one snapshot.
 * @param ids the persons' ids
 * @param keys the keys of their identities
 */
export async function countOwned(
  db: Db,
  projectId: number,
  ids: number[],
  keys: number[]
): Promise<Record<string, number>> {
  const versions = sql`select v.id from json_each(${JSON.stringify(keys)}) k
    cross join person_versions v
      on v.id between k.value << 24 and (k.value << 24) + 16777215 and v.project_id = ${projectId}`
  const owned = sql`recordings r
    where r.project_id = ${projectId} and not r.deleted and ${isIn(sql`r.identity`, keys)}`
  const stores = {
    persons: sql`persons where +project_id = ${projectId} and id in ${inJson(ids)}`,
    distinct_ids: sql`distinct_ids where +project_id = ${projectId} and person_id in ${inJson(ids)}`,
    search_index: sql`persons where +project_id = ${projectId} and id in ${inJson(ids)} and search <> ''`,
    activity_values: sql`activity
      where project_id = ${projectId} and scope = 'Person' and owner_id in ${inJson(ids)} and ${hasValues}`,
    person_versions: sql`(${versions})`,
    version_chunks: sql`version_chunks
      where project_id = ${projectId} and chunk in (select id >> 36 from (${versions}))`,
    recordings: owned,
    recording_parts: sql`recording_parts p
      where p.project_id = ${projectId} and p.session_id in (select r.session_id from ${owned})`
  }
  const counts = await readBatch(
    db,
    ...Object.values(stores).map((from) =>
      query<{ count: number }>(sql`select count(*) as count from ${from}`)
    )
  )
  return Object.fromEntries(
    Object.keys(stores).map((store, i) => [store, counts[i]?.[0]?.count ?? 0])
  )
}

/** Some events, and the sessions and segments that they are in. */
type Page = { count: number; sessions: string[]; segments: number[] }

/** A position in the index of events by identity. */
type Place = { timestamp: number; event_id: number; uuid: string }

/** Counts the events of identities, and the sessions and segments that have any of them, in short queries. */
export async function countEventStores(
  db: Db,
  projectId: number,
  keys: number[]
): Promise<{ events: number; sessions: number; segments: number }> {
  let events = 0
  const sessions = new Set<string>()
  const segments = new Set<number>()
  for await (const page of pagesOf(db, projectId, keys)) {
    events += page.count
    for (const id of page.sessions) {
      sessions.add(id)
    }
    for (const id of page.segments) {
      segments.add(id)
    }
  }
  return { events, sessions: sessions.size, segments: segments.size }
}

/** Reads the events of identities, those of many identities together if they are few. */
async function* pagesOf(db: Db, projectId: number, keys: number[]): AsyncGenerator<Page> {
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const some = keys.slice(at, at + KEYS_AT_ONCE)
    const { page } = await readPage(
      db,
      projectId,
      sql`from events where identity in ${inJson(some)} and +project_id = ${projectId}`
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
    const isLater = after
      ? sql`(timestamp, project_id, event_id, uuid) > (${after.timestamp}, ${projectId}, ${after.event_id}, unhex(${after.uuid}))`
      : sql`1`
    const { page, last } = await readPage(
      db,
      projectId,
      sql`from events where identity = ${key} and ${isLater} order by timestamp, project_id, event_id, uuid`
    )
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
  const piece = sql`select event_id, timestamp, session_id ${from} limit ${EVENTS_AT_ONCE}`
  const [counted, sessions, segments, ends] = await readBatch(
    db,
    query<{ count: number }>(sql`select count(*) as count from (${piece})`),
    query<{ id: string }>(sql`
      select session_id as id from sessions
      where project_id = ${projectId} and session_id in (select session_id from (${piece}))`),
    query<{ id: number }>(sql`
      select distinct s.id from (${piece}) e cross join segments s on s.id = (
        select id from segments
        where project_id = ${projectId} and event_id = e.event_id and since <= e.timestamp
        order by since desc limit 1) and s.until > e.timestamp`),
    query<Place>(sql`
      select timestamp, event_id, hex(uuid) as uuid ${from} limit 1 offset ${EVENTS_AT_ONCE - 1}`)
  )
  return {
    page: {
      count: counted[0]?.count ?? 0,
      sessions: sessions.map(({ id }) => id),
      segments: segments.map(({ id }) => id)
    },
    last: ends[0]
  }
}
