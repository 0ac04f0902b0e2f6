import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../src/json.ts'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)
afterEach(() => void vi.useRealTimers())

const DAILY = {
  target_type: 'email',
  target_value: 'ada@example.com',
  frequency: 'daily',
  start_date: '2026-11-20T09:00:00Z'
}

const create = async (project: TestProject, fields: object = {}) =>
  (await project.send('POST', 'subscriptions/', { ...DAILY, ...fields } as Json)).body

/** Status, code and attr of a refusal. */
const refusal = ({ status, body }: Awaited<ReturnType<typeof request>>) => [
  status,
  body.code,
  body.attr
]

const at = (time: string) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(time) })

describe('a subscription', () => {
  it('is what the interface documents, and by whom', async () => {
    at('2026-11-21T12:00:00Z')
    const project = await newProject()

    const { status, body } = await project.send('POST', 'subscriptions/', DAILY)

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      dashboard: null,
      insight: null,
      ...DAILY,
      interval: 1,
      byweekday: null,
      bysetpos: null,
      count: null,
      start_date: '2026-11-20T09:00:00.000Z',
      until_date: null,
      created_at: '2026-11-21T12:00:00.000Z',
      created_by: {
        id: project.user.id,
        uuid: project.user.uuid,
        distinct_id: project.user.distinctId,
        first_name: 'Ada',
        last_name: '',
        email: project.user.email,
        is_email_verified: null,
        hedgehog_config: null,
        role_at_organization: null
      },
      deleted: false,
      title: null,
      summary: 'sent every day',
      next_delivery_date: '2026-11-22T09:00:00.000Z',
      invite_message: null,
      timezone: 'UTC',
      paused: false,
      paused_reason: null
    })
    const found = await project.call('GET', `subscriptions/${body.id}/`)
    expect([found.status, found.body]).toEqual([200, body])
  })

  it('keeps every field', async () => {
    at('2026-11-21T12:00:00Z')
    const project = await newProject()
    const insight = (await project.send('POST', 'insights/', { name: 'Views' })).body.id
    const dashboard = (await project.send('POST', 'dashboards/', { name: 'Weekly' })).body.id
    const fields = {
      dashboard,
      insight,
      target_type: 'email',
      target_value: 'ada@example.com, bob@example.com',
      frequency: 'monthly',
      interval: 2,
      byweekday: ['friday', 'monday'],
      bysetpos: -1,
      count: 7,
      until_date: '2027-12-31T23:00:00.000Z',
      deleted: false,
      title: 'Weekly numbers',
      invite_message: 'Hello',
      timezone: 'Europe/Berlin'
    }

    const body = await create(project, { ...fields, start_date: '2026-11-01T09:00:00' })

    expect(body).toMatchObject({
      ...fields,
      start_date: '2026-11-01T08:00:00.000Z',
      summary: 'sent every 2 months on the last Monday or Friday',
      next_delivery_date: '2026-11-30T08:00:00.000Z'
    })
  })

  it.each([
    ['2026-12-01T09:00:00+02:00', '2026-12-01T07:00:00.000Z'],
    ['2026-12-01T09:00:00', '2026-12-01T14:00:00.000Z'],
    ['2026-12-01 09:00', '2026-12-01T14:00:00.000Z'],
    ['2026-12-01', '2026-12-01T05:00:00.000Z'],
    ['2026-12-01T09:00:00.123456Z', '2026-12-01T09:00:00.123Z']
  ])('may begin at %s, which without an offset is on its clock', async (start_date, expected) => {
    const body = await create(await newProject(), { start_date, timezone: 'America/New_York' })

    expect(body.start_date).toBe(expected)
  })

  it('has no next delivery when it is deleted from the start or over', async () => {
    const project = await newProject()

    expect(await create(project, { deleted: true })).toMatchObject({
      deleted: true,
      next_delivery_date: null
    })
    expect(await create(project, { count: 1 })).toMatchObject({ next_delivery_date: null })
  })

  it('changes in what is named, and has what follows from it', async () => {
    at('2026-11-21T12:00:00Z')
    const project = await newProject()
    const body = await create(project, { title: 'Old', count: 5 })
    const path = `subscriptions/${body.id}/`

    const titled = await project.send('PATCH', path, {
      title: 'New',
      count: null,
      id: 1,
      unknown: 2
    })
    const weekly = await project.send('PATCH', path, { frequency: 'weekly', byweekday: ['monday'] })

    expect([titled.status, titled.body]).toEqual([200, { ...body, title: 'New', count: null }])
    expect(weekly.body).toEqual({
      ...titled.body,
      frequency: 'weekly',
      byweekday: ['monday'],
      summary: 'sent every week on Monday',
      next_delivery_date: '2026-11-23T09:00:00.000Z'
    })
    expect((await project.send('PATCH', path, weekly.body)).body).toEqual(weekly.body)
  })

  it('stops and goes on', async () => {
    at('2026-11-21T12:00:00Z')
    const project = await newProject()
    const { id, next_delivery_date } = await create(project)
    const patch = async (change: Json) =>
      (await project.send('PATCH', `subscriptions/${id}/`, change)).body

    expect(await patch({ paused: true })).toMatchObject({
      paused_reason: 'Paused by a user.',
      next_delivery_date: null
    })
    expect(await patch({ title: 'x' })).toMatchObject({ paused: true, next_delivery_date: null })
    expect(await patch({ paused: false })).toMatchObject({
      paused_reason: null,
      next_delivery_date
    })
    expect(await patch({ deleted: true })).toMatchObject({ next_delivery_date: null })
    expect(await patch({ deleted: false })).toMatchObject({ next_delivery_date })
  })

  it('is deleted softly', async () => {
    const project = await newProject()
    const { id } = await create(project)

    const deleted = await project.call('DELETE', `subscriptions/${id}/`)

    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await project.call('DELETE', `subscriptions/${id}/`)).status).toBe(404)
    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(0)
    expect((await project.call('GET', 'subscriptions/?deleted=true')).body.results).toMatchObject([
      { id, deleted: true }
    ])
    expect((await project.call('GET', `subscriptions/${id}/`)).body).toMatchObject({
      deleted: true,
      next_delivery_date: null
    })
    expect((await project.send('POST', `subscriptions/${id}/test/`)).status).toBe(404)
  })

  it('loses no change of two at once', async () => {
    const project = await newProject()
    const { id } = await create(project)

    await Promise.all([
      project.send('PATCH', `subscriptions/${id}/`, { title: 'Numbers' }),
      project.send('PATCH', `subscriptions/${id}/`, { interval: 3 }),
      project.send('PATCH', `subscriptions/${id}/`, { invite_message: 'Hello' })
    ])

    expect((await project.call('GET', `subscriptions/${id}/`)).body).toMatchObject({
      title: 'Numbers',
      interval: 3,
      invite_message: 'Hello'
    })
  })

  it.each(['abc', '0', '1.5', '99999999999999999999'])(
    'is not found by what is no id: %s',
    async (id) => {
      expect(refusal(await (await newProject()).call('GET', `subscriptions/${id}/`))).toEqual([
        404,
        'not_found',
        null
      ])
    }
  )

  it('of a webhook tells its secret to whoever makes it one, and then no more', async () => {
    const project = await newProject()
    const hook = await create(project, {
      target_type: 'webhook',
      target_value: 'https://example.com/hook'
    })
    const mail = await create(project)
    const changed = await project.send('PATCH', `subscriptions/${mail.id}/`, {
      target_type: 'webhook',
      target_value: 'https://example.com/hook'
    })

    expect(hook.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(changed.body.webhook_secret).toMatch(/^whsec_/)
    expect(mail).not.toHaveProperty('webhook_secret')
    expect((await project.call('GET', `subscriptions/${hook.id}/`)).body).not.toHaveProperty(
      'webhook_secret'
    )
    expect((await project.call('GET', 'subscriptions/')).text).not.toContain('whsec_')
  })
})

