import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { SLOT } from '../../rollups/store.ts'
import { FOLDED_PROPERTIES, foldEvents, type SessionEvent, type SessionPart } from '../session.ts'
import { type Range, readEvents, type StoredEvent } from './events.store.ts'
import { listStale, replaceStale, type WholeSession } from './store.ts'

/** Sessions rebuilt in one transaction. */
const BATCH = 25
/** Events read in one statement per session and identity. */
const MAX_EVENTS = 500

/**
 * Rebuilds stale sessions from their remaining events, and removes stale sessions that have none
 * left.
 * @returns whether more stale sessions may remain
 */
export const rebuildSessions = (db: Db, projectId: number): Promise<boolean> =>
  retryConflicts(async () => {
    const sessions = await listStale(db, projectId, BATCH)
    if (sessions.length === 0) {
      return false
    }
    await replaceStale(db, projectId, sessions, await foldStored(db, sessions))
    return sessions.length === BATCH
  })

/** Folds the stored events of sessions into parts. */
async function foldStored(db: Db, sessions: readonly WholeSession[]): Promise<SessionPart[]> {
  const parts = new Map<string, SessionPart>()
  let ranges = sessions.flatMap(rangesOf)
  while (ranges.length > 0) {
    const found = await readEvents(db, ranges, FOLDED_PROPERTIES, MAX_EVENTS)
    for (const [i, range] of ranges.entries()) {
      foldEvents(
        (found[i] ?? []).map((event) => toSessionEvent(event, range)),
        parts
      )
    }
    ranges = ranges.flatMap((range, i) =>
      found[i]?.length === MAX_EVENTS ? [{ ...range, after: found[i]?.at(-1) }] : []
    )
  }
  return [...parts.values()]
}

type SessionRange = Range & { openSlot: number | null }

const rangesOf = (session: WholeSession): SessionRange[] =>
  session.identities.map((identity) => ({ ...session, identity }))

const toSessionEvent = (
  event: StoredEvent,
  { sessionId, identity, openSlot }: SessionRange
): SessionEvent => ({
  ...event,
  uuid: event.uuid.toLowerCase(),
  // Receipt times are not stored. The session's slot stands in for them, so that the session stays
  // open as long as before.
  receivedAt: (openSlot ?? 0) * SLOT,
  identity,
  sessionId
})
