import * as z from 'zod'
import { holdDatabase, releaseDatabase } from '../../access/hold.store.ts'
import { MINUTE } from '../../calendar/units.ts'
import type { Head } from '../../ledger/entry.ts'
import { expectApplied, readUnchecked } from '../../ledger/ledger.ts'
import { compareWithMark, writeMark } from '../../ledger/mark.ts'
import { expectOwnSecret } from '../../ledger/secret.ts'
import { noteBeat } from '../../ledger/store.ts'
import { log } from '../../log.ts'
import { PacedWork } from '../engine/paced-work.ts'
import { removeListed } from '../events/remove.ts'
import { listOpenRemovals } from '../events/store.ts'
import { type Replayed, replayLedger, type Target } from './replay.ts'
import { lastErasure, listSalts, putBackSalts, raiseErasureIds } from './restore.store.ts'

/**
 * Age from which the running service replays an entry, ms, unless the database was restored. A
 * younger entry may belong to a request that is still deleting.
 */
export const MIN_AGE = MINUTE

/** The database to bring up to date, and everything that this takes. */
type CatchUp = Omit<Target, 'until' | 'isRestored'> & {
  clock: () => Date
  /** The age from which entries are replayed if the database was not restored, ms. */
  minAge: number
}

/**
 * Brings a database up to date with the ledger. If it was restored, its projects are held back
 * until the ledger's entries are applied again and the events of open removals are removed; queued
 * purges may follow later. A call may be interrupted anywhere, and one call may not be enough: see
 * `isDone`.
 * @throws WrongSecretError when RECEIPT_SECRET is not the deployment's, and LedgerError when the
 * ledger, or the list of a removal, is missing or damaged; a restored database stays held back
 */
export async function catchUp(target: CatchUp): Promise<Replayed & { isRestored: boolean }> {
  const { db, database, control, bucket, clock, minAge } = target
  const now = clock()
  const { head, beat, mark, isRestored } = await compareWithMark(bucket, db, database)
  if (mark && isRestored) {
    log('warn', 'a database was restored', { database, from: mark.beat, to: beat })
    await holdDatabase(control, database, 'replay')
    await putBackSalts(control, mark.salts)
    // Ids up to this one may be on receipts already.
    const named = await countNamed(bucket, mark.head)
    await raiseErasureIds(db, mark.erasure + named)
  }
  await expectOwnSecret({ ...target.secrets, BUCKET: bucket }, db)
  await expectApplied(bucket, head)
  const until = now.getTime() - (isRestored ? 0 : minAge)
  const replayed = await replayLedger({ ...target, until, isRestored })
  let { isDone } = replayed
  if (isDone && isRestored) {
    isDone = await removeAllListed(target)
  }
  if (!isDone) {
    return { ...replayed, isRestored, isDone }
  }
  // The beat is the time of this comparison. It always grows, even if the clock was set back: an
  // earlier one than the mark's would look like a restore.
  const next = Math.max(now.getTime(), beat + 1, (mark?.beat ?? 0) + 1)
  await noteBeat(db, next)
  await writeMark(bucket, database, {
    beat: next,
    head: replayed.head,
    erasure: await lastErasure(db),
    salts: await listSalts(control, database)
  })
  await releaseDatabase(control, database, 'replay')
  return { ...replayed, isRestored }
}

/**
 * Carries out all open removals, due or not: before the restore, their events or properties may
 * already have been gone.
 * @returns whether nothing is left
 */
async function removeAllListed({ db, bucket, usage, clock }: CatchUp): Promise<boolean> {
  const work = new PacedWork({ usage, clock })
  for (const removal of await listOpenRemovals(db)) {
    if (!(await removeListed(db, removal, { bucket, work, clock }))) {
      return false
    }
  }
  return true
}

const Named = z.object({ body: z.object({ persons: z.array(z.unknown()) }) })

/** Counts the persons that entries after `head` name: each may have got an erasure. */
async function countNamed(bucket: R2Bucket, head: Head): Promise<number> {
  let count = 0
  for await (const entry of readUnchecked(bucket, head)) {
    count += Named.safeParse(entry).data?.body.persons.length ?? 0
  }
  return count
}
