import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { countSegmentsOf, countVersionChunksOf } from '../columns/erase.store.ts'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { erasedIdentities, erasures, recordings } from '../db/schema.ts'
import { hasValues } from '../persons/activity/store.ts'
import type { DeletedRecording } from '../recordings/purge.store.ts'
import { uncountEvents } from '../rollups/store.ts'
import { markStale } from '../sessions/store.ts'
import type { Piece } from './pieces.ts'
import { type ErasureRow, isOpen } from './store.ts'

/*
 * Purges run in pieces. Each piece is one short transaction that also counts the rows that it
 * removes, so that the totals are exact however often a piece is repeated.
 */

/** Purges at most `limit` versions of the person's properties. */
export async function purgeVersions(
  db: Db,
  { id, projectId }: ErasureRow,
  limit: number,
  now: number
): Promise<Piece> {
  const piece = sql`
    select v.id from erased_identities t
    cross join person_versions v on v.id between t.key << 24 and (t.key << 24) + 16777215 and v.project_id = ${projectId}
    where t.erasure_id = ${id} limit ${limit}`
  return purgePiece(db, [
    sql`update erasures
        set stores = json_set(stores, '$.person_versions',
              coalesce(stores ->> '$.person_versions', 0) + (select count(*) from (${piece})),
              '$.version_chunks',
              coalesce(stores ->> '$.version_chunks', 0) + ${countVersionChunksOf(projectId, piece)}),
            progress_at = ${now}
        where id = ${id}`,
    sql`delete from person_versions where id in (${piece}) returning 1`
  ])
}

/**
 * Notes that the person's versions and the recordings to delete are purged, unless the erasure was widened meanwhile.
 */
export const markCleared = (db: Db, { id, deleteRecordings }: ErasureRow, now: number) =>
  db
    .update(erasures)
    .set({ clearedAt: now, progressAt: now })
    .where(
      and(
        eq(erasures.id, id),
        isNull(erasures.clearedAt),
        eq(erasures.deleteRecordings, deleteRecordings)
      )
    )

/** Lists recordings deleted with the person that are not purged yet. */
export const findUnpurgedOf = (
  db: Db,
  { id }: ErasureRow,
  limit: number
): Promise<DeletedRecording[]> =>
  db
    .select({ project_id: recordings.projectId, session_id: recordings.sessionId })
    .from(recordings)
    .where(and(eq(recordings.erasureId, id), isNull(recordings.purgedAt)))
    .limit(limit)

/** Lists the keys of the person's identities after `after`, in order. */
export const listKeys = async (
  db: Db,
  { id }: ErasureRow,
  after: number,
  limit: number
): Promise<number[]> => {
  const rows = await db
    .select({ key: erasedIdentities.key })
    .from(erasedIdentities)
    .where(and(eq(erasedIdentities.erasureId, id), gt(erasedIdentities.key, after)))
    .orderBy(erasedIdentities.key)
    .limit(limit)
  return rows.map(({ key }) => key)
}

/** Purges at most `limit` events of these identities, and with them, by a trigger, the segments that they are in. */
export async function purgeEvents(
  db: Db,
  { id, projectId }: ErasureRow,
  { keys, limit, now }: { keys: number[]; limit: number; now: number }
): Promise<Piece> {
  const chunk = sql`from events indexed by events_identity
    where identity in ${inJson(keys)} and +project_id = ${projectId} limit ${limit}`
  const piece = sql`select project_id, event_id, timestamp, uuid ${chunk}`
  return purgePiece(db, [
    markStale(projectId, sql`select session_id ${chunk}`),
    sql`update erasures set stores = json_set(stores, '$.sessions', coalesce(stores ->> '$.sessions', 0) + changes(),
            '$.segments', coalesce(stores ->> '$.segments', 0) + ${countSegmentsOf(projectId, piece)}),
          removed = removed + (select count(*) from (${piece})), progress_at = ${now}
        where id = ${id}`,
    uncountEvents(projectId, piece),
    sql`delete from events where (project_id, event_id, timestamp, uuid) in (${piece}) returning 1`
  ])
}

/** Runs a piece. Its last statement must return a row for each removed row. */
async function purgePiece(db: Db, statements: SQL[]): Promise<Piece> {
  const results = await writeBatch(db, statements)
  return {
    removed: results.at(-1)?.results.length ?? 0,
    ms: Math.max(...results.map(({ meta }) => meta.duration))
  }
}

/** Counts the events of identities, reading at most `limit` rows per statement. */
export async function countEvents(
  db: Db,
  erasure: ErasureRow,
  keys: number[],
  limit: number
): Promise<number> {
  const [[counted]] = await readBatch(
    db,
    query<{ count: number }>(sql`
      select count(*) as count from (select 1 from events where identity in ${inJson(keys)} limit ${limit})`)
  )
  if (counted && counted.count < limit) {
    return counted.count
  }
  let count = 0
  for (const key of keys) {
    count += await countOne(db, erasure, key, limit)
  }
  return count
}

