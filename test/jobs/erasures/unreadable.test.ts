import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openForUpkeep } from '../../../src/access/open.ts'
import { newUsage } from '../../../src/db/client.ts'
import { listDeadLettersOf } from '../../../src/dead-letters/store.ts'
import { findOpenErasures } from '../../../src/erasures/engine/store.ts'
import { searchWaiting } from '../../../src/erasures/engine/waiting.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { objectOf, RECORDINGS_PREFIX } from '../../../src/recordings/part.ts'
import { deep } from '../../support/depth.ts'
import { holdErasures, tablesWith } from '../../support/erasures.ts'
import { cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { snapshotEvent } from '../../support/recordings.ts'
import { holdQueues, waitingOf } from '../../support/waiting.ts'

beforeEach(() => void listenToLog())

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

/** Creates a project with two persons, each with an event. Their distinct ids occur nowhere else. */
async function newHouse() {
  const project = await newProject()
  const ids = { ada: `ada-${crypto.randomUUID()}`, bob: `bob-${crypto.randomUUID()}` }
  await project.ingest([
    { event: 'seen', distinct_id: ids.ada },
    { event: 'seen', distinct_id: ids.bob }
  ])
  return { project, ...ids }
}

type House = Awaited<ReturnType<typeof newHouse>>

/** Returns the erasures of a test: a queue of their messages, and what the tests do with them. */
function newErasures() {
  const { held, call, deliver, cron } = holdErasures()
  /** Delivers each held message once, without the follow-ups that are delayed until something was processed. */
  const deliverOnce = async () => {
    for (const message of held.splice(0)) {
      await deliver(message)
    }
  }
  return {
    /** Erases a person with everything, and does what the next Sunday does. @returns the task */
    async erase({ project }: House, distinctId: string) {
      await call(project, 'POST', 'persons/bulk_delete', {
        distinct_ids: [distinctId],
        delete_events: true,
        delete_recordings: true
      })
      await deliverOnce()
      await cron(WEEKLY, Date.now() + 1000)
      await deliverOnce()
      return (await call(project, 'GET', 'persons/deletion_status')).body.results[0]
    },
    /** Delivers the held messages and their follow-ups until none is left. @returns the newest task */
    async drain({ project }: House) {
      while (held.length > 0) {
        await deliverOnce()
      }
      return (await call(project, 'GET', 'persons/deletion_status')).body.results[0]
    }
  }
}

/** Lists the objects of the bucket, or those with a prefix, that have this text in their key or content. */
async function objectsWith(text: string, prefix = ''): Promise<string[]> {
  const found = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: R2Objects = await env.BUCKET.list({ prefix, ...(after && { startAfter: after }) })
    for (const { key } of page.objects) {
      const content = await (await env.BUCKET.get(key))?.text()
      if (key.includes(text) || content?.includes(text)) {
        found.push(key)
      }
    }
    after = page.truncated ? page.objects.at(-1)?.key : undefined
  }
  return found
}

const lettersOf = ({ id }: TestProject) => listDeadLettersOf(db, id, '', 100)

/** Lists the keys of a project's snapshots. */
async function snapshotsOf({ id }: TestProject): Promise<string[]> {
  const { objects } = await env.BUCKET.list({ prefix: `${RECORDINGS_PREFIX}${id}/` })
  return objects.map(({ key }) => key)
}

const gzip = (text: string): Promise<ArrayBuffer> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()

const line = (snapshot: unknown) => `${JSON.stringify(['window', snapshot])}\n`

/** Contents of a part that cannot be read. */
const POISON: Record<string, () => Promise<ArrayBuffer | string>> = {
  'not gzip': async () => 'not gzip',
  'an empty object': async () => '',
  'half of the gzip': async () => (await gzip(line({ timestamp: 1 }))).slice(0, 20),
  'not JSON': () => gzip('["window",{"type":3'),
  'no lines': () => gzip(''),
  'a line that is no list': () => gzip('{"timestamp":1}\n'),
  'a snapshot that is no object': () => gzip(line([])),
  'a snapshot without a time': () => gzip(line({ type: 3 })),
  'a time that is no number': () => gzip(line({ type: 3, timestamp: '7' }))
}

/** Sends a part of a person's recording, and replaces its snapshots in the bucket. @returns the key of the snapshots */
async function poison(
  { project }: House,
  distinct_id: string,
  queues: ReturnType<typeof holdQueues>,
  content: ArrayBuffer | string
): Promise<string> {
  const uuid = crypto.randomUUID()
  const key = objectOf(project.id, 'poisoned', uuid)
  const part = snapshotEvent(project, { session: 'poisoned', distinct_id, uuid })
  expect((await queues.post('/s/', [part])).status).toBe(200)
  await env.BUCKET.put(key, content)
  return key
}

