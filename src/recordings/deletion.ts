import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { hmac } from '../hash.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { deleteRecording, expireRecordings, listStarted } from './purge.store.ts'
import { findRecording } from './store.ts'

/**
 * The ledger's entry for the deletion of one recording. It names the session by a keyed hash,
 * because a client may make its session ids from personal data.
 */
export const RecordingEntry = z.object({
  kind: z.literal('recording'),
  project: z.int(),
  session: z.string(),
  /** When the recording began and ended, ms UTC. */
  from: z.int(),
  to: z.int(),
  /** ms UTC */
  requested_at: z.int()
})
export type RecordingEntry = z.infer<typeof RecordingEntry>

/** The ledger's entry of a retention: recordings that began before `until`, ms UTC. */
export const RetentionEntry = z.object({
  kind: z.literal('retention'),
  project: z.int(),
  until: z.int()
})
export type RetentionEntry = z.infer<typeof RetentionEntry>

/** Recordings of a project that expire in one transaction. */
const EXPIRED_AT_ONCE = 200

const hashSession = (secret: string, projectId: number, sessionId: string): Promise<string> =>
  hmac(secret, `session of a recording\n${projectId}\n${sessionId}`)

/** The recording to delete, and the ledger that gets an entry about it. */
type Deletion = {
  projectId: number
  sessionId: string
  ledger: Ledger
  secret: string
  now: number
}

/**
 * Enters the deletion of a recording in the ledger, and turns the recording into a tombstone, which
 * must be purged later.
 * @returns whether the recording existed
 */
export async function deleteNoted(
  db: Db,
  { projectId, sessionId, ledger, secret, now }: Deletion
): Promise<boolean> {
  const recording = await findRecording(db, projectId, sessionId)
  if (!recording) {
    return false
  }
  const entry: RecordingEntry = {
    kind: 'recording',
    project: projectId,
    session: await hashSession(secret, projectId, sessionId),
    from: recording.startTime,
    to: recording.endTime,
    requested_at: now
  }
  await ledger.append(entry, now)
  return deleteRecording(db, projectId, sessionId, now)
}

/**
 * Repeats a deletion after a restore; the sweep purges the recording. The restored recording may
 * lack its first parts, and then begins later than `from`.
 * @returns the number of deleted recordings: 0 if the recording does not exist or is deleted
 * already
 */
export async function deleteAgain(db: Db, entry: RecordingEntry, secret: string): Promise<number> {
  for (const sessionId of await listStarted(db, entry.project, entry.from, entry.to)) {
    if ((await hashSession(secret, entry.project, sessionId)) === entry.session) {
      await deleteRecording(db, entry.project, sessionId, entry.requested_at)
      return 1
    }
  }
  return 0
}

/** Repeats a retention after a restore. @returns the number of deleted recordings */
export async function expireAgain(
  db: Db,
  { project, until }: RetentionEntry,
  now: number
): Promise<number> {
  let total = 0
  let expired: number
  do {
    expired = await expireRecordings(db, project, { until, limit: EXPIRED_AT_ONCE, now })
    total += expired
  } while (expired === EXPIRED_AT_ONCE)
  return total
}
