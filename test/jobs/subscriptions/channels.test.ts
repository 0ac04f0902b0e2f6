import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest'
import type { TARGET_TYPES } from '../../../src/db/schema.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { captureSignups, newDesk, setClock } from '../../support/deliveries.ts'
import { listenToLog } from '../../support/log.ts'
import { untilQuiet } from '../../support/queue.ts'
import type { Received } from '../../support/receiver.ts'

const { host, url } = inject('receiver')
const OPEN = { OUTBOUND_ALLOW: host }
/** The address of a chart. */
const ADDRESS = /^https:\/\/analytics\.test\/charts\/(\d+\.){5}[0-9a-f]{64}\.png$/

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

/** Returns the requests received at paths that begin with `path`. */
const receivedAt = async (path: string): Promise<Received[]> =>
  (await fetch(`${url}/received?at=${encodeURIComponent(path)}`)).json()

/** Returns a unique path; its first part determines how the receiver behaves. */
const pathOf = (kind: string, query = '') => `/${kind}/${crypto.randomUUID()}${query}`

/** Makes one delivery to this path of the receiver. Returns its record and the received requests. */
async function deliver(target_type: string, path: string, fields: JsonObject = {}) {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk('Signups')
  const subscription = await desk.subscribe(
    { target_type, target_value: `${url}${path}`, ...fields },
    OPEN
  )
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.drain(OPEN)
  const [delivery] = await desk.deliveries(subscription.id)
  return { desk, subscription, delivery, received: await receivedAt(path) }
}

/**
 * `quotes`: whether the delivery's record quotes the receiver's answer. `requests`: number of requests, including the first,
 * that a receiver gets if it breaks the connection each time.
 */
const CHANNELS: Record<
  Exclude<(typeof TARGET_TYPES)[number], 'email'>,
  { quotes: boolean; requests: number }
> = {
  slack: { quotes: true, requests: 2 },
  webhook: { quotes: false, requests: 6 }
}

describe.each(Object.entries(CHANNELS))('a receiver of type %s', (type, { quotes, requests }) => {
  it('gets one request', async () => {
    const { delivery, received } = await deliver(type, pathOf('ok'))

    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 })
    expect(received).toMatchObject([
      { method: 'POST', headers: { 'content-type': 'application/json' } }
    ])
  })

  it.each([400, 401, 403, 404, 410, 422])(
    'that answers %i gets no further request',
    async (status) => {
      const { delivery, received } = await deliver(
        type,
        pathOf(`status/${status}`, '?say=no_service')
      )

      const said = `The receiver answered ${status}${quotes ? ': no_service' : '.'}`
      expect(delivery).toMatchObject({ status: 'failed', attempts: 1, error: said })
      expect(received).toHaveLength(1)
    }
  )

  it.each([408, 429, 500, 502, 503])('that answers %i gets six requests', async (status) => {
    const { delivery, received } = await deliver(type, pathOf(`status/${status}`))

    expect(delivery).toMatchObject({
      status: 'failed',
      attempts: 6,
      error: `The receiver answered ${status}.`
    })
    expect(received).toHaveLength(6)
  })

  it('that recovers gets the delivery', async () => {
    const { delivery, received } = await deliver(type, pathOf('flaky', '?fail=2'))

    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: 3,
      recipients: [{ repeated: false }]
    })
    expect(received).toHaveLength(3)
  })

  it.each(['7200', 'Sat, 21 Nov 2026 14:00:00 GMT'])('says when to try again: %s', async (when) => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const query = `?Retry-After=${encodeURIComponent(when)}`
    const target_value = `${url}${pathOf('status/429', query)}`
    const { id } = await desk.subscribe({ target_type: type, target_value }, OPEN)
    await desk.send('POST', `subscriptions/${id}/test/`)

    await desk.deliver(desk.held[0], OPEN)

    // The queue message arrives one second after the delivery is due.
    expect(desk.later).toMatchObject([{ seconds: 7_200 + 1 }])
  })

  it.each(['cut', 'garbage'])(
    'that breaks the connection gets the delivery again, and the delivery’s record says so: %s',
    async (kind) => {
      const { delivery, received } = await deliver(type, pathOf(kind))

      expect(delivery).toMatchObject({
        status: 'failed',
        attempts: requests,
        error: 'The server cannot be reached, or closed the connection.',
        recipients: [{ status: 'unknown', repeated: true }]
      })
      expect(received).toHaveLength(requests)
    }
  )

  it.each(['endless', 'stalls'])(
    'that answers with success gets no further request, whatever follows the status: %s',
    async (kind) => {
      const { delivery, received } = await deliver(type, pathOf(kind))

      expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 })
      expect(received).toHaveLength(1)
    }
  )

  it('may redirect, but not to a private address', async () => {
    const to = pathOf('ok')
    const moved = await deliver(type, pathOf('status/307', `?Location=${encodeURIComponent(to)}`))
    const inside = await deliver(type, pathOf('status/307', '?Location=https://169.254.169.254/'))

    expect(moved.delivery.status).toBe('delivered')
    expect(await receivedAt(to)).toMatchObject([{ method: 'POST' }])
    expect(inside.delivery).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'This address is in a private network.'
    })
  })

  it('is refused at delivery, too, if its host is no longer allowed', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const path = pathOf('ok')
    const { id } = await desk.subscribe({ target_type: type, target_value: `${url}${path}` }, OPEN)
    await desk.send('POST', `subscriptions/${id}/test/`)
    await desk.drain()

    expect(await desk.deliveries(id)).toMatchObject([
      { status: 'failed', error: 'The URL must begin with https://.' }
    ])
    expect(await receivedAt(path)).toEqual([])
  })
})

