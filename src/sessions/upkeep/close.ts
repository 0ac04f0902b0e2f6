import { MINUTE } from '../../calendar/units.ts'
import { SLOT } from '../../columns/slots/store.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { joinSteps, STEP_PROPERTIES, stepOf } from '../journey.ts'
import { shinglesOf } from '../shingles.ts'
import { readPages, type StoredEvent } from './events.store.ts'
import { type Closing, listIdle, type WholeSession, writeClosings } from './store.ts'

/** A session is over when nothing was received for this long, ms. */
export const IDLE_MS = 30 * MINUTE

/** Maximum number of sessions closed in one transaction. */
const BATCH = 50
/**
 * Maximum number of identities of recorded sessions in one transaction, unless the first session
 * alone has more. The steps of 100 identities with 400 events each take about 25 MB of memory.
 */
const BATCH_IDENTITIES = 100

/** Maximum number of events that are read for a session's steps, per identity of the session. */
const MAX_STEP_EVENTS = 400

/** Longest value that is counted, characters. Nobody picks longer values from a list. */
const MAX_COUNTED = 400

/**
 * Closes the sessions that are over: counts their values, and makes recorded sessions findable by
 * similarity. The next run continues where this run stops. A session that gets more events is
 * reopened, and closed again later.
 * @param isSpent returns true once no further transaction may begin
 * @returns the number of closed sessions
 */
export async function closeSessions(
  db: Db,
  now: Date,
  isSpent: () => boolean = () => false
): Promise<number> {
  const slot = Math.floor((now.getTime() - IDLE_MS) / SLOT)
  let closed = 0
  while (!isSpent()) {
    const count = await retryConflicts(() => closeBatch(db, slot))
    closed += count
    if (count === 0) {
      break
    }
  }
  return closed
}

async function closeBatch(db: Db, slot: number): Promise<number> {
  const sessions = firstSessions(await listIdle(db, slot, BATCH))
  const recorded = sessions.filter(({ isRecorded }) => isRecorded)
  const unrecorded = sessions.filter(({ isRecorded }) => !isRecorded)
  const steps = await readSteps(db, recorded)
  await writeClosings(db, [
    ...recorded.map((session, i) => closingOf(session, steps[i] ?? [])),
    ...unrecorded.map((session) => closingOf(session, null))
  ])
  return sessions.length
}

/** Returns the first sessions that together fit into a transaction, at least one. */
function firstSessions(sessions: readonly WholeSession[]): WholeSession[] {
  const first: WholeSession[] = []
  let identities = 0
  for (const session of sessions) {
    identities += session.isRecorded ? session.identities.length : 0
    if (first.length > 0 && identities > BATCH_IDENTITIES) {
      break
    }
    first.push(session)
  }
  return first
}

type SessionScope = Pick<
  WholeSession,
  'projectId' | 'sessionId' | 'identities' | 'startTime' | 'endTime'
>

/** Returns the steps of each session, from the first events of each of its identities. */
export async function readSteps(db: Db, sessions: readonly SessionScope[]): Promise<string[][]> {
  const ranges = sessions.flatMap((session, index) =>
    session.identities.map((identity) => ({ ...session, identity, index }))
  )
  const found: Step[][] = sessions.map(() => [])
  const pages = readPages(db, ranges, STEP_PROPERTIES, { limit: MAX_STEP_EVENTS })
  for await (const { range, events } of pages) {
    // Only the steps are kept: the properties of all events may be larger than an isolate's memory.
    const steps = events.map((event) => ({ ...placeOf(event), step: stepOf(event) }))
    found[range.index]?.push(...steps)
  }
  return found.map((steps) => joinSteps(steps.sort(byTime).map(({ step }) => step)))
}

type Place = Pick<StoredEvent, 'timestamp' | 'uuid'>

/** The step of an event; undefined if the event is not an action of the visitor. */
type Step = Place & { step: string | undefined }

const placeOf = ({ timestamp, uuid }: StoredEvent): Place => ({ timestamp, uuid })

const byTime = (a: Place, b: Place): number =>
  a.timestamp - b.timestamp || (a.uuid < b.uuid ? -1 : 1)

const closingOf = (session: WholeSession, steps: string[] | null): Closing => ({
  session,
  counted: Object.fromEntries(
    Object.entries(session.values).filter(([, value]) => value.length <= MAX_COUNTED)
  ),
  steps,
  shingles: steps ? shinglesOf(steps) : []
})
