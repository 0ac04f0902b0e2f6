import type { Db } from '../../db/client.ts'
import { log } from '../../log.ts'
import type { Actor } from '../../persons/activity/entry.ts'
import { nextRunAfter } from '../schedule.ts'
import type { RemovalEntry } from './entry.ts'
import { insertRemoval } from './store.ts'

/** Creates the task of a removal that a restored database does not know. @returns how many, 0 or 1 */
export async function requestAgain(db: Db, entry: RemovalEntry, actor: Actor): Promise<number> {
  const { id, project, events, digest, properties, requested_at: requestedAt } = entry
  const isNew = await insertRemoval(db, {
    id,
    projectId: project,
    filters: null,
    properties,
    events,
    digest,
    requestedAt,
    requestedBy: actor ?? {},
    dueAt: nextRunAfter(requestedAt),
    progressAt: requestedAt
  })
  if (isNew) {
    log('warn', 'events queued for deletion again after a restore', { project, events })
  }
  return isNew ? 1 : 0
}
