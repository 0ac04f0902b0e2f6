import * as z from 'zod'
import type { Scope } from '../access/open.ts'
import { deleteObjects } from '../bucket.ts'
import { MINUTE } from '../calendar/units.ts'
import type { Db } from '../db/client.ts'
import type { Announced } from '../ledger/entry.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import type { RetentionEntry } from './entries.ts'
import { prefixOf, SessionId } from './part.ts'
import {
  type DeletedRecording,
  expireRecordings,
  findExpired,
  finishPurge,
  listProjects,
  listUnpurged,
  purgeParts,
  readRetentionNote,
  removeTombstones,
  writeRetentionNote
} from './purge.store.ts'
import { type DaysKept, keptSince } from './retention.ts'

/** Asks a consumer to purge deleted recordings. It is harmless to deliver the message twice. */
export const PurgeMessage = z.object({ project_id: z.int(), purge: z.array(SessionId).min(1) })
export type PurgeMessage = z.infer<typeof PurgeMessage>

export type PurgeQueue = Sender<PurgeMessage>

/** Rows of parts deleted in one statement, which takes a few milliseconds. */
const PARTS_AT_ONCE = 500
/** Maximum number of recordings in one message. */
const SESSIONS_IN_MESSAGE = 10

/** Maximum number of recordings of a project that expire in one sweep. */
const EXPIRED_AT_ONCE = 200
/** Maximum number of deleted recordings that one sweep queues for the purge. */
const SWEPT_AT_ONCE = 1_000

/**
 * Time within which a deleted recording must be purged, ms. After that, the message that asks for
 * the purge counts as lost.
 */
const STALLED_MS = 15 * MINUTE

/** Asks the queue to purge deleted recordings. */
export async function sendPurges(queue: PurgeQueue, deleted: DeletedRecording[]): Promise<void> {
  const messages: PurgeMessage[] = []
  for (const [project_id, ofProject] of Map.groupBy(deleted, ({ project_id }) => project_id)) {
    const sessions = ofProject.map(({ session_id }) => session_id)
    for (let at = 0; at < sessions.length; at += SESSIONS_IN_MESSAGE) {
      messages.push({ project_id, purge: sessions.slice(at, at + SESSIONS_IN_MESSAGE) })
    }
  }
  await sendAll(queue, messages)
}

/**
 * Purges a deleted recording down to its tombstone: first all its objects in R2, including those
 * without a row, then the rows of its parts.
 */
export async function purgeRecording(
  db: Db,
  bucket: R2Bucket,
  recording: DeletedRecording,
  now: number
): Promise<void> {
  await deleteAll(bucket, prefixOf(recording.project_id, recording.session_id))
  let purged: number
  do {
    purged = await purgeParts(db, recording, PARTS_AT_ONCE)
  } while (purged === PARTS_AT_ONCE)
  await finishPurge(db, recording, now)
}

/** Deletes all objects with a prefix, including objects that are stored meanwhile. */
async function deleteAll(bucket: R2Bucket, prefix: string): Promise<void> {
  let keys = await listKeys(bucket, prefix)
  while (keys.length > 0) {
    await deleteObjects(bucket, keys)
    keys = await listKeys(bucket, prefix)
  }
}

const listKeys = async (bucket: R2Bucket, prefix: string): Promise<string[]> =>
  (await bucket.list({ prefix })).objects.map(({ key }) => key)

type SweepLimits = {
  daysKept: DaysKept
  now: number
  queuesSince: number
  /** Returns true once the recordings of no further project may expire. */
  isSpent: () => boolean
}

/**
 * Deletes recordings that are older than their project's retention, and resumes purges whose
 * message was lost. Both are limited, so the next sweep may have to continue. Messages from before
 * `queuesSince`, ms UTC, are lost.
 * @returns the number of deleted recordings, the number of recordings queued for the purge, and
 * whether each project had its turn
 */
export async function sweepRecordings(
  db: Db,
  queue: PurgeQueue,
  ledger: Ledger,
  { daysKept, now, queuesSince, isSpent }: SweepLimits
): Promise<{ expired: number; sent: number; isDone: boolean }> {
  let expired = 0
  const projects = await listProjects(db)
  const retentions = projects.map((projectId) => ({
    projectId,
    until: keptSince(daysKept(projectId), now)
  }))
  const due = await findExpired(db, retentions)
  let left = due.length
  for (const { projectId, until, hasRecordings } of due) {
    if (isSpent()) {
      break
    }
    const scope = { db, project: { id: projectId } }
    await removeTombstones(scope, { until, limit: EXPIRED_AT_ONCE })
    if (hasRecordings) {
      const entry = await announceRetention(scope, ledger, { until, now })
      expired += await expireRecordings(db, entry, { limit: EXPIRED_AT_ONCE, now })
    }
    left -= 1
  }
  const before = Math.max(now - STALLED_MS, queuesSince)
  const unpurged = await listUnpurged(db, now, before, SWEPT_AT_ONCE)
  await sendPurges(queue, unpurged)
  return { expired, sent: unpurged.length, isDone: left === 0 }
}

/**
 * Enters in the ledger that recordings from before `until` are removed, unless the ledger says so
 * already.
 */
const announceRetention = (
  scope: Scope,
  ledger: Ledger,
  { until, now }: { until: number; now: number }
): Promise<Announced<RetentionEntry>> =>
  ledger.announceOnce({ kind: 'retention', project: scope.project.id, until }, now, {
    isMade: async () => (await readRetentionNote(scope)) >= until,
    make: () => writeRetentionNote(scope, until)
  })
