import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MINUTE } from '../../../src/calendar/units.ts'
import { listDeadLetters } from '../../../src/dead-letters/store.ts'
import { EVERY_15_MINUTES, WEEKLY } from '../../../src/jobs/cron.ts'
import { resendWaiting } from '../../../src/queues/sweep.ts'
import { failingBucket, failingDatabase } from '../../support/bindings.ts'
import { contentsOf } from '../../support/contents.ts'
import { listenToLog } from '../../support/log.ts'
import { invoke } from '../../support/platform.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { objectsOf, snapshotEvent } from '../../support/recordings.ts'
import { forgetSweeps, type HeldQueues, holdQueues, waitingOf } from '../../support/waiting.ts'
import worker from '../../support/worker.ts'

beforeEach(async () => {
  listenToLog()
  await forgetSweeps()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

/** Fires the cron of every 15 minutes, this many minutes from now. */
async function sweep(queues: HeldQueues, minutes: number, more: Partial<Env> = {}) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * MINUTE })
  const controller = createScheduledController({
    cron: EVERY_15_MINUTES,
    scheduledTime: new Date()
  })
  await worker.scheduled(controller, { ...env, ...queues.bindings, ...more })
  vi.useRealTimers()
}

/** Runs one invocation of the sweep, `ms` from now. `maxRequests` limits its requests per store. */
const resend = (
  { bindings }: HeldQueues,
  ms: number,
  { queuesSince = 0, maxRequests = 4_000 } = {}
) =>
  invoke({ ...env, ...bindings }, (limited) =>
    resendWaiting(limited, Date.now() + ms, queuesSince, maxRequests)
  )

const ALL = { SPILL: 'all' }
const filler = 'x'.repeat(200_000)

const batchOf = ({ token }: TestProject, properties = {}, count = 3) => ({
  api_key: token,
  batch: Array.from({ length: count }, (_, n) => ({
    uuid: crypto.randomUUID(),
    event: 'seen',
    distinct_id: `person ${n}`,
    properties
  }))
})

const countEvents = async (project: TestProject) => (await contentsOf(project.id)).events.length

const recordingsOf = async (project: TestProject) =>
  (await project.call('GET', 'session_recordings/')).body.results

/** Returns the markers that held messages of this project name. */
const markersOf = ({ id }: TestProject, { recorded }: HeldQueues): string[] =>
  recorded
    .flatMap((body) => ('marker' in body ? body.marker : []))
    .filter((marker) => marker.startsWith(`queued/${id}/`))

/** Returns the held messages of this project. */
const sentOf = ({ id }: TestProject, { captured }: HeldQueues) =>
  captured.filter((body) => 'spill' in body && body.spill.startsWith(`capture/${id}/`))

