import { MINUTE } from '../../calendar/units.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { SLOT } from '../../rollups/store.ts'
import { STEP_PROPERTIES, stepsOf } from '../journey.ts'
import { shinglesOf } from '../shingles.ts'
import { readEvents, type StoredEvent } from './events.store.ts'
import { type Closing, listIdle, type WholeSession, writeClosings } from './store.ts'

/** A session is over when nothing was received for this long, ms. */
export const IDLE_MS = 30 * MINUTE

/** Sessions closed in one transaction. */
const BATCH = 50
/** Most transactions in one run: D1 allows 1,000 queries. */
const MAX_BATCHES = 60

/** Most events that are read for a session's steps, per identity of the session. */
const MAX_STEP_EVENTS = 400

/** Longest value that is counted, characters. Nobody picks longer values from a list. */
const MAX_COUNTED = 400

/**
 * Closes the sessions that are over: counts their values, and makes recorded sessions findable by
 * similarity. The next run continues where this run stops. A session that gets more events is
 * reopened, and closed again later.
 * @returns the number of closed sessions
 */
export async function closeSessions(db: Db, now: Date): Promise<number> {
  const slot = Math.floor((now.getTime() - IDLE_MS) / SLOT)
  let closed = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await retryConflicts(() => closeBatch(db, slot))
    closed += count
    if (count < BATCH) {
      break
    }
  }
  return closed
}

async function closeBatch(db: Db, slot: number): Promise<number> {
  const sessions = await listIdle(db, slot, BATCH)
  const recorded = sessions.filter(({ isRecorded }) => isRecorded)
  const unrecorded = sessions.filter(({ isRecorded }) => !isRecorded)
  const steps = await readSteps(db, recorded)
  await writeClosings(db, [
    ...recorded.map((session, i) => closingOf(session, steps[i] ?? [])),
    ...unrecorded.map((session) => closingOf(session, null))
  ])
  return sessions.length
}

/** The members of a session by which its events are found. */
type SessionScope = Pick<
  WholeSession,
  'projectId' | 'sessionId' | 'identities' | 'startTime' | 'endTime'
>

/** Returns the steps of each session, in the order of `sessions`, from the first events of each of its identities. */
export async function readSteps(db: Db, sessions: readonly SessionScope[]): Promise<string[][]> {
  const ranges = sessions.flatMap((session, index) =>
    session.identities.map((identity) => ({ ...session, identity, index }))
  )
  const found = await readEvents(db, ranges, STEP_PROPERTIES, MAX_STEP_EVENTS)
  return sessions.map((_, index) => {
    // `found[i]` holds the events of `ranges[i]`.
    const events = found.filter((_, i) => ranges[i]?.index === index).flat()
    return stepsOf(events.sort(byTime))
  })
}

const byTime = (a: StoredEvent, b: StoredEvent): number =>
  a.timestamp - b.timestamp || (a.uuid < b.uuid ? -1 : 1)

const closingOf = (session: WholeSession, steps: string[] | null): Closing => ({
  session,
  counted: Object.fromEntries(
    Object.entries(session.values).filter(([, value]) => value.length <= MAX_COUNTED)
  ),
  steps,
  shingles: steps ? shinglesOf(steps) : []
})