const MANY = Array.from({ length: 51 }, (_, n) => `p${n}@example.com`).join()

describe('what is refused', () => {
  it.each<[object, string, string]>([
    [{ target_type: undefined }, 'required', 'target_type'],
    [{ target_value: undefined }, 'required', 'target_value'],
    [{ frequency: undefined }, 'required', 'frequency'],
    [{ start_date: undefined }, 'required', 'start_date'],
    [{ target_type: 'fax' }, 'invalid_choice', 'target_type'],
    [{ target_type: null }, 'null', 'target_type'],
    [{ target_value: '  ' }, 'blank', 'target_value'],
    [{ target_value: 7 }, 'invalid_input', 'target_value'],
    [{ target_value: ',' }, 'invalid_input', 'target_value'],
    [{ target_value: 'ada@example.com, bob' }, 'invalid_input', 'target_value'],
    [{ target_value: 'Ada <ada@example.com>' }, 'invalid_input', 'target_value'],
    [{ target_value: 'ada@example.com\r\nBcc: eve@example.com' }, 'invalid_input', 'target_value'],
    [{ target_value: MANY }, 'invalid_input', 'target_value'],
    [{ target_type: 'slack', target_value: '#general' }, 'invalid_input', 'target_value'],
    [
      { target_type: 'slack', target_value: 'http://hooks.slack.com/x' },
      'invalid_input',
      'target_value'
    ],
    [
      { target_type: 'webhook', target_value: 'http://example.com/' },
      'invalid_input',
      'target_value'
    ],
    [
      { target_type: 'webhook', target_value: 'https://localhost/' },
      'invalid_input',
      'target_value'
    ],
    [
      { target_type: 'webhook', target_value: 'https://2130706433/' },
      'invalid_input',
      'target_value'
    ],
    [
      { target_type: 'webhook', target_value: 'https://[::ffff:10.0.0.1]/' },
      'invalid_input',
      'target_value'
    ],
    [
      { target_type: 'webhook', target_value: 'https://169.254.169.254/' },
      'invalid_input',
      'target_value'
    ],
    [
      { target_type: 'webhook', target_value: 'https://metadata.internal/' },
      'invalid_input',
      'target_value'
    ],
    [{ target_type: 'webhook', target_value: 'ada@example.com' }, 'invalid_input', 'target_value'],
    [{ frequency: 'hourly' }, 'invalid_choice', 'frequency'],
    [{ interval: 0 }, 'min_value', 'interval'],
    [{ interval: null }, 'null', 'interval'],
    [{ interval: 1.5 }, 'invalid_input', 'interval'],
    [{ interval: '2' }, 'invalid_input', 'interval'],
    [{ interval: 2_147_483_648 }, 'max_value', 'interval'],
    [{ byweekday: 'monday' }, 'invalid_input', 'byweekday'],
    [{ byweekday: ['mo'] }, 'invalid_choice', 'byweekday__0'],
    [{ bysetpos: 1 }, 'invalid_input', 'bysetpos'],
    [{ bysetpos: 0, byweekday: ['monday'] }, 'invalid_input', 'bysetpos'],
    [{ bysetpos: 1, byweekday: [] }, 'invalid_input', 'bysetpos'],
    [{ bysetpos: 2, byweekday: ['monday'] }, 'invalid_input', 'bysetpos'],
    [{ bysetpos: -6, byweekday: ['monday'], frequency: 'monthly' }, 'invalid_input', 'bysetpos'],
    [
      {
        bysetpos: 19,
        byweekday: ['tuesday', 'wednesday', 'saturday', 'sunday'],
        frequency: 'monthly'
      },
      'invalid_input',
      'bysetpos'
    ],
    [{ bysetpos: 367, byweekday: ['monday'], frequency: 'yearly' }, 'max_value', 'bysetpos'],
    [{ bysetpos: -2_147_483_649, byweekday: ['monday'] }, 'min_value', 'bysetpos'],
    [{ count: 0 }, 'min_value', 'count'],
    [{ count: 2_147_483_648 }, 'max_value', 'count'],
    [{ count: 'many' }, 'invalid_input', 'count'],
    [{ start_date: 'tomorrow' }, 'invalid_input', 'start_date'],
    [{ start_date: '2026-02-30T09:00:00Z' }, 'invalid_input', 'start_date'],
    [{ start_date: '1999-12-31T09:00:00Z' }, 'invalid_input', 'start_date'],
    [{ start_date: 1_764_000_000 }, 'invalid_input', 'start_date'],
    [{ until_date: '2026-11-19T09:00:00Z' }, 'invalid_input', 'until_date'],
    [
      { until_date: '2026-11-21T09:00:00Z', frequency: 'weekly', byweekday: ['monday'] },
      'invalid_input',
      'until_date'
    ],
    [{ interval: 7, byweekday: ['monday'] }, 'invalid_input', 'byweekday'],
    [{ deleted: 'no' }, 'invalid_input', 'deleted'],
    [{ title: 'x'.repeat(101) }, 'max_length', 'title'],
    [{ invite_message: 'x'.repeat(10_001) }, 'max_length', 'invite_message'],
    [{ timezone: 'Mars/Olympus' }, 'invalid_input', 'timezone'],
    [{ timezone: null }, 'null', 'timezone'],
    [{ insight: 999_999_999 }, 'does_not_exist', 'insight'],
    [{ insight: -1 }, 'does_not_exist', 'insight'],
    [{ insight: '44' }, 'invalid_input', 'insight'],
    [{ dashboard: 999_999_999 }, 'does_not_exist', 'dashboard']
  ])('%j', async (fields, code, attr) => {
    const project = await newProject()

    expect(
      refusal(await project.send('POST', 'subscriptions/', { ...DAILY, ...fields } as Json))
    ).toEqual([400, code, attr])
    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(0)
  })

  it.each<[object, string]>([
    [{ bysetpos: 1 }, 'bysetpos'],
    [{ until_date: '2026-11-01' }, 'until_date'],
    [{ target_type: 'webhook' }, 'target_value'],
    [{ start_date: '' }, 'start_date'],
    [{ insight: 999_999_999 }, 'insight']
  ])('as a change: %j', async (change, attr) => {
    const project = await newProject()
    const body = await create(project)
    const path = `subscriptions/${body.id}/`

    const { status, body: refused } = await project.send('PATCH', path, change as Json)

    expect([status, refused.attr]).toEqual([400, attr])
    expect((await project.call('GET', path)).body).toEqual(body)
  })

  it("another project's insight and dashboard", async () => {
    const [project, other] = [await newProject(), await newProject()]
    const insight = (await other.send('POST', 'insights/', {})).body.id
    const dashboard = (await other.send('POST', 'dashboards/', {})).body.id

    expect(refusal(await project.send('POST', 'subscriptions/', { ...DAILY, insight }))).toEqual([
      400,
      'does_not_exist',
      'insight'
    ])
    expect(refusal(await project.send('POST', 'subscriptions/', { ...DAILY, dashboard }))).toEqual([
      400,
      'does_not_exist',
      'dashboard'
    ])
  })

  it('a private address, unless the deployment opens it', async () => {
    const project = await newProject()
    const hook = { ...DAILY, target_type: 'webhook', target_value: 'http://127.0.0.1:9000/' }

    expect((await project.send('POST', 'subscriptions/', hook)).status).toBe(400)
    const opened = await project.send('POST', 'subscriptions/', hook, {
      OUTBOUND_ALLOW: '127.0.0.1:9000'
    })
    expect(opened.status).toBe(201)
  })
})