describe('a captured request', () => {
  it.each<[string, object, Partial<Env>]>([
    ['that is too large for a message', { filler }, {}],
    ['of any size, when every request is to go through the bucket', {}, ALL]
  ])('%s is sent again when its message is lost', async (_, properties, more) => {
    const project = await newProject()
    const queues = holdQueues()
    const { status } = await queues.post('/batch/', batchOf(project, properties), more)
    expect([status, (await waitingOf(project)).length]).toEqual([200, 1])
    queues.lose()

    await sweep(queues, 14)
    expect(sentOf(project, queues)).toEqual([])
    await sweep(queues, 16)
    expect(sentOf(project, queues)).toEqual([{ spill: (await waitingOf(project))[0] }])
    await queues.consume()

    expect(await countEvents(project)).toBe(3)
    expect(await waitingOf(project)).toEqual([])
  })

  it('is sent again once by a restart after the clock was set back', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/batch/', batchOf(project), ALL)
    queues.lose()
    await resend(queues, 0)
    const monthAgo = -30 * 24 * 60 * MINUTE
    const queuesSince = Date.now() + monthAgo

    await resend(queues, monthAgo + 1_000, { queuesSince })
    expect(sentOf(project, queues)).toEqual([{ spill: (await waitingOf(project))[0] }])
    await resend(queues, monthAgo + 2_000, { queuesSince })
    expect(sentOf(project, queues)).toHaveLength(1)
    await queues.consume()

    expect(await countEvents(project)).toBe(3)
  })

  it('costs one put if every request goes through the bucket, and otherwise none', async () => {
    const project = await newProject()
    const queues = holdQueues()
    const put = vi.spyOn(env.BUCKET, 'put')

    await queues.post('/batch/', batchOf(project))
    expect(put).not.toHaveBeenCalled()
    expect(queues.captured).toMatchObject([{ project_id: project.id }])

    await queues.post('/batch/', batchOf(project), ALL)
    expect(put).toHaveBeenCalledTimes(1)
    expect(queues.captured[1]).toEqual({ spill: put.mock.calls[0]?.[0] })
    await queues.consume()
    expect(await countEvents(project)).toBe(6)
  })

  it('is refused when the bucket accepts nothing', async () => {
    const project = await newProject()
    const queues = holdQueues()

    const { status } = await queues.post('/batch/', batchOf(project), {
      ...ALL,
      BUCKET: failingBucket()
    })

    expect([status, queues.captured]).toEqual([503, []])
  })

  it('is stored once even if its own message and the sweep’s both arrive', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/batch/', batchOf(project), ALL)
    await resend(queues, 20 * MINUTE)
    expect(sentOf(project, queues)).toHaveLength(2)

    const { explicitAcks } = await queues.consume()

    expect(explicitAcks.length).toBeGreaterThanOrEqual(2)
    expect(await countEvents(project)).toBe(3)
  })

  it('is stored once even if its object could not be deleted', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/batch/', batchOf(project), ALL)
    vi.spyOn(env.BUCKET, 'delete').mockRejectedValueOnce(new Error('delete: (10001)'))
    await queues.consume()
    expect(await waitingOf(project)).toHaveLength(1)

    await resend(queues, 20 * MINUTE)
    await queues.consume()

    expect(await waitingOf(project)).toEqual([])
    expect(await countEvents(project)).toBe(3)
  })

  it('is not deleted, however long it waits', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/batch/', batchOf(project), ALL)
    const scheduledTime = new Date(Date.now() + 60 * 24 * 60 * MINUTE)
    await worker.scheduled(createScheduledController({ cron: WEEKLY, scheduledTime }), {
      ...env,
      ...queues.bindings
    })

    expect(await waitingOf(project)).toHaveLength(1)
  })
})

describe('a part of a recording', () => {
  it('has a marker until it is stored', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/s/', [snapshotEvent(project)])
    expect(await waitingOf(project)).toEqual([
      expect.stringMatching(/^queued\/\d+\/[\dT:.-]+Z\/session\/[0-9a-f-]{36}\.json$/)
    ])

    await queues.record()

    expect(await waitingOf(project)).toEqual([])
    expect(await recordingsOf(project)).toMatchObject([{ click_count: 1 }])
  })

  it('is sent again when its message is lost, and counted once', async () => {
    const project = await newProject()
    const queues = holdQueues()
    const events = [snapshotEvent(project), snapshotEvent(project, { session: 'other' })]
    await queues.post('/s/', events)
    const late = queues.recorded.slice()
    queues.lose()

    await sweep(queues, 14)
    expect(markersOf(project, queues)).toEqual([])
    await sweep(queues, 16)
    expect(markersOf(project, queues).sort()).toEqual((await waitingOf(project)).sort())
    await queues.record()
    queues.recorded.push(...late)
    await queues.record()

    expect(await waitingOf(project)).toEqual([])
    expect(await recordingsOf(project)).toMatchObject([{ click_count: 1 }, { click_count: 1 }])
  })

  it.each(['before its snapshots', 'before its message'])(
    'is stored completely or not at all when its request is interrupted %s',
    async (cut) => {
      const project = await newProject()
      const queues = holdQueues()
      const more =
        cut === 'before its message'
          ? { RECORDING_QUEUE: { sendBatch: () => Promise.reject(new Error('cut off')) } }
          : { BUCKET: failingBucket(2) }
      const { status } = await queues.post(
        '/s/',
        [snapshotEvent(project)],
        more as unknown as Partial<Env>
      )
      expect([status, (await waitingOf(project)).length]).toEqual([503, 1])

      await resend(queues, 20 * MINUTE)
      await queues.record()

      expect(await waitingOf(project)).toEqual([])
      expect(await recordingsOf(project)).toHaveLength(cut === 'before its message' ? 1 : 0)
      expect(await objectsOf(project, 'session')).toHaveLength(cut === 'before its message' ? 1 : 0)
    }
  )

  it('keeps its marker while it cannot be stored', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/s/', [snapshotEvent(project)])
    const DB = failingDatabase('D1_ERROR: Network connection lost.')

    await queues.record({ DB })

    expect(await waitingOf(project)).toHaveLength(1)
  })

  it('loses its marker when it is refused', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/s/', [snapshotEvent(project, { session: 'gone' })])
    await queues.record()
    await project.send('DELETE', 'session_recordings/gone', undefined, queues.bindings)
    await queues.post('/s/', [snapshotEvent(project, { session: 'gone' })])

    await queues.record()

    expect(await waitingOf(project)).toEqual([])
  })
})

