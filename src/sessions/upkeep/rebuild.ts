import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { SLOT } from '../../rollups/store.ts'
import { FOLDED_PROPERTIES, foldEvents, type SessionPart } from '../session.ts'
import { listStale, type Range, readEvents, replaceStale, type WholeSession } from './store.ts'

/** Sessions rebuilt in one transaction. */
const BATCH = 25
/** Events read per identity and statement. */
const MAX_EVENTS = 500

/**
 * Rebuilds sessions that lost events from the events that are left, and removes sessions without any.
 * @returns whether there may be more of them
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

async function foldStored(db: Db, sessions: readonly WholeSession[]): Promise<SessionPart[]> {
  const parts = new Map<string, SessionPart>()
  const slots = new Map(sessions.map(({ sessionId, openSlot }) => [sessionId, openSlot ?? 0]))
  let ranges: Range[] = sessions.flatMap((session) =>
    session.identities.map((identity) => ({ ...session, identity }))
  )
  while (ranges.length > 0) {
    const found = await readEvents(db, ranges, FOLDED_PROPERTIES, MAX_EVENTS)
    for (const [i, { sessionId, identity }] of ranges.entries()) {
      foldEvents(
        (found[i] ?? []).map((event) => ({
          ...event,
          uuid: event.uuid.toLowerCase(),
          // The time of receipt is not stored; the session's slot says how long the session must stay open.
          receivedAt: (slots.get(sessionId) ?? 0) * SLOT,
          identity,
          sessionId
        })),
        parts
      )
    }
    ranges = ranges.flatMap((range, i) =>
      found[i]?.length === MAX_EVENTS ? [{ ...range, after: found[i]?.at(-1) }] : []
    )
  }
  return [...parts.values()]
}
