import { describe, expect, it } from 'vitest'
import { newProject } from '../../support/project.ts'

const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null }
const RANGE = { date_from: '2025-06-01', date_to: '2025-06-02' }
const VIEWS = { events: [{ id: '$pageview' }], ...RANGE }

describe('an insight', () => {
  it('is stored as it was sent', async () => {
    const project = await newProject()
    const sent = {
      name: 'Views',
      description: 'All',
      filters: VIEWS,
      tags: ['web'],
      favorited: true,
      saved: true,
      order: 3
    }

    const created = await project.send('POST', 'insights/', sent)
    const found = await project.send('GET', `insights/${created.body.id}/`)

    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      ...sent,
      query: null,
      derived_name: null,
      deleted: false,
      dashboards: [],
      dashboard_tiles: [],
      created_by: { email: project.user.email },
      result: null,
      last_refresh: null
    })
    expect([found.status, found.body]).toEqual([200, created.body])
  })

  it('returns its result only with `refresh`', async () => {
    const project = await newProject()
    await project.ingest([{ timestamp: Date.parse('2025-06-02T10:00:00Z') }])
    const query = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      dateRange: RANGE
    }
    const { body } = await project.send('POST', 'insights/', { query })
    const empty = await project.send('POST', 'insights/', { name: 'Nothing yet' })

    const { status, body: fresh } = await project.send('GET', `insights/${body.id}/?refresh=true`)

    expect((await project.send('GET', `insights/${body.id}/`)).body.result).toBeNull()
    expect((await project.send('GET', `insights/${body.id}/?refresh=false`)).body.result).toBeNull()
    expect(status).toBe(200)
    expect(fresh.result.map(({ data }: { data: number[] }) => data)).toEqual([[0, 1]])
    expect([fresh.is_cached, typeof fresh.last_refresh]).toEqual([false, 'string'])
    expect(
      (await project.send('GET', `insights/${empty.body.id}/?refresh=true`)).body.result
    ).toEqual([])
  })

  it('changes only the given fields', async () => {
    const project = await newProject()
    const { body } = await project.send('POST', 'insights/', { name: 'Views', filters: VIEWS })

    const changed = await project.send('PATCH', `insights/${body.id}/`, {
      name: null,
      saved: true,
      id: body.id,
      unknown: 1
    })

    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      ...body,
      name: null,
      saved: true,
      last_modified_at: changed.body.last_modified_at
    })
  })

  it('can be sent back as it is after its filters were replaced by a query', async () => {
    const project = await newProject()
    const { body } = await project.send('POST', 'insights/', { filters: VIEWS })
    const path = `insights/${body.id}/`
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] }
    await project.send('PATCH', path, { query })

    const shown = (await project.send('GET', path)).body
    const back = await project.send('PATCH', path, { ...shown, name: 'Views' })

    expect([back.status, back.body.name, back.body.query]).toEqual([200, 'Views', shown.query])
  })

  it('without any name or description is found by an empty search', async () => {
    const project = await newProject()
    await project.send('POST', 'insights/', {})

    expect((await project.send('GET', 'insights/?search=')).body.count).toBe(1)
    expect((await project.send('GET', 'insights/?search=x')).body.count).toBe(0)
  })

  it.each(['DELETE', 'PATCH'])('is deleted by %s, and can be restored', async (method) => {
    const project = await newProject()
    const { body } = await project.send('POST', 'insights/', { name: 'Views' })
    const path = `insights/${body.id}/`

    const deleted = await project.send(
      method,
      path,
      method === 'PATCH' ? { deleted: true } : undefined
    )

    expect(deleted.status).toBe(method === 'PATCH' ? 200 : 204)
    expect((await project.send('GET', path)).status).toBe(404)
    expect((await project.send('DELETE', path)).status).toBe(404)
    expect((await project.send('GET', 'insights/')).body).toMatchObject({ count: 0, results: [] })
    expect((await project.send('PATCH', path, { deleted: false })).status).toBe(200)
    expect((await project.send('GET', path)).status).toBe(200)
  })

  it('is listed in pages, newest first', async () => {
    const project = await newProject()
    for (const name of ['a', 'b', 'c']) {
      await project.send('POST', 'insights/', { name })
    }

    const first = await project.send('GET', 'insights/?limit=2')
    const second = await project.send('GET', `insights/${new URL(first.body.next).search}`)

    const names = (answer: typeof first) =>
      answer.body.results.map(({ name }: { name: string }) => name)
    expect([first.body.count, names(first), names(second), second.body.next]).toEqual([
      3,
      ['c', 'b'],
      ['a'],
      null
    ])
  })

  it('is found by its short id, by part of its name or description, and by its flags', async () => {
    const project = await newProject()
    const { body: views } = await project.send('POST', 'insights/', {
      name: 'Page Views',
      saved: true
    })
    await project.send('POST', 'insights/', { derived_name: 'All 100 % views', favorited: true })
    await project.send('POST', 'insights/', { name: 'Users', description: 'Who views' })
    await (await newProject()).send('POST', 'insights/', { name: 'views', saved: true })
    const found = async (query: string) => {
      const { body } = await project.send('GET', `insights/?${query}`)
      return [body.count, ...body.results.map((one: typeof views) => one.name ?? one.derived_name)]
    }

    expect(await found(`short_id=${views.short_id}`)).toEqual([1, 'Page Views'])
    expect(await found('short_id=none')).toEqual([0])
    expect(await found('search=VIEWS')).toEqual([3, 'Users', 'All 100 % views', 'Page Views'])
    expect(await found('search=%25')).toEqual([1, 'All 100 % views'])
    expect(await found('saved=true')).toEqual([1, 'Page Views'])
    expect(await found('saved=false&favorited=true')).toEqual([1, 'All 100 % views'])
    const refused = await project.send('GET', 'insights/?saved=maybe')
    expect([refused.status, refused.body.attr]).toEqual([400, 'saved'])
  })

  it.each([
    [{ query: { kind: 'PathsQuery' } }, 'invalid_input', 'query__kind'],
    [
      { filters: { events: [{ id: 'a', math: 'no' }] } },
      'invalid_input',
      'filters__events__0__math'
    ],
    [{ saved: 1 }, 'invalid_input', 'saved'],
    [{ dashboards: [999_999_999] }, 'does_not_exist', 'dashboards__0']
  ])('is refused when it is invalid: %j', async (body, code, attr) => {
    const project = await newProject()

    const answer = await project.send('POST', 'insights/', body)

    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, code, attr])
  })

  it.each(['abc', '0', '1.5', '99999999999999999999'])(
    'is not found by an invalid id: %s',
    async (id) => {
      const { status, body } = await (await newProject()).send('GET', `insights/${id}/`)

      expect([status, body]).toEqual([404, NOT_FOUND])
    }
  )
})
