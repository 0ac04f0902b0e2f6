import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { STEP_PROPERTIES, stepsOf } from '../journey.ts'
import { shinglesOf } from '../shingles.ts'
import { SLOT } from '../store.ts'
import { type Closing, listIdle, readEvents, type WholeSession, writeClosings } from './store.ts'

/** A session ends when so long nothing was received of it, ms. */
export const IDLE_MS = 30 * 60_000

/** Sessions that are closed in one transaction, and such transactions of one run: D1 allows 1,000 queries. */
const PIECE = 50
const MAX_PIECES = 60

/** So many events of each identity in a session are looked at for its steps. */
const MAX_STEP_EVENTS = 400

/** Longer values are not counted: nobody picks them from a list. */
const MAX_COUNTED = 400

/**
 * Closes the sessions that are over: counts their values, and puts those that were recorded where similar ones find them.
 * What is left, and a session that goes on after all, is closed by a later run.
 * @returns how many were closed
 */
export async function closeSessions(db: Db, now: Date): Promise<number> {
  const slot = Math.floor((now.getTime() - IDLE_MS) / SLOT)
  let closed = 0
  for (let piece = 0; piece < MAX_PIECES; piece += 1) {
    const count = await retryConflicts(() => closePiece(db, slot))
    closed += count
    if (count < PIECE) {
      break
    }
  }
  return closed
}

async function closePiece(db: Db, slot: number): Promise<number> {
  const sessions = await listIdle(db, slot, PIECE)
  const steps = await readSteps(
    db,
    sessions.filter(({ isRecorded }) => isRecorded)
  )
  await writeClosings(
    db,
    sessions.map((session) => closingOf(session, steps.get(session) ?? null))
  )
  return sessions.length
}

type Place = Pick<WholeSession, 'projectId' | 'sessionId' | 'identities' | 'startTime' | 'endTime'>

/** The steps of each of these sessions, from their first events. */
export async function readSteps<Session extends Place>(
  db: Db,
  sessions: readonly Session[]
): Promise<Map<Session, string[]>> {
  const ranges = sessions.flatMap((session) =>
    session.identities.map((identity) => ({ ...session, identity, session }))
  )
  const found = await readEvents(db, ranges, STEP_PROPERTIES, MAX_STEP_EVENTS)
  const steps = new Map<Session, string[]>()
  for (const [session, own] of Map.groupBy(ranges.keys(), (i) => ranges[i]?.session)) {
    if (session) {
      const events = own.flatMap((i) => found[i] ?? [])
      steps.set(
        session,
        stepsOf(events.sort((a, b) => a.timestamp - b.timestamp || (a.uuid < b.uuid ? -1 : 1)))
      )
    }
  }
  return steps
}

const closingOf = (session: WholeSession, steps: string[] | null): Closing => ({
  session,
  counted: Object.fromEntries(
    Object.entries(session.values).filter(([, value]) => value.length <= MAX_COUNTED)
  ),
  steps,
  shingles: steps ? shinglesOf(steps) : []
})
