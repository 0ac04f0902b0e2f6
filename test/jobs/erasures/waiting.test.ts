import { env } from 'cloudflare:workers'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openForUpkeep } from '../../../src/access/open.ts'
import { MINUTE } from '../../../src/calendar/units.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { purgeDeadLetters } from '../../../src/dead-letters/purge.ts'
import { listDeadLettersOf } from '../../../src/dead-letters/store.ts'
import { continueMessage } from '../../../src/erasures/engine/consumer.ts'
import type { ErasureMessage } from '../../../src/erasures/engine/message.ts'
import { EVERY_15_MINUTES, WEEKLY } from '../../../src/jobs/cron.ts'
import { MAX_QUERIES } from '../../../src/queues/invocation.ts'
import { objectOf } from '../../../src/recordings/part.ts'
import { failingDatabase } from '../../support/bindings.ts'
import { CALL_STEP } from '../../support/depth.ts'
import { countRows } from '../../support/erasures.ts'
import { cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { invoke } from '../../support/platform.ts'
import { db } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { objectsOf, snapshotEvent } from '../../support/recordings.ts'
import { newTown, status, type Town } from '../../support/town.ts'
import { forgetSweeps, holdQueues, waitingOf } from '../../support/waiting.ts'

/** Lets every captured request wait in the bucket, whatever its size. */
const ALL = { SPILL: 'all' }

beforeEach(async () => {
  listenToLog()
  await forgetSweeps()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

/**
 * Creates a project with Ada (22 events) and Bob. Further captured events go through queues that
 * the test holds.
 */
async function newStreet() {
  const town = await newTown()
  const queues = holdQueues()
  return {
    ...town,
    queues,
    capture: (distinct_id: string, count: number) =>
      queues.post(
        '/batch/',
        {
          api_key: town.project.token,
          batch: Array.from({ length: count }, () => ({ event: 'late', distinct_id }))
        },
        ALL
      ),
    erase: (query: string) => town.call(town.project, 'DELETE', `persons/${town.ada.id}?${query}`)
  }
}

const taskOf = async (town: Town) => (await status(town)).results[0]

/** Delivers the held messages of the erasure queue one by one, without their follow-ups. */
const deliverOnce = async (town: Town) => {
  for (const message of town.held.splice(0)) {
    await town.deliver(message)
  }
}

/** Delivers the held messages of the erasure queue to invocations that are spent at once, so that further messages continue the work. */
const deliverCut = async (town: Town) => {
  for (const message of town.held.splice(0)) {
    await invoke({ ...env, ERASURE_QUEUE: town.bindings.ERASURE_QUEUE }, (limited) =>
      continueMessage(message, {
        env: limited,
        usage: { ...newUsage(), queries: MAX_QUERIES },
        clock: () => new Date()
      })
    )
  }
}

/** Runs the tasks, as on the next Sunday. */
const run = (town: Town) => town.cron(WEEKLY, Date.now() + 1000)

/** Makes a part of a recording of Ada a dead letter. */
async function parkPart({ project, queues }: Awaited<ReturnType<typeof newStreet>>) {
  const uuid = crypto.randomUUID()
  const part = snapshotEvent(project, { session: 'parked', distinct_id: 'ada', uuid })
  await queues.post('/s/', [part])
  await env.BUCKET.put(objectOf(project.id, 'parked', uuid), 'not gzip')
  await queues.record({}, 12)
  await queues.park()
}

/** Makes a request with three events of Ada a dead letter. */
async function parkEvents({ capture, queues }: Awaited<ReturnType<typeof newStreet>>) {
  await capture('ada', 3)
  await queues.consume({ DB: failingDatabase('D1_ERROR: Network connection lost.') }, 12)
  await queues.park()
}

/** Returns a street whose erasure waits for a request of three events, which has become a dead letter. */
async function newStreetWithDeadLetter() {
  const street = await newStreet()
  await street.capture('ada', 3)
  await street.erase('delete_events=true')
  await run(street)
  await deliverOnce(street)
  const DB = failingDatabase('D1_ERROR: Network connection lost.')
  await street.queues.consume({ DB }, 12)
  await street.queues.park()
  return street
}

describe('an erasure with events', () => {
  it('is not completed while an earlier request waits in the bucket, and then removes its events', async () => {
    const street = await newStreet()
    await street.capture('ada', 3)
    await street.erase('delete_events=true')
    await run(street)
    await deliverOnce(street)

    const [key] = await waitingOf(street.project)
    const acceptedAt = key?.split('/')[2]
    expect(await taskOf(street)).toMatchObject({
      status: 'running',
      receipt: null,
      events: { found: 22, removed: 22 },
      error: `Events or recordings of the person, the oldest accepted at ${acceptedAt}, are not processed yet. The deletion is completed after them.`
    })
    expect(await countRows(street.project.id)).toMatchObject({ events: 10 })

    await street.queues.consume()
    expect(await countRows(street.project.id)).toMatchObject({ events: 13, persons: 1 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * MINUTE })
    await street.cron(EVERY_15_MINUTES, Date.now(), street.queues.bindings)
    await street.drain()

    expect(await countRows(street.project.id)).toMatchObject({ events: 10, persons: 1 })
    const task = await taskOf(street)
    expect(task).toMatchObject({
      status: 'completed',
      events: { found: 25, removed: 25, remaining: 0, dropped: 0 },
      error: null
    })
    expect(task.receipt.stores).toEqual(
      expect.arrayContaining([
        { store: 'events', found: 25, removed: 25, remaining: 0 },
        { store: 'queued_requests', found: 0, removed: 0, remaining: 0 },
        { store: 'queued_recording_parts', found: 0, removed: 0, remaining: 0 }
      ])
    )
    const verify = (receipt: object) =>
      street.call(street.project, 'POST', 'persons/deletion_receipts/verify', receipt)
    expect((await verify(task.receipt)).body.valid).toBe(true)
  })

  it('continues as soon as the request is processed', async () => {
    const street = await newStreet()
    await street.capture('ada', 3)
    await street.erase('delete_events=true')
    await run(street)
    await deliverOnce(street)
    await street.queues.consume()
    await street.drain()

    expect(await taskOf(street)).toMatchObject({
      status: 'completed',
      events: { found: 25, removed: 25 }
    })
  })

  it('does not wait for requests accepted later, nor for another project', async () => {
    const [street, other] = [await newStreet(), await newStreet()]
    await other.capture('ada', 1)
    await street.erase('delete_events=true')
    await new Promise((done) => setTimeout(done, 2))
    await street.capture('ada', 3)
    await run(street)
    await street.drain()

    expect(await taskOf(street)).toMatchObject({ status: 'completed' })
    await street.queues.consume()
    expect(await countRows(street.project.id)).toMatchObject({ events: 13, persons: 2 })
    await other.queues.consume()
  })

  it('does not hold up another erasure of the same weekly run', async () => {
    const street = await newStreet()
    await street.call(street.project, 'POST', 'persons/bulk_delete', {
      distinct_ids: ['bob'],
      delete_events: true
    })
    await new Promise((done) => setTimeout(done, 2))
    await street.capture('ada', 1)
    await street.erase('delete_events=true')
    await run(street)
    await deliverOnce(street)

    expect((await status(street)).results).toMatchObject([
      { status: 'running', person_uuid: street.ada.uuid },
      { status: 'completed' }
    ])
    await street.queues.consume()
  })

  it('removes the events from a request that became a dead letter in the meantime', async () => {
    const street = await newStreetWithDeadLetter()
    await street.drain()

    const task = await taskOf(street)
    expect(task).toMatchObject({ status: 'completed', events: { removed: 22 } })
    expect(task.receipt.stores).toContainEqual({
      store: 'dead_letters',
      found: 3,
      removed: 3,
      remaining: 0
    })
  })

  it.each(
    [1, 2, 3, 4].flatMap((call) => (['before', 'after'] as const).map((side) => ({ call, side })))
  )(
    'counts the events of a dead letter once if its purge is cut off $side call $call',
    async ({ call, side }) => {
      const street = await newStreetWithDeadLetter()
      const { DB, isReached } = cutAt(env.DB, call, side)
      const invocation = { env: { ...env, DB }, usage: newUsage(), clock: () => new Date() }
      const open = await openForUpkeep(env, street.project.id, newUsage())
      const cut = open && { ...open, db: openDb(DB, newUsage()).db }
      await expect(cut && purgeDeadLetters(invocation, cut, '')).rejects.toThrow()
      expect(isReached()).toBe(true)

      await street.drain()

      expect((await taskOf(street)).receipt.stores).toContainEqual({
        store: 'dead_letters',
        found: 3,
        removed: 3,
        remaining: 0
      })
    }
  )

  it('removes the row of a dead letter whose purge was interrupted after it deleted the object', async () => {
    const street = await newStreetWithDeadLetter()
    const [letter] = await listDeadLettersOf(db, street.project.id, '', 2)
    await env.BUCKET.delete(letter?.object ?? '')
    await street.drain()

    expect(await taskOf(street)).toMatchObject({ status: 'completed' })
    expect(letter).toBeDefined()
    expect(await listDeadLettersOf(db, street.project.id, '', 2)).toEqual([])
  })

  it('is completed even if both the request’s message and its own are lost', async () => {
    const street = await newStreet()
    await street.capture('ada', 3)
    await street.erase('delete_events=true')
    await run(street)
    await deliverOnce(street)
    street.held.length = 0
    street.queues.lose()

    for (const minutes of [16, 33]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * MINUTE })
      await street.cron(EVERY_15_MINUTES, Date.now(), street.queues.bindings)
      await street.queues.consume()
      await street.drain()
      vi.useRealTimers()
    }

    expect(await taskOf(street)).toMatchObject({ status: 'completed', events: { removed: 25 } })
  })

  it('checks again after longer and longer delays, and then removes the events from the request that still waits', async () => {
    const street = await newStreet()
    await street.capture('ada', 2)
    await street.erase('delete_events=true')
    await street.drain()
    await run(street)
    const delays: (number | undefined)[] = []
    const messages = street.held.splice(0).filter((one) => one.project_id === street.project.id)
    const ERASURE_QUEUE = {
      send: async (body: ErasureMessage, options?: { delaySeconds: number }) => {
        messages.push(body)
        delays.push(options?.delaySeconds)
      }
    }
    const bindings = { ...env, ERASURE_QUEUE }
    for (let message = messages.shift(); message; message = messages.shift()) {
      await continueMessage(message, {
        env: bindings,
        usage: newUsage(),
        clock: () => new Date()
      })
    }

    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320])
    const task = await taskOf(street)
    expect(task).toMatchObject({ status: 'completed', events: { removed: 22 } })
    expect(task.receipt.stores).toContainEqual({
      store: 'queued_requests',
      found: 2,
      removed: 2,
      remaining: 0
    })
    expect(await waitingOf(street.project)).toEqual([])
    await street.queues.consume()
    expect(await countRows(street.project.id)).toMatchObject({ events: 10, persons: 1 })
  })

  it('is completed even if its first invocation is cut off before or after any call to the database', async () => {
    for (let call = 1; ; call += CALL_STEP) {
      for (const side of ['before', 'after'] as const) {
        const street = await newStreet()
        await street.capture('ada', 3)
        await street.erase('delete_events=true')
        await street.drain()
        await run(street)
        const [message] = street.held.splice(0)
        const { DB, isReached } = cutAt(env.DB, call, side)
        await street.deliver(message, { DB })
        const isLast = !isReached()
        await street.deliver(message)
        await street.queues.consume()
        await street.drain()

        expect(await taskOf(street)).toMatchObject({
          status: 'completed',
          events: { found: 25, removed: 25, dropped: 0 }
        })
        if (isLast) {
          return expect(call).toBeGreaterThan(6)
        }
      }
    }
  })

  it('is resumed at once when the queues of a local service have lost its message', async () => {
    const street = await newStreet()
    await street.erase('delete_events=true')
    await run(street)
    street.held.length = 0
    const at = Date.now() + 1000
    vi.useFakeTimers({ toFake: ['Date'], now: at + 10 })
    await street.cron(EVERY_15_MINUTES, at + 10, {
      ...street.queues.bindings,
      QUEUES_SINCE: String(at)
    })
    await street.drain()

    expect(await taskOf(street)).toMatchObject({ status: 'completed' })
  })
})

