import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import { prefixOf, SessionId } from './part.ts'
import {
  type Doomed,
  expireRecordings,
  finishPurge,
  listDoomed,
  listProjects,
  removeParts
} from './removal.store.ts'
import { keptSince, type Retention } from './retention.ts'

/** Asks to remove what is left of deleted recordings; a repetition does no harm. */
export const PurgeMessage = z.object({ project_id: z.int(), purge: z.array(SessionId).min(1) })
export type PurgeMessage = z.infer<typeof PurgeMessage>

export type PurgeQueue = Sender<PurgeMessage>

/** Rows that a statement removes: it is to take no longer than a few milliseconds. */
const PARTS_AT_ONCE = 500
const SESSIONS_IN_MESSAGE = 10

/** Of a project, in one sweep. */
const EXPIRED_AT_ONCE = 200
const SWEPT_AT_ONCE = 1_000

/** Work without a sign of life for so long has lost its message. */
const STALLED_MS = 15 * 60_000

/** Has the queue remove what is left of deleted recordings. */
export async function sendPurges(queue: PurgeQueue, doomed: Doomed[]): Promise<void> {
  const messages = [...Map.groupBy(doomed, ({ project_id }) => project_id)].flatMap(
    ([project_id, own]) => {
      const sessions = own.map(({ session_id }) => session_id)
      const parts = []
      for (let at = 0; at < sessions.length; at += SESSIONS_IN_MESSAGE) {
        parts.push({ project_id, purge: sessions.slice(at, at + SESSIONS_IN_MESSAGE) })
      }
      return parts
    }
  )
  await sendAll(queue, messages)
}

/**
 * Removes all that is left of a deleted recording but its tombstone: the snapshots first, also those that no row names,
 * until a look at the bucket finds none.
 */
export async function purgeRecording(
  db: Db,
  bucket: R2Bucket,
  doomed: Doomed,
  now: number
): Promise<void> {
  const prefix = prefixOf(doomed.project_id, doomed.session_id)
  for (;;) {
    const { objects } = await bucket.list({ prefix })
    if (objects.length === 0) {
      break
    }
    await bucket.delete(objects.map(({ key }) => key))
  }
  while ((await removeParts(db, doomed, PARTS_AT_ONCE)) === PARTS_AT_ONCE) {}
  await finishPurge(db, doomed, now)
}

/**
 * Deletes the recordings that are older than their project keeps them, and takes up removals that have lost their message: so
 * many that the next sweep has to go on. Messages from before `queuesSince` are lost; ms UTC.
 * @returns how many were deleted, and for how many the queue was asked
 */
export async function sweepRecordings(
  db: Db,
  queue: PurgeQueue,
  { retentionOf, now, queuesSince }: { retentionOf: Retention; now: number; queuesSince: number }
): Promise<{ expired: number; sent: number }> {
  let expired = 0
  for (const projectId of await listProjects(db)) {
    const until = keptSince(retentionOf(projectId), now)
    expired += await expireRecordings(db, projectId, until, EXPIRED_AT_ONCE, now)
  }
  const before = Math.max(now - STALLED_MS, queuesSince)
  const doomed = await listDoomed(db, now, before, SWEPT_AT_ONCE)
  await sendPurges(queue, doomed)
  return { expired, sent: doomed.length }
}
