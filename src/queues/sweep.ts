import * as z from 'zod'
import { putObject } from '../bucket.ts'
import { MESSAGES_AT_ONCE, type Sender, sendAll } from './send.ts'
import { isDue, type Window } from './sweep-window.ts'
import { MARKER_PREFIX, readProgress, SPILL_PREFIX } from './waiting-objects.ts'

/**
 * Requests to R2 and the queue after which the sweep of a store stops for this invocation. The last
 * page may add 11. The platform allows 10,000 for both stores together, and noting the progress
 * takes one or two.
 */
const MAX_REQUESTS = 4_000

export type SweepBindings = {
  BUCKET: R2Bucket
  CAPTURE_QUEUE: Sender<unknown>
  RECORDING_QUEUE: Sender<unknown>
}

/** The waiting objects with a prefix, and the queue of their messages. */
type Store = {
  name: string
  prefix: string
  queue: Sender<unknown>
  toMessage(key: string): object
}

/** The progress of a sweep: the keys up to `after` are checked, or all if it is null. */
const Progress = z.object({ since: z.int(), until: z.int(), after: z.string().nullable() })
type Progress = z.infer<typeof Progress>

/**
 * Resends the messages of captured requests and recording parts that still wait in the R2 bucket
 * because their message is lost or late. Sending a message twice is harmless. If there is too much
 * for one invocation, the next one continues.
 * @param queuesSince messages from before this time are lost, ms UTC; 0 for queues that lose no
 * messages
 * @returns the number of sent messages, and whether all objects were checked
 */
export async function resendWaiting(
  bindings: SweepBindings,
  now: number,
  queuesSince: number,
  maxRequests = MAX_REQUESTS
): Promise<{ sent: number; isDone: boolean }> {
  // A failure in one store does not stop the other.
  const settled = await Promise.allSettled(
    storesOf(bindings).map((store) =>
      sweepStore(bindings.BUCKET, store, { now, queuesSince }, maxRequests)
    )
  )
  const failed = settled.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    throw failed.reason
  }
  const swept = settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  return {
    sent: swept.reduce((total, { sent }) => total + sent, 0),
    isDone: swept.every(({ isDone }) => isDone)
  }
}

const storesOf = ({ CAPTURE_QUEUE, RECORDING_QUEUE }: SweepBindings): Store[] => [
  {
    name: 'capture',
    prefix: SPILL_PREFIX,
    queue: CAPTURE_QUEUE,
    toMessage: (spill) => ({ spill })
  },
  {
    name: 'queued',
    prefix: MARKER_PREFIX,
    queue: RECORDING_QUEUE,
    toMessage: (marker) => ({ marker })
  }
]

async function sweepStore(
  bucket: R2Bucket,
  { name, prefix, queue, toMessage }: Store,
  { now, queuesSince }: { now: number; queuesSince: number },
  maxRequests: number
): Promise<{ sent: number; isDone: boolean }> {
  const note = `sweeps/${name}.json`
  const { after: start, ...window } = continueSweep(
    await readProgress(bucket, note, Progress),
    now,
    queuesSince
  )
  let after: string | null = start
  let requests = 0
  let sent = 0
  try {
    while (after !== null && requests < maxRequests) {
      const page: R2Objects = await bucket.list({ prefix, ...(after && { startAfter: after }) })
      const due = page.objects
        .filter(({ uploaded }) => isDue(uploaded.getTime(), window, queuesSince))
        .map(({ key }) => key)
      await sendAll(queue, due.map(toMessage))
      requests += 1 + Math.ceil(due.length / MESSAGES_AT_ONCE)
      sent += due.length
      after = page.truncated ? (page.objects.at(-1)?.key ?? after) : null
    }
  } finally {
    // Noted once, because R2 takes one write of an object per second. After an error, the next
    // sweep continues at that page; if the platform ends the invocation, the next sweep sends all
    // of its messages again.
    await putObject(bucket, note, JSON.stringify({ ...window, after } satisfies Progress))
  }
  return { sent, isDone: after === null }
}

/**
 * Continues a sweep in progress, or begins a new sweep of the time since the last one. After a
 * restart of the queues, a new sweep begins at once, and covers the time of an unfinished one
 * again. A sweep from the future was made before the clock was set back, and is ignored.
 */
function continueSweep(
  last: Progress | undefined,
  now: number,
  queuesSince: number
): Window & { after: string | null } {
  if (!last || last.until > now) {
    return { since: 0, until: now, after: '' }
  }
  const isRestarted = last.until < queuesSince
  if (last.after !== null && !isRestarted) {
    return last
  }
  const since = last.after === null ? last.until : last.since
  return { since, until: now, after: '' }
}