describe('a part of a recording that cannot be read', () => {
  it.each(Object.keys(POISON))('becomes a dead letter at its first delivery: %s', async (kind) => {
    const house = await newHouse()
    const queues = holdQueues()
    await poison(house, house.ada, queues, (await POISON[kind]?.()) ?? '')
    const fine = snapshotEvent(house.project, { session: 'fine', distinct_id: house.ada })
    await queues.post('/s/', [fine])

    const { retryMessages } = await queues.record()
    await queues.park()

    expect(retryMessages).toEqual([])
    expect(await lettersOf(house.project)).toMatchObject([{ attempts: 1 }])
    expect(await waitingOf(house.project)).toEqual([])
    expect((await house.project.call('GET', 'session_recordings')).body.count).toBe(1)
  })

  it.each(['waits', 'is a dead letter'])(
    'holds up no erasure while it %s, and does not stay when its person is erased',
    async (state) => {
      const [house, neighbour] = [await newHouse(), await newHouse()]
      const queues = holdQueues()
      const key = await poison(house, house.ada, queues, 'not gzip')
      if (state === 'is a dead letter') {
        await queues.record()
        await queues.park()
      }
      const erasures = newErasures()

      expect(await erasures.erase(neighbour, neighbour.ada)).toMatchObject({ status: 'completed' })
      expect(await erasures.erase(house, house.bob)).toMatchObject({ status: 'completed' })
      await erasures.erase(house, house.ada)
      const task = await erasures.drain(house)

      expect(task).toMatchObject({ status: 'completed', error: null })
      expect(task.receipt.stores).toContainEqual({
        store: state === 'waits' ? 'queued_recording_parts' : 'dead_letters',
        found: 1,
        removed: 1,
        remaining: 0
      })
      expect(await env.BUCKET.head(key)).toBeNull()
      expect(await objectsWith(house.ada)).toEqual([])
      expect(await tablesWith(house.ada)).toEqual([])
      expect(await lettersOf(house.project)).toEqual([])
      await queues.record()
      expect((await house.project.call('GET', 'session_recordings')).body.count).toBe(0)
    }
  )
})

describe('requests and parts of others that wait', () => {
  it('hold up no erasure, and stay', async () => {
    const house = await newHouse()
    const { project } = house
    const queues = holdQueues()
    const batch = [{ event: 'late', distinct_id: house.bob }]
    await queues.post('/batch/', { api_key: project.token, batch }, { SPILL: 'all' })
    await queues.post('/s/', [snapshotEvent(project, { distinct_id: house.bob })])

    const task = await newErasures().erase(house, house.ada)

    expect(task).toMatchObject({ status: 'completed', error: null })
    expect(await waitingOf(project)).toHaveLength(2)
    await queues.consume()
    await queues.record()
    const { body } = await project.call('GET', `events?distinct_id=${house.bob}`)
    expect(body.results).toHaveLength(2)
    expect((await project.call('GET', 'session_recordings')).body.count).toBe(1)
  })

  it('keep their events when those of the erased person are removed from the same request', async () => {
    const house = await newHouse()
    const { project } = house
    const queues = holdQueues()
    const batch = [house.ada, house.bob, house.ada].map((distinct_id) => ({
      event: 'late',
      distinct_id
    }))
    await queues.post('/batch/', { api_key: project.token, batch }, { SPILL: 'all' })
    const erasures = newErasures()
    expect(await erasures.erase(house, house.ada)).toMatchObject({ status: 'running' })
    const task = await erasures.drain(house)

    expect(task).toMatchObject({ status: 'completed', error: null })
    expect(task.receipt.stores).toContainEqual({
      store: 'queued_requests',
      found: 2,
      removed: 2,
      remaining: 0
    })
    expect(await objectsWith(house.ada)).toEqual([])
    await queues.consume()
    expect(await waitingOf(project)).toEqual([])
    expect((await project.call('GET', 'events?event=late')).body.results).toMatchObject([
      { distinct_id: house.bob }
    ])
  })
})

