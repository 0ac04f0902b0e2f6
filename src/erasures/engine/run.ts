import { MINUTE } from '../../calendar/units.ts'
import type { Db } from '../../db/client.ts'
import { type Sender, sendAll } from '../../queues/send.ts'
import { type Taking, takeRemovals } from '../events/store.ts'
import { messagesFor, type QueueMessage } from './message.ts'
import { lastRunBy } from './schedule.ts'
import { findRun, finishRuns, insertRun, type RunRow, takeStalled, takeTasks } from './store.ts'

/** Maximum number of erasures or removals that one statement takes. */
const TAKEN_AT_ONCE = 1_000

/**
 * Time without progress after which an erasure's message counts as lost, or its consumer as dead,
 * ms.
 */
const STALLED_MS = 15 * MINUTE

/**
 * Starts or continues the run of the time `scheduledFor`, ms UTC. Queues everything requested
 * before that time that waits for a run: erasures that delete events, also if they failed in an
 * earlier run, and removals. If the run is started twice, even at the same time, it queues each
 * erasure and each removal once.
 * @returns the number of queued tasks
 */
export async function startRun(
  db: Db,
  queue: Sender<QueueMessage>,
  run: Pick<RunRow, 'scheduledFor' | 'startedBy'>,
  now: Date
): Promise<number> {
  const startedAt = now.getTime()
  await insertRun(db, { ...run, startedAt })
  const erasures = await queueWaiting(db, queue, { run: run.scheduledFor, now: startedAt })
  // A removal with progress since the run was due is under way: an earlier start may have queued
  // it.
  const idleSince = Math.min(run.scheduledFor, startedAt)
  const due = { run: run.scheduledFor, idleSince, now: startedAt }
  const removals = await queueRemovals(db, queue, due)
  await finishRuns(db, startedAt)
  return erasures + removals
}

/**
 * Starts a run that was missed on Sunday, continues a run that was interrupted while it queued its
 * tasks, and resumes erasures and removals whose messages were lost.
 * @param queuesSince messages sent before this time are lost, ms UTC: see `readQueuesSince`
 * @returns the number of queued tasks
 */
export async function sweepErasures(
  db: Db,
  queue: Sender<QueueMessage>,
  now: Date,
  queuesSince: number
): Promise<number> {
  const at = now.getTime()
  const sunday = lastRunBy(at)
  const run = await findRun(db, sunday)
  if (!run) {
    await insertRun(db, { scheduledFor: sunday, startedAt: at, startedBy: 'sweep' })
  }
  const started = run?.finishedAt
    ? 0
    : await queueWaiting(db, queue, { run: run?.scheduledFor ?? sunday, now: at })
  // A task without progress since either of these times has lost its message.
  const before = Math.max(at - STALLED_MS, queuesSince)
  const resumed = await resumeErasures(db, queue, before, now)
  const removals = await queueRemovals(db, queue, { run: sunday, idleSince: before, now: at })
  await finishRuns(db, at)
  return started + resumed + removals
}

/** Queues the removals that are due and not under way. @returns their number */
const queueRemovals = (
  db: Db,
  queue: Sender<QueueMessage>,
  due: Omit<Taking, 'limit'>
): Promise<number> =>
  queueAll(
    queue,
    () => takeRemovals(db, { ...due, limit: TAKEN_AT_ONCE }),
    (taken) => taken.map(({ id, project_id }) => ({ project_id, removal: id, waited: 0 }))
  )

/** Queues the open erasures without progress since `before`, ms UTC. @returns their number */
export const resumeErasures = (
  db: Db,
  queue: Sender<QueueMessage>,
  before: number,
  now: Date
): Promise<number> =>
  queueAll(
    queue,
    () => takeStalled(db, { before, limit: TAKEN_AT_ONCE, now: now.getTime() }),
    messagesFor
  )

/** Queues the erasures that wait for a run. @returns their number */
const queueWaiting = (
  db: Db,
  queue: Sender<QueueMessage>,
  due: { run: number; now: number }
): Promise<number> =>
  queueAll(queue, () => takeTasks(db, { ...due, limit: TAKEN_AT_ONCE }), messagesFor)

/**
 * Queues tasks until `take` returns fewer than a full batch. The next sweep finds tasks that were
 * taken but not sent.
 */
async function queueAll<Taken>(
  queue: Sender<QueueMessage>,
  take: () => Promise<Taken[]>,
  messagesOf: (taken: Taken[]) => QueueMessage[]
): Promise<number> {
  for (let sent = 0; ; ) {
    const taken = await take()
    await sendAll(queue, messagesOf(taken))
    sent += taken.length
    if (taken.length < TAKEN_AT_ONCE) {
      return sent
    }
  }
}
