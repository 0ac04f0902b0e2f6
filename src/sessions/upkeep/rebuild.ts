import { SLOT } from '../../columns/slots/store.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { FOLDED_PROPERTIES, foldEvents, type SessionEvent, type SessionPart } from '../session.ts'
import { type Range, readPages, type StoredEvent } from './events.store.ts'
import { listStale, replaceStale, type WholeSession } from './store.ts'

/** Sessions rebuilt in one transaction. Up to 100 of one identity each are read by one statement. */
export const SESSIONS = { first: 25, min: 25, max: 100 }

/**
 * Rebuilds at most `limit` stale sessions from their remaining events, and removes those that have none left.
 * @returns the number of stale sessions that were found
 */
export const rebuildSessions = (db: Db, projectId: number, limit: number): Promise<number> =>
  retryConflicts(async () => {
    const sessions = await listStale(db, projectId, limit)
    if (sessions.length > 0) {
      await replaceStale(db, projectId, sessions, await foldStored(db, sessions))
    }
    return sessions.length
  })

/** Folds the stored events of sessions into parts. */
async function foldStored(db: Db, sessions: readonly WholeSession[]): Promise<SessionPart[]> {
  const parts = new Map<string, SessionPart>()
  const pages = readPages(db, sessions.flatMap(rangesOf), FOLDED_PROPERTIES)
  for await (const { range, events } of pages) {
    foldEvents(
      events.map((event) => toSessionEvent(event, range)),
      parts
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
  // open as long as before. A closed session gets slot 0, so that the next run closes it again.
  receivedAt: (openSlot ?? 0) * SLOT,
  identity,
  sessionId
})
