import type { Joining } from '../barred/suppressions/store.ts'
import type { Drops, Suppressions } from '../barred/suppressions/suppression.ts'
import { hashDistinctId } from '../barred/tombstones/tombstone.ts'
import type { Db } from '../db/client.ts'
import { openLedger } from '../ledger/ledger.ts'
import type { Changes, Incoming, Known } from './changes.ts'
import { listDistinctIds } from './store.ts'
import { findMerged, type Joined, sortOut } from './suppress.ts'

/** Enters in the ledger the hashes of distinct ids that are about to join suppressions. */
export type JoinLog = (joining: Joining[]) => Promise<void>

/** A batch of events, the facts about its persons, and the suppressions of its ids. */
type Found = {
  events: readonly Incoming[]
  known: Pick<Known, 'seen' | 'identities' | 'persons'>
  suppressions: Suppressions
}

/** The changes to write, the numbers of dropped events, and the ids that join suppressions. */
type Planned = { changes: Changes; dropped: Drops[]; joining: Joining[] }

/**
 * Plans the events that are not suppressed. When an id joins a suppression, so do its person's
 * other distinct ids; their later events in this batch are dropped, too.
 */
export async function planUnsuppressed(
  db: Db,
  project: { id: number; erasureSalt: string },
  { events, known, suppressions }: Found,
  plan: (kept: Incoming[]) => Promise<Changes>
): Promise<Planned> {
  const joining: Joining[] = []
  let all = suppressions
  for (;;) {
    const { kept, dropped, joined } = sortOut(events, known, all)
    const changes = joined.length === 0 ? await plan(kept) : undefined
    const fresh = changes ? findMerged(changes.merges, all) : joined
    if (changes && fresh.length === 0) {
      return { changes, dropped, joining }
    }
    const added = await withSiblings(db, project.id, fresh, known.identities)
    for (const { distinctId, suppression, since } of added) {
      const hash = hashDistinctId(project.erasureSalt, project.id, distinctId)
      joining.push({ suppression, hash, since })
    }
    // Events may link the added ids to further ids.
    all = extend(all, added)
  }
}

/** Returns the ids that join, each followed by the other distinct ids of its person. */
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

/** Returns a function that enters joined ids in the ledger, for restored databases. */
export const joinLogOf =
  ({ db, bucket, projectId, clock }: Place): JoinLog =>
  async (joining) => {
    const ledger = await openLedger({ BUCKET: bucket }, db)
    const entry = { kind: 'suppression_join', project: projectId, joining }
    await ledger.append(entry, clock().getTime())
  }
