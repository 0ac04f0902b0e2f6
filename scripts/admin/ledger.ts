import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { holdDatabase } from '../../src/access/hold.store.ts'
import { MINUTE } from '../../src/calendar/units.ts'
import { newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { findListFault } from '../../src/erasures/events/list.ts'
import { giveUpRemoval, listOpenRemovals } from '../../src/erasures/events/store.ts'
import { catching } from '../../src/errors.ts'
import { type Body, type Head, keyOf, LedgerError, type Link } from '../../src/ledger/entry.ts'
import { placeOf, readAfter } from '../../src/ledger/ledger.ts'
import { compareWithMark } from '../../src/ledger/mark.ts'
import { noteApplied, readState } from '../../src/ledger/store.ts'
import { type Fault, giveUpObject, isAbout, readKept } from '../../src/ledger/walk.ts'
import { OperatorError } from '../faults.ts'
import type { Service } from '../local.ts'
import { type Replay, replayLocally } from '../replay.ts'
import { command, InputError, integer, Nothing, text } from './command.ts'
import { walkWhole } from './walk.ts'

/** Minutes without progress after which a replay by the deployed service counts as stalled. */
const STALLED_MINUTES = 5
/** Pause between two checks of the progress, ms. */
const LOOK_MS = 3_000

export const ledger = {
  export: command({
    script: 'ledger',
    isLongRunning: true,
    usage: '',
    options: {},
    schema: Nothing,
    /**
     * Lists the links of all entries, the bodies of the entries that publish a key, and the numbers of the entries that were given
     * up. Receipts are verified with all three.
     */
    async run({ bucket }) {
      const links: Link[] = []
      const keys: Body[] = []
      const given_up: number[] = []
      for await (const kept of readKept(await bucket())) {
        if (typeof kept === 'number') {
          given_up.push(kept)
        } else {
          links.push(kept.link)
          keys.push(...(kept.body.kind === 'key' ? [kept.body] : []))
        }
      }
      return { links, keys, given_up }
    }
  }),

  replay: command({
    script: 'replay',
    isLongRunning: true,
    usage: '[-- [--skip <entry>] [--skip-deletion <id>]]',
    options: { skip: integer, skip_deletion: text },
    schema: z.object({
      skip: z.int().min(1, 'must be the number of an entry').optional(),
      skip_deletion: z.guid('must be the id of a deletion').optional()
    }),
    async run(service, { skip, skip_deletion: deletion }, now) {
      const found = await walkWhole(service)
      if (skip !== undefined) {
        await skipEntry(service, skip, found.fault)
      }
      if (deletion !== undefined) {
        await skipDeletion(service, { id: deletion.toLowerCase(), now, fault: found.fault })
      }
      const isSkipped = skip !== undefined || deletion !== undefined
      const { entries, fault } = isSkipped ? await walkWhole(service) : found
      if (fault) {
        process.exitCode = 1
      }
      const replays = service.isDeployed ? await awaitReplay(service) : await replayLocally(service)
      return {
        replayed: replays.map(({ isRestored, ...replay }) => ({ ...replay, restored: isRestored })),
        ledger: { entries, fault: fault?.text ?? null }
      }
    }
  })
}

/**
 * Gives up a missing or damaged entry: no longer reports it, and notes it as applied in each
 * database that cannot apply it.
 * @param fault what is wrong with the ledger
 * @throws InputError unless the entry is named as missing or damaged by `fault`, or by what keeps a
 * database from applying the next entries; if a database has not applied it, also if no entry
 * follows it
 */
async function skipEntry(
  { env, databases, bucket }: Service,
  seq: number,
  fault: Fault | null
): Promise<void> {
  const key = keyOf(seq)
  let isNamed = fault !== null && isAbout(fault, key)
  for (const database of databases) {
    const { db } = openDb(databaseOf(env, database), newUsage())
    const { head } = await readState(db)
    // The entry before tells whether the next one follows it.
    const next = await catching(LedgerError, readAfter(await bucket(), head, 2))
    if (next instanceof LedgerError && isAbout(next, key)) {
      await noteApplied(db, await findPlace(await bucket(), seq))
      isNamed = true
    }
  }
  if (!isNamed) {
    throw new InputError('skip', 'must be the number of an entry that is missing or damaged')
  }
  await giveUpObject(await bucket(), key)
}

/**
 * Returns the place of an entry as the next entry names it.
 * @throws InputError if there is no next entry
 */
async function findPlace(bucket: R2Bucket, seq: number): Promise<Head> {
  if ((await bucket.head(keyOf(seq + 1))) === null) {
    throw new InputError(
      'skip',
      `must not be the last entry, which cannot be skipped: delete the object ${keyOf(seq)} instead`
    )
  }
  return placeOf(bucket, seq)
}

/**
 * Gives up an open deletion of events if its list of events is missing or damaged. No longer reports the list, whether the deletion
 * is open or not.
 * @throws InputError if there is no such deletion, or its list is intact
 */
async function skipDeletion(
  { env, databases, bucket }: Service,
  { id, now, fault }: { id: string; now: Date; fault: Fault | null }
): Promise<void> {
  const isReported = fault?.key.endsWith(`/${id}.json`) ?? false
  if (fault && isReported) {
    await giveUpObject(await bucket(), fault.key)
  }
  for (const database of databases) {
    const { db } = openDb(databaseOf(env, database), newUsage())
    const removal = (await listOpenRemovals(db)).find((open) => open.id === id)
    if (!removal) {
      continue
    }
    const why = await findListFault(await bucket(), removal)
    if (!why) {
      throw new InputError(
        'skip_deletion',
        'must be the id of a deletion whose list of events is missing or damaged'
      )
    }
    await giveUpRemoval(
      db,
      removal,
      `${why.message} An operator gave the deletion up. To delete its events, request a new deletion.`,
      now.getTime()
    )
    return
  }
  if (!isReported) {
    throw new InputError('skip_deletion', 'must be the id of an open deletion of events')
  }
}

/**
 * Waits until the deployed service has applied the ledger to each database, one database after the other. The service does
 * so every minute, and only the service has the secrets. A restored database is held back as soon as its turn comes.
 * @throws OperatorError when the service has made no progress for `STALLED_MINUTES`
 */
async function awaitReplay(service: Service): Promise<Replay[]> {
  const replays = []
  for (const database of service.databases) {
    const { head: start, isRestored } = await stateOf(service, database)
    if (isRestored) {
      await holdDatabase(service.db, database, 'replay')
    }
    const end = await awaitDatabase(service, database)
    replays.push({ database, applied: end.seq - start.seq, isRestored })
  }
  return replays
}

/** Waits until a database has caught up with its mark. @returns the last entry that it has applied */
async function awaitDatabase(service: Service, database: string) {
  let seen = ''
  let since = performance.now()
  for (;;) {
    const { head, isRestored } = await stateOf(service, database)
    if (!isRestored) {
      return head
    }
    const progress = await progressOf(service, database, head)
    if (progress !== seen) {
      seen = progress
      since = performance.now()
    } else if (performance.now() - since > STALLED_MINUTES * MINUTE) {
      throw new OperatorError(
        `For ${STALLED_MINUTES} minutes, the service has applied no entry after ${head.seq} of the ledger to ${database}, and removed no events there. Its log says why: npx wrangler tail`
      )
    }
    await sleep(LOOK_MS)
  }
}

/** Returns a text that changes when the service applies an entry, or removes a part of the events of an open deletion. */
async function progressOf({ env }: Service, database: string, { seq }: Head): Promise<string> {
  const removals = await listOpenRemovals(openDb(databaseOf(env, database), newUsage()).db)
  return JSON.stringify([seq, ...removals.map(({ position }) => position)])
}

/** Compares a database with its mark, to tell whether it was restored: see `compareWithMark`. */
export const stateOf = async ({ env, bucket }: Service, database: string) =>
  compareWithMark(await bucket(), openDb(databaseOf(env, database), newUsage()).db, database)