describe('data of the person in a request that waits for too long', () => {
  /** Returns a house with a request of both persons that waits, and the last message of Ada's erasure. */
  async function newDelay() {
    const house = await newHouse()
    const queues = holdQueues()
    const batch = [house.ada, house.bob, house.ada].map((distinct_id) => ({
      event: 'late',
      distinct_id
    }))
    await queues.post('/batch/', { api_key: house.project.token, batch }, { SPILL: 'all' })
    const { call, held, deliver, drain } = holdErasures()
    const body = { distinct_ids: [house.ada] }
    await call(house.project, 'POST', 'persons/bulk_delete', body)
    const [first] = held.splice(0)
    return { house, queues, call, deliver, drain, last: { ...first, waited: 7 } }
  }

  it.each(
    [1, 2, 3, 4, 5, 6].flatMap((at) => (['before', 'after'] as const).map((side) => ({ at, side })))
  )(
    'is removed and counted once if the removal is cut off $side call $at',
    async ({ at, side }) => {
      const { house, queues, call, deliver, drain, last } = await newDelay()
      const { DB, isReached } = cutAt(env.DB, at, side)
      await deliver(last, { DB })
      expect(isReached()).toBe(true)
      await deliver(last)
      await drain()

      const { body } = await call(house.project, 'GET', 'persons/deletion_status')
      expect(body.results).toMatchObject([{ status: 'completed', error: null }])
      expect(body.results[0].receipt.stores).toContainEqual({
        store: 'queued_requests',
        found: 2,
        removed: 2,
        remaining: 0
      })
      expect(await objectsWith(house.ada)).toEqual([])
      await queues.consume()
      expect((await house.project.call('GET', 'events?event=late')).body.results).toHaveLength(1)
    }
  )

  it('waits on if there is more than one invocation can search', async () => {
    const { house, queues } = await newDelay()
    const open = await openForUpkeep(env, house.project.id, newUsage())
    const erasures = await findOpenErasures(db, house.project.id, [
      (await house.project.call('GET', 'persons/deletion_status')).body.results[0].id
    ])
    const search = (maxObjects: number) =>
      open &&
      searchWaiting(open, erasures, {
        env,
        usage: newUsage(),
        clock: () => new Date(),
        removes: true,
        maxObjects
      })

    expect((await search(0))?.waiting.size).toBe(1)
    expect((await search(1))?.waiting.size).toBe(0)
    await queues.consume()
  })
})

/** Puts an object that waits, as if its content had been damaged. @returns its key */
async function putWaiting({ project }: House, prefix: string, text: string): Promise<string> {
  const name = prefix === 'queued/' ? `session/${crypto.randomUUID()}` : crypto.randomUUID()
  const key = `${prefix}${project.id}/${new Date().toISOString()}/${name}.json`
  await env.BUCKET.put(key, text)
  return key
}

describe('a waiting object that cannot be read', () => {
  const damaged = (house: House) => ({
    'text that is not JSON': `{"events":[{"distinct_id":"${house.ada}","event":"se`,
    'JSON of another form': JSON.stringify({ events: { one: [house.ada] } }),
    'JSON within JSON': JSON.stringify({ body: JSON.stringify({ id: house.ada }) })
  })

  it.each(
    ['capture/', 'queued/'].flatMap((prefix) =>
      (['text that is not JSON', 'JSON of another form', 'JSON within JSON'] as const).map(
        (form) => ({ prefix, form })
      )
    )
  )(
    'holds up no erasure, and goes with its person: $form below $prefix',
    async ({ prefix, form }) => {
      const house = await newHouse()
      await putWaiting(house, prefix, damaged(house)[form])
      const erasures = newErasures()

      const bobs = await erasures.erase(house, house.bob)
      expect(bobs).toMatchObject({ status: 'completed', error: null })
      const [letter] = await lettersOf(house.project)
      expect(bobs.receipt.kept.join()).toContain(letter?.object)
      const adas = await erasures.erase(house, house.ada)

      expect(adas).toMatchObject({ status: 'completed', error: null })
      expect(adas.receipt.stores).toContainEqual({
        store: 'dead_letters',
        found: 1,
        removed: 1,
        remaining: 0
      })
      expect(adas.receipt.kept.join()).not.toContain('dead/')
      expect(await objectsWith(house.ada)).toEqual([])
      expect(await tablesWith(house.ada)).toEqual([])
      expect(await lettersOf(house.project)).toEqual([])
    }
  )

  it.each(['capture/', 'queued/'])(
    'becomes a dead letter when its message is delivered: below %s',
    async (prefix) => {
      const house = await newHouse()
      const queues = holdQueues()
      const key = await putWaiting(house, prefix, 'damaged')
      const deliver = prefix === 'capture/' ? queues.consume : queues.record
      queues.captured.push(...(prefix === 'capture/' ? [{ spill: key }] : []))
      queues.recorded.push(...(prefix === 'queued/' ? [{ marker: key }] : []))

      const { retryMessages } = await deliver()
      await queues.park()

      expect(retryMessages).toEqual([])
      expect(await env.BUCKET.head(key)).toBeNull()
      const [letter] = await lettersOf(house.project)
      const parked = await env.BUCKET.get(letter?.object ?? '')
      expect(await parked?.json()).toMatchObject({ attempts: 1, dead: 'damaged', waited_as: key })
    }
  )
})