describe('an erasure with recordings', () => {
  it('is not completed while a part captured before it waits, and the snapshots of that part do not stay', async () => {
    const street = await newStreet()
    const { project, queues } = street
    await queues.post('/s/', [snapshotEvent(project, { session: 'new', distinct_id: 'ada' })])
    await street.erase('delete_recordings=true')
    await deliverOnce(street)
    expect(await taskOf(street)).toMatchObject({ status: 'queued', receipt: null })

    await queues.record()
    expect(await objectsOf(project, 'new')).toEqual([])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * MINUTE })
    await street.cron(EVERY_15_MINUTES, Date.now(), queues.bindings)
    await street.drain()

    const task = await taskOf(street)
    expect(task).toMatchObject({ status: 'completed', error: null })
    expect(task.receipt.stores).toContainEqual({
      store: 'queued_recording_parts',
      found: 0,
      removed: 0,
      remaining: 0
    })
  })

  it('waits for captured events too, which are dropped', async () => {
    const street = await newStreet()
    await street.capture('ada', 3)
    await street.erase('delete_recordings=true')
    await deliverOnce(street)
    expect(await taskOf(street)).toMatchObject({ status: 'queued', receipt: null })
    await street.queues.consume()
    await street.drain()

    expect(await taskOf(street)).toMatchObject({ status: 'completed', events: { dropped: 3 } })
  })
})