describe('the list', () => {
  const ids = async (project: TestProject, query: string) =>
    (await project.call('GET', `subscriptions/?${query}`)).body.results.map(
      ({ id }: { id: number }) => id
    )

  it('comes in pages, the newest first', async () => {
    const project = await newProject()
    const [a, b, c] = [await create(project), await create(project), await create(project)]

    const first = await project.call('GET', 'subscriptions/?limit=2')
    const second = await project.call('GET', `subscriptions/${new URL(first.body.next).search}`)

    expect([first.body.count, first.body.results, second.body.results]).toEqual([3, [c, b], [a]])
    expect([second.body.next, second.body.previous === null]).toEqual([null, false])
  })

  it('is of one insight, one dashboard, or those that are deleted', async () => {
    const project = await newProject()
    const insight = (await project.send('POST', 'insights/', { name: 'Signups' })).body.id
    const dashboard = (await project.send('POST', 'dashboards/', { name: 'Review' })).body.id
    const ofInsight = (await create(project, { insight })).id
    const ofBoth = (await create(project, { insight, dashboard })).id
    const titled = (await create(project, { title: 'Board meeting' })).id
    const deleted = (await create(project, { deleted: true, insight })).id

    expect(await ids(project, `insight=${insight}`)).toEqual([ofBoth, ofInsight])
    expect(await ids(project, `dashboard=${dashboard}`)).toEqual([ofBoth])
    expect(await ids(project, `insight=${insight}&deleted=true`)).toEqual([deleted])
    expect(await ids(project, 'deleted=false')).toEqual([titled, ofBoth, ofInsight])
    expect(await ids(project, 'search=SIGN')).toEqual([ofBoth, ofInsight])
    expect(await ids(project, 'search=review')).toEqual([ofBoth])
    expect(await ids(project, 'search=board%20m')).toEqual([titled])
    expect(await ids(project, 'search=%25')).toEqual([])
    expect(await ids(project, 'insight=999999999')).toEqual([])
  })

  it('is ordered as asked, those without a value last', async () => {
    at('2026-11-21T12:00:00Z')
    const project = await newProject()
    const b = (await create(project, { title: 'b', start_date: '2026-12-03' })).id
    const none = (await create(project, { count: 1 })).id
    const a = (await create(project, { title: 'A', start_date: '2026-12-04' })).id

    expect(await ids(project, 'ordering=created_at')).toEqual([a, none, b])
    expect(await ids(project, 'ordering=title')).toEqual([a, b, none])
    expect(await ids(project, 'ordering=-title')).toEqual([b, a, none])
    expect(await ids(project, 'ordering=next_delivery_date')).toEqual([b, a, none])
    expect(await ids(project, 'ordering=-next_delivery_date')).toEqual([a, b, none])
    expect(await ids(project, 'ordering=created_by__email')).toEqual([a, none, b])
  })

  it.each([
    ['ordering=secret', 'invalid_choice', 'ordering'],
    ['insight=x', 'invalid_input', 'insight'],
    ['dashboard=-1', 'invalid_input', 'dashboard'],
    ['deleted=maybe', 'invalid_input', 'deleted'],
    ['limit=0', 'invalid_input', 'limit'],
    [`search=${'x'.repeat(201)}`, 'max_length', 'search']
  ])('refuses %s', async (query, code, attr) => {
    expect(refusal(await (await newProject()).call('GET', `subscriptions/?${query}`))).toEqual([
      400,
      code,
      attr
    ])
  })

  it("has nothing of another project's", async () => {
    const [project, other] = [await newProject(), await newProject()]
    const { id } = await create(other)

    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(0)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', 'deliveries/'],
      ['POST', 'test/'],
      ['GET', 'preview/']
    ]) {
      expect((await project.call(`${method}`, `subscriptions/${id}/${path}`)).status).toBe(404)
    }
    expect((await project.send('PATCH', `subscriptions/${id}/`, { title: 'mine' })).status).toBe(
      404
    )
    expect((await other.call('GET', `subscriptions/${id}/`)).body.title).toBeNull()
  })
})

