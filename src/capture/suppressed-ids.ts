import type { Db } from '../db/client.ts'
import { Ledger } from '../ledger/ledger.ts'
import { readApplied } from '../ledger/store.ts'
import type { Joining } from '../suppressions/store.ts'
import type { Suppressions } from '../suppressions/suppression.ts'
import { hashDistinctId } from '../tombstones/tombstone.ts'
import type { Incoming, Known } from './changes.ts'
import { listDistinctIds } from './store.ts'
import { type Joined, type Sorted, sortOut } from './suppress.ts'

/** Writes distinct ids that are about to join suppressions into the ledger. */
export type JoinLog = (joining: Joining[]) => Promise<void>

/** A batch of events, the stored facts about its persons, and the suppressions of its distinct ids. */
type Found = {
  events: readonly Incoming[]
  known: Pick<Known, 'seen' | 'identities' | 'persons'>
  suppressions: Suppressions
}

/** The events to store, the numbers of dropped events, and the ids that join suppressions. */
type Applied = Pick<Sorted, 'kept' | 'dropped'> & { joining: Joining[] }

/**
 * Separates suppressed events from the events to store. An id that joins a suppression takes along the
 * other distinct ids of its person, also for the events of this batch.
 */
export async function applySuppressions(
  db: Db,
  project: { id: number; erasureSalt: string },
  { events, known, suppressions }: Found
): Promise<Applied> {
  const joining: Joining[] = []
  let all = suppressions
  let sorted = sortOut(events, known, all)
  while (sorted.joined.length > 0) {
    const added = await withSiblings(db, project.id, sorted.joined, known.identities)
    for (const { distinctId, suppression, since } of added) {
      const hash = hashDistinctId(project.erasureSalt, project.id, distinctId)
      joining.push({ suppression, hash, since })
    }
    all = extend(all, added)
    // Events may link the added ids to further ids.
    sorted = sortOut(events, known, all)
  }
  const { kept, dropped } = sorted
  return { kept, dropped, joining }
}

/** Returns the ids that join suppressions, each followed by the other distinct ids of its person. */
async function withSiblings(
  db: Db,
  projectId: number,
  joined: Joined[],
  identities: Known['identities']
): Promise<Joined[]> {
  const personOf = ({ distinctId }: Joined) => identities.get(distinctId)?.personId ?? undefined
  const persons = [...new Set(joined.flatMap((one) => personOf(one) ?? []))]
  const owned = persons.length > 0 ? await listDistinctIds(db, projectId, persons) : []
  return joined.flatMap((one) => [
    one,
    ...owned
      .filter(
        ({ personId, distinctId }) => personId === personOf(one) && distinctId !== one.distinctId
      )
      .map(({ distinctId }) => ({ ...one, distinctId }))
  ])
}

/** Adds ids to suppressions. The persons of these suppressions then count as identified. */
function extend(suppressions: Suppressions, joined: Joined[]): Suppressions {
  const grown = new Set(joined.map(({ suppression }) => suppression))
  const all = new Map(
    [...suppressions].map(([id, own]) => [
      id,
      own.map((one) => ({ ...one, isIdentified: one.isIdentified || grown.has(one.suppressionId) }))
    ])
  )
  for (const { distinctId, suppression: suppressionId, since, liftedAt } of joined) {
    const fresh = { suppressionId, since, isIdentified: true, liftedAt }
    all.set(distinctId, [...(all.get(distinctId) ?? []), fresh])
  }
  return all
}

type Place = { db: Db; bucket: R2Bucket; projectId: number; clock: () => Date }

/** Returns a log that writes the hashes of the ids, so that a restored database gets them again. */
export const joinLogOf =
  ({ db, bucket, projectId, clock }: Place): JoinLog =>
  async (joining) => {
    const ledger = new Ledger(bucket, await readApplied(db))
    await ledger.append(
      { kind: 'suppression_join', project: projectId, joining },
      clock().getTime()
    )
  }