describe('a dead letter', () => {
  const parkedOf = async ({ id }: TestProject) =>
    (await listDeadLetters(db)).filter(({ projectId }) => projectId === id)
  const failing = () => failingDatabase('D1_ERROR: Network connection lost.')

  it.each(['captured request', 'part of a recording'])(
    'of a %s is sent again when it is lost before it is parked',
    async (kind) => {
      const project = await newProject()
      const queues = holdQueues()
      const deliver = kind === 'captured request' ? queues.consume : queues.record
      if (kind === 'captured request') {
        await queues.post('/batch/', batchOf(project), ALL)
      } else {
        await queues.post('/s/', [snapshotEvent(project)])
      }
      await deliver({ DB: failing() }, 12)
      expect(queues.dead).toHaveLength(1)
      queues.lose()
      expect(await waitingOf(project)).toHaveLength(1)

      await resend(queues, 20 * MINUTE)
      await deliver({ DB: failing() }, 12)
      await queues.park()

      expect(await parkedOf(project)).toHaveLength(1)
      expect(await waitingOf(project)).toEqual([])
    }
  )

  it.each(['captured request', 'part of a recording'])(
    'of a %s is parked once even if its parking was interrupted and its message lost',
    async (kind) => {
      const project = await newProject()
      const queues = holdQueues()
      const deliver = kind === 'captured request' ? queues.consume : queues.record
      const distinct_id = crypto.randomUUID()
      const post = () =>
        kind === 'captured request'
          ? queues.post('/e/', { api_key: project.token, event: 'seen', distinct_id }, ALL)
          : queues.post('/s/', [snapshotEvent(project, { distinct_id })])
      await post()
      await deliver({ DB: failing() }, 12)
      await queues.park({ DB: failing() })
      queues.lose()

      await resend(queues, 20 * MINUTE)
      await deliver({ DB: failing() }, 12)
      await queues.park()

      const { objects } = await env.BUCKET.list({ prefix: 'dead/' })
      const texts = await Promise.all(
        objects.map(async ({ key }) => (await env.BUCKET.get(key))?.text())
      )
      expect(texts.filter((text) => text?.includes(distinct_id))).toHaveLength(1)
      expect(await parkedOf(project)).toHaveLength(1)
    }
  )

  it.each([
    { outcome: 'parked', letters: 1, events: 0 },
    { outcome: 'stored', letters: 0, events: 3 }
  ])(
    'of a request that has been $outcome in the meantime is not parked without its events',
    async ({ outcome, letters, events }) => {
      const project = await newProject()
      const queues = holdQueues()
      await queues.post('/batch/', batchOf(project), ALL)
      await resend(queues, 20 * MINUTE)
      const [message] = sentOf(project, queues)
      await queues.consume({ DB: failing() }, 12)
      const own = queues.dead.filter(({ dead }) => JSON.stringify(dead).includes(`/${project.id}/`))
      expect(own).toHaveLength(2)
      if (message && outcome === 'stored') {
        queues.captured.push(message)
        await queues.consume()
      }

      const { explicitAcks } = await queues.park()

      expect(explicitAcks.length).toBeGreaterThanOrEqual(2)
      expect(await countEvents(project)).toBe(events)
      expect(await parkedOf(project)).toHaveLength(letters)
      const nameless = (await listDeadLetters(db)).filter(({ projectId }) => projectId === null)
      for (const { object } of nameless) {
        expect(await (await env.BUCKET.get(object))?.text()).not.toContain(`capture/${project.id}/`)
      }
    }
  )
})

