import type { Db } from '../db/client.ts'
import { Ledger } from '../ledger/ledger.ts'
import { readApplied } from '../ledger/store.ts'
import type { Joining } from '../suppressions/store.ts'
import { hashDistinctId } from '../tombstones/tombstone.ts'
import { type Known, MAX_FOLDED } from './changes.ts'
import { listDistinctIds } from './store.ts'
import type { Joined } from './suppress.ts'

/** Notes distinct ids that are about to join suppressions. */
export type JoinLog = (joining: Joining[]) => Promise<void>

/**
 * Returns what to write for ids that join suppressions. The other distinct ids of an id's person
 * join, too.
 */
export async function expandJoined(
  db: Db,
  project: { id: number; erasureSalt: string },
  joined: Joined[],
  identities: Known['identities']
): Promise<Joining[]> {
  const personOf = ({ distinctId }: Joined) => identities.get(distinctId)?.personId ?? undefined
  const persons = [...new Set(joined.flatMap((one) => personOf(one) ?? []))]
  const owned =
    persons.length > 0
      ? await listDistinctIds(db, project.id, persons, persons.length * MAX_FOLDED)
      : []
  const all = joined.flatMap((one) => [
    one,
    ...owned
      .filter(({ personId }) => personId === personOf(one))
      .map(({ distinctId }) => ({ ...one, distinctId }))
  ])
  return Promise.all(
    all.map(async ({ distinctId, suppression, since }) => ({
      suppression,
      hash: await hashDistinctId(project.erasureSalt, project.id, distinctId),
      since
    }))
  )
}

type Place = { db: Db; bucket: R2Bucket; projectId: number; clock: () => Date }

/** Makes a log that writes the ids into the ledger, as hashes, so that a restored database gets them again. */
export const joinLogOf =
  ({ db, bucket, projectId, clock }: Place): JoinLog =>
  async (joining) => {
    const ledger = new Ledger(bucket, await readApplied(db))
    await ledger.append(
      { kind: 'suppression_join', project: projectId, joining },
      clock().getTime()
    )
  }
