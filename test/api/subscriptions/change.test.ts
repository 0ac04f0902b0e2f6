import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { setClock } from '../../support/deliveries.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { create, DAILY, refusal } from '../../support/subscriptions.ts'

afterAll(untilQuiet)
afterEach(() => void vi.useRealTimers())

describe('a subscription', () => {
  it('is created as documented, and names its creator', async () => {
    setClock('2026-11-21T12:00:00Z')
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
      start_date: '2026-11-20T09:00:00Z',
      until_date: null,
      created_at: '2026-11-21T12:00:00Z',
      created_by: {
        id: project.user.id,
        uuid: project.user.uuid,
        distinct_id: project.user.distinctId,
        first_name: 'Ada',
        last_name: '',
        email: project.user.email,
        is_email_verified: false,
        hedgehog_config: {},
        role_at_organization: 'other'
      },
      deleted: false,
      title: null,
      summary: 'sent every day',
      next_delivery_date: '2026-11-22T09:00:00Z',
      invite_message: null,
      timezone: 'UTC',
      enabled: true,
      paused_reason: null
    })
    const found = await project.call('GET', `subscriptions/${body.id}/`)
    expect([found.status, found.body]).toEqual([200, body])
  })

  it('stores every field', async () => {
    setClock('2026-11-21T12:00:00Z')
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
      until_date: '2027-12-31T23:00:00Z',
      deleted: false,
      title: 'Weekly numbers',
      invite_message: 'Hello',
      timezone: 'Europe/Berlin'
    }

    const body = await create(project, { ...fields, start_date: '2026-11-01T09:00:00' })

    expect(body).toMatchObject({
      ...fields,
      start_date: '2026-11-01T08:00:00Z',
      summary: 'sent every 2 months on the last Monday or Friday',
      next_delivery_date: '2026-11-30T08:00:00Z'
    })
  })

  it.each([
    ['2026-12-01T09:00:00+02:00', '2026-12-01T07:00:00Z'],
    ['2026-12-01T09:00:00', '2026-12-01T14:00:00Z'],
    ['2026-12-01 09:00', '2026-12-01T14:00:00Z'],
    ['2026-12-01', '2026-12-01T05:00:00Z'],
    ['2026-12-01T09:00:00.123456Z', '2026-12-01T09:00:00.123Z']
  ])(
    'may start at %s, which is local to its time zone unless it has an offset',
    async (start_date, expected) => {
      const body = await create(await newProject(), { start_date, timezone: 'America/New_York' })

      expect(body.start_date).toBe(expected)
    }
  )

  it('has no next delivery when it is deleted from the start', async () => {
    const project = await newProject()

    expect(await create(project, { deleted: true })).toMatchObject({
      deleted: true,
      next_delivery_date: null
    })
  })

  it('changes the given fields and everything that follows from them', async () => {
    setClock('2026-11-21T12:00:00Z')
    const project = await newProject()
    const body = await create(project, { title: 'Old', count: 5 })
    const path = `subscriptions/${body.id}/`

    const titled = await project.send('PATCH', path, {
      title: 'New',
      count: null,
      id: body.id,
      unknown: 2
    })
    const weekly = await project.send('PATCH', path, { frequency: 'weekly', byweekday: ['monday'] })

    expect([titled.status, titled.body]).toEqual([200, { ...body, title: 'New', count: null }])
    expect(weekly.body).toEqual({
      ...titled.body,
      frequency: 'weekly',
      byweekday: ['monday'],
      summary: 'sent every week on Monday',
      next_delivery_date: '2026-11-23T09:00:00Z'
    })
    expect((await project.send('PATCH', path, weekly.body)).body).toEqual(weekly.body)
  })

  it('may be sent back with a next delivery that has passed since, but not with another', async () => {
    setClock('2026-11-21T12:00:00Z')
    const project = await newProject()
    const body = await create(project)
    const path = `subscriptions/${body.id}/`
    setClock('2026-11-22T09:00:30Z')
    await project.send('PATCH', path, { title: 'Old' })

    const stale = await project.send('PATCH', path, { ...body, title: 'New' })
    const wished = await project.send('PATCH', path, { next_delivery_date: '2026-11-22T10:00:00Z' })

    expect([stale.status, stale.body.title, stale.body.next_delivery_date]).toEqual([
      200,
      'New',
      '2026-11-23T09:00:00Z'
    ])
    expect(refusal(wished)).toEqual([400, 'invalid_input', 'next_delivery_date'])
  })

  it('is paused and resumed', async () => {
    setClock('2026-11-21T12:00:00Z')
    const project = await newProject()
    const { id, next_delivery_date } = await create(project)
    const patch = async (change: Json) =>
      (await project.send('PATCH', `subscriptions/${id}/`, change)).body

    expect(await patch({ enabled: false })).toMatchObject({
      paused_reason: 'Paused by a user.',
      next_delivery_date: null
    })
    expect(await patch({ title: 'x' })).toMatchObject({ enabled: false, next_delivery_date: null })
    expect(await patch({ enabled: true })).toMatchObject({
      paused_reason: null,
      next_delivery_date
    })
    expect(await patch({ deleted: true })).toMatchObject({ next_delivery_date: null })
    expect(await patch({ deleted: false })).toMatchObject({ next_delivery_date })
  })

  it('can be created enabled, which is the default, or paused', async () => {
    setClock('2026-11-21T12:00:00Z')
    const project = await newProject()
    const next_delivery_date = '2026-11-22T09:00:00Z'

    expect(await create(project, { enabled: true })).toMatchObject({
      enabled: true,
      paused_reason: null,
      next_delivery_date
    })
    const paused = await create(project, { enabled: false })
    expect(paused).toMatchObject({
      enabled: false,
      paused_reason: 'Paused by a user.',
      next_delivery_date: null
    })
    const path = `subscriptions/${paused.id}/`
    const { body } = await project.send('PATCH', path, { ...paused, enabled: true })
    expect(body).toMatchObject({ enabled: true, paused_reason: null, next_delivery_date })
  })

  it('keeps the time that its start names if the clock skips it on that day', async () => {
    setClock('2026-03-28T12:00:00Z')
    const project = await newProject()
    const occurrences = async (id: number) =>
      (await project.call('GET', `subscriptions/${id}/preview/?n=3`)).body.results
    const skipped = { start_date: '2026-03-29T02:30:00', timezone: 'Europe/Berlin' }

    const created = await create(project, skipped)
    const path = `subscriptions/${created.id}/`
    const expected = ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z', '2026-03-31T00:30:00Z']
    expect(created).toMatchObject({
      start_date: '2026-03-29T01:00:00Z',
      next_delivery_date: '2026-03-29T01:00:00Z'
    })
    expect(await occurrences(created.id)).toEqual(expected)

    // A client sends the whole subscription back.
    await project.send('PATCH', path, { ...created, title: 'Early' })
    expect(await occurrences(created.id)).toEqual(expected)
    await project.send('PATCH', path, { start_date: '2026-03-29T03:00:00' })
    expect(await occurrences(created.id)).toEqual([
      '2026-03-29T01:00:00Z',
      '2026-03-30T01:00:00Z',
      '2026-03-31T01:00:00Z'
    ])
  })

  it('is delivered at a start less than 15 minutes ahead', async () => {
    setClock('2026-11-21T12:00:00Z')
    const start_date = '2026-11-21T12:01:00Z'

    expect(await create(await newProject(), { start_date })).toMatchObject({
      next_delivery_date: start_date
    })
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

  it('loses none of three concurrent changes', async () => {
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
    'is not found by an invalid id: %s',
    async (id) => {
      expect(refusal(await (await newProject()).call('GET', `subscriptions/${id}/`))).toEqual([
        404,
        'not_found',
        null
      ])
    }
  )

  it('shows the secret of a webhook only in the response that makes it a webhook', async () => {
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

describe('a subscription is refused', () => {
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
  ])('with %j', async (fields, code, attr) => {
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
  ])('with the change %j', async (change, attr) => {
    const project = await newProject()
    const body = await create(project)
    const path = `subscriptions/${body.id}/`

    const { status, body: refused } = await project.send('PATCH', path, change as Json)

    expect([status, refused.attr]).toEqual([400, attr])
    expect((await project.call('GET', path)).body).toEqual(body)
  })

  it("with another project's insight or dashboard", async () => {
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

  it('with a private address, unless the deployment allows it', async () => {
    const project = await newProject()
    const hook = { ...DAILY, target_type: 'webhook', target_value: 'http://127.0.0.1:9000/' }

    expect((await project.send('POST', 'subscriptions/', hook)).status).toBe(400)
    const opened = await project.send('POST', 'subscriptions/', hook, {
      OUTBOUND_ALLOW: '127.0.0.1:9000'
    })
    expect(opened.status).toBe(201)
  })
})
