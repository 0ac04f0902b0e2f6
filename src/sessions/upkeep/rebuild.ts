import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { FOLDED_PROPERTIES, foldEvents, type SessionPart } from '../session.ts'
import { SLOT } from '../store.ts'
import { listStale, type Range, readEvents, replaceStale, type WholeSession } from './store.ts'

/** Sessions that are worked out at once, and events of each that are read at once. */
const PIECE = 25
const MAX_EVENTS = 500

/**
 * Works sessions out anew whose events were deleted in part; those whose events were all deleted are removed.
 * @returns whether some may be left
 */
export const rebuildSessions = (db: Db, projectId: number): Promise<boolean> =>
  retryConflicts(async () => {
    const sessions = await listStale(db, projectId, PIECE)
    if (sessions.length === 0) {
      return false
    }
    await replaceStale(db, projectId, sessions, await foldStored(db, sessions))
    return sessions.length === PIECE
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
          // When they were received is not known any more: only how long the session has to stay open.
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
