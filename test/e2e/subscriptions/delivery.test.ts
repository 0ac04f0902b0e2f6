import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { fireCron } from '../../../scripts/control.ts'
import { toIso } from '../../../src/calendar/clock.ts'
import { DAY } from '../../../src/calendar/units.ts'
import type { Chart } from '../../../src/charts/chart.ts'
import { describeChart } from '../../../src/charts/describe.ts'
import { drawInset } from '../../../src/charts/draw.ts'
import { LIGHT } from '../../../src/html/tokens.ts'
import { EVERY_MINUTE } from '../../../src/jobs/cron.ts'
import type { InsightPart } from '../../../src/subscriptions/content.ts'
import { toEmail } from '../../../src/subscriptions/email.ts'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import { openPainter } from '../../support/charts.ts'
import { administer } from '../../support/service.ts'
import { until } from '../../support/until.ts'

type Subscription = { id: number; next_delivery_date: string | null }

it('the running service draws a chart and delivers a subscription when the cron fires', async () => {
  const { url, stateDir } = inject('service')
  const project = await administer(stateDir, 'project', 'create', '--name', 'Mail')
  const { key } = await administer(
    stateDir,
    'key',
    'create',
    '--label',
    'mail',
    '--scopes',
    '*',
    '--project',
    String(project.id)
  )
  const call = async <Body>(method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/api/environments/${project.id}/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) })
    })
    return (await response.json()) as Body
  }
  const insight = await call<{ id: number }>('POST', 'insights/', {
    name: 'Signups',
    filters: { events: [{ id: 'signed up' }] }
  })
  const event = { event: 'signed up', distinct_id: 'p', timestamp: new Date(Date.now() - DAY) }
  await fetch(`${url}/batch/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: project.capture_token, batch: [event] })
  })
  await until(async () => (await call<{ count: number }>('GET', 'persons/')).count === 1)
  const image = await fetch(
    `${url}/api/environments/${project.id}/insights/${insight.id}/chart.png`,
    { headers: { authorization: `Bearer ${key}` } }
  )
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  /** Creates a daily subscription that is first due in `ahead` ms, or later if creating it takes longer. */
  const subscribe = async (ahead: number): Promise<{ id: number; due: number }> => {
    const due = Math.ceil(Date.now() / 1000) * 1000 + ahead
    const created = await call<Subscription>('POST', 'subscriptions/', {
      insight: insight.id,
      target_type: 'email',
      target_value: 'ada@example.com, bob@example.com',
      frequency: 'daily',
      start_date: new Date(due).toISOString()
    })
    if (created.next_delivery_date === toIso(due)) {
      return { id: created.id, due }
    }
    expect(ahead, JSON.stringify(created)).toBeLessThan(60_000)
    return subscribe(2 * ahead)
  }
  const { id, due } = await subscribe(1000)
  await sleep(due - Date.now() + 100)

  await fireCron(stateDir, EVERY_MINUTE)
  const listDeliveries = async () => {
    const { results } = await call<{ results: { finished_at: string | null }[] }>(
      'GET',
      `subscriptions/${id}/deliveries/`
    )
    return results
  }
  await until(async () => {
    const [delivery] = await listDeliveries()
    return Boolean(delivery?.finished_at)
  })

  expect(await listDeliveries()).toMatchObject([
    {
      kind: 'scheduled',
      status: 'delivered',
      attempts: 1,
      occurrence: toIso(due),
      missed: 0
    }
  ])
  const log = () => readFileSync(join(stateDir, 'service.log'), 'utf8')
  await until(() => log().includes('"e-mail written"'))
  expect(log()).not.toMatch(/(ada|bob)@example\.com/)
  // Other tests send e-mails by the same service, and erasures remove them.
  const pages = () =>
    [...log().matchAll(/An e-mail, written instead of sent: (\S+)/g)]
      .map(([, link = '']) => fileURLToPath(link))
      .filter((page) => existsSync(page))
  const findPage = () =>
    pages()
      .map((page) => readFileSync(page, 'utf8'))
      .find((html) => /<html.*Signups/s.test(html))
  await until(() => findPage() !== undefined)
  expect(findPage()).toMatch(/<img [^>]*src="data:image\/png;base64,iVBOR/)
})

const LONG =
  'https://app.example.com/a/very/long/path/that/does/not/break/anywhere?with=query&and=more'
const PARTS: InsightPart[] = [
  {
    insight: 44,
    name: 'Signups',
    range: '16 – 22 Nov 2026',
    from: 0,
    until: 1,
    more: 0,
    lines: [{ label: 'signed up', series: 'signed up', value: 1_234, previous: 1_100 }]
  },
  {
    name: `Revenue of ${LONG}`,
    range: '16 – 22 Nov 2026',
    from: 0,
    until: 1,
    more: 3,
    lines: [
      {
        label: 'Enterprise',
        series: 'Enterprise',
        value: 1_234_567_890.12,
        previous: 2_345_678_901.5
      },
      { label: LONG, series: LONG, value: 12, previous: 0 },
      { label: '<img src=x onerror=alert(1)>', series: 'img', value: 4, previous: 4 }
    ]
  },
  { name: 'Churn', failure: 'Nothing to report for 16 – 22 Nov 2026: all values are zero.' }
]

const Layout = z.object({
  pageWidth: z.number(),
  pageHeight: z.number(),
  linesOfWord: z.number(),
  images: z.array(z.object({ width: z.number(), height: z.number() }))
})

/** Measures the page; the browser evaluates this expression. */
const MEASURE = `({
  pageWidth: document.documentElement.scrollWidth,
  pageHeight: document.body.scrollHeight,
  linesOfWord: (() => {
    const range = document.createRange()
    range.selectNodeContents([...document.querySelectorAll('bdi')].find((cell) => cell.textContent === 'Enterprise'))
    return range.getClientRects().length
  })(),
  images: [...document.images].map(({ width, height }) => ({ width, height }))
})`

/** Puts the attached images of an e-mail into its page, as a mail program does. */
const withImages = (html: string, attachments: EmailAttachment[]): string =>
  attachments.reduce(
    (page, { contentId, type, content }) =>
      page.replace(`cid:${contentId}`, `data:${type};base64,${content}`),
    html
  )

describe.skipIf(!hasBrowser())('an e-mail', async () => {
  const days = Array.from({ length: 7 }, (_, i) => `${16 + i} Nov`)
  const paint = await openPainter()
  const chart: Chart = {
    title: 'Signups',
    subtitle: '16 – 22 Nov 2026 · Europe/Berlin',
    counted: 'signed up, unique persons by day',
    kind: 'line',
    buckets: days,
    days: [],
    series: [{ name: 'signed up', data: days.map((_, i) => 150 + ((i * 41) % 60)) }],
    finished: days.length,
    total: null,
    warning: null
  }
  const svg = drawInset(chart, { width: 552, height: 160, size: 13, colors: LIGHT, id: 'chart-' })
  const painted = {
    insight: 44,
    content: Buffer.from(paint(svg)).toString('base64'),
    counted: chart.counted,
    names: [],
    alt: describeChart(chart)
  }
  const addressee = {
    to: 'ada@example.com',
    unsubscribe: 'https://analytics.example.com/unsubscribe/1.2.3'
  }

  /** Opens an e-mail about some insights. @returns its page and its measures */
  async function openMail(parts: InsightPart[], width: number) {
    const content = {
      name: 'Weekly numbers',
      project: 'Shop',
      at: 0,
      timezone: 'UTC',
      parts,
      more: 2
    }
    const digest = {
      subscriptionId: 1,
      deliveryId: 2,
      isTest: true,
      occurrence: 0,
      missed: 2,
      summary: 'sent every week',
      next: 0,
      invite: 'Hello',
      content,
      charts: new Map([[44, 'https://analytics.example.com/charts/1.2.3.png']]),
      page: 'https://analytics.example.com/reports/1.2.3',
      alert: null
    }
    const { html, attachments } = toEmail(digest, painted, addressee)
    const page = await (await openBrowser()).newPage()
    await page.setViewportSize({ width, height: 800 })
    await page.setContent(withImages(html, attachments))
    await page.waitForFunction('[...document.images].every(({ complete }) => complete)')
    return { page, layout: Layout.parse(await page.evaluate(MEASURE)) }
  }

  it.each([640, 375, 320])('is readable at a width of %i pixels', async (width) => {
    const { page, layout } = await openMail(PARTS, width)

    expect(layout.pageWidth).toBe(width)
    const [image] = layout.images
    expect(layout.images).toHaveLength(1)
    // The sheet is at most 600 pixels wide, with an edge and 24 pixels at each side, on phones with 20.
    expect(image?.width).toBe(width < 480 ? width - 40 : 550)
    expect((image?.width ?? 0) / (image?.height ?? 1)).toBeCloseTo(552 / 160, 1)
    // A word is not broken into several lines, even in a wide font.
    expect(layout.linesOfWord).toBe(1)
    const unsubscribe = page.getByRole('link', { name: 'Unsubscribe' })
    expect(await unsubscribe.getAttribute('href')).toBe(addressee.unsubscribe)
  })

  it('is at most 1,000 pixels high, however many insights it is about', async () => {
    const [first] = PARTS
    const names = ['Enterprise', 'Visitors', 'Revenue', 'Retention', 'Trials', 'Seats', 'Invites']
    const parts = [...names, 'Teams', 'Exports', 'Imports'].map((name, i) => ({
      ...first,
      ...(i % 3 === 1 ? PARTS[1] : first),
      name
    })) as InsightPart[]

    const { layout } = await openMail([...(first ? [first] : []), ...parts], 640)

    expect(layout.pageHeight).toBeLessThanOrEqual(1_000)
  })
})
