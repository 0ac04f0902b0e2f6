import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { MINUTE } from '../../src/calendar/units.ts'
import { newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { readList } from '../../src/erasures/removals/list.ts'
import {
  giveUpRemoval,
  listOpenRemovals,
  type RemovalRow
} from '../../src/erasures/removals/store.ts'
import { type Body, GENESIS, headOf, LedgerError, type Link } from '../../src/ledger/entry.ts'
import { placeOf, readAfter } from '../../src/ledger/ledger.ts'
import { compareWithMark } from '../../src/ledger/mark.ts'
import { noteApplied, readState } from '../../src/ledger/store.ts'
import { holdDatabase } from '../../src/projects/hold.store.ts'
import { OperatorError } from '../faults.ts'
import type { Service } from '../local.ts'
import { type Replay, replayLocally } from '../replay.ts'
import { command, InputError, integer, Nothing, text } from './command.ts'

/** Entries read at once. */
const READ_AT_ONCE = 100

/** How long a replay of the deployed service may make no progress, ms, and how often to look. */
const STALLED_MS = 5 * MINUTE
const LOOK_MS = 3_000

export const ledger = {
  export: command({
    script: 'ledger',
    isLong: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run({ bucket }) {
      const links: Link[] = []
      const keys: Body[] = []
      for (let head = GENESIS; ; ) {
        const entries = await readAfter(await bucket(), head, READ_AT_ONCE)
        links.push(...entries.map(({ link }) => link))
        keys.push(...entries.map(({ body }) => body).filter(({ kind }) => kind === 'key'))
        const last = entries.at(-1)
        if (!last) {
          return { links, keys }
        }
        head = await headOf(last)
      }
    }
  }),

  replay: command({
    script: 'replay',
    isLong: true,
    usage: '[-- --skip <entry>] [--skip-deletion <id>]',
    options: { skip: integer, skip_deletion: text },
    schema: z.object({
      skip: z.int().min(1, 'must be the number of an entry').optional(),
      skip_deletion: z.guid('must be the id of a deletion').optional()
    }),
    async run(service, { skip, skip_deletion: deletion }, now) {
      if (skip !== undefined) {
        await skipEntry(service, skip)
      }
      if (deletion !== undefined) {
        await skipDeletion(service, deletion.toLowerCase(), now)
      }
      const replays = service.isDeployed ? await awaitReplay(service) : await replayLocally(service)
      return {
        replayed: replays.map(({ isRestored, ...replay }) => ({ ...replay, restored: isRestored }))
      }
    }
  })
}

/**
 * Treats an entry that is missing or damaged as applied, in the databases that stopped there.
 * @throws InputError unless a database stopped there
 */
async function skipEntry({ env, databases, bucket }: Service, seq: number): Promise<void> {
  let skipped = 0
  for (const database of databases) {
    const { db } = openDb(databaseOf(env, database), newUsage())
    const { head } = await readState(db)
    if (head.seq === seq - 1) {
      await noteApplied(db, await placeOf(await bucket(), seq))
      skipped += 1
    }
  }
  if (skipped === 0) {
    throw new InputError('skip', 'must be the entry after the last one that a database has applied')
  }
}

/**
 * Gives up a deletion of events whose list is missing or damaged.
 * @throws InputError unless there is such a deletion
 */
async function skipDeletion(
  { env, databases, bucket }: Service,
  id: string,
  now: Date
): Promise<void> {
  for (const database of databases) {
    const { db } = openDb(databaseOf(env, database), newUsage())
    const removal = (await listOpenRemovals(db)).find((open) => open.id === id)
    if (!removal) {
      continue
    }
    const fault = await faultOfList(await bucket(), removal)
    if (fault === undefined) {
      throw new InputError('skip_deletion', 'must be a deletion whose list of events is lost')
    }
    await giveUpRemoval(
      db,
      removal,
      `${fault} An operator gave the deletion up: delete its events anew.`,
      now.getTime()
    )
    return
  }
  throw new InputError('skip_deletion', 'must be the id of a deletion of events that is open')
}

/** Returns what is wrong with a removal's list, or undefined. */
async function faultOfList(bucket: R2Bucket, removal: RemovalRow): Promise<string | undefined> {
  try {
    await readList(bucket, removal)
    return undefined
  } catch (error) {
    if (error instanceof LedgerError) {
      return error.message
    }
    throw error
  }
}

/**
 * Holds back the restored databases of the deployed service at once, and waits until the service,
 * which has the secrets, has applied the ledger: it does so every minute.
 * @throws OperatorError when there is no progress
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

/** Waits until a database is not held back. @returns the last entry that it has applied */
async function awaitDatabase(service: Service, database: string) {
  let [seen, since] = [-1, performance.now()]
  for (;;) {
    const { head, isRestored } = await stateOf(service, database)
    if (!isRestored) {
      return head
    }
    if (head.seq !== seen) {
      ;[seen, since] = [head.seq, performance.now()]
    } else if (performance.now() - since > STALLED_MS) {
      throw new OperatorError(
        `The service applies no entry after ${seen} of the ledger to ${database}. Its log says why: npx wrangler tail`
      )
    }
    await sleep(LOOK_MS)
  }
}

/** Compares a database with what it had reached before. */
export const stateOf = async ({ env, bucket }: Service, database: string) =>
  compareWithMark(await bucket(), openDb(databaseOf(env, database), newUsage()).db, database)
