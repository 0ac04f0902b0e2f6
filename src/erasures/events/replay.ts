import type { Db } from '../../db/client.ts'
import type { Announced } from '../../ledger/entry.ts'
import { log } from '../../log.ts'
import type { Actor } from '../../persons/activity/entry.ts'
import type { RemovalEntry } from './entry.ts'
import { insertRemoval } from './store.ts'

/** Creates a task that a restored database does not know. @returns how many, 0 or 1 */
export async function requestAgain(
  db: Db,
  entry: Announced<RemovalEntry>,
  actor: Actor
): Promise<number> {
  const isNew = await insertRemoval(db, entry, { filters: null, actor })
  if (isNew) {
    const { project, events } = entry
    log('warn', 'events queued for deletion again after a restore', { project, events })
  }
  return isNew ? 1 : 0
}