it('a dead letter whose object cannot be read holds up no erasure, is named, and goes with its person', async () => {
  const house = await newHouse()
  const queues = holdQueues()
  await poison(house, house.ada, queues, 'not gzip')
  await queues.record()
  await queues.park()
  const [letter] = await lettersOf(house.project)
  await env.BUCKET.put(letter?.object ?? '', `{"dead":{"distinct_id":"${house.ada}"`)
  const erasures = newErasures()

  const bobs = await erasures.erase(house, house.bob)
  const adas = await erasures.erase(house, house.ada)

  expect(bobs.receipt.kept.join()).toContain(letter?.object)
  expect(adas).toMatchObject({ status: 'completed', error: null })
  expect(await objectsWith(house.ada)).toEqual([])
})

describe('a deletion of events by filters', () => {
  const removeAll = async (house: House) => {
    const { call, deliver, held, cron } = holdErasures()
    const filters = { events: ['seen'], before: new Date(Date.now() + 1000).toISOString() }
    const ask = (body: object) => call(house.project, 'POST', 'events/delete', body)
    const tried = await ask({ ...filters, dry_run: true })
    expect(tried.body).toMatchObject({ token: expect.any(String) })
    await ask({ ...filters, token: tried.body.token })
    await cron(WEEKLY, Date.now() + 1000)
    for (const message of held.splice(0)) {
      await deliver(message)
    }
    return (await call(house.project, 'GET', 'events/deletions')).body.results[0]
  }

  it('waits neither for a request that cannot be read nor for parts of recordings', async () => {
    const house = await newHouse()
    await putWaiting(house, 'capture/', 'damaged')
    await putWaiting(house, 'queued/', 'damaged')

    expect(await removeAll(house)).toMatchObject({ status: 'completed', error: null })
    expect(await lettersOf(house.project)).toHaveLength(1)
  })
})

/** A damage of an object: its end is cut off, or some bytes are replaced. */
const damage = fc.record({
  at: fc.nat(),
  length: fc.nat(8),
  isCut: fc.boolean(),
  by: fc.constantFrom(0x00, 0x22, 0x2c, 0x5c, 0x7b, 0x80, 0xff)
})
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never

async function damageObject(key: string, { at, length, isCut, by }: Damage): Promise<void> {
  const bytes = new Uint8Array(await ((await env.BUCKET.get(key))?.arrayBuffer() ?? []))
  const from = at % (bytes.length || 1)
  const damaged = isCut ? bytes.slice(0, from) : bytes.fill(by, from, from + length)
  await env.BUCKET.put(key, damaged)
}

it('whatever is damaged is a dead letter after one delivery, holds up no erasure, and goes or is named', async () => {
  const run = async (kind: number, done: Damage, isDelivered: boolean) => {
    const house = await newHouse()
    const { project } = house
    const queues = holdQueues()
    const batch = [{ event: 'late', distinct_id: house.ada }]
    await queues.post('/batch/', { api_key: project.token, batch }, { SPILL: 'all' })
    await queues.post('/s/', [snapshotEvent(project, { distinct_id: house.ada })])
    const objects = [...(await waitingOf(project)), ...(await snapshotsOf(project))]
    await damageObject(objects[kind % objects.length] ?? '', done)
    // As the sweep sends them: the marker may be the damaged object.
    queues.recorded.splice(0)
    queues.recorded.push({ marker: objects[1] ?? '' })
    if (isDelivered) {
      for (const { retryMessages } of [await queues.consume(), await queues.record()]) {
        expect(retryMessages).toEqual([])
      }
      await queues.park()
      expect(await waitingOf(project)).toEqual([])
    }
    const erasures = newErasures()

    expect(await erasures.erase(house, house.bob)).toMatchObject({ status: 'completed' })
    await erasures.erase(house, house.ada)
    const task = await erasures.drain(house)

    expect(task).toMatchObject({ status: 'completed', error: null })
    for (const prefix of ['capture/', 'queued/', 'dead/']) {
      expect(await objectsWith(house.ada, prefix)).toEqual([])
    }
    const named = task.receipt.kept.join()
    for (const { object } of await lettersOf(project)) {
      expect(named).toContain(object)
    }
  }
  await fc.assert(fc.asyncProperty(fc.nat(2), damage, fc.boolean(), run), deep(60))
})
