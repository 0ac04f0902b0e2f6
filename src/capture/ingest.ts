import { v7 as uuidv7 } from 'uuid'
import { readSuppressions } from '../barred/suppressions/read.ts'
import { readTombstones } from '../barred/tombstones/read.ts'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { reserveNumbers } from '../db/sequences.ts'
import { pause } from '../turns.ts'
import type { Changes, Ids, Incoming, Known } from './changes.ts'
import { distinctIdsOf, mergedIdsOf } from './distinct-ids.ts'
import { type Reserved, readKnown, type WantedRows } from './known.store.ts'
import { hasPersonProfile } from './person-writes.ts'
import { planEvents } from './plan.ts'
import { writeChanges } from './store.ts'
import { type JoinLog, planUnsuppressed } from './suppressed-ids.ts'
import { inOrder } from './write-order.ts'

/**
 * Distinct ids whose persons one transaction may merge. For each of them, the distinct ids of its
 * person are counted, which reads up to `MAX_FOLDED + 1` rows.
 */
const MAX_MERGED_IDS = 400

type Project = { id: number; erasureSalt: string }

export type Ingested = {
  stored: number
  warnings: Changes['warnings']
  /** Later events, which are not stored yet. */
  rest: Incoming[]
}

/**
 * Stores events and their changes to identities and persons; each event exactly once, however often
 * it arrives. Many or costly events take several transactions, so that other queries of the
 * database run in between.
 * @throws unavailable
 */
export async function ingestEvents(
  db: Db,
  project: Project,
  events: Incoming[],
  log?: JoinLog
): Promise<Omit<Ingested, 'rest'>> {
  let stored = 0
  const warnings: Changes['warnings'] = []
  let rest = events
  while (rest.length > 0) {
    const part = await ingestPart(db, project, rest, log)
    stored += part.stored
    warnings.push(...part.warnings)
    rest = part.rest
  }
  return { stored, warnings }
}

/**
 * Stores as many of these events as fit in one transaction, earliest first. `rest` is always
 * shorter than these events: at least one is stored, was stored already, or is dropped. Reads again
 * and starts over if another consumer changes the same persons in the meantime.
 * @param log notes the distinct ids that join suppressions, before they do
 * @throws unavailable, also after too many conflicts
 */
export function ingestPart(
  db: Db,
  project: Project,
  events: Incoming[],
  log?: JoinLog
): Promise<Ingested> {
  const ordered = inOrder(events)
  const wanted = wantedOf(ordered)
  return retryConflicts(() => tryPart(db, project, { ordered, wanted, log }))
}

const wantedOf = (ordered: readonly Incoming[]): WantedRows => ({
  uuids: [...new Set(ordered.map(({ uuid }) => uuid))],
  distinctIds: [...new Set(ordered.flatMap(distinctIdsOf))],
  mergedIds: [...new Set(ordered.flatMap(mergedIdsOf))].slice(0, MAX_MERGED_IDS),
  personalIds: personalIdsOf(ordered),
  eventNames: [...new Set(ordered.map(({ event }) => event))],
  visitors: [...new Set(ordered.flatMap(({ visitor }) => visitor ?? []))]
})

const personalIdsOf = (events: readonly Incoming[]): string[] => [
  ...new Set(events.filter(({ properties }) => hasPersonProfile(properties)).flatMap(distinctIdsOf))
]

type Batch = { ordered: Incoming[]; wanted: WantedRows; log: JoinLog | undefined }

/**
 * Reads, plans and writes once. The pauses let other requests run: the local database answers
 * within this process, and its promises, one after the other, would never let the process accept a
 * request.
 * @throws unavailable, ConflictError when another consumer has changed the same persons
 */
async function tryPart(
  db: Db,
  project: Project,
  { ordered, wanted, log }: Batch
): Promise<Ingested> {
  const { read, reserved } = await readKnown(db, project.id, wanted)
  await pause(0)
  const serial = read.suppressionSerial
  const suppressions = await readSuppressions(db, project, serial, wanted.distinctIds)
  const plan = async (kept: Incoming[]) => {
    const late = kept.filter(({ received_at }) => received_at <= read.lastErasure)
    const tombstones = await readTombstones(db, project, late.flatMap(distinctIdsOf))
    const ids = await idsFor(db, { wanted, read, reserved }, personalIdsOf(kept))
    return planEvents(kept, { ...read, tombstones }, ids)
  }
  const found = { events: ordered, known: read, suppressions }
  const { changes, dropped, joining } = await planUnsuppressed(db, project, found, plan)
  if (joining.length > 0) {
    await log?.(joining)
  }
  // Each call must shorten the rest, or the caller would never finish. The rows of the first event
  // were read, so it is planned, unless it is suppressed or stored already: in no case is it in the
  // rest.
  if (changes.rest.length === ordered.length) {
    throw new Error('The first of these events was not planned.')
  }
  const hasChanges = [changes.events, changes.dropped, dropped, joining].some(
    ({ length }) => length > 0
  )
  if (hasChanges) {
    await writeChanges(db, project.id, changes, { serial, dropped, joining })
    await pause(0)
  }
  return { stored: changes.events.length, warnings: changes.warnings, rest: changes.rest }
}

type Read = {
  wanted: WantedRows
  read: Pick<Known, 'identities' | 'eventNames'>
  reserved: Reserved
}

/**
 * Returns numbers for as many identities, persons and event names as the events could need; known
 * ones need none. They were reserved while reading. If that were too few, because the database
 * compares a text otherwise, reserves more.
 */
async function idsFor(
  db: Db,
  { wanted, read, reserved }: Read,
  personalIds: readonly string[]
): Promise<Ids> {
  const counts = {
    identity: wanted.distinctIds.filter((id) => !read.identities.has(id)).length,
    person: personalIds.filter((id) => !read.identities.get(id)?.personId).length,
    event_name: wanted.eventNames.filter((name) => !read.eventNames.has(name)).length
  }
  const { identity, person, event_name } = reserved
  const isEnough =
    counts.identity <= identity.count &&
    counts.person <= person.count &&
    counts.event_name <= event_name.count
  const next = isEnough
    ? { identity: identity.first, person: person.first, event_name: event_name.first }
    : await reserveNumbers(db, counts)
  return {
    identity: () => next.identity++,
    person: () => next.person++,
    eventName: () => next.event_name++,
    uuid: () => uuidv7()
  }
}
