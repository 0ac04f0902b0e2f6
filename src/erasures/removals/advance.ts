import type { OpenProject } from '../../access/open.ts'
import { toIso } from '../../calendar/clock.ts'
import { AppError } from '../../errors.ts'
import { openLedger } from '../../ledger/ledger.ts'
import type { Invocation } from '../../queues/invocation.ts'
import { UNSIGNED } from '../eraser.ts'
import { Pieces } from '../pieces.ts'
import type { Signer } from '../receipts/issue.ts'
import { publishKey } from '../receipts/keys.ts'
import { findOldestRequest } from '../waiting.ts'
import { Filters, readEventFilters } from './filters.ts'
import { readList } from './list.ts'
import { issueReceipt, type Verified } from './receipt.ts'
import { removeListed } from './remove.ts'
import { findEvents } from './scan.ts'
import { completeRemoval, countListed, findRemoval, noteError, type RemovalRow } from './store.ts'
import { triedAt } from './token.ts'

/** Listed events searched per query. */
const SEARCHED_AT_ONCE = 5_000

/**
 * `cut`: the invocation has reached its limits, and another must continue. `waiting`: the removal is tried again later.
 * `completed`: nothing is left to do.
 */
export type State = 'cut' | 'waiting' | 'completed'

/** Continues a removal as far as one invocation's limits allow, and signs its receipt at the end. */
export async function advanceRemoval(
  open: OpenProject,
  id: string,
  invocation: Invocation<Pick<Env, 'DB' | 'BUCKET'>> & { signer: Signer | undefined }
): Promise<State> {
  const { project, db } = open
  const { env, clock, signer } = invocation
  const removal = await findRemoval(db, project.id, id)
  if (!removal || removal.completedAt !== null) {
    return 'completed'
  }
  const pieces = new Pieces(invocation)
  if (!(await removeListed(db, removal, { bucket: env.BUCKET, pieces, clock }))) {
    return 'cut'
  }
  const wait = (why: string): Promise<State> =>
    noteError(db, id, why, clock().getTime()).then(() => 'waiting')
  const oldest = await findOldestRequest(open, removal.requestedAt, invocation)
  if (oldest <= removal.requestedAt) {
    return wait(
      `Events accepted before the request, the oldest at ${toIso(oldest)}, are not processed yet. The deletion is completed after them.`
    )
  }
  if (!signer) {
    return wait(UNSIGNED)
  }
  // Read again for the present counts. Another invocation may have completed the removal.
  const current = await findRemoval(db, project.id, id)
  if (!current || current.completedAt !== null) {
    return 'completed'
  }
  const verified = await verify(open, current, { bucket: env.BUCKET, now: clock() })
  if (verified.remaining > 0) {
    throw new Error(`The verification still found ${verified.remaining} events.`)
  }
  const { stored, hash } = await issueReceipt(current, verified, signer)
  const ledger = await openLedger(env, db)
  await publishKey(env.BUCKET, signer.key, ledger, verified.at)
  await ledger.append({ kind: 'receipt', project: project.id, receipt: hash }, verified.at)
  await completeRemoval(db, current, stored, verified.at)
  return 'completed'
}

/** Searches for the listed events once more, and for events that match the filters. */
async function verify(
  { project, db }: OpenProject,
  removal: RemovalRow,
  { bucket, now }: { bucket: R2Bucket; now: Date }
): Promise<Verified> {
  const uuids = await readList(bucket, removal)
  let remaining = 0
  for (let from = 0; from < uuids.length; from += SEARCHED_AT_ONCE) {
    remaining += await countListed(db, removal, uuids.slice(from, from + SEARCHED_AT_ONCE))
  }
  return { remaining, matching: await countMatching({ project, db }, removal), at: now.getTime() }
}

/** Counts the events that match the filters; null if the filters are unknown, or there are too many events to search. */
async function countMatching(
  { project, db }: OpenProject,
  removal: RemovalRow
): Promise<number | null> {
  if (removal.filters === null) {
    return null
  }
  // Relative dates mean the same as in the dry run, which has decided what is removed.
  const asOf = new Date(triedAt(removal.id))
  const filters = readEventFilters(Filters.parse(removal.filters), project, asOf)
  try {
    const { uuids } = await findEvents(
      db,
      project,
      { filters, properties: removal.properties },
      asOf
    )
    return uuids.length
  } catch (error) {
    if (error instanceof AppError && error.code === 'query_too_large') {
      return null
    }
    throw error
  }
}
