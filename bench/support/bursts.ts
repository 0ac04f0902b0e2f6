import type { Batch } from './batches.ts'
import { sendOk } from './client.ts'
import type { Runtime } from './runtime.ts'
import { waitUntil } from './waiting.ts'

/** Concurrent senders. Each sends its next batch as soon as its last one is answered. */
export const SENDERS = 8
/** The project id under which the bare route (`bench/bare/worker.ts`) stores events; the service has no such project. */
export const BARE_PROJECT = 1_000_000

/** Sends batches to the bare route, which answers once it has stored one. @returns seconds until the last answer */
export async function fillBare(runtime: Runtime, batches: Batch[]): Promise<number> {
  const before = await countEvents(runtime, BARE_PROJECT)
  const started = performance.now()
  await sendAll(new URL(`/${BARE_PROJECT}/batch`, runtime.bare), batches)
  const ms = performance.now() - started
  await expectEvents(runtime, BARE_PROJECT, before, batches)
  return ms / 1000
}

/** Sends batches from several senders. */
export async function sendAll(url: URL, batches: Batch[]): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'user-agent': 'posthog-node/5.70.0'
  }
  // All senders draw from this one iterator, so each batch is sent once.
  const waiting = batches.values()
  const sendRemaining = async () => {
    for (const { gzip } of waiting) {
      await sendOk(
        url,
        { method: 'POST', headers: { ...headers, 'content-length': gzip.byteLength } },
        gzip
      )
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sendRemaining))
}

/**
 * Waits until the log says that all events are stored. Asking the service instead would slow it down.
 * @param logged number of lines in the log before the batches were sent
 */
export async function untilStored(
  { lines }: Pick<Runtime, 'lines'>,
  logged: number,
  batches: Batch[]
): Promise<void> {
  const sent = batches.reduce((sum, { events }) => sum + events, 0)
  const isStored = () => lines.slice(logged).reduce((sum, { stored }) => sum + stored, 0) >= sent
  await waitUntil('all events are stored', isStored, { everyMs: 5 })
}

/** Counts the stored events of a project. */
export async function countEvents({ db }: Runtime, projectId: number): Promise<number> {
  const count = db.prepare('select count(*) as count from events where project_id = ?')
  return (await count.bind(projectId).first<number>('count')) ?? 0
}

/** @throws unless the project has as many more events than `before` as the batches have */
export async function expectEvents(
  runtime: Runtime,
  projectId: number,
  before: number,
  batches: Batch[]
): Promise<void> {
  const sent = batches.reduce((sum, { events }) => sum + events, 0)
  const stored = (await countEvents(runtime, projectId)) - before
  if (stored !== sent) {
    throw new Error(`${stored} events were stored instead of ${sent}.`)
  }
}
