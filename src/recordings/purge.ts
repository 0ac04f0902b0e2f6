import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { prefixOf, SessionId } from './part.ts'
import {
  type DeletedRecording,
  expireRecordings,
  finishPurge,
  listProjects,
  listUnpurged,
  purgeParts
} from './purge.store.ts'

/** Asks to purge deleted recordings; a repetition does no harm. */
export const PurgeMessage = z.object({ project_id: z.int(), purge: z.array(SessionId).min(1) })
export type PurgeMessage = z.infer<typeof PurgeMessage>

export type PurgeQueue = { sendBatch(messages: { body: PurgeMessage }[]): Promise<unknown> }

const DAY = 86_400_000

/** Rows of parts deleted per statement, which takes a few milliseconds. */
const PARTS_AT_ONCE = 500
/** Recordings per message. */
const SESSIONS_IN_MESSAGE = 10
/** Messages per call: the limit of Cloudflare Queues. */
const MAX_MESSAGES = 100

/** Recordings of a project that expire in one sweep. */
const EXPIRED_AT_ONCE = 200
/** Purges that one sweep resumes. */
const SWEPT_AT_ONCE = SESSIONS_IN_MESSAGE * MAX_MESSAGES

/** How long after its deletion a recording must be purged; later than that its message counts as lost. */
const STALLED_MS = 15 * 60_000

/** Asks the queue to purge deleted recordings. */
export async function sendPurges(queue: PurgeQueue, deleted: DeletedRecording[]): Promise<void> {
  const messages = [...Map.groupBy(deleted, ({ project_id }) => project_id)].flatMap(
    ([project_id, own]) => {
      const sessions = own.map(({ session_id }) => session_id)
      const parts = []
      for (let at = 0; at < sessions.length; at += SESSIONS_IN_MESSAGE) {
        parts.push({ body: { project_id, purge: sessions.slice(at, at + SESSIONS_IN_MESSAGE) } })
      }
      return parts
    }
  )
  for (let at = 0; at < messages.length; at += MAX_MESSAGES) {
    await queue.sendBatch(messages.slice(at, at + MAX_MESSAGES))
  }
}

/**
 * Purges a deleted recording down to its tombstone: first all its objects in R2, including those without a row, then the
 * rows of its parts.
 */
export async function purgeRecording(
  db: Db,
  bucket: R2Bucket,
  recording: DeletedRecording,
  now: number
): Promise<void> {
  const prefix = prefixOf(recording.project_id, recording.session_id)
  for (;;) {
    const { objects } = await bucket.list({ prefix })
    if (objects.length === 0) {
      break
    }
    await bucket.delete(objects.map(({ key }) => key))
  }
  let purged: number
  do {
    purged = await purgeParts(db, recording, PARTS_AT_ONCE)
  } while (purged === PARTS_AT_ONCE)
  await finishPurge(db, recording, now)
}

/** Reads for how many days recordings are kept. @throws for anything but 1 to 99999 */
export function readRetention(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new Error(
      `RECORDING_RETENTION_DAYS must be a whole number of days, 1 to 99999; got "${text}".`
    )
  }
  return Number(text)
}

/**
 * Returns the start of the oldest UTC day whose recordings are kept, ms UTC. Today counts as one of the retention days:
 * with 1 it is the start of today.
 */
export const keptSince = (retentionDays: number, now: number): number =>
  (Math.floor(now / DAY) - retentionDays + 1) * DAY

/**
 * Deletes expired recordings, and resumes purges whose message was lost; of both a limited number per sweep. Messages
 * sent before `queuesSince`, ms UTC, are lost.
 * @returns how many recordings were deleted, and for how many a purge was requested
 */
export async function sweepRecordings(
  db: Db,
  queue: PurgeQueue,
  { retentionDays, now, queuesSince }: { retentionDays: number; now: number; queuesSince: number }
): Promise<{ expired: number; sent: number }> {
  let expired = 0
  for (const projectId of await listProjects(db)) {
    const until = keptSince(retentionDays, now)
    expired += await expireRecordings(db, projectId, { until, limit: EXPIRED_AT_ONCE, now })
  }
  const before = Math.max(now - STALLED_MS, queuesSince)
  const unpurged = await listUnpurged(db, now, before, SWEPT_AT_ONCE)
  await sendPurges(queue, unpurged)
  return { expired, sent: unpurged.length }
}
