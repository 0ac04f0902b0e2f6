import * as z from 'zod'
import { isDue, type Window } from './due.ts'
import { MESSAGES_AT_ONCE, type Sender, sendAll } from './send.ts'
import { MARKER_PREFIX, SPILL_PREFIX } from './waiting-objects.ts'

/** Requests to R2 and the queue per store, of the 10,000 of an invocation; the last page may add 1,000. */
const MAX_REQUESTS = 4_000

export type SweepBindings = {
  BUCKET: R2Bucket
  CAPTURE_QUEUE: Sender<unknown>
  RECORDING_QUEUE: Sender<unknown>
}

/** Objects that wait below a prefix. `send` queues a message for each key, and returns how many requests that took. */
type Store = { name: string; prefix: string; send(keys: string[]): Promise<number> }

/** How far the sweep of a store has come: up to the key `after`, or through all keys when it is null. */
const Progress = z.object({ since: z.int(), until: z.int(), after: z.string().nullable() })
type Progress = z.infer<typeof Progress>

/**
 * Sends messages again for captured requests and parts of recordings that wait in the R2 bucket, because their message is
 * lost or late. Repetitions do no harm. Where there is too much for one invocation, the next one continues.
 * @param queuesSince messages from before are lost, ms UTC; 0 for queues that lose none
 * @returns how many messages were sent, and whether everything was looked through
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
  const swept = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return {
    sent: swept.reduce((total, { sent }) => total + sent, 0),
    isDone: swept.every(({ isDone }) => isDone)
  }
}

const storesOf = ({ BUCKET, CAPTURE_QUEUE, RECORDING_QUEUE }: SweepBindings): Store[] => [
  {
    name: 'capture',
    prefix: SPILL_PREFIX,
    async send(keys) {
      const messages = keys.map((spill) => ({ spill }))
      await sendAll(CAPTURE_QUEUE, messages)
      return 1
    }
  },
  {
    name: 'queued',
    prefix: MARKER_PREFIX,
    async send(keys) {
      const markers = await Promise.all(keys.map((key) => readMarker(BUCKET, key)))
      const messages = markers.filter((marker) => marker !== undefined)
      await sendAll(RECORDING_QUEUE, messages)
      return keys.length + 1
    }
  }
]

/** Reads the message of a part of a recording; undefined when the part was processed meanwhile. */
async function readMarker(bucket: R2Bucket, key: string): Promise<unknown> {
  const marker = await bucket.get(key)
  return marker ? marker.json() : undefined
}

async function sweepStore(
  bucket: R2Bucket,
  { name, prefix, send }: Store,
  { now, queuesSince }: { now: number; queuesSince: number },
  maxRequests: number
): Promise<{ sent: number; isDone: boolean }> {
  const note = `sweeps/${name}.json`
  const { after: start, ...window } = continueSweep(
    await readProgress(bucket, note),
    now,
    queuesSince
  )
  let after = start
  let requests = 0
  let sent = 0
  while (requests < maxRequests) {
    const page = await bucket.list({ prefix, ...(after && { startAfter: after }) })
    const due = page.objects
      .filter(({ uploaded }) => isDue(uploaded.getTime(), window, queuesSince))
      .map(({ key }) => key)
    for (let at = 0; at < due.length; at += MESSAGES_AT_ONCE) {
      requests += await send(due.slice(at, at + MESSAGES_AT_ONCE))
    }
    sent += due.length
    requests += 2
    after = page.truncated ? (page.objects.at(-1)?.key ?? after) : null
    // Noted after each page, so that a sweep that is cut off sends at most one page twice.
    await bucket.put(note, JSON.stringify({ ...window, after } satisfies Progress))
    if (after === null) {
      return { sent, isDone: true }
    }
  }
  return { sent, isDone: false }
}

async function readProgress(bucket: R2Bucket, note: string): Promise<Progress | undefined> {
  const stored = await bucket.get(note)
  return stored ? Progress.safeParse(await stored.json()).data : undefined
}

/**
 * Continues a sweep that is under way, or begins where the last one ended; a restart of the queues begins a new one at
 * once. A sweep of the future dates from before the clock was set back, and is ignored.
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
