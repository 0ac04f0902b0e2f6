import { afterEach, describe, expect, it, vi } from 'vitest'
import { removeOldRuns } from '../../../src/query/store.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { newStory, RANGE } from '../../support/trends.ts'

afterEach(() => {
  vi.useRealTimers()
})

const NODE = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: '$pageview', math: 'total' }],
  dateRange: RANGE
}

const PERSONS = { kind: 'ActorsQuery', select: ['person'] }

const NOON = new Date('2026-11-20T12:00:00Z')

const post = (project: TestProject, body: object) => project.send('POST', 'query/', body)

const statusOf = (project: TestProject, id: string) => project.call('GET', `query/${id}/`)

describe('an asynchronous query', () => {
  it.each([
    { refresh: 'async' },
    { refresh: 'lazy_async' },
    { refresh: 'force_async' },
    { refresh: 'async_except_on_cache_miss' },
    { async: true }
  ])('asked with %j is answered at once and again', async (fields) => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    const project = await newStory()

    const { status, body } = await post(project, { query: NODE, ...fields })
    const { query_status, ...answer } = body
    const again = await statusOf(project, query_status.id)

    expect(status).toBe(200)
    expect(answer.results[0].data).toEqual([2, 0, 3])
    expect(query_status).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      query_async: true,
      team_id: project.id,
      insight_id: null,
      dashboard_id: null,
      complete: true,
      error: false,
      error_message: null,
      results: { ...answer, query_status: null },
      start_time: '2026-11-20T12:00:00Z',
      pickup_time: '2026-11-20T12:00:00Z',
      end_time: '2026-11-20T12:00:00Z',
      expiration_time: '2026-11-20T12:10:00Z',
      task_id: null,
      labels: null,
      query_progress: null
    })
    expect([again.status, again.body]).toEqual([200, { query_status }])
  })

  it('is answered again as of the time of the question', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T23:59:59Z') })
    const project = await newProject()
    const query = { ...NODE, dateRange: { date_from: '-1d' } }

    const { body } = await post(project, { query, refresh: 'async' })
    vi.setSystemTime(new Date('2026-11-21T00:05:00Z'))
    const again = await statusOf(project, body.query_status.id)

    expect(again.body.query_status.results.results).toEqual(body.results)
  })

  it('has the id that the client chose, and its own filters', async () => {
    const project = await newStory()
    const filters_override = { date_from: '2025-06-01', date_to: '2025-06-02' }

    await post(project, { query: NODE, async: true, client_query_id: 'mine:1' })
    await post(project, { query: NODE, async: true, client_query_id: 'mine:1', filters_override })
    const { body } = await statusOf(project, 'mine:1')

    expect(body.query_status.results.results[0].data).toEqual([2, 0])
  })

  it('can be asked for during ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    const project = await newProject()
    await post(project, { query: NODE, async: true, client_query_id: 'mine' })

    vi.setSystemTime(NOON.getTime() + 10 * 60_000 - 1)
    const before = await statusOf(project, 'mine')
    vi.setSystemTime(NOON.getTime() + 10 * 60_000)
    const after = await statusOf(project, 'mine')

    expect([before.status, after.status]).toEqual([200, 404])
    expect((await project.call('DELETE', 'query/mine/')).status).toBe(404)
  })

  it('shows nobody whose data was erased since', async () => {
    const project = await newStory()
    await post(project, { query: PERSONS, async: true, client_query_id: 'mine' })
    const { body } = await project.call('GET', 'persons/?distinct_id=ada')

    await project.call('DELETE', `persons/${body.results[0].id}/`)

    const { text } = await statusOf(project, 'mine')
    expect(text).toContain('bob')
    expect(text).not.toContain('ada')
  })

  it('is gone once it is cancelled', async () => {
    const project = await newProject()
    await post(project, { query: NODE, async: true, client_query_id: 'mine' })

    const first = await project.call('DELETE', 'query/mine/?dequeue_only=true')
    const second = await project.call('DELETE', 'query/mine/')

    expect([first.status, second.status]).toEqual([204, 404])
    expect((await statusOf(project, 'mine')).status).toBe(404)
  })

  it('is unknown in another project', async () => {
    const [project, other] = [await newStory(), await newProject()]
    await post(project, { query: NODE, async: true, client_query_id: 'mine' })

    expect((await statusOf(other, 'mine')).status).toBe(404)
    expect((await other.call('DELETE', 'query/mine/')).status).toBe(404)
    expect((await statusOf(project, 'mine')).status).toBe(200)
  })

  it('needs the scopes of its kind to be asked for', async () => {
    const project = await newProject()
    await post(project, { query: PERSONS, async: true, client_query_id: 'mine' })
    const key = await project.newKey(['query:read'])

    const { status, body } = await project.call('GET', 'query/mine/', {
      Authorization: `Bearer ${key}`
    })

    expect([status, body.detail]).toEqual([403, "API key missing required scope 'person:read'"])
  })

  it('is not kept without being asked for', async () => {
    const project = await newProject()

    await post(project, { query: NODE, client_query_id: 'mine' })

    expect((await statusOf(project, 'mine')).status).toBe(404)
  })

  it('is not kept if it is invalid, and refused if it is too long', async () => {
    const project = await newProject()
    const kept = { async: true, client_query_id: 'mine' }
    const series = [
      { kind: 'EventsNode', event: 'a', properties: [{ key: 'a', value: ['x'.repeat(900)] }] }
    ]
    const long = { ...NODE, tags: { text: 'x'.repeat(50_000) } }

    const invalid = await post(project, { query: { ...NODE, interval: 'second' }, ...kept })
    const tooLong = await post(project, { query: long, ...kept })
    const blocking = await post(project, { query: { ...long, series } })

    expect([invalid.status, invalid.body.attr]).toEqual([400, 'query__interval'])
    expect([tooLong.body.code, tooLong.body.attr]).toEqual(['query_too_large', 'refresh'])
    expect(blocking.status).toBe(200)
    expect((await statusOf(project, 'mine')).status).toBe(404)
  })

  it('is removed when it is old', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    const project = await newProject()
    await post(project, { query: NODE, async: true, client_query_id: 'old' })
    vi.setSystemTime(NOON.getTime() + 1)
    await post(project, { query: NODE, async: true, client_query_id: 'new' })

    await removeOldRuns(db, NOON.getTime() + 10 * 60_000)

    expect((await statusOf(project, 'new')).status).toBe(200)
    vi.setSystemTime(NOON)
    expect((await statusOf(project, 'old')).status).toBe(404)
  })
})
