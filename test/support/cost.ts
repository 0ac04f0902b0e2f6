import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { CapturedEvent } from '../../src/capture/event.ts'
import { type CaptureMessage, splitEvents } from '../../src/capture/message.ts'
import { byteLength } from '../../src/input/json.ts'
import { aroundCalls } from './faults.ts'
import { consume, newProject, type TestEvent } from './project.ts'

/** The second database, because few other tests write to it. */
const database = (env as typeof env & { DB_TWO: D1Database }).DB_TWO

const PAGE = 4_096

/** Partly filled pages allowed: one per table and index of a database. */
const BEGUN_PAGES = 60

/** Cost of storing some traffic; `received` is its bytes, `bytes` is the growth of the database. */
export type Cost = {
  received: number
  events: number
  bytes: number
  /** Largest number of bytes bound by one transaction, and by one value. */
  largestBatch: number
  largestValue: number
  /** Messages returned to the queue. */
  requeued: number
  warnings: Map<string, number>
}

/** Returns the bytes that this traffic may store. */
export const allowance = ({ received, events }: Cost): number =>
  20 * received + 1_000 * events + BEGUN_PAGES * PAGE

/**
 * Lets the consumer store a project's requests. Each request is one or more queue messages; messages that the consumer
 * returns to the queue are consumed, too.
 */
export async function storeRequests(
  requests: TestEvent[][],
  project?: Awaited<ReturnType<typeof newProject>>
): Promise<Cost> {
  const { message } = project ?? (await newProject({ database: 'DB_TWO' }))
  const received_at = Date.now()
  const messages = requests.map((events) => message(events, received_at))
  const sent = messages.flatMap(({ events }) => events)
  const { binding, largest } = meterBound()
  await takeFreePages()
  const before = await sizeOf()
  const warnings = await countWarnings(async () => {
    for (const { events, ...request } of messages) {
      for (const part of splitEvents(events)) {
        await consumeAll({ ...request, events: part.events }, binding, largest)
      }
    }
  })
  return {
    received: sent.reduce((sum, event) => sum + bytesOf(event), 0),
    events: sent.length,
    bytes: (await sizeOf()) - before,
    ...largest,
    warnings
  }
}

/** Returns the bytes of an event as a client may send it, without uuid and time. */
const bytesOf = ({ event, distinct_id, properties }: CapturedEvent): number =>
  byteLength(JSON.stringify({ event, distinct_id, properties }))

type Largest = { largestBatch: number; largestValue: number; requeued: number }

/** Consumes a message, then the messages returned to the queue. */
async function consumeAll(message: CaptureMessage, DB_TWO: D1Database, largest: Largest) {
  const waiting: unknown[] = [message]
  const CAPTURE_QUEUE = {
    send: async (body: unknown) => void waiting.push(body),
    sendBatch: async (bodies: { body: unknown }[]) =>
      void waiting.push(...bodies.map(({ body }) => body))
  } as unknown as typeof env.CAPTURE_QUEUE
  const bindings = { CAPTURE_QUEUE, DB_TWO } as Partial<Env>
  for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
    const others = waiting.length
    const { explicitAcks } = await consume([body], 1, bindings)
    if (explicitAcks.length !== 1) {
      throw new Error('The consumer did not acknowledge the message.')
    }
    largest.requeued += waiting.length - others
  }
}

/** Returns the second database, and a record of the most bytes bound at once. */
function meterBound() {
  const largest: Largest = { largestBatch: 0, largestValue: 0, requeued: 0 }
  const binding = aroundCalls(database, (run, _, statements) => {
    const values = statements.flatMap(({ params }) =>
      params.map((value) => (typeof value === 'string' ? byteLength(value) : 8))
    )
    largest.largestValue = Math.max(largest.largestValue, ...values)
    largest.largestBatch = Math.max(
      largest.largestBatch,
      values.reduce((sum, bytes) => sum + bytes, 0)
    )
    return run()
  })
  return { binding, largest }
}

async function countWarnings(work: () => Promise<void>): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const log = vi.spyOn(console, 'warn').mockImplementation((text) => {
    const { message, type, count } = JSON.parse(String(text))
    if (message === 'ingestion warning') {
      counts.set(type, (counts.get(type) ?? 0) + count)
    }
  })
  await work()
  log.mockRestore()
  return counts
}

const sizeOf = async (): Promise<number> =>
  (await database.prepare('select 1').all()).meta.size_after

/** Fills the free space left by earlier tests, so that the database grows with everything stored from now on. */
async function takeFreePages(): Promise<void> {
  await database.prepare('create table if not exists filler (bytes blob)').run()
  const before = await sizeOf()
  while ((await sizeOf()) === before) {
    await database.prepare('insert into filler values (zeroblob(64000))').run()
  }
}
