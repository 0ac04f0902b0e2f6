import { env } from 'cloudflare:workers'
import type { QueuedEvents } from '../../src/capture/message.ts'
import type { DeadMessage } from '../../src/queues/failure.ts'
import { consume, deliverBatch, request, type TestProject } from './project.ts'
import { holdRecordings } from './recordings.ts'

/**
 * Returns queues of captured requests, recordings and dead letters that hold their messages until a
 * test delivers or loses them.
 */
export function holdQueues() {
  const captured: QueuedEvents[] = []
  const dead: DeadMessage[] = []
  const capture = {
    send: async (body: QueuedEvents) => void captured.push(body),
    sendBatch: async (messages: { body: QueuedEvents }[]) =>
      void captured.push(...messages.map(({ body }) => body))
  }
  const recordings = holdRecordings()
  const bindings: Partial<Env> = {
    ...recordings.bindings,
    CAPTURE_QUEUE: capture as unknown as Queue,
    DEAD_QUEUE: { send: async (body: DeadMessage) => void dead.push(body) } as unknown as Queue
  }
  return {
    captured,
    dead,
    recorded: recordings.held,
    bindings,
    /** Loses every message, as a killed process does. */
    lose() {
      captured.length = 0
      recordings.held.length = 0
      dead.length = 0
    },
    /** Delivers the held captured requests as one batch. */
    consume: (more: Partial<Env> = {}, attempts = 1) =>
      consume(captured.splice(0), attempts, { ...bindings, ...more }),
    /** Delivers the held recordings as one batch. */
    record: (more: Partial<Env> = {}, attempts = 1) =>
      recordings.deliver(recordings.held.splice(0), { attempts, more: { ...bindings, ...more } }),
    /** Delivers the held dead letters as one batch. */
    park: (more: Partial<Env> = {}) =>
      deliverBatch('edge-analytics-capture-dead', dead.splice(0), {
        bindings: { ...bindings, ...more }
      }),
    post: (path: string, body: object, more: Partial<Env> = {}) =>
      request('POST', path, {}, JSON.stringify(body), { ...bindings, ...more })
  }
}

export type HeldQueues = ReturnType<typeof holdQueues>

/** Lists the keys of the waiting objects that a project has in the bucket. */
export async function waitingOf({ id }: Pick<TestProject, 'id'>): Promise<string[]> {
  const pages = await Promise.all(
    ['capture/', 'queued/'].map((prefix) => env.BUCKET.list({ prefix: `${prefix}${id}/` }))
  )
  return pages.flatMap(({ objects }) => objects.map(({ key }) => key))
}

/** Makes the next sweep start from the beginning. */
export const forgetSweeps = () => env.BUCKET.delete(['sweeps/capture.json', 'sweeps/queued.json'])
