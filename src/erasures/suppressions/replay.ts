import * as z from 'zod'
import { findSuppressed, joinSuppressions } from '../../barred/suppressions/store.ts'
import { writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import type { Body } from '../../ledger/entry.ts'
import { findStoredHashes, findSuppression } from './store.ts'
import {
  extendSuppressions,
  withdrawSuppressions,
  writeLift,
  writeSuppressions
} from './write.store.ts'

const By = z.object({ user: z.int(), key: z.int() })

/** A request for suppressions. It contains hashes, but no distinct ids. Times are ms UTC. */
export const SuppressionEntry = By.extend({
  suppressions: z.array(
    z.object({
      id: z.guid(),
      person: z.guid().nullable(),
      person_id: z.int().nullable(),
      is_identified: z.boolean(),
      /** The suppressions that were in force for some of the distinct ids. */
      in_force: z.array(z.guid()),
      ids: z.array(z.object({ hash: z.string(), receipt_hash: z.string().nullable() }))
    })
  ),
  since: z.int()
})

type Announced = z.infer<typeof SuppressionEntry>['suppressions'][number]

export const LiftEntry = By.extend({ suppression: z.guid(), lifted_at: z.int() })

export const JoinEntry = z.object({
  joining: z.array(z.object({ suppression: z.guid(), hash: z.string(), since: z.int() }))
})

/** Returns the user and the key of a request; the ledger does not know their names. */
const actorOf = ({ user, key }: z.infer<typeof By>) => ({
  user: { id: user, first_name: '', email: '' },
  key: { id: key, label: '' }
})

/**
 * Writes the suppressions, and the distinct ids of suppressions, that a restored database lacks. A
 * request whose persons change meanwhile has several entries: later ones add distinct ids. A
 * suppression of a request that failed is left out if the request was repeated successfully before
 * the replay: two suppressions in force would have to be lifted. If the database was restored to a
 * moment before both requests, the failed one is written first, and withdrawn when the repeated one
 * follows.
 * @returns the number of suppressions that were not complete
 */
export async function suppressAgain(
  db: Db,
  projectId: number,
  body: Body,
  isRestored: boolean
): Promise<number> {
  const { suppressions, since, ...by } = SuppressionEntry.parse(body)
  const stored = await findStoredHashes(
    db,
    projectId,
    suppressions.map(({ id }) => id)
  )
  const lost = await withoutRepeated(
    db,
    projectId,
    suppressions.filter(({ id }) => !stored.has(id)),
    since
  )
  const partial = suppressions.filter(({ id, ids }) => {
    const hashes = stored.get(id)
    return hashes !== undefined && ids.some(({ hash }) => !hashes.has(hash))
  })
  if (lost.length > 0) {
    const failed = isRestored ? await findFailed(db, projectId, lost, since) : []
    // Withdrawn first: a replay that is cut off and continued finds them only while the repeated
    // ones are lost.
    if (failed.length > 0) {
      await withdrawSuppressions(db, projectId, failed)
    }
    const actor = actorOf(by)
    await writeSuppressions(db, projectId, { suppressions: lost, expected: [], since, actor })
  }
  if (partial.length > 0) {
    await extendSuppressions(db, projectId, partial, since)
  }
  return lost.length + partial.length
}

/**
 * Finds the suppressions of failed requests that lost ones repeat: their distinct ids belong to the
 * lost suppression, whose request did not find them in force.
 */
async function findFailed(
  db: Db,
  projectId: number,
  lost: Announced[],
  since: number
): Promise<string[]> {
  const hashes = lost.flatMap(({ ids }) => ids.map(({ hash }) => hash))
  const found = await findSuppressed({ db, project: { id: projectId } }, hashes)
  const earlier = found.filter((one) => one.liftedAt === null && one.since < since)
  const byHash = Map.groupBy(earlier, ({ hash }) => hash)
  const stored = await findStoredHashes(
    db,
    projectId,
    earlier.map(({ suppressionId }) => suppressionId)
  )
  return lost.flatMap(({ ids, in_force: inForce }) => {
    const own = new Set(ids.map(({ hash }) => hash))
    const covering = [...own].flatMap((hash) => byHash.get(hash) ?? [])
    return covering
      .map(({ suppressionId }) => suppressionId)
      .filter((id) => !inForce.includes(id) && stored.get(id)?.isSubsetOf(own))
  })
}

/** Leaves out those whose distinct ids were all suppressed again after `since`, ms UTC. */
async function withoutRepeated(
  db: Db,
  projectId: number,
  lost: Announced[],
  since: number
): Promise<Announced[]> {
  const hashes = lost.flatMap(({ ids }) => ids.map(({ hash }) => hash))
  const found = await findSuppressed({ db, project: { id: projectId } }, hashes)
  const repeated = new Set(found.filter((one) => one.since > since).map(({ hash }) => hash))
  return lost.filter(({ ids }) => !ids.every(({ hash }) => repeated.has(hash)))
}

/** Lifts a suppression again. @returns the number of lifted suppressions, 0 or 1 */
export async function liftAgain(db: Db, projectId: number, body: Body): Promise<number> {
  const { suppression, lifted_at: at, ...by } = LiftEntry.parse(body)
  const row = await findSuppression(db, projectId, suppression)
  if (!row || row.liftedAt !== null) {
    return 0
  }
  await writeLift(db, row, { actor: actorOf(by), at })
  return 1
}

/** Adds distinct ids to suppressions again. @returns 0: no suppression is new */
export async function joinAgain(db: Db, projectId: number, body: Body): Promise<number> {
  const { joining } = JoinEntry.parse(body)
  await writeBatch(db, joinSuppressions(projectId, joining))
  return 0
}