describe('the sweep', () => {
  it('sends seven messages in a day for an object that its queue does not process', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/batch/', batchOf(project), ALL)
    queues.lose()
    for (let minutes = 1; minutes < 24 * 60; minutes += 15) {
      await resend(queues, minutes * MINUTE)
    }

    expect(sentOf(project, queues)).toHaveLength(7)
  })

  it.each([1, 4])('continues where its %i requests ended, and misses nothing', async (max) => {
    const project = await newProject()
    const queues = holdQueues()
    const count = 5
    for (let n = 0; n < count; n += 1) {
      await queues.post('/batch/', batchOf(project), ALL)
    }
    queues.lose()
    const list = env.BUCKET.list.bind(env.BUCKET)
    const pages = vi
      .spyOn(env.BUCKET, 'list')
      .mockImplementation((options) => list({ ...options, limit: 2 }))

    const notes = vi.spyOn(env.BUCKET, 'put')

    const first = await resend(queues, 20 * MINUTE, { maxRequests: max })
    expect(first.isDone).toBe(false)
    expect(notes.mock.calls.map(([key]) => key).sort()).toEqual([
      'sweeps/capture.json',
      'sweeps/queued.json'
    ])
    for (let isDone = false; !isDone; ) {
      isDone = (await resend(queues, 21 * MINUTE, { maxRequests: max })).isDone
    }
    pages.mockRestore()

    const keys = sentOf(project, queues).map((body) => ('spill' in body ? body.spill : ''))
    expect(keys.sort()).toEqual((await waitingOf(project)).sort())
    await queues.consume()
    expect(await countEvents(project)).toBe(3 * count)
  })

  it.each<['put' | 'list' | 'queue', string]>([
    ['list', 'before it has looked'],
    ['queue', 'before it has sent'],
    ['put', 'after it has sent']
  ])('that is interrupted (%s: %s) is completed by the next sweep', async (call) => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/batch/', batchOf(project), ALL)
    await queues.post('/s/', [snapshotEvent(project)])
    queues.lose()
    const cut = { ...queues.bindings }
    if (call === 'queue') {
      const sendBatch = () => Promise.reject(new Error('cut off'))
      cut.CAPTURE_QUEUE = { sendBatch } as unknown as Queue
    } else {
      vi.spyOn(env.BUCKET, call).mockRejectedValueOnce(new Error('cut off'))
    }

    await sweep(queues, 16, cut)
    await sweep(queues, 17)
    await queues.consume()
    await queues.record()

    expect(await countEvents(project)).toBe(3)
    expect(await waitingOf(project)).toEqual([])
  })

  it('resends everything beside an object and notes that cannot be read', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/s/', [snapshotEvent(project)])
    const [marker = ''] = await waitingOf(project)
    const damaged = marker.replace('session/', 'damaged/')
    await env.BUCKET.put(damaged, 'damaged')
    for (const note of ['sweeps/capture.json', 'sweeps/queued.json']) {
      await env.BUCKET.put(note, 'damaged')
    }
    queues.lose()

    await sweep(queues, 16)

    expect(markersOf(project, queues).sort()).toEqual([damaged, marker])
    await queues.record()
    await queues.park()
    expect(await recordingsOf(project)).toMatchObject([{ click_count: 1 }])
    expect(await waitingOf(project)).toEqual([])
  })

  it('resends recordings even if the queue of captured requests accepts nothing', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await queues.post('/batch/', batchOf(project), ALL)
    await queues.post('/s/', [snapshotEvent(project)])
    queues.lose()
    const sendBatch = () => Promise.reject(new Error('Queue is overloaded. Please back off.'))

    await sweep(queues, 16, { CAPTURE_QUEUE: { sendBatch } as unknown as Queue })

    expect(markersOf(project, queues)).toEqual([expect.stringMatching(/^queued\//)])
  })

  it('resends once, in the next sweep, everything that waited when the queues lost all messages', async () => {
    const project = await newProject()
    const queues = holdQueues()
    await resend(queues, -MINUTE)
    await queues.post('/batch/', batchOf(project), ALL)
    await queues.post('/s/', [snapshotEvent(project)])
    queues.lose()
    await new Promise((done) => setTimeout(done, 20))
    const restarted = { QUEUES_SINCE: String(Date.now()) }
    await queues.post('/batch/', batchOf(project), ALL)
    await sweep(queues, 0, restarted)
    expect(sentOf(project, queues)).toHaveLength(2)

    await sweep(queues, 1, restarted)
    expect(sentOf(project, queues)).toHaveLength(2)
    await queues.consume()
    await queues.record()

    expect(await countEvents(project)).toBe(6)
    expect(await waitingOf(project)).toEqual([])
  })
})
