import { v7 as uuidv7 } from 'uuid'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { reserveNumbers } from '../db/sequences.ts'
import { readTombstones } from '../erasures/late.ts'
import { distinctIdsOf } from './merge.ts'
import { type Changes, type Ids, type Incoming, type Known, planEvents } from './plan.ts'
import { readKnown, type Wanted, writeChanges } from './store.ts'
import { hasPersonProfile } from './writes.ts'

/** Person versions of one batch beyond this many bytes are written in two halves. */
const MAX_VERSION_BYTES = 8_000_000

/** What has to be known of the project whose events they are. */
type Project = { id: number; erasureSalt: string }

export type Ingested = { stored: number; warnings: Changes['warnings'] }

/**
 * Stores events with what they say of identities and persons, each event exactly once however often it arrives. What
 * another consumer changes in between is noticed, and the work is done again from a new reading.
 * @throws unavailable, also when that goes on and on
 */
export async function ingestEvents(
  db: Db,
  project: Project,
  events: Incoming[]
): Promise<Ingested> {
  const wanted: Wanted = {
    uuids: [...new Set(events.map(({ uuid }) => uuid))],
    distinctIds: [...new Set(events.flatMap(distinctIdsOf))],
    eventNames: [...new Set(events.map(({ event }) => event))]
  }
  return retryConflicts(async () => {
    const read = await readKnown(db, project.id, wanted)
    const late = events.filter(({ received_at }) => received_at <= read.lastErasure)
    const known = {
      ...read,
      tombstones: await readTombstones(db, project, late.flatMap(distinctIdsOf))
    }
    const changes = planEvents(events, known, await reserveIds(db, events, wanted, known))
    if (events.length > 1 && versionBytes(changes) > MAX_VERSION_BYTES) {
      return ingestHalves(db, project, events)
    }
    if (changes.events.length + changes.dropped.length > 0) {
      await writeChanges(db, project.id, changes)
    }
    return { stored: changes.events.length, warnings: changes.warnings }
  })
}

async function ingestHalves(db: Db, project: Project, events: Incoming[]): Promise<Ingested> {
  const sorted = events.toSorted((a, b) => a.timestamp - b.timestamp)
  const middle = Math.ceil(events.length / 2)
  const first = await ingestEvents(db, project, sorted.slice(0, middle))
  const second = await ingestEvents(db, project, sorted.slice(middle))
  return { stored: first.stored + second.stored, warnings: [...first.warnings, ...second.warnings] }
}

/** As many numbers as could be needed: one that is not used is no loss. Events of known persons need none. */
async function reserveIds(db: Db, events: Incoming[], wanted: Wanted, known: Known): Promise<Ids> {
  const personal = new Set(
    events.filter(({ properties }) => hasPersonProfile(properties)).flatMap(distinctIdsOf)
  )
  const counts = {
    identity: wanted.distinctIds.filter((id) => !known.identities.has(id)).length,
    person: [...personal].filter((id) => !known.identities.get(id)?.personId).length,
    event_name: wanted.eventNames.filter((name) => !known.eventNames.has(name)).length
  }
  const needed = counts.identity + counts.person + counts.event_name > 0
  const next = needed ? await reserveNumbers(db, counts) : { identity: 0, person: 0, event_name: 0 }
  return {
    identity: () => next.identity++,
    person: () => next.person++,
    eventName: () => next.event_name++,
    uuid: () => uuidv7()
  }
}

const versionBytes = ({ versions }: Changes): number =>
  versions.reduce((bytes, { properties }) => bytes + JSON.stringify(properties).length, 0)
