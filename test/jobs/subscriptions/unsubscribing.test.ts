import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { newDesk, setClock } from '../../support/deliveries.ts'
import { request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

describe('unsubscribing', () => {
  const form = (method: string, path: string) =>
    request(
      method,
      path,
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      method === 'POST' ? 'List-Unsubscribe=One-Click' : undefined
    )

  async function newLinks(target_value: string) {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe({ target_value, title: '<b>Numbers</b>' })
    await desk.send('POST', `subscriptions/${id}/test/`)
    await desk.drain()
    const links = desk.mails.map(
      ({ headers }) => new URL((headers['List-Unsubscribe'] ?? '').slice(1, -1)).pathname
    )
    return { desk, id, links }
  }

  it('needs one click and no key', async () => {
    const { desk, id, links } = await newLinks('ada@example.com, bob@example.com')

    const done = await form('POST', links[0] ?? '')
    const again = await form('POST', links[0] ?? '')

    expect([done.status, done.headers.get('Content-Type'), again.status]).toEqual([
      200,
      'text/html; charset=UTF-8',
      200
    ])
    expect(done.text).toContain('gets no more e-mails')
    expect(await desk.find(id)).toMatchObject({ target_value: 'bob@example.com', deleted: false })
  })

  it('the last recipient deletes the subscription', async () => {
    const { desk, id, links } = await newLinks('ada@example.com, bob@example.com')

    await Promise.all(links.map((link) => form('POST', link)))

    expect(await desk.find(id)).toMatchObject({
      target_value: '',
      deleted: true,
      next_delivery_date: null
    })
  })

  it('of the last recipient is not undone by restoring the subscription, which needs a new target', async () => {
    const { desk, id, links } = await newLinks('ada@example.com')
    await form('POST', links[0] ?? '')
    const path = `subscriptions/${id}/`

    const titled = await desk.send('PATCH', path, { title: 'Old numbers' })
    const { status, body } = await desk.send('PATCH', path, { deleted: false })
    const restored = await desk.send('PATCH', path, {
      deleted: false,
      target_value: 'bob@example.com'
    })

    expect([titled.status, titled.body.title]).toEqual([200, 'Old numbers'])
    expect([status, body.attr, body.detail]).toEqual([
      400,
      'target_value',
      'All recipients have unsubscribed: to restore the subscription, send a new `target_value`.'
    ])
    expect(restored.body).toMatchObject({ deleted: false, target_value: 'bob@example.com' })
  })

  it('from a deleted subscription holds when the subscription is restored', async () => {
    const { desk, id, links } = await newLinks('ada@example.com, bob@example.com')
    await desk.project.call('DELETE', `subscriptions/${id}/`)

    await form('POST', links[0] ?? '')
    const { body } = await desk.send('PATCH', `subscriptions/${id}/`, { deleted: false })

    expect(body).toMatchObject({ deleted: false, target_value: 'bob@example.com' })
  })

  it('is not done by opening the link', async () => {
    const { desk, id, links } = await newLinks('ada@example.com')

    const page = await form('GET', links[0] ?? '')

    expect(page.text).toMatch(/<form method="post"><button [^>]*>Unsubscribe<\/button><\/form>/)
    expect(page.text).toContain('&lt;b&gt;Numbers&lt;/b&gt;')
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(await desk.find(id)).toMatchObject({ target_value: 'ada@example.com', deleted: false })
  })

  it('applies to an attempt that is still to come', async () => {
    const { desk, id, links } = await newLinks('ada@example.com, bob@example.com')
    desk.mails.length = 0
    desk.faults.email = () => {
      throw Object.assign(new Error('busy'), { code: 'E_RATE_LIMIT_EXCEEDED' })
    }
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    await desk.deliver(desk.held[0])
    await form('POST', links[0] ?? '')
    desk.faults.email = () => {}
    await vi.waitFor(
      async () => {
        setClock(Date.now() + 60_000)
        await desk.deliver(desk.held[0])
        expect((await desk.deliveries(id))[0].status).toBe('delivered')
      },
      { timeout: 150_000 }
    )

    expect(desk.mails.map(({ to }) => to)).toEqual(['bob@example.com'])
  })

  it('keeps the address in a delivery whose e-mail may have arrived, without sending again', async () => {
    const { desk, id, links } = await newLinks('ada@example.com, bob@example.com')
    desk.mails.length = 0
    const tries: string[] = []
    desk.faults.email = ({ to }) => {
      tries.push(to)
      throw new Error('Network connection lost.')
    }
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    await desk.deliver(desk.held.shift())
    await form('POST', links[0] ?? '')
    desk.faults.email = () => {}
    await desk.drain()

    expect(tries).toEqual(['ada@example.com', 'bob@example.com'])
    expect(desk.mails.map(({ to }) => to)).toEqual(['bob@example.com'])
    const error = 'Network connection lost.'
    expect((await desk.deliveries(id))[0]).toMatchObject({
      status: 'failed',
      attempts: 2,
      error: `Failed or unconfirmed for 1 of 2 recipients; first error: ${error}`,
      recipients: [
        { target: 'ada@example.com', status: 'unknown', repeated: false, error },
        { target: 'bob@example.com', status: 'sent', repeated: true, error: null }
      ]
    })
  })

  it.each(['x', '1.2', '1.2.3', `1.2.${'g'.repeat(64)}`, 'x'.repeat(201)])(
    'is not done by %s',
    async (ticket) => {
      const { status } = await form('POST', `/unsubscribe/${ticket}`)

      expect(status).toBe(404)
    }
  )

  it('explains a broken link to a browser, and changes nothing', async () => {
    const { desk, id, links } = await newLinks('ada@example.com')

    const page = await request('GET', (links[0] ?? '').slice(0, -1), { Accept: 'text/html' })

    expect(page.status).toBe(404)
    expect(page.headers.get('X-Robots-Tag')).toBe('noindex')
    expect(page.text).toContain('This link does not work')
    expect(page.text).not.toContain('<form')
    expect(await desk.find(id)).toMatchObject({ target_value: 'ada@example.com', deleted: false })
  })

  it('is refused with a forged or changed link', async () => {
    const { desk, id, links } = await newLinks('ada@example.com')
    const [link = ''] = links
    const change = (text: string) => text.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const [holder = '', seal = ''] = link.split('.').slice(2)

    for (const path of [
      change(link),
      link.replace(holder, change(holder)),
      link.replace(`.${seal}`, ''),
      `/unsubscribe/999999999.1.${'0'.repeat(64)}`,
      `/unsubscribe/1.999999999.${'0'.repeat(64)}`
    ]) {
      expect((await form('POST', path)).status).toBe(404)
      expect((await form('GET', path)).status).toBe(404)
    }

    expect(await desk.find(id)).toMatchObject({ target_value: 'ada@example.com', deleted: false })
  })
})
