import { newUsage, openControl, openDb } from '../src/db/client.ts'
import { databaseOf } from '../src/db/databases.ts'
import { catchUp } from '../src/erasures/replay/restore.ts'
import type { Service } from './local.ts'

/**
 * `applied`: number of ledger entries applied to a database · `erased`: number of deletions repeated
 * there, unknown for the deployed service.
 */
export type Replay = { database: string; applied: number; erased?: number; isRestored: boolean }

/**
 * Applies the ledger of erasures to the databases of the local service, with its secrets. Nothing is
 * queued: the service takes up the remaining work, as it does with lost messages.
 */
export async function replayLocally(service: Service) {
  const replays = []
  for (const database of service.databases) {
    replays.push(await replayIn(service, database))
  }
  return replays
}

async function replayIn({ env, bucket, secrets }: Service, database: string) {
  const queue = { send: async () => {}, sendBatch: async () => {} }
  const total = { database, applied: 0, erased: 0, isRestored: false }
  for (;;) {
    const usage = newUsage()
    const { applied, erased, isRestored, isDone } = await catchUp({
      db: openDb(databaseOf(env, database), usage).db,
      database,
      control: openControl(env, usage).db,
      bucket: await bucket(),
      queue,
      secrets,
      setting: env,
      usage,
      clock: () => new Date(),
      minAge: 0
    })
    total.applied += applied
    total.erased += erased
    total.isRestored ||= isRestored
    if (isDone) {
      return total
    }
  }
}