it('a delivery waits ten seconds for a webhook, and no longer', async () => {
  const desk = await newDesk()
  const { id } = await desk.subscribe(
    { target_type: 'webhook', target_value: `${url}${pathOf('silent')}` },
    OPEN
  )
  await desk.send('POST', `subscriptions/${id}/test/`)
  const started = Date.now()

  await desk.deliver(desk.held[0], OPEN)

  expect((Date.now() - started) / 1000).toBeGreaterThan(9.5)
  expect(await desk.deliveries(id)).toMatchObject([
    {
      status: 'queued',
      error: 'The server did not respond within 10 s.',
      recipients: [{ status: 'unknown' }]
    }
  ])
})

describe('a webhook', () => {
  it('is signed as in Standard Webhooks, with the same id in each attempt', async () => {
    const { subscription, received } = await deliver('webhook', pathOf('flaky', '?fail=1'))
    const webhook = new Webhook(subscription.webhook_secret)
    setClock('2026-11-22T09:00:10Z')

    const headers = received.map((one) => one.headers as Record<string, string>)
    expect(headers).toHaveLength(2)
    expect(new Set(headers.map((one) => one['webhook-id'])).size).toBe(1)
    for (const [i, { body }] of received.entries()) {
      expect(webhook.verify(body, headers[i] ?? {})).toBeTruthy()
    }
    expect(() => webhook.verify(`${received[0]?.body} `, headers[0] ?? {})).toThrow()
    expect(() =>
      new Webhook(`whsec_${btoa('x'.repeat(32))}`).verify(received[0]?.body ?? '', headers[0] ?? {})
    ).toThrow()
  })

  it('contains the complete content', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Signups')
    await captureSignups(desk)
    const path = pathOf('ok')
    const { id, insight } = await desk.subscribe(
      {
        target_type: 'webhook',
        target_value: `${url}${path}`,
        title: 'Numbers',
        invite_message: 'Hello'
      },
      OPEN
    )
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    await desk.drain(OPEN)

    const [received] = await receivedAt(path)
    expect(JSON.parse(received?.body ?? '')).toEqual({
      type: 'subscription.delivered',
      timestamp: '2026-11-22T09:00:00Z',
      data: {
        subscription: id,
        delivery: expect.any(Number),
        test: false,
        occurrence: '2026-11-22T09:00:00Z',
        missed: 0,
        title: 'Numbers',
        project: 'Test',
        summary: 'sent every day',
        timezone: 'UTC',
        invite_message: 'Hello',
        insights: [
          {
            id: insight,
            name: 'Signups',
            range: '16 – 21 Nov 2026',
            from: '2026-11-16T00:00:00Z',
            until: '2026-11-22T00:00:00Z',
            error: null,
            chart_url: expect.stringMatching(ADDRESS),
            lines: [{ label: 'signed up', value: 5, previous: 4, change: '+25.0%' }]
          }
        ]
      }
    })
  })
})

