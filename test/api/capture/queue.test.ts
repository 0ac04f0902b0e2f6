import { env } from 'cloudflare:workers'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { failingBucket, failingQueue } from '../../support/bindings.ts'
import { OK, personsOf, send, sendJson, untilPersons } from '../../support/capture.ts'
import { listenToLog } from '../../support/log.ts'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { until } from '../../support/until.ts'
import { waitingOf } from '../../support/waiting.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

const ISO_TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'

describe('capture through the queue', () => {
  it('creates persons from SDK requests', async () => {
    const project = await newProject()

    const { status } = await sendJson({
      api_key: project.token,
      batch: [
        { event: '$pageview', distinct_id: 'anon' },
        {
          event: '$identify',
          distinct_id: 'ada',
          properties: { $anon_distinct_id: 'anon', $set: { email: 'ada@example.com' } }
        }
      ]
    })
    await untilPersons(project, 1)

    expect(status).toBe(200)
    expect((await personsOf(project, 'distinct_id=anon')).results).toMatchObject([
      { name: 'ada@example.com', distinct_ids: expect.arrayContaining(['anon', 'ada']) }
    ])
  })

  it('stores a request that is sent twice only once', async () => {
    const project = await newProject()
    const body = {
      api_key: project.token,
      batch: [{ uuid: '01a1f000-0000-7000-8000-000000000002', event: 'e', distinct_id: 'ada' }]
    }

    await sendJson(body)
    await sendJson(body)
    await sendJson({ api_key: project.token, event: 'last', distinct_id: 'bob' })
    await untilPersons(project, 2)
    await untilQuiet()

    expect(await countEvents(project)).toBe(2)
  })

  it('keeps malformed text out of the database', async () => {
    const project = await newProject()

    const { status } = await send(
      `{"api_key":"${project.token}","event":"e\\u0000\\ud800","distinct_id":"a\\u0000\\ud800","properties":{"x\\u0000\\ud800":"y\\u0000\\ud800","$set":{"email":"z\\u0000\\ud800","k\\u0000\\ud800":1}}}`
    )
    await untilPersons(project, 1)
    const { results } = await personsOf(project)
    const { text, status: csvStatus } = await project.call('GET', 'persons?format=csv')

    expect(status).toBe(200)
    expect(results[0].distinct_ids).toEqual(['a\ufffd\ufffd'])
    expect(csvStatus).toBe(200)
    expect(text).toContain('a\ufffd\ufffd')
    expect((await personsOf(project, 'distinct_id=a%EF%BF%BD%EF%BF%BD')).count).toBe(1)
  })

  const filler = 'x'.repeat(200_000)
  const spilled = async () =>
    (await env.BUCKET.list({ prefix: 'capture/' })).objects.map(({ key }) => key)

  it('keeps a request that is too large for a message in R2 until it is stored', async () => {
    const project = await newProject()
    const message = vi.spyOn(env.CAPTURE_QUEUE, 'sendBatch')

    const { status, body, events } = await sendJson({
      api_key: project.token,
      batch: [
        {
          event: '$identify',
          distinct_id: 'large',
          properties: { filler, $set: { email: 'large@example.com' } }
        }
      ]
    })
    const [[messages]] = message.mock.calls as [[Iterable<{ body: unknown }>]]
    await untilPersons(project, 1)
    await until(async () => (await spilled()).length === 0)

    expect([status, body, events]).toEqual([200, OK, []])
    expect([...messages]).toEqual([
      {
        body: {
          spill: expect.stringMatching(
            new RegExp(`^capture/${project.id}/${ISO_TIME}/[0-9a-f-]{36}\\.json$`)
          )
        }
      }
    ])
    expect((await personsOf(project, 'email=large@example.com')).count).toBe(1)
  })

  it('accepts an event of nearly 1,000,000 bytes', async () => {
    const project = await newProject()

    const { status, body } = await sendJson({
      api_key: project.token,
      batch: [{ event: 'e', distinct_id: 'ada', properties: { text: '"é'.repeat(249_900) } }]
    })
    await untilPersons(project, 1)

    expect([status, body]).toEqual([200, OK])
    expect(await countEvents(project)).toBe(1)
  })

  it('accepts thousands of events in one request', async () => {
    const project = await newProject()
    const batch = Array.from({ length: 2_500 }, (_, i) => ({
      event: 'e',
      distinct_id: `p${i % 5}`,
      properties: { i }
    }))

    const { status, body } = await sendJson({ api_key: project.token, batch })
    await until(async () => (await countEvents(project)) === 2_500)

    expect([status, body]).toEqual([200, OK])
    expect((await personsOf(project)).count).toBe(5)
  })

  const TRANSIENT = {
    type: 'server_error',
    code: 'unavailable',
    detail: 'transient error, please retry',
    attr: null
  }
  const largeBatch = ({ token }: TestProject, events = 1) =>
    JSON.stringify({
      api_key: token,
      batch: Array.from({ length: events }, (_, i) => ({
        event: 'e',
        distinct_id: `p${i}`,
        properties: { text: 'x'.repeat(600_000) }
      }))
    })

  it('accepts nothing when the queue refuses messages, large or small', async () => {
    listenToLog()
    const project = await newProject()
    const bindings = { CAPTURE_QUEUE: failingQueue() }
    const small = await request(
      'POST',
      '/e/',
      {},
      JSON.stringify({ api_key: project.token, event: 'e', distinct_id: 'a' }),
      bindings
    )
    const large = await request('POST', '/e/', {}, largeBatch(project), bindings)

    expect([small.status, small.body]).toEqual([503, TRANSIENT])
    expect([large.status, large.body]).toEqual([503, TRANSIENT])
    expect([small, large].map(({ headers }) => headers.get('Retry-After'))).toEqual(['5', '5'])
    // The client sends the request again, so nothing may be left for the sweep to send.
    expect(await waitingOf(project)).toEqual([])
  })

  it('accepts nothing when R2 stores only part of a request', async () => {
    listenToLog()
    const project = await newProject()
    const [sent, sentBatch] = [
      vi.spyOn(env.CAPTURE_QUEUE, 'send'),
      vi.spyOn(env.CAPTURE_QUEUE, 'sendBatch')
    ]

    const { status, body, headers } = await request('POST', '/batch/', {}, largeBatch(project, 3), {
      BUCKET: failingBucket(3)
    })

    expect([status, body]).toEqual([503, TRANSIENT])
    expect(headers.get('Retry-After')).toBe('5')
    expect(sent).not.toHaveBeenCalled()
    expect(sentBatch).not.toHaveBeenCalled()
    expect(await waitingOf(project)).toEqual([])
  })
})

async function countEvents(project: TestProject) {
  const row = await env.DB.prepare('select count(*) as count from events where project_id = ?')
    .bind(project.id)
    .first()
  return row?.count
}
