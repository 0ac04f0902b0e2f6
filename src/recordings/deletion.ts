import type { Scope } from '../access/open.ts'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { hmac } from '../hash.ts'
import type { Announced } from '../ledger/entry.ts'
import type { Announce } from '../ledger/ledger.ts'
import type { RecordingEntry, RetentionEntry } from './entries.ts'
import { deleteRecording, expireRecordings, listStarted } from './purge.store.ts'
import { findRecording } from './store.ts'

/** Recordings of a project that expire in one transaction. */
const EXPIRED_AT_ONCE = 200

const hashSession = (secret: string, projectId: number, sessionId: string): Promise<string> =>
  hmac(secret, `session of a recording\n${projectId}\n${sessionId}`)

type Deletion = {
  sessionId: string
  announce: Announce<RecordingEntry>
  secret: string
  now: number
}

/**
 * Enters the deletion of a recording in the ledger, and turns the recording into a tombstone, which
 * must be purged later.
 * @returns whether the recording existed
 */
export const removeRecording = (
  scope: Scope,
  { sessionId, announce, secret, now }: Deletion
): Promise<boolean> =>
  retryConflicts(async () => {
    const recording = await findRecording(scope, sessionId)
    if (!recording) {
      return false
    }
    const entry = await announce({
      kind: 'recording',
      project: scope.project.id,
      session: await hashSession(secret, scope.project.id, sessionId),
      from: recording.startTime,
      to: recording.endTime,
      requested_at: now
    })
    await deleteRecording(scope.db, sessionId, entry)
    return true
  })

/**
 * Repeats a deletion after a restore; the sweep purges the recording. The restored recording may
 * lack its first parts, and then begins later than `from`.
 * @returns the number of deleted recordings: 0 if the recording does not exist or is deleted
 * already
 */
export const removeRecordingAgain = (
  db: Db,
  entry: Announced<RecordingEntry>,
  secret: string
): Promise<number> =>
  retryConflicts(async () => {
    const scope = { db, project: { id: entry.project } }
    for (const sessionId of await listStarted(scope, entry.from, entry.to)) {
      if ((await hashSession(secret, entry.project, sessionId)) === entry.session) {
        await deleteRecording(db, sessionId, entry)
        return 1
      }
    }
    return 0
  })

/** Repeats a retention after a restore. @returns the number of deleted recordings */
export async function expireAgain(
  db: Db,
  entry: Announced<RetentionEntry>,
  now: number
): Promise<number> {
  let total = 0
  let expired: number
  do {
    expired = await expireRecordings(db, entry, { limit: EXPIRED_AT_ONCE, now })
    total += expired
  } while (expired === EXPIRED_AT_ONCE)
  return total
}