describe('an erasure that is widened, or taken by a run, while an earlier message is queued', () => {
  const widen = (street: Awaited<ReturnType<typeof newStreet>>, body: object) =>
    street.call(street.project, 'POST', 'persons/complete_deletion', {
      ids: [street.ada.uuid],
      ...body
    })

  const expectSearched = async (street: Awaited<ReturnType<typeof newStreet>>, count: number) => {
    const task = await taskOf(street)
    expect(task).toMatchObject({ status: 'completed', error: null })
    expect(task.receipt.stores).toContainEqual({
      store: 'dead_letters',
      found: count,
      removed: count,
      remaining: 0
    })
    expect(await listDeadLettersOf(db, street.project.id, '', 2)).toEqual([])
  }

  it('removes its recordings from dead letters before it is completed', async () => {
    const street = await newStreet()
    await parkPart(street)
    await street.erase('')
    await deliverCut(street)
    await widen(street, { delete_events: false })
    // The first message has no dead letter left to search (`null`), the second begins a new search.
    expect(street.held).toMatchObject([{ letter: null }, { letter: '' }])
    await street.drain()

    await expectSearched(street, 1)
  })

  it('removes its recordings from a dead letter that the message has passed', async () => {
    const street = await newStreet()
    await parkPart(street)
    await street.erase('delete_events=true')
    await run(street)
    await deliverCut(street)
    await widen(street, {})
    const [queued] = street.held.splice(0, 1)
    // The message of a search that has already gone past this dead letter.
    street.held.unshift({ ...queued, letter: '~' } as ErasureMessage)
    await street.drain()

    await expectSearched(street, 1)
  })

  it('removes its events from dead letters before it is completed', async () => {
    const street = await newStreet()
    await parkEvents(street)
    await street.erase('delete_recordings=true')
    await deliverCut(street)
    await widen(street, {})
    await run(street)
    await street.drain()

    await expectSearched(street, 3)
  })

  it('removes its events from dead letters also if it was not widened', async () => {
    const street = await newStreet()
    await parkEvents(street)
    await street.erase('delete_events=true')
    await deliverCut(street)
    await run(street)
    await street.drain()

    await expectSearched(street, 3)
  })
})

it('an erasure that keeps events and recordings waits too, and counts the late events that it drops', async () => {
  const street = await newStreet()
  await street.capture('ada', 3)
  await street.erase('')
  await deliverOnce(street)
  expect(await taskOf(street)).toMatchObject({ status: 'queued', receipt: null })
  await street.queues.consume()
  await street.drain()

  const task = await taskOf(street)
  expect(task).toMatchObject({ status: 'completed', error: null })
  expect(task.receipt.late_events_dropped).toBe(3)
  expect(await countRows(street.project.id)).toMatchObject({ events: 32, persons: 1 })
})