it('a message to Slack has blocks that no name can break', async () => {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk('<!channel> & co')
  await captureSignups(desk)
  const path = pathOf('ok')
  await desk.subscribe({ target_type: 'slack', target_value: `${url}${path}` }, OPEN)
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.drain(OPEN)

  const [received] = await receivedAt(path)
  expect(JSON.parse(received?.body ?? '')).toEqual({
    text: '&lt;!channel&gt; &amp; co\n16 – 21 Nov 2026\n• signed up: *5*  ▲ +25.0%',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '<!channel> & co', emoji: false } },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: '16 – 21 Nov 2026\n• signed up: *5*  ▲ +25.0%',
          verbatim: true
        }
      },
      {
        type: 'image',
        image_url: expect.stringMatching(ADDRESS),
        alt_text: 'Chart of <!channel> & co'
      },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: expect.stringMatching(
            /^<https:\/\/analytics\.test\/reports\/[\d.]+[0-9a-f]{64}\|Open the charts>$/
          ),
          verbatim: true
        }
      },
      {
        type: 'context',
        elements: [
          {
            type: 'mrkdwn',
            text: 'Test · Sun 22 Nov 2026, 09:00 UTC · sent every day',
            verbatim: true
          }
        ]
      }
    ]
  })
})

it('the log of a delivery quotes no address, secret, receiver’s answer or insight’s name', async () => {
  const log = listenToLog()
  const { subscription } = await deliver('webhook', pathOf('status/500', '?say=secret-answer'))
  const text = log.texts().join('\n')

  for (const secret of [
    subscription.webhook_secret,
    subscription.target_value,
    'secret-answer',
    'Signups'
  ]) {
    expect(text).not.toContain(secret)
  }
})

describe('an e-mail', () => {
  it('goes through the real binding', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Signups')
    const { id } = await desk.subscribe({ target_value: 'ada@example.com, bob@example.com' })
    await desk.send('POST', `subscriptions/${id}/test/`)

    await desk.drain({ EMAIL: env.EMAIL })

    expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered', error: null }])
  })

  it('is sent separately to each recipient, with the recipient’s own link', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Signups')
    await captureSignups(desk)
    await desk.subscribe({ target_value: 'ada@example.com, ADA@example.com, bob@example.com' })
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    await desk.drain()

    expect(desk.mails.map(({ to }) => to)).toEqual(['ADA@example.com', 'bob@example.com'])
    const links = desk.mails.map(({ headers }) => headers['List-Unsubscribe'] ?? '')
    expect(new Set(links).size).toBe(2)
    for (const [i, mail] of desk.mails.entries()) {
      expect(mail.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
      const link = links[i]?.slice(1, -1) ?? ''
      expect(link).toMatch(/^https:\/\/analytics\.test\/unsubscribe\/\d+\.\d+(\.[0-9a-f]{64}){2}$/)
      expect([mail.text.includes(link), mail.html.includes(`href="${link}"`)]).toEqual([true, true])
    }
    expect(desk.mails[0]?.text).toContain(
      'Signups (16 – 21 Nov 2026)\n  signed up: 5 (+25.0% from 4)'
    )
  })
})
