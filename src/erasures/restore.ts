import * as z from 'zod'
import { MINUTE } from '../calendar/units.ts'
import type { Head } from '../ledger/entry.ts'
import { expectApplied, readUnchecked } from '../ledger/ledger.ts'
import { compareWithMark, writeMark } from '../ledger/mark.ts'
import { noteBeat } from '../ledger/store.ts'
import { log } from '../log.ts'
import { holdDatabase, releaseDatabase } from '../projects/hold.store.ts'
import { Pieces } from './pieces.ts'
import { removeListed } from './removals/remove.ts'
import { listOpenRemovals } from './removals/store.ts'
import { type Replayed, replayLedger, type Target } from './replay.ts'
import { lastErasure, listSalts, putBackSalts, raiseErasureIds } from './restore.store.ts'

/**
 * Age from which an entry is replayed while the service runs, ms. A younger entry may belong to a
 * request that is still deleting.
 */
export const MIN_AGE = MINUTE

type Lagging = Omit<Target, 'until' | 'isRestored'> & {
  now: Date
  /** The age from which entries are replayed if the database was not restored, ms. */
  minAge: number
}

/**
 * Brings a database up to the ledger. When a restore is noticed, the database is held back until
 * everything that the ledger names is erased again. It may be interrupted anywhere, and may take
 * several calls.
 * @throws LedgerError when the ledger is not the chain that was written; the database stays held back
 */
export async function catchUp(lagging: Lagging): Promise<Replayed & { isRestored: boolean }> {
  const { db, database, control, bucket, now, minAge } = lagging
  const { head, beat, mark, isRestored } = await compareWithMark(bucket, db, database)
  if (mark && isRestored) {
    log('warn', 'a database was restored', { database, from: mark.beat, to: beat })
    await holdDatabase(control, database, 'replay')
    await putBackSalts(control, mark.salts)
    const later = await countNamed(bucket, mark.head)
    await raiseErasureIds(db, mark.erasure + later)
  }
  await expectApplied(bucket, head)
  const until = now.getTime() - (isRestored ? 0 : minAge)
  const replayed = await replayLedger({ ...lagging, until, isRestored })
  const isDone = replayed.isDone && (!isRestored || (await removeAllListed(lagging)))
  if (!isDone) {
    return { ...replayed, isRestored, isDone }
  }
  // Never goes back, even if the clock was set back: a time before the mark's would look like a restore.
  const next = Math.max(now.getTime(), beat + 1, mark?.beat ?? 0)
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
 * Removes the events of all open removals, due or not: before the restore they may have been removed already.
 * @returns whether nothing is left
 */
async function removeAllListed({ db, bucket, usage, now }: Lagging): Promise<boolean> {
  const clock = () => now
  const pieces = new Pieces({ usage, clock })
  for (const removal of await listOpenRemovals(db)) {
    if (!(await removeListed(db, removal, { bucket, pieces, clock }))) {
      return false
    }
  }
  return true
}

const Named = z.object({ body: z.object({ persons: z.array(z.unknown()) }) })

/** Counts the persons that entries after `head` name: each may have got an erasure, with an id of its own. */
async function countNamed(bucket: R2Bucket, head: Head): Promise<number> {
  let count = 0
  for await (const entry of readUnchecked(bucket, head)) {
    count += Named.safeParse(entry).data?.body.persons.length ?? 0
  }
  return count
}
