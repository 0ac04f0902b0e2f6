import { describeError, UnavailableError } from '../errors.ts'
import { log } from '../log.ts'
import { readSpill } from '../queues/spill.ts'
import { PUT_MS } from '../queues/waiting-objects.ts'
import { within } from '../turns.ts'
import type { AccessEntry } from './entry.ts'
import { folderOf, writeEntries } from './lines.ts'

export type AccessOutlet = Pick<Env, 'BUCKET' | 'SPILL'> & {
  ACCESS_QUEUE: { send(body: AccessEntry): Promise<unknown> }
}

/**
 * Records a read; the entry is durable when this returns. The consumer of the queue writes many
 * entries as one object. Where queues do not survive a restart, and while the queue takes nothing,
 * the entry becomes an object of its own.
 * @throws unavailable if neither the queue nor the bucket takes it: what is not recorded is not
 * answered
 */
export async function recordAccess(outlet: AccessOutlet, entry: AccessEntry): Promise<void> {
  if (!readSpill(outlet.SPILL)) {
    try {
      await outlet.ACCESS_QUEUE.send(entry)
      return
    } catch (error) {
      log('warn', 'access recorded without the queue', { error: describeError(error) })
    }
  }
  try {
    await within(PUT_MS, writeEntries(outlet.BUCKET, folderOf(entry), [entry]))
  } catch (error) {
    throw new UnavailableError('The read cannot be recorded now, so it is not answered.', error)
  }
}
