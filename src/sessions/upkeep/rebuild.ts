import type { Scope } from '../../access/open.ts'
import { SLOT } from '../../columns/slots/store.ts'
import type { Db } from '../../db/client.ts'
import type { PieceOfWork } from '../../db/rest.ts'
import { retryConflicts } from '../../db/retry.ts'
import { FOLDED_PROPERTIES, foldEvents, type SessionEvent, type SessionPart } from '../session.ts'
import { type IdentityRange, readPages, type StoredEvent } from './events.store.ts'
import { readStale, replaceStale, type StaleSessions, type WholeSession } from './store.ts'

/** Sessions rebuilt in one transaction, which also reads the next ones. */
export const SESSIONS = { first: 25, min: 10, max: 100 }

/**
 * Returns a function that rebuilds at most `limit` stale sessions of a project from their remaining
 * events, and removes those that have none left. While it replaces sessions, it reads the next
 * ones: so all calls together take one round trip for each piece, and one more. It returns the
 * number of sessions that it has rebuilt, and whether none was left.
 */
export function sessionRebuilder({ db, project }: Scope): PieceOfWork {
  let next: StaleSessions | undefined
  return (limit) =>
    retryConflicts(async () => {
      const stale = next ?? (await readStale({ db, project }, limit))
      // Read again after a conflict.
      next = undefined
      const { sessions } = stale
      if (sessions.length > 0) {
        const parts = await foldStored(db, stale)
        next = await replaceStale({ db, project }, { replaced: sessions, parts }, limit)
      }
      return { rows: sessions.length, isLast: !next?.sessions.length }
    })
}

async function foldStored(db: Db, { sessions, first }: StaleSessions): Promise<SessionPart[]> {
  const parts = new Map<string, SessionPart>()
  const pages = readPages(db, sessions.flatMap(rangesOf), FOLDED_PROPERTIES, { first })
  for await (const { range, events } of pages) {
    foldEvents(
      events.map((event) => toSessionEvent(event, range)),
      parts
    )
  }
  return [...parts.values()]
}

type SessionRange = IdentityRange & { openSlot: number | null }

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
