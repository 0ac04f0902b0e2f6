import type { Db } from '../db/client.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import { type ErasureMessage, messagesFor } from './message.ts'
import { lastRunBy } from './schedule.ts'
import { findRun, finishRuns, insertRun, type RunRow, takeStalled, takeTasks } from './store.ts'

const TAKEN_AT_ONCE = 1_000

/** Work without a sign of life for so long has lost its message, or its consumer died. */
const STALLED_MS = 15 * 60_000

/**
 * Starts, or goes on with, the weekly batch for `scheduledFor`: every task asked for before it that waits, or has failed,
 * goes to the queue. Started twice, or twice at once, each task goes once. @returns how many went
 */
export async function startRun(
  db: Db,
  queue: Sender<ErasureMessage>,
  run: Pick<RunRow, 'scheduledFor' | 'startedBy'>,
  now: Date
): Promise<number> {
  const startedAt = now.getTime()
  await insertRun(db, { ...run, startedAt })
  const sent = await gather(db, queue, run.scheduledFor, true, startedAt)
  await finishRuns(db, startedAt)
  return sent
}

/**
 * What the quarter of an hour brings to light: a Sunday without its run is made up for; a run whose gathering was cut
 * short, tasks that lost their message, and persons whose removal did not get to its end are taken up again.
 * @param queuesSince messages from before are lost, ms UTC
 * @returns how many erasures went to the queue
 */
export async function sweepErasures(
  db: Db,
  queue: Sender<ErasureMessage>,
  now: Date,
  queuesSince: number
): Promise<number> {
  const at = now.getTime()
  const sunday = lastRunBy(at)
  const run = await findRun(db, sunday)
  if (!run) {
    await insertRun(db, { scheduledFor: sunday, startedAt: at, startedBy: 'sweep' })
  }
  const gathered = run?.finishedAt
    ? 0
    : await gather(db, queue, run?.scheduledFor ?? sunday, !run, at)
  const before = Math.max(at - STALLED_MS, queuesSince)
  const resumed = await resumeErasures(db, queue, before, now)
  await finishRuns(db, at)
  return gathered + resumed
}

/** Takes up again what has shown no sign of life since `before`, ms. @returns how many went to the queue */
export const resumeErasures = (
  db: Db,
  queue: Sender<ErasureMessage>,
  before: number,
  now: Date
): Promise<number> => send(queue, () => takeStalled(db, before, TAKEN_AT_ONCE, now.getTime()))

const gather = (
  db: Db,
  queue: Sender<ErasureMessage>,
  run: number,
  isRetrying: boolean,
  now: number
): Promise<number> => send(queue, () => takeTasks(db, run, isRetrying, TAKEN_AT_ONCE, now))

/** Sends what `take` yields until it yields nothing more. What is taken but not sent is found by the next sweep. */
async function send(
  queue: Sender<ErasureMessage>,
  take: () => Promise<{ id: number; project_id: number }[]>
): Promise<number> {
  for (let sent = 0; ; ) {
    const taken = await take()
    await sendAll(queue, messagesFor(taken))
    sent += taken.length
    if (taken.length < TAKEN_AT_ONCE) {
      return sent
    }
  }
}
