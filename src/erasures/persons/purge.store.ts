import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { addToStores } from '../../barred/tombstones/store.ts'
import { countSegmentsOf, countVersionChunksOf } from '../../columns/erase.store.ts'
import { uncountEvents } from '../../columns/slots/store.ts'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import type { PieceOfWork } from '../../db/rest.ts'
import { inJson } from '../../db/rows.ts'
import { erasedIdentities, erasures, events, personVersions, recordings } from '../../db/schema.ts'
import { list, updateFrom } from '../../db/statements.ts'
import { searchRowOf } from '../../persons/search-index.store.ts'
import type { DeletedRecording } from '../../recordings/purge.store.ts'
import { markStale } from '../../sessions/store.ts'
import { type ErasureRow, isOpen } from '../engine/store.ts'
import { STORE_NAMES, type StoreName } from '../names.ts'
import { isEmptied, type Owners, STORES, type StoreCounts } from '../stores.ts'
import { eventsOf, isVersionOf, type Place, placeColumns } from './identity.store.ts'

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
): ReturnType<PieceOfWork> {
  const piece = sql`
    select ${personVersions.id} from ${erasedIdentities}
    cross join ${personVersions}
      on ${isVersionOf(sql`${erasedIdentities.key}`)} and ${personVersions.projectId} = ${projectId}
    where ${erasedIdentities.erasureId} = ${id} limit ${limit}`
  return purgePiece(db, limit, [
    updateFrom(erasures, {
      set: {
        stores: addToStores({
          person_versions: sql`select count(*) from (${piece})`,
          version_chunks: countVersionChunksOf(projectId, piece)
        }),
        progressAt: now
      },
      where: sql`${erasures.id} = ${id}`
    }),
    sql`delete from ${personVersions} where ${personVersions.id} in (${piece}) returning 1`
  ])
}

/**
 * Notes that the person's versions, and the recordings if they are deleted too, are purged. Does
 * nothing if the erasure has been extended to the recordings since it was read.
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

/** Purges at most `limit` events of these identities. A trigger deletes their segments. */
export async function purgeEvents(
  db: Db,
  { id, projectId }: ErasureRow,
  { keys, limit, now }: { keys: number[]; limit: number; now: number }
): ReturnType<PieceOfWork> {
  // Every statement below must find the same rows: `indexed by` and `+` keep their plans, and so
  // the order of the rows, the same.
  const source = sql`from ${events} indexed by events_identity
    where ${events.identity} in ${inJson(keys)} and +${events.projectId} = ${projectId} limit ${limit}`
  const place = list([events.projectId, events.eventId, events.timestamp, events.uuid])
  const piece = sql`select ${place} ${source}`
  return purgePiece(db, limit, [
    markStale(projectId, sql`select ${events.sessionId} ${source}`),
    updateFrom(erasures, {
      set: {
        stores: addToStores({
          // The number of sessions that the statement before, `markStale`, has marked.
          sessions: sql`changes()`,
          segments: countSegmentsOf(projectId, piece)
        }),
        removed: sql`${erasures.removed} + (select count(*) from (${piece}))`,
        progressAt: now
      },
      where: sql`${erasures.id} = ${id}`
    }),
    uncountEvents(projectId, piece),
    sql`delete from ${events} where (${place}) in (${piece}) returning 1`
  ])
}

/** Runs a piece, whose last statement must return a row for each removed row. */
async function purgePiece(db: Db, limit: number, statements: SQL[]): ReturnType<PieceOfWork> {
  const results = await writeBatch(db, statements)
  const rows = results.at(-1)?.results.length ?? 0
  return { rows, isLast: rows < limit }
}

/** Lists those of these identities that still have events. */
export async function listActive(
  db: Db,
  { projectId }: ErasureRow,
  keys: number[]
): Promise<number[]> {
  const [rows] = await readBatch(
    db,
    query<{ key: number }>(sql`
      select value as key from json_each(${JSON.stringify(keys)}) where exists (
        select 1 from ${events} indexed by events_identity
        where ${events.identity} = value and +${events.projectId} = ${projectId})`)
  )
  return rows.map(({ key }) => key)
}

/**
 * Counts the events of identities: in one query if they are fewer than `limit`, otherwise of each
 * half of the identities, and of a single identity in pieces.
 */
export async function countEvents(
  db: Db,
  erasure: ErasureRow,
  keys: number[],
  limit: number
): Promise<number> {
  const [only, ...others] = keys
  if (only !== undefined && others.length === 0) {
    return countOne(db, erasure, only, limit)
  }
  const [[counted]] = await readBatch(
    db,
    query<{ count: number }>(sql`
      select count(*) as count from (
        select 1 from ${events} where ${events.identity} in ${inJson(keys)} limit ${limit})`)
  )
  if (counted && counted.count < limit) {
    return counted.count
  }
  const half = keys.length >> 1
  return (
    (await countEvents(db, erasure, keys.slice(0, half), limit)) +
    (await countEvents(db, erasure, keys.slice(half), limit))
  )
}