describe('an idempotency key', () => {
  const post = (project: TestProject, key: string, body: object = DAILY) =>
    request(
      'POST',
      `/api/environments/${project.id}/subscriptions/`,
      {
        Authorization: `Bearer ${project.key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key
      },
      JSON.stringify(body)
    )

  it('has the same request answered as the first time, whatever has happened since', async () => {
    const project = await newProject()
    const first = await post(project, 'k-1')
    await project.send('PATCH', `subscriptions/${first.body.id}/`, { title: 'Changed' })

    const again = await post(project, 'k-1')

    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(1)
  })

  it('of another request is a conflict', async () => {
    const project = await newProject()
    await post(project, 'k-1')

    expect(refusal(await post(project, 'k-1', { ...DAILY, title: 'Other' }))).toEqual([
      409,
      'conflict',
      'Idempotency-Key'
    ])
  })

  it('does a request once that comes many times at once', async () => {
    const project = await newProject()

    const answers = await Promise.all(Array.from({ length: 6 }, () => post(project, 'k-1')))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(1)
  })

  it('is forgotten after 24 hours', async () => {
    at('2026-11-21T12:00:00Z')
    const project = await newProject()
    const first = await post(project, 'k-1')
    at('2026-11-22T11:59:59Z')
    expect((await post(project, 'k-1')).body.id).toBe(first.body.id)
    at('2026-11-22T12:00:01Z')

    const second = await post(project, 'k-1', { ...DAILY, title: 'Other' })

    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
  })

  it('is of one project, and of one user', async () => {
    const [project, other] = [await newProject(), await newProject()]

    const [mine, theirs] = [
      await post(project, 'k-1'),
      await post(other, 'k-1', { ...DAILY, title: 'Theirs' })
    ]

    expect([mine.status, theirs.status]).toEqual([201, 201])
  })

  it('of a request that failed may be used again', async () => {
    const project = await newProject()

    expect((await post(project, 'k-1', { ...DAILY, interval: 0 })).status).toBe(400)
    expect((await post(project, 'k-1')).status).toBe(201)
  })

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'ä'])('is not %j', async (key) => {
    const answer = await post(await newProject(), key)

    expect(key.trim() === '' ? answer.status : refusal(answer)).toEqual(
      key.trim() === '' ? expect.any(Number) : [400, 'invalid_input', 'Idempotency-Key']
    )
  })
})

describe('the preview', () => {
  it('says when it occurs next', async () => {
    at('2026-10-20T12:00:00Z')
    const project = await newProject()
    const rule = {
      frequency: 'weekly',
      byweekday: ['monday'],
      start_date: '2026-10-05T09:00:00',
      timezone: 'Europe/Berlin'
    }
    const { id } = await create(project, rule)

    expect((await project.call('GET', `subscriptions/${id}/preview/?n=2`)).body).toEqual({
      summary: 'sent every week on Monday',
      timezone: 'Europe/Berlin',
      results: ['2026-10-26T08:00:00.000Z', '2026-11-02T08:00:00.000Z']
    })
    expect((await project.call('GET', `subscriptions/${id}/preview/`)).body.results).toHaveLength(
      10
    )
  })

  it.each(['0', '-1', '101', 'x', '1.5'])('refuses n=%s', async (n) => {
    const project = await newProject()
    const { id } = await create(project)

    expect((await project.call('GET', `subscriptions/${id}/preview/?n=${n}`)).body.attr).toBe('n')
  })
})
