import { and, asc, eq, gte, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { addToStores } from '../barred/tombstones/store.ts'
import { DAY } from '../calendar/units.ts'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { expectRows, inJson } from '../db/rows.ts'
import { counters, erasures, recordingParts, recordings, recordingViews } from '../db/schema.ts'
import { updateFrom } from '../db/statements.ts'
import type { Announced } from '../ledger/entry.ts'
import { NO_ACTIVITY } from './activity.ts'
import type { RecordingEntry, RetentionEntry } from './entries.ts'

/*
 * A deleted recording becomes a tombstone at once; its objects and rows are purged afterwards, in
 * pieces. The tombstone makes the consumer refuse late parts. It stays until every part that the
 * session can still send is refused for its age.
 */

/** Longest session, ms: SDKs start a new session after 24 hours. */
const MAX_SESSION_MS = DAY

/**
 * Turns recordings of a project into tombstones and takes them out of the count. A tombstone keeps
 * the session id, times and activity counts, but nothing that was recorded. The second statement
 * must follow the first: `changes()` is the number of tombstones that it has made.
 * @param condition on columns of `recordings`
 */
export const tombstoneRecordings = (
  projectId: number,
  condition: SQL,
  now: number,
  erasureId: SQL | null = null
): SQL[] => [
  sql`${updateFrom(recordings, {
    set: {
      deleted: 1,
      deletedAt: now,
      erasureId,
      identity: 0,
      firstPart: '',
      startUrl: null,
      urls: '[]',
      activity: JSON.stringify(NO_ACTIVITY),
      accessToken: '',
      sharedHash: null,
      revision: sql`${recordings.revision} + 1`
    },
    where: sql`${recordings.projectId} = ${projectId} and not ${recordings.deleted} and ${condition}`
  })} returning ${recordings.sessionId}`,
  updateFrom(counters, {
    set: { value: sql`${counters.value} - changes()` },
    where: sql`${counters.projectId} = ${projectId} and ${counters.name} = 'recordings'`
  })
]

/**
 * Turns a recording into a tombstone, which must be purged later.
 * @throws ConflictError unless the recording exists, and began in the time that the entry names
 */
export const deleteRecording = (
  db: Db,
  sessionId: string,
  { project, from, to, requested_at: now }: Announced<RecordingEntry>
) =>
  writeBatch(db, [
    expectRows(
      1,
      sql`${recordings} where ${recordings.projectId} = ${project} and ${recordings.sessionId} = ${sessionId}
        and not ${recordings.deleted} and ${recordings.startTime} between ${from} and ${to}`
    ),
    ...tombstoneRecordings(project, sql`${recordings.sessionId} = ${sessionId}`, now)
  ])

/** Lists the projects in the database that have or had recordings. */
export async function listProjects(db: Db): Promise<number[]> {
  const rows = await db
    .select({ projectId: counters.projectId })
    .from(counters)
    .where(eq(counters.name, 'recordings'))
  return rows.map(({ projectId }) => projectId)
}

/**
 * SQL: whether a recording is among the `limit` oldest of a project that began before `before`, ms
 * UTC, and fulfil a condition.
 */
const isOldest = (projectId: number, before: number, condition: SQL, limit: number): SQL =>
  sql`${recordings.projectId} = ${projectId} and ${recordings.sessionId} in (
    select ${recordings.sessionId} from ${recordings}
    where ${recordings.projectId} = ${projectId} and ${recordings.startTime} < ${before} and ${condition}
    order by ${recordings.startTime} limit ${limit})`

/**
 * Deletes at most `limit` recordings that began before the `until` of the entry. @returns their
 * number
 */
export async function expireRecordings(
  db: Db,
  { project, until }: Announced<RetentionEntry>,
  { limit, now }: { limit: number; now: number }
): Promise<number> {
  const isExpired = isOldest(project, until, sql`not ${recordings.deleted}`, limit)
  const [deleted] = await writeBatch(db, tombstoneRecordings(project, isExpired, now))
  return deleted?.results.length ?? 0
}

/**
 * Removes at most `limit` tombstones of purged recordings that began `MAX_SESSION_MS` before
 * `until`, ms UTC: any part of their sessions is refused for its age.
 */
export const removeTombstones = (
  { db, project }: Scope,
  { until, limit }: { until: number; limit: number }
) =>
  writeBatch(db, [
    sql`delete from ${recordings}
      where ${isOldest(project.id, until - MAX_SESSION_MS, sql`${recordings.purgedAt} is not null`, limit)}`
  ])

/**
 * Lists the sessions of recordings that began from `from` to `to`, ms UTC, without deleted
 * recordings.
 */
export async function listStarted(
  { db, project }: Scope,
  from: number,
  to: number
): Promise<string[]> {
  const rows = await db
    .select({ sessionId: recordings.sessionId })
    .from(recordings)
    .where(
      and(
        eq(recordings.projectId, project.id),
        gte(recordings.startTime, from),
        lte(recordings.startTime, to),
        eq(recordings.deleted, false)
      )
    )
  return rows.map(({ sessionId }) => sessionId)
}

/** A project, and the time from which on its recordings are kept, ms UTC. */
export type Retention = { projectId: number; until: number }

/**
 * Returns, in random order, the projects that have anything for `expireRecordings` or
 * `removeTombstones` to remove. `hasRecordings` says whether it includes recordings that are not
 * deleted.
 */
export async function findExpired(
  db: Db,
  retentions: readonly Retention[]
): Promise<(Retention & { hasRecordings: boolean })[]> {
  const hasOne = (before: SQL, condition: SQL) => sql`exists (
    select 1 from ${recordings}
    where ${recordings.projectId} = kept.value ->> 0 and ${recordings.startTime} < ${before} and ${condition})`
  const list = retentions.map(({ projectId, until }) => [projectId, until])
  const [rows] = await readBatch(
    db,
    query<{ project_id: number; until: number; has_recordings: number }>(sql`
      select kept.value ->> 0 as project_id, kept.value ->> 1 as until,
        ${hasOne(sql`kept.value ->> 1`, sql`not ${recordings.deleted}`)} as has_recordings
      from json_each(${JSON.stringify(list)}) kept
      where ${hasOne(sql`kept.value ->> 1`, sql`not ${recordings.deleted}`)}
        or ${hasOne(sql`(kept.value ->> 1) - ${MAX_SESSION_MS}`, sql`${recordings.purgedAt} is not null`)}
      order by random()`)
  )
  return rows.map(({ project_id, until, has_recordings }) => ({
    projectId: project_id,
    until,
    hasRecordings: has_recordings === 1
  }))
}

/** Returns the latest `until` of a retention in the ledger, ms UTC; 0 without one. */
export async function readRetentionNote({ db, project }: Scope): Promise<number> {
  const [row] = await db
    .select({ value: counters.value })
    .from(counters)
    .where(and(eq(counters.projectId, project.id), eq(counters.name, 'retention_noted')))
  return row?.value ?? 0
}

/** Stores the latest `until` of a project's retention in the ledger, ms UTC. */
export const writeRetentionNote = ({ db, project }: Scope, until: number) =>
  db
    .insert(counters)
    .values({ projectId: project.id, name: 'retention_noted', value: until })
    .onConflictDoUpdate({ target: [counters.projectId, counters.name], set: { value: until } })

/** A deleted recording that is not purged yet. */
export type DeletedRecording = { project_id: number; session_id: string }

const deletedRecording = { project_id: recordings.projectId, session_id: recordings.sessionId }

/** The words of the index `recordings_doomed`: a bound value would not use the index. */
const isUnpurged = sql`${recordings.deleted} and ${recordings.purgedAt} is null`

/**
 * Lists recordings to purge: the recordings that this sweep deleted, at `now`, and recordings
 * deleted up to `before`, whose messages count as lost. Times are ms UTC.
 */
export const listUnpurged = (
  db: Db,
  now: number,
  before: number,
  limit: number
): Promise<DeletedRecording[]> =>
  db
    .select(deletedRecording)
    .from(recordings)
    .where(and(isUnpurged, or(gte(recordings.deletedAt, now), lte(recordings.deletedAt, before))))
    .orderBy(asc(recordings.deletedAt))
    .limit(limit)

/** Returns the given sessions that have a row in `recordings`, including tombstones. */
export async function listRecorded(
  { db, project }: Scope,
  sessionIds: string[]
): Promise<Set<string>> {
  const rows = await db
    .select({ sessionId: recordings.sessionId })
    .from(recordings)
    .where(isOneOf(project.id, sessionIds))
  return new Set(rows.map(({ sessionId }) => sessionId))
}

/** Returns the given sessions whose recordings are deleted but not purged. */
export const findUnpurged = (
  { db, project }: Scope,
  sessionIds: string[]
): Promise<DeletedRecording[]> =>
  db
    .select(deletedRecording)
    .from(recordings)
    .where(and(isOneOf(project.id, sessionIds), isUnpurged))

const isOneOf = (projectId: number, sessionIds: string[]): SQL =>
  sql`${recordings.projectId} = ${projectId} and ${recordings.sessionId} in ${inJson(sessionIds)}`

/**
 * Deletes at most `limit` parts of a deleted recording and counts them for the erasure that deleted
 * it. @returns the number of parts
 */
export async function purgeParts(
  db: Db,
  recording: DeletedRecording,
  limit: number
): Promise<number> {
  const isPart = isOf(recordingParts, recording)
  const piece = sql`select ${recordingParts.partId} from ${recordingParts} where ${isPart} limit ${limit}`
  const [, removed] = await writeBatch(db, [
    updateFrom(erasures, {
      set: { stores: addToStores({ recording_parts: sql`select count(*) from (${piece})` }) },
      where: sql`${erasures.id} = (
        select ${recordings.erasureId} from ${recordings} where ${isOf(recordings, recording)})`
    }),
    sql`delete from ${recordingParts} where ${isPart} and ${recordingParts.partId} in (${piece}) returning 1`
  ])
  return removed?.results.length ?? 0
}

/** Whether a recording has a part: its object is then needed until the recording is purged. */
export const hasPart = async (
  db: Db,
  recording: DeletedRecording,
  partId: string
): Promise<boolean> =>
  (await db.$count(
    recordingParts,
    and(isOf(recordingParts, recording), eq(recordingParts.partId, partId))
  )) > 0

/** Deletes the views of a deleted recording and marks it as purged: only its tombstone is left. */
export const finishPurge = (db: Db, recording: DeletedRecording, now: number) =>
  db.batch([
    db.delete(recordingViews).where(isOf(recordingViews, recording)),
    db
      .update(recordings)
      .set({ purgedAt: now })
      .where(and(isOf(recordings, recording), isUnpurged))
  ])

/** SQL: whether a row of one of the tables belongs to the recording. */
const isOf = (
  { projectId, sessionId }: typeof recordings | typeof recordingParts | typeof recordingViews,
  recording: DeletedRecording
): SQL => sql`${projectId} = ${recording.project_id} and ${sessionId} = ${recording.session_id}`