async function countOne(
  db: Db,
  { projectId }: ErasureRow,
  key: number,
  limit: number
): Promise<number> {
  let count = 0
  for (let after: Place | undefined; ; ) {
    const from: SQL = eventsOf(projectId, key, after)
    // `lasts` has the last event of this piece; none if fewer than `limit` events were left.
    const [counted, lasts] = await readBatch(
      db,
      query<{ count: number }>(
        sql`select count(*) as count from (select 1 ${from} limit ${limit})`
      ),
      query<Place>(sql`select ${placeColumns} ${from} limit 1 offset ${limit - 1}`)
    )
    count += counted[0]?.count ?? 0
    after = lasts[0]
    if (!after) {
      return count
    }
  }
}

/**
 * Counts the events to purge and notes their number, in one round trip, if they are fewer than
 * `limit`.
 * @returns whether the number is noted; false also if it was noted before
 */
export async function noteFewFound(
  db: Db,
  { id }: ErasureRow,
  limit: number,
  now: number
): Promise<boolean> {
  const [noted] = await writeBatch(db, [
    sql`${updateFrom(erasures, {
      set: { found: sql`counted.count`, progressAt: now },
      from: sql`(select count(*) as count from (select 1 from ${eventsLeftOf(id)} limit ${limit})) as counted`,
      where: sql`${erasures.id} = ${id} and ${erasures.found} is null and counted.count < ${limit}`
    })} returning 1`
  ])
  return noted?.results.length === 1
}

/** Notes the number of events to purge, unless it is noted already. */
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

/** Marks an erasure as failed; the next run tries it again. */
export const markFailed = (db: Db, { id }: ErasureRow) =>
  db
    .update(erasures)
    .set({ status: 'failed' })
    .where(and(eq(erasures.id, id), isOpen))

/**
 * Counts what is left in the stores that the erasure empties: copies, then rows, each up to 1,000,
 * in one round trip and so in one snapshot. Copies first: events that are stored and sealed in
 * between are then counted as events, not only as segments. Objects count as 0: the invocation
 * began by searching the bucket for those of the person.
 */
export async function countLeft(
  db: Db,
  erasure: ErasureRow,
  keys: ReadonlySet<number>
): Promise<StoreCounts> {
  const { projectId } = erasure
  const left: StoreCounts = {}
  const counted: { name: StoreName; from: SQL }[] = []
  for (const name of STORE_NAMES.filter((store) => isEmptied(store, erasure))) {
    const { rows, countCopies } = STORES[name]
    left[name] = (await countCopies?.(db, projectId, keys)) ?? 0
    if (rows && !countCopies) {
      counted.push({ name, from: rows(erasedBy(erasure)) })
    }
  }
  const counts = await readBatch(
    db,
    ...counted.map(({ from }) =>
      query<{ count: number }>(
        sql`select count(*) as count from (select 1 from ${from} limit 1000)`
      )
    )
  )
  for (const [i, { name }] of counted.entries()) {
    left[name] = counts[i]?.[0]?.count ?? 0
  }
  return left
}

/** Returns the person of an erasure, of whom only the tombstones may be left. */
const erasedBy = ({ id, projectId, personId }: ErasureRow): Owners => ({
  projectId,
  ids: sql`${personId}`,
  searchRows: searchRowOf(projectId, sql`${personId}`),
  keys: sql`select ${erasedIdentities.key} from ${erasedIdentities}
    where ${erasedIdentities.erasureId} = ${id}`,
  sessionIds: sql`select ${recordings.sessionId} from ${recordings}
    where ${recordings.erasureId} = ${id} and +${recordings.projectId} = ${projectId}`
})

/**
 * Marks an erasure as completed and stores its receipt, unless an event to delete was stored, or
 * the erasure was widened, since the verification.
 * @returns whether this call has completed it
 */
export async function complete(
  db: Db,
  { id, deleteEvents, deleteRecordings }: ErasureRow,
  receipt: Record<string, unknown>,
  now: number
): Promise<boolean> {
  const rows = await db
    .update(erasures)
    .set({
      status: 'completed',
      receipt,
      error: null,
      progressAt: now,
      found: deleteEvents ? sql`${erasures.removed}` : null
    })
    .where(
      and(
        eq(erasures.id, id),
        isOpen,
        eq(erasures.deleteEvents, deleteEvents),
        eq(erasures.deleteRecordings, deleteRecordings),
        deleteEvents ? sql`not exists (select 1 from ${eventsLeftOf(id)})` : undefined
      )
    )
    .returning({ id: erasures.id })
  return rows.length > 0
}

/** Returns what follows `from` to select the events that an erasure has left. */
const eventsLeftOf = (id: number): SQL =>
  sql`${erasedIdentities} cross join ${events} on ${events.identity} = ${erasedIdentities.key}
    where ${erasedIdentities.erasureId} = ${id}`
