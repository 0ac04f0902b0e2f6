import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { captureSignups, newDesk, setClock } from '../../support/deliveries.ts'
import { newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { create, DAILY, refusal } from '../../support/subscriptions.ts'

afterAll(untilQuiet)
afterEach(() => void vi.useRealTimers())

describe('the preview', () => {
  it('lists the next occurrences', async () => {
    setClock('2026-10-20T12:00:00Z')
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
      results: ['2026-10-26T08:00:00Z', '2026-11-02T08:00:00Z']
    })
    expect((await project.call('GET', `subscriptions/${id}/preview/`)).body.results).toHaveLength(
      10
    )
  })

  it.each(['0', '-1', '101', 'x', '1.5'])('refuses n=%s', async (n) => {
    const project = await newProject()
    const { id } = await create(project)

    const answer = await project.call('GET', `subscriptions/${id}/preview/?n=${n}`)

    expect(refusal(answer)).toEqual([400, 'invalid_input', 'n'])
  })
})

describe('the preview of a draft', () => {
  const saveSignups = async (project: TestProject): Promise<number> => {
    const filters = { events: [{ id: 'signed up' }], date_from: '-6d' }
    return (await project.send('POST', 'insights/', { name: 'Sign-ups', filters })).body.id
  }

  const MONDAYS = {
    ...DAILY,
    frequency: 'weekly',
    byweekday: ['monday'],
    start_date: '2026-11-02T09:00:00',
    timezone: 'Europe/Berlin'
  }

  it('shows the next dates, and the e-mail as it would be delivered first', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Sign-ups')
    await captureSignups(desk)
    const insight = await saveSignups(desk.project)
    const fields = { ...MONDAYS, insight, invite_message: 'Good morning, Ada' }

    const { status, body } = await desk.send('POST', 'subscriptions/preview/?n=2', fields)

    expect([status, body.warning, body.body]).toEqual([
      200,
      expect.stringContaining('EMAIL_FROM'),
      null
    ])
    expect(body).toMatchObject({
      summary: 'sent every week on Monday',
      results: ['2026-11-23T08:00:00Z', '2026-11-30T08:00:00Z']
    })
    expect(body.email.subject).toBe('Sign-ups')
    expect(body.email.text).toContain('signed up: 5 (+25.0% from 4)')
    expect(body.email.text).toContain('Good morning, Ada')
    expect(body.email.text).toContain(
      'Sent every week on Monday to ada@example.com. The next one comes on 30 November 2026.'
    )
    expect(body.email.html).toMatch(/src="data:image\/png;base64,iVBOR/)
    expect(body.email.html).not.toContain('cid:')

    const { body: list } = await desk.project.call('GET', 'subscriptions/')
    expect([list.count, desk.mails]).toEqual([0, []])
    const { id } = await create(desk.project, fields)
    const stored = await desk.project.call('GET', `subscriptions/${id}/preview/?n=2`)
    expect(stored.body.results).toEqual(body.results)
  })

  it('shows the JSON of other channels, also before there is an address', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Sign-ups')
    await captureSignups(desk)
    const { target_value: _, ...open } = {
      ...MONDAYS,
      insight: await saveSignups(desk.project)
    }
    const preview = async (fields: object) =>
      (await desk.send('POST', 'subscriptions/preview/', { ...open, ...fields })).body

    expect(await preview({ target_type: 'slack' })).toMatchObject({
      email: null,
      warning: null,
      body: { text: expect.stringContaining('Sign-ups'), blocks: expect.any(Array) }
    })
    expect((await preview({ target_type: 'webhook' })).body.data.insights[0].lines).toMatchObject([
      { label: 'signed up', value: 5, previous: 4 }
    ])
    const mine = await preview({})
    expect(mine.email.text).toContain(`on Monday to ${desk.project.user.email}.`)
  })

  it('says that nothing would be delivered', async () => {
    const project = await newProject()
    const { id } = (await project.send('POST', 'dashboards/', { name: 'Empty' })).body

    const answer = await project.send('POST', 'subscriptions/preview/', { ...DAILY, dashboard: id })

    expect(answer.body).toMatchObject({
      email: null,
      warning: 'The dashboard of the subscription has no insights.'
    })
  })

  it.each([
    [{ insight: 999_999 }, 'does_not_exist', 'insight'],
    [{ start_date: 'tomorow' }, 'invalid_input', 'start_date'],
    [{ target_value: 'nobody' }, 'invalid_input', 'target_value'],
    [{ target_type: 'slack', target_value: 'http://10.0.0.1/' }, 'invalid_input', 'target_value'],
    [{ next_delivery_date: '2026-11-23T08:00:00Z' }, 'invalid_input', 'next_delivery_date']
  ])('refuses what a new subscription could not have: %o', async (fields, code, attr) => {
    const project = await newProject()

    const answer = await project.send('POST', 'subscriptions/preview/', { ...DAILY, ...fields })

    expect(refusal(answer)).toEqual([400, code, attr])
  })

  it('needs the scope to subscribe, because it shows numbers', async () => {
    const project = await newProject({ scopes: ['subscription:read'] })

    const answer = await project.send('POST', 'subscriptions/preview/', DAILY)

    expect(answer.status).toBe(403)
  })
})
