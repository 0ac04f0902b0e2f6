import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import { findSubscription, updateSubscription } from '../../../src/subscriptions/store.ts'
import { captureSignups, type Desk, newDesk, setClock } from '../../support/deliveries.ts'
import { sizeOf } from '../../support/png.ts'
import { db, newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import type { Received } from '../../support/receiver.ts'

const { host, url } = inject('receiver')
const OPEN = { OUTBOUND_ALLOW: host }
const FILTERS = { events: [{ id: 'signed up' }], date_from: '-6d' }

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

const decode = (base64: unknown): Uint8Array =>
  Uint8Array.from(atob(String(base64)), (character) => character.charCodeAt(0))

/** Creates a desk with sign-ups, at the time of a delivery about the six days before 22 November. */
async function newSignups() {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk('Signups')
  await captureSignups(desk)
  setClock('2026-11-22T09:00:00Z')
  return desk
}

/** Sends a test delivery of a new subscription. @returns the subscription, and the e-mail if one was sent */
async function deliver(desk: Desk, fields: JsonObject = {}) {
  const subscription = await desk.subscribe(fields, OPEN)
  await desk.send('POST', `subscriptions/${subscription.id}/test/`)
  await desk.drain(OPEN)
  return { subscription, mail: desk.mails.at(-1) }
}

/** Returns the path of the first address of a picture in a text. */
const pathIn = (text = ''): string =>
  /https:\/\/analytics\.test(\/charts\/[\w.]+\.png)/.exec(text)?.[1] ?? ''

/** Returns the path of the page with all charts that a text links to. */
const pageIn = (text = ''): string =>
  /https:\/\/analytics\.test(\/reports\/[\w.]+)/.exec(text)?.[1] ?? ''

const receivedAt = async (path: string): Promise<Received[]> =>
  (await fetch(`${url}/received?at=${encodeURIComponent(path)}`)).json()

describe('an e-mail', () => {
  it('carries the chart as an inline image with its numbers in words, and a link to the page', async () => {
    const { subscription, mail } = await deliver(await newSignups())

    const contentId = `chart-${subscription.insight}`
    expect(mail?.attachments).toMatchObject([
      { disposition: 'inline', contentId, filename: `${contentId}.png`, type: 'image/png' }
    ])
    expect(sizeOf(decode(mail?.attachments[0]?.content))).toEqual([1_104, 320])
    expect(mail?.html).toContain(
      `<img class="t3" src="cid:${contentId}" width="552" alt="Line chart, `
    )
    expect(mail?.html).toMatch(/alt="[^"]* signed up, events by day\. signed up: [\d, ]+\."/)
    expect(mail?.html).toContain(
      `<a href="https://analytics.test${pageIn(mail?.text)}" style="text-decoration:none"><img`
    )
    expect(mail?.text).toContain('  signed up: 5 (+25.0% from 4)\n  Chart: https://analytics.test/')
  })

  it('has one image, of the first insight of a dashboard that has numbers over time', async () => {
    const desk = await newSignups()
    const dashboard = (await desk.send('POST', 'dashboards/', { name: 'Review' })).body.id
    const ids: number[] = []
    const table = { ...FILTERS, display: 'ActionsTable' }
    for (const filters of [{ events: [{ id: 'never' }] }, {}, table, FILTERS, FILTERS]) {
      const insight = { name: 'Tile', filters, dashboards: [dashboard] }
      ids.push((await desk.send('POST', 'insights/', insight)).body.id)
    }

    const { mail } = await deliver(desk, { insight: null, dashboard })

    const shown = mail?.attachments.map(({ contentId }) => contentId)
    expect(shown).toEqual([`chart-${ids[3]}`])
  })

  it.each(['ActionsTable', 'BoldNumber', 'ActionsPie'])(
    'has no image of a %s, but a link',
    async (display) => {
      const desk = await newSignups()
      const filters = { ...FILTERS, display }
      const insight = (await desk.send('POST', 'insights/', { name: 'Table', filters })).body.id

      const { mail } = await deliver(desk, { insight })

      expect([mail?.attachments, mail?.html.includes('<img')]).toEqual([[], false])
      expect(mail?.html).toContain('>Open the charts</a>')
    }
  )

  it('goes without an image when the chart fails', async () => {
    const desk = await newSignups()
    // As totals it has few points; by the hour it has more points than a trend may have.
    const events = Array.from({ length: 26 }, () => ({ id: 'signed up' }))
    const filters = { events, interval: 'hour', date_from: '-390d' }
    const insight = (await desk.send('POST', 'insights/', { name: 'Large', filters })).body.id

    const { mail } = await deliver(desk, { insight })

    expect(mail?.attachments).toEqual([])
    expect(mail?.text).toContain('signed up: 9')
    expect(mail?.html).toContain('>Open the charts</a>')
  })
})

describe('the address of a picture', () => {
  async function newAddress(fields: JsonObject = {}) {
    const desk = await newSignups()
    const { subscription, mail } = await deliver(desk, fields)
    return { desk, subscription, mail, path: pathIn(mail?.text) }
  }
  const detailOf = async (path: string) => {
    const { status, body } = await request('GET', path)
    return [status, body?.detail]
  }
  const NONE = [404, 'There is no chart at this address.']
  const EXPIRED = [
    404,
    'This address has expired: it worked for 7 days. A newer message has a new address.'
  ]

  it('shows the picture of the e-mail for seven days, as of the delivery', async () => {
    const { path, mail } = await newAddress()
    setClock('2026-11-29T08:59:59Z')

    const { status, headers, bytes } = await request('GET', `${path}?utm_source=mail`)

    expect([status, headers.get('Content-Type')]).toEqual([200, 'image/png'])
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(sizeOf(bytes)).toEqual([840, 520])
    expect(mail?.text).toContain(path)

    setClock('2026-11-29T09:00:00Z')
    expect(await detailOf(path)).toEqual(EXPIRED)
  })

  it.each([
    ['project', 0],
    ['subscription', 1],
    ['insight', 2],
    ['time', 3],
    ['end', 4],
    ['seal', 5]
  ])('is refused with another %s, and does not say whether that exists', async (_, index) => {
    const { desk, path } = await newAddress()
    const other = await desk.subscribe()
    const others = [
      (await newProject()).id,
      other.id,
      other.insight,
      Date.parse('2026-11-22T08:00:00Z'),
      Date.parse('2026-11-21T00:00:00Z'),
      '0'.repeat(64)
    ]
    const parts = path.replace(/^\/charts\/|\.png$/g, '').split('.')

    const forged = `/charts/${parts.with(index, String(others[index])).join('.')}.png`

    expect(forged).not.toBe(path)
    expect(await detailOf(forged)).toEqual(NONE)
    setClock('2027-11-22T09:00:00Z')
    expect(await detailOf(forged)).toEqual(NONE)
  })

  it.each([
    '/charts/1.2.3.png',
    '/charts/x',
    '/charts/9.9.9.9.9.png',
    `/charts/${'9.'.repeat(5)}${'0'.repeat(64)}.png`
  ])('is not %s', async (path) => {
    expect(await detailOf(path)).toEqual(NONE)
  })

  it('stops working with its subscription, its secret or its insight', async () => {
    const deleted = await newAddress()
    await deleted.desk.send('DELETE', `subscriptions/${deleted.subscription.id}/`)
    expect(await detailOf(deleted.path)).toEqual(NONE)

    const renewed = await newAddress()
    const row = await findSubscription(
      { db, project: renewed.desk.project },
      renewed.subscription.id
    )
    if (row) {
      await updateSubscription(db, row, { secret: `whsec_${btoa('x'.repeat(32))}` })
    }
    expect(await detailOf(renewed.path)).toEqual(NONE)

    const gone = await newAddress()
    await gone.desk.send('DELETE', `insights/${gone.subscription.insight}/`)
    expect(await detailOf(gone.path)).toEqual(NONE)
  })

  it('still shows an insight whose range now begins later', async () => {
    const { desk, subscription, path } = await newAddress()
    await desk.send('PATCH', `insights/${subscription.insight}/`, {
      filters: { ...FILTERS, date_from: '2026-11-22', date_to: '2026-11-23' }
    })

    expect((await request('GET', path)).status).toBe(200)
  })

  it('is limited in how often it is opened', async () => {
    const { path } = await newAddress()
    const keys: string[] = []
    const ANALYTICS_RATE = {
      limit: async ({ key }: { key: string }) => {
        keys.push(key)
        return { success: false }
      }
    }

    const { status, headers } = await request('GET', path, {}, undefined, { ANALYTICS_RATE })

    expect([status, Number(headers.get('Retry-After')) > 0]).toEqual([429, true])
    expect(keys).toEqual([`chart ${path.split(/[/.]/)[2]}`])
  })
})

describe('the page of a message', () => {
  const PAGE = { Accept: 'text/html' }

  it('shows the charts of a dashboard as of the delivery, for seven days', async () => {
    const desk = await newSignups()
    const dashboard = (await desk.send('POST', 'dashboards/', { name: 'Review' })).body.id
    for (const name of ['Tile 1', 'Tile 2']) {
      await desk.send('POST', 'insights/', { name, filters: FILTERS, dashboards: [dashboard] })
    }
    const { mail } = await deliver(desk, { insight: null, dashboard })
    const path = pageIn(mail?.text)
    setClock('2026-11-29T08:59:59Z')

    const { status, headers, text } = await request('GET', path, PAGE)

    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store'])
    expect(text).toContain('<h1><bdi>Review</bdi></h1>')
    expect(text.match(/<h2><bdi>Tile \d<\/bdi><\/h2>/g)).toHaveLength(2)
    expect(text).toContain('16 – 22 Nov 2026')

    setClock('2026-11-29T09:00:00Z')
    const expired = await request('GET', path, PAGE)
    expect([expired.status, expired.text.includes('This link does not work')]).toEqual([404, true])
  })

  it.each([0, 1, 2, 3])('is refused with another part %i of its address', async (index) => {
    const { mail } = await deliver(await newSignups())
    const parts = pageIn(mail?.text).replace('/reports/', '').split('.')
    const others = [
      (await newProject()).id,
      999,
      Date.parse('2026-11-22T08:00:00Z'),
      '0'.repeat(64)
    ]

    const forged = parts.with(index, String(others[index])).join('.')

    expect((await request('GET', `/reports/${forged}`)).status).toBe(404)
  })
})

describe('Slack', () => {
  it('gets the address of each picture, and shows it below the numbers', async () => {
    const path = `/ok/${crypto.randomUUID()}`
    await deliver(await newSignups(), { target_type: 'slack', target_value: `${url}${path}` })

    const [received] = await receivedAt(path)
    const { blocks } = JSON.parse(received?.body ?? '')
    expect(blocks.map(({ type }: { type: string }) => type)).toEqual([
      'header',
      'section',
      'section',
      'image',
      'section',
      'context'
    ])
    const { image_url, alt_text } = blocks[3]
    expect(alt_text).toBe('Chart of Signups')
    expect((await request('GET', pathIn(image_url))).status).toBe(200)
  })

  it('gets the message without pictures when it cannot fetch them', async () => {
    const path = `/status/400/${crypto.randomUUID()}`
    await deliver(await newSignups(), {
      target_type: 'slack',
      target_value: `${url}${path}?say=invalid_blocks`
    })

    const received = await receivedAt(path)
    const hasImage = received.map(({ body }) => body.includes('image_url'))
    expect(hasImage).toEqual([true, false])
  })
})

it('a webhook gets the address of each picture', async () => {
  const path = `/ok/${crypto.randomUUID()}`
  await deliver(await newSignups(), { target_type: 'webhook', target_value: `${url}${path}` })

  const [received] = await receivedAt(path)
  const [insight] = JSON.parse(received?.body ?? '').data.insights
  expect(sizeOf((await request('GET', pathIn(insight.chart_url))).bytes)).toEqual([840, 520])
})
