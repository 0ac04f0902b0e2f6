import { afterAll, afterEach, expect, inject, it, vi } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { type Desk, newDesk, setClock } from '../../support/deliveries.ts'
import { request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import type { Received } from '../../support/receiver.ts'
import { DAILY } from '../../support/subscriptions.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

const NOW = '2026-11-21T12:00:00Z'
const event = (name: string) => ({ kind: 'EventsNode', event: name })
const dateRange = { date_from: '-3d' }
const ENTITY = { id: 'seen', type: 'events' }

const FUNNEL = { kind: 'FunnelsQuery', series: ['seen', 'paid'].map(event), dateRange }
const TIMES = { ...FUNNEL, funnelsFilter: { funnelVizType: 'time_to_convert' } }
const CONVERSION = { ...FUNNEL, funnelsFilter: { funnelVizType: 'trends' } }
const RETENTION = {
  kind: 'RetentionQuery',
  dateRange,
  retentionFilter: { targetEntity: ENTITY, returningEntity: ENTITY, totalIntervals: 3 }
}
const STICKINESS = { kind: 'StickinessQuery', series: [event('seen')], dateRange }
const OVERVIEW = { kind: 'WebOverviewQuery', properties: [], dateRange }
const PAGES = {
  kind: 'WebStatsTableQuery',
  properties: [],
  dateRange,
  breakdownBy: 'Page',
  includeBounceRate: true
}
const statement = (query: string, display = 'ActionsTable') => ({
  kind: 'DataVisualizationNode',
  source: { kind: 'HogQLQuery', query },
  display
})
const TOP = statement('SELECT event, count() AS n FROM events GROUP BY event ORDER BY n DESC')
const DAYS = statement(
  'SELECT toDate(timestamp) AS day, count() AS n FROM events GROUP BY day ORDER BY day',
  'ActionsLineGraph'
)
const LAST = statement('SELECT event, timestamp FROM events ORDER BY timestamp DESC LIMIT 2')
const LIFECYCLE = { kind: 'LifecycleQuery', series: [event('seen')], dateRange }

/**
 * Captures who sees on 15 to 20 November: Ada every day, Bo on the 18th and 20th, Cy on the 19th and Di
 * on the 16th. Ada pays on the 19th two minutes later, and on the 16th one minute later. Eve views one
 * page on the 17th, and two on the 19th within 45 seconds.
 */
async function captureVisits({ project }: Desk) {
  const on = (day: number) => Date.parse('2026-11-01T10:00:00Z') + (day - 1) * DAY
  const seen = (distinct_id: string, ...days: number[]) =>
    days.map((day) => ({ event: 'seen', distinct_id, timestamp: on(day) }))
  const paid = (day: number, minutes: number) => ({
    event: 'paid',
    distinct_id: 'ada',
    timestamp: on(day) + minutes * 60_000
  })
  const viewed = (day: number, seconds: number, $pathname: string) => ({
    event: '$pageview',
    distinct_id: 'eve',
    timestamp: on(day) + seconds * 1_000,
    properties: { $session_id: `on-${day}`, $pathname }
  })
  await project.ingest([
    ...seen('ada', 15, 16, 17, 18, 19, 20),
    ...seen('bo', 18, 20),
    ...seen('cy', 19),
    ...seen('di', 16),
    paid(16, 1),
    paid(19, 2),
    viewed(17, 0, '/'),
    viewed(19, 0, '/'),
    viewed(19, 45, '/pricing')
  ])
}

/** Delivers a question by e-mail. @returns the e-mail, and what the webhook would get */
async function deliver(query: JsonObject) {
  setClock(NOW)
  const desk = await newDesk()
  await captureVisits(desk)
  const { body } = await desk.send('POST', 'insights/', { name: 'Asked', query })
  const { id } = await desk.subscribe({ insight: body.id })
  await desk.send('POST', `subscriptions/${id}/test/`)
  await desk.drain()
  const [mail] = desk.mails
  if (!mail) {
    throw new Error('No e-mail was sent.')
  }
  return { ...mail, desk }
}

it.each<[string, JsonObject, string[], string]>([
  [
    'a funnel with its conversion, the change and its steps',
    FUNNEL,
    // Of 18 to 20 November, and of the three days before.
    ['Asked (18 – 20 Nov 2026)', 'Conversion: 33.3% (−16.7 pt from 50.0%)', 'seen 3 → paid 1'],
    'seen: 3 (100%). paid: 1 (33.3%), 2 left, 2m 00s in the median.'
  ],
  [
    'a time to convert',
    TIMES,
    ['Median time to convert: 2m 00s (+100% from 1m 00s)'],
    'Persons by the time to convert'
  ],
  [
    'the conversion by day',
    CONVERSION,
    ['Persons: 0.0% (−50.0 pt from 50.0%)'],
    'Persons: 50.0%, 50.0%, 0.0%.'
  ],
  [
    'retention by the mean of each column',
    RETENTION,
    ['Asked (18 – 21 Nov 2026)', 'Day 1: 50.0%', 'Day 2: 100%'],
    'All, weighted: 6, 50.0%, 100%.'
  ],
  [
    'stickiness by the number of days',
    STICKINESS,
    ['1 day: 1', '2 days: 1', '3 days: 1'],
    'seen: 1, 1, 1, 0.'
  ],
  [
    'the last whole day of a lifecycle',
    LIFECYCLE,
    ['New: 0', 'Returning: 1 (no change)', 'Resurrecting: 1'],
    'Dormant: −2 to 0'
  ],
  [
    'an overview with its changes',
    OVERVIEW,
    [
      'Asked (18 – 20 Nov 2026)',
      'Visitors: 1 (no change)',
      'Views: 2 (+100% from 1)',
      'Session duration: 45s',
      'Bounce rate: 0.0% (−100.0 pt from 100%)'
    ],
    'Views: 2, +100% from 1.'
  ],
  [
    'the visitors of each page',
    PAGES,
    ['Asked (18 – 20 Nov 2026)', '/: 1 (no change)', '/pricing: 1'],
    '/: 1, 1, 0.0%. /pricing: 1, 1, –.'
  ],
  [
    'the rows of a statement',
    TOP,
    ['Asked (until 21 Nov 2026)', 'seen: 10', '$pageview: 3', 'paid: 2'],
    'seen: 10. $pageview: 3. paid: 2.'
  ],
  [
    'the last point of a statement over time',
    DAYS,
    ['n · 20 Nov: 2 (−60.0% from 5)'],
    'Line chart, 15 Nov to 20 Nov, UTC. n by day. n: 1, 3, 2, 2, 5, 2.'
  ],
  [
    'the number of rows of a statement without numbers',
    LAST,
    ['Rows: 2'],
    'seen: 2026-11-20 10:00:00. seen: 2026-11-20 10:00:00.'
  ]
])('an e-mail has %s, and the chart', async (_, query, lines, described) => {
  const { text, html, attachments } = await deliver(query)

  for (const line of lines) {
    expect(text).toContain(line)
  }
  expect(attachments.map(({ type }) => type)).toEqual(['image/png'])
  expect(html).toContain(`src="cid:${attachments[0]?.contentId}"`)
  expect(html).toContain(described.replaceAll("'", '&#39;'))
})

it('an e-mail names the steps of a funnel beside its picture', async () => {
  const { html } = await deliver(FUNNEL)

  expect(html).toMatch(/<bdi>1 seen<\/bdi>.*<bdi>2 paid<\/bdi>/)
  expect(html).toContain('>33.3%</div>')
  expect(html).toContain('−16.7 pt<span class="from"> from 50.0%</span>')
})

it('the addresses in an e-mail have the page and its numbers', async () => {
  const { text } = await deliver(FUNNEL)
  const [, page = ''] = /All charts: (\S+)/.exec(text) ?? []
  const [, chart = ''] = /Chart: (\S+)/.exec(text) ?? []

  const shown = await request('GET', new URL(page).pathname, { Accept: 'text/html' })
  const csv = await request('GET', `${new URL(page).pathname}?format=csv`)
  const picture = await request('GET', new URL(chart).pathname)

  expect(shown.text).toContain('Funnel, ')
  expect(csv.text).toContain('Asked,Persons,,paid,1,120,120')
  expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/png'])
})

it('a funnel in which nobody began has nothing to report', async () => {
  const { text, attachments } = await deliver({
    ...FUNNEL,
    series: ['seeen', 'paid'].map(event)
  })

  expect(text).toContain('No event is called “seeen”. Did you mean “seen”?')
  expect(attachments).toEqual([])
})

it('a statement that shows persons is in no e-mail', async () => {
  const { text, html, attachments } = await deliver(
    statement('SELECT person.properties.name AS name, count() AS n FROM events GROUP BY name')
  )

  expect(text).toContain('This insight shows persons')
  expect(html).toContain('This insight shows persons')
  expect(attachments).toEqual([])
})

const KINDS: [string, JsonObject][] = [
  ['Funnel', FUNNEL],
  ['Times', TIMES],
  ['Conversion', CONVERSION],
  ['Retention', RETENTION],
  ['Stickiness', STICKINESS],
  ['Lifecycle', LIFECYCLE],
  ['Overview', OVERVIEW],
  ['Pages', PAGES],
  ['Statement', TOP]
]

const { host, url } = inject('receiver')
const OPEN = { OUTBOUND_ALLOW: host }

/** Delivers a dashboard with an insight of each kind. @returns what the receiver got */
async function deliverAll(target_type: 'slack' | 'webhook') {
  setClock(NOW)
  const desk = await newDesk()
  await captureVisits(desk)
  const dashboard = (await desk.send('POST', 'dashboards/', { name: 'All kinds' })).body.id
  for (const [name, query] of KINDS) {
    const { status } = await desk.send('POST', 'insights/', {
      name,
      query,
      dashboards: [dashboard]
    })
    expect([name, status]).toEqual([name, 201])
  }
  const path = `/ok/${crypto.randomUUID()}`
  const { body } = await desk.send(
    'POST',
    'subscriptions/',
    { ...DAILY, dashboard, target_type, target_value: `${url}${path}` },
    OPEN
  )
  await desk.send('POST', `subscriptions/${body.id}/test/`, undefined, OPEN)
  await desk.drain(OPEN)
  const answer = await fetch(`${url}/received?at=${encodeURIComponent(path)}`)
  const received: Received[] = await answer.json()
  expect(received).toHaveLength(1)
  return JSON.parse(received[0]?.body ?? '')
}

it('a webhook gets the numbers of each kind, with their units and the addresses of charts', async () => {
  const { data } = await deliverAll('webhook')

  const lines = data.insights.map(({ name, lines: [line] }: Shown) => [name, line])
  expect(lines).toEqual([
    ['Funnel', figure('Conversion', 100 / 3, 50, '−16.7 pt', 'percent')],
    ['Times', figure('Median time to convert', 120, 60, '+100%', 'seconds')],
    ['Conversion', figure('Persons', 0, 50, '−50.0 pt', 'percent')],
    ['Retention', figure('Day 1', 50, null, null, 'percent')],
    ['Stickiness', figure('1 day', 1, null, null)],
    ['Lifecycle', figure('New', 0, 1, '−100%')],
    ['Overview', figure('Visitors', 1, 1, 'no change')],
    ['Pages', figure('/', 1, 1, 'no change')],
    ['Statement', figure('seen', 10, null, null)]
  ])
  const overview = data.insights.find(({ name }: Shown) => name === 'Overview')
  expect(overview.lines.at(-1)).toEqual(figure('Bounce rate', 0, 100, '−100.0 pt', 'percent'))
  const picture = await request('GET', new URL(overview.chart_url).pathname)
  expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/png'])
  expect(data.insights.map(({ error }: { error: string | null }) => error)).toEqual(
    KINDS.map(() => null)
  )
})

type Shown = { name: string; lines: object[] }

const figure = (
  label: string,
  value: number,
  previous: number | null,
  change: string | null,
  unit?: string
) => ({ label, value: expect.closeTo(value, 6), previous, change, ...(unit && { unit }) })

it('a message to Slack has a line for each kind', async () => {
  const { blocks } = await deliverAll('slack')

  const text = blocks.map((block: { text?: { text: string } }) => block.text?.text).join('\n')
  for (const line of [
    '• Funnel: *33.3%*  ▼ −16.7 pt',
    '• Times: *2m 00s*  ▲ +100%',
    '• Conversion: *0.0%*  ▼ −50.0 pt',
    '• Retention · Day 1 (18 – 21 Nov 2026): *50.0%*',
    '• Stickiness · 1 day',
    '• Lifecycle · New',
    '• Overview · Visitors: *1*  no change',
    '• Pages · /: *1*  no change',
    '• Statement · seen (until 21 Nov 2026): *10*'
  ]) {
    expect(text).toContain(line)
  }
})