/** A position in the index of events by identity. */
type Place = { timestamp: number; event_id: number; uuid: string }

async function countOne(
  db: Db,
  { projectId }: ErasureRow,
  key: number,
  limit: number
): Promise<number> {
  let count = 0
  for (let after: Place | undefined; ; ) {
    const from: SQL = sql`
      from events where identity = ${key} ${
        after
          ? sql`and (timestamp, project_id, event_id, uuid) > (${after.timestamp}, ${projectId}, ${after.event_id}, unhex(${after.uuid}))`
          : sql``
      } order by timestamp, project_id, event_id, uuid limit`
    const [counted, ends] = await readBatch(
      db,
      query<{ count: number }>(sql`select count(*) as count from (select 1 ${from} ${limit})`),
      query<Place>(sql`select timestamp, event_id, hex(uuid) as uuid ${from} 1 offset ${limit - 1}`)
    )
    count += counted[0]?.count ?? 0
    after = ends[0]
    if (!after) {
      return count
    }
  }
}

/** Notes the number of events to purge, once. */
export const noteFound = (db: Db, { id }: ErasureRow, found: number, now: number) =>
  db
    .update(erasures)
    .set({ found, progressAt: now })
    .where(and(eq(erasures.id, id), isNull(erasures.found)))

/** Notes that an erasure failed. @returns the number of its failures so far */
export async function noteFailure(
  db: Db,
  { id }: ErasureRow,
  error: string,
  now: number
): Promise<number> {
  const [row] = await db
    .update(erasures)
    .set({ attempts: sql`${erasures.attempts} + 1`, error, progressAt: now })
    .where(eq(erasures.id, id))
    .returning({ attempts: erasures.attempts })
  return row?.attempts ?? 0
}

/** Notes why erasures must wait. This does not count as a failure. */
export const noteWaiting = (db: Db, waiting: ErasureRow[], reason: string, now: number) =>
  db
    .update(erasures)
    .set({ error: reason, progressAt: now })
    .where(and(sql`${erasures.id} in ${inJson(waiting.map(({ id }) => id))}`, isOpen))

/** Marks a task as failed; the next run tries it again. */
export const markFailed = (db: Db, { id }: ErasureRow) =>
  db
    .update(erasures)
    .set({ status: 'failed' })
    .where(and(eq(erasures.id, id), isOpen))

/** Counts the rows of an erased person in every store, up to 1,000 each; one round trip, one snapshot. */
export async function countRemains(db: Db, erasure: ErasureRow): Promise<Record<string, number>> {
  const { id, projectId, personId, personUuid, deleteEvents, deleteRecordings } = erasure
  const remains = {
    persons: sql`persons where project_id = ${projectId} and uuid = ${personUuid}`,
    distinct_ids: sql`distinct_ids where person_id = ${personId} and +project_id = ${projectId}`,
    search_index: sql`persons_search where rowid = ${projectId} << 32 | ${personId}`,
    person_versions: sql`erased_identities t cross join person_versions v
      on v.id between t.key << 24 and (t.key << 24) + 16777215 where t.erasure_id = ${id}`,
    activity_values: sql`activity
      where project_id = ${projectId} and scope = 'Person' and owner_id = ${personId} and ${hasValues}`,
    ...(deleteRecordings && {
      recordings: sql`erased_identities t cross join recordings r on r.identity = t.key and not r.deleted
        where t.erasure_id = ${id}`,
      recording_parts: sql`recordings r cross join recording_parts p
        on p.project_id = r.project_id and p.session_id = r.session_id where r.erasure_id = ${id}`
    }),
    ...(deleteEvents && {
      events: sql`erased_identities t cross join events e on e.identity = t.key where t.erasure_id = ${id}`,
      sessions: sql`sessions where project_id = ${projectId} and is_stale`
    })
  }
  const counts = await readBatch(
    db,
    ...Object.values(remains).map((from) =>
      query<{ count: number }>(
        sql`select count(*) as count from (select 1 from ${from} limit 1000)`
      )
    )
  )
  return Object.fromEntries(
    Object.keys(remains).map((store, i) => [store, counts[i]?.[0]?.count ?? 0])
  )
}

/**
 * Marks an erasure as completed and stores its receipt, unless an event has arrived since the verification, or the erasure
 * was widened.
 * @returns whether it is completed
 */
export async function complete(
  db: Db,
  erasure: ErasureRow,
  receipt: object,
  now: number
): Promise<boolean> {
  const { id, deleteEvents, deleteRecordings } = erasure
  const rows = await db.all(sql`
    update erasures set status = 'completed', receipt = ${JSON.stringify(receipt)}, error = null, progress_at = ${now},
      found = ${deleteEvents ? sql`removed` : null}
    where id = ${id} and status <> 'completed' and delete_events = ${Number(deleteEvents)}
      and delete_recordings = ${Number(deleteRecordings)} ${
        deleteEvents
          ? sql`and not exists (
            select 1 from erased_identities t cross join events e on e.identity = t.key where t.erasure_id = ${id})`
          : sql``
      }
    returning id`)
  return rows.length > 0
}
