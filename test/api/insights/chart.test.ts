import { afterAll, describe, expect, it, vi } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { DARK } from '../../../src/html/tokens.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import type { Display } from '../../../src/trends/query.ts'
import { sizeOf } from '../../support/png.ts'
import { newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

/** The kind of chart that the description of a chart names, by its display. */
const KIND_SHOWN: Record<Display, string> = {
  ActionsLineGraph: 'Line chart',
  ActionsLineGraphCumulative: 'Line chart',
  ActionsAreaGraph: 'Stacked area chart',
  ActionsBar: 'Stacked bar chart',
  ActionsStackedBar: 'Stacked bar chart',
  ActionsUnstackedBar: 'Bar chart',
  ActionsBarValue: 'Ranked bars',
  ActionsPie: 'Pie chart',
  ActionsDonut: 'Pie chart',
  BoldNumber: 'Number',
  ActionsTable: 'Table',
  WorldMap: 'List of countries'
}

const MONDAY = Date.parse('2026-11-02T12:00:00Z')
const RANGE = { date_from: '2026-11-02', date_to: '2026-11-04' }

const shop = await newProject()
await shop.ingest(
  [0, 1, 1, 2].map((day, i) => ({
    event: 'sold',
    distinct_id: `visitor-${i}`,
    timestamp: MONDAY + day * DAY,
    properties: { plan: i === 0 ? 'free' : '<pro> & "team"' }
  })),
  MONDAY + 3 * DAY
)

afterAll(untilQuiet)

const draw = (body: JsonObject, query = 'format=svg', project: TestProject = shop) =>
  project.send('POST', `insights/trend/?${query}`, { events: [{ id: 'sold' }], ...RANGE, ...body })

describe('a trend as a chart', () => {
  it('is drawn for format=svg', async () => {
    const { status, headers, text } = await draw({})

    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('image/svg+xml')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(text).toMatch(/^<svg [^>]*width="600" height="320"/)
    expect(text).toContain('<title id="chart-title">sold</title>')
    expect(text).toContain(
      'Line chart, 2 Nov to 4 Nov, 2 – 4 Nov 2026 · UTC. sold, events by day. sold: 1, 2, 1.'
    )
    for (const label of ['2 Nov', '3 Nov', '4 Nov']) {
      expect(text).toContain(`>${label}</text>`)
    }
  })

  it('is drawn for Accept: image/svg+xml, unless `format` says otherwise', async () => {
    const query = `events=${encodeURIComponent('[{"id":"sold"}]')}&date_from=2026-11-02`
    const accept = { Accept: 'image/svg+xml,*/*' }

    const chart = await shop.call('GET', `insights/trend/?${query}`, accept)
    const json = await shop.call('GET', `insights/trend/?${query}&format=json`, accept)

    expect(chart.text).toMatch(/^<svg /)
    expect(json.body.result).toHaveLength(1)
  })

  it('is an image for format=png, with two pixels for each pixel of the chart', async () => {
    const { status, headers, bytes } = await draw({}, 'format=png&width=400&height=200')

    expect([status, headers.get('Content-Type')]).toEqual([200, 'image/png'])
    expect(sizeOf(bytes)).toEqual([800, 400])
  })

  it('is an image for Accept: image/png, the same every time', async () => {
    const query = `events=${encodeURIComponent('[{"id":"sold"}]')}&date_from=2026-11-02&date_to=2026-11-04`
    const [first, second] = await Promise.all(
      [1, 2].map(() => shop.call('GET', `insights/trend/?${query}`, { Accept: 'image/png' }))
    )
    const dark = await shop.call('GET', `insights/trend/?${query}&theme=dark&format=png`)

    expect(sizeOf(first?.bytes ?? new Uint8Array())).toEqual([1_200, 640])
    expect(second?.bytes).toEqual(first?.bytes)
    expect(dark.bytes).not.toEqual(first?.bytes)
  })

  it('has the requested size and theme', async () => {
    const { text } = await draw({}, 'format=svg&width=343&height=280&theme=dark')

    expect(text).toMatch(/^<svg [^>]*width="343" height="280"/)
    expect(text).toContain(`fill="${DARK.surface}"`)
  })

  it.each(Object.entries(KIND_SHOWN))('shows the display %s as a %s', async (display, kind) => {
    const { status, text } = await draw({ display })

    expect(status).toBe(200)
    expect(text).toContain(`<desc id="chart-description">${kind}, `)
  })

  it('shows the values of a breakdown as text, whatever they contain', async () => {
    const { text } = await draw({ breakdown: 'plan', breakdown_type: 'event' })

    expect(text).toContain('&lt;pro&gt; &amp; &quot;team&quot;</text>')
    expect(text).not.toContain('<pro>')
  })

  it.each([
    ['ActionsLineGraph', 'thin'],
    ['ActionsBar', 'grey'],
    ['ActionsTable', 'before'],
    ['ActionsBarValue', 'mark']
  ])('names the dates of the compared period: %s', async (display, mark) => {
    const { text } = await draw({ display, compare: true, date_from: '2026-11-03' })

    expect(text).toContain(`${mark}: 1 – 2 Nov 2026</text>`)
  })

  it('names the dates of the compared period of many lines, which only their numbers have', async () => {
    const events = [{ id: 'sold' }, { id: 'sold' }, { id: 'sold' }]
    const { text } = await draw({ events, compare: true, date_from: '2026-11-03' })

    expect(text).toContain('before: 1 – 2 Nov 2026</text>')
  })

  it('says so if all values are 0', async () => {
    const { text } = await draw({ date_from: '2026-10-02', date_to: '2026-10-04' })

    expect(text).toContain('All values in this range are 0.</text>')
  })

  it('says that an event does not exist, and which was probably meant', async () => {
    const { text } = await draw({ events: [{ id: 'solt' }] })
    const both = await draw({ events: [{ id: 'sold' }, { id: 'never at all' }] })

    expect(text).toContain('>No event is called “solt”. Did you mean “sold”?</text>')
    expect(both.text).toContain('No event is called “never at all”. sold: 1 to 2, last 1.')
  })

  it('has plain names for the events of SDKs', async () => {
    await shop.ingest([{ event: '$pageview', distinct_id: 'visitor-0', timestamp: MONDAY }])

    const { text } = await draw({ events: [{ id: '$pageview' }] })
    const both = await draw({ events: [{ id: '$pageview' }, { id: 'sold' }] })

    expect(text).toContain('<title id="chart-title">Page view</title>')
    expect(text).not.toContain('$pageview')
    expect(both.text).toContain('>Page view</text>')
  })

  it('lists the countries of a world map by name', async () => {
    const project = await newProject()
    await project.ingest(
      ['DE', 'DE', 'PT', 'XX'].map((code, i) => ({
        event: 'sold',
        distinct_id: `visitor-${i}`,
        timestamp: MONDAY,
        properties: { $geoip_country_code: code }
      })),
      MONDAY + 3 * DAY
    )
    const map = { display: 'WorldMap', breakdown: '$geoip_country_code', breakdown_type: 'event' }

    const { text } = await draw(map, 'format=svg', project)

    expect(text).toContain('List of countries, ')
    expect(text).toContain('Germany: 2. Portugal: 1. XX: 1.')
  })

  it.each([
    ['total', true],
    ['dau', false]
  ])('has the sum of %s in the hole of a donut: %s', async (math, isShown) => {
    const donut = { display: 'ActionsDonut', breakdown: 'plan', breakdown_type: 'event' }

    const { text } = await draw({ ...donut, events: [{ id: 'sold', math }] })

    expect(/text-anchor="middle"[^>]*>4</.test(text)).toBe(isShown)
  })

  it('does not let the day that is not over fall', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: MONDAY + 2 * DAY })

    const { text } = await draw({ date_to: '2026-11-05' })
    vi.useRealTimers()

    expect(text).toContain('>Today</text>')
    expect(text).toContain('stroke-dasharray="1 4.5"')
    expect(text).toContain('sold: 1, 2, 1.')
  })

  it('is drawn for a request without a series', async () => {
    const { status, text } = await shop.send('POST', 'insights/trend/?format=svg', {})

    expect([status, text.slice(0, 4)]).toEqual([200, '<svg'])
  })

  it.each([
    ['format=svg&width=159', 'width', 'invalid_input'],
    ['format=svg&width=2001', 'width', 'invalid_input'],
    ['format=svg&height=tall', 'height', 'invalid_input'],
    ['format=svg&theme=pink', 'theme', 'invalid_choice'],
    ['format=gif', 'format', 'invalid_choice'],
    ['format=png&height=2001', 'height', 'invalid_input'],
    ['width=600', 'width', 'invalid_input'],
    ['format=csv&theme=dark', 'theme', 'invalid_input']
  ])('is refused with %s', async (query, attr, code) => {
    const { status, body } = await draw({}, query)

    expect([status, body.attr, body.code]).toEqual([400, attr, code])
  })

  it('answers errors as JSON', async () => {
    const { status, body } = await draw({ display: 'Spiral' })

    expect([status, body.type]).toEqual([400, 'validation_error'])
  })
})

describe('the chart of a saved insight', () => {
  const save = async (input: JsonObject) =>
    (await shop.send('POST', 'insights/', input)).body as { id: number }
  const filters = { events: [{ id: 'sold' }], ...RANGE, display: 'ActionsBar' }

  it('has the name and the display of the insight', async () => {
    const { id } = await save({ name: 'Sales & more', filters })

    const { status, headers, text } = await shop.call('GET', `insights/${id}/chart.svg?theme=dark`)

    expect([status, headers.get('Content-Type')]).toEqual([200, 'image/svg+xml'])
    expect(text).toContain('<title id="chart-title">Sales &amp; more</title>')
    expect(text).toContain('Stacked bar chart')
  })

  it('is an image at chart.png', async () => {
    const { id } = await save({ name: 'Sales & more', filters })

    const { status, headers, bytes } = await shop.call('GET', `insights/${id}/chart.png?width=300`)

    expect([status, headers.get('Content-Type')]).toEqual([200, 'image/png'])
    expect(sizeOf(bytes)).toEqual([600, 640])
  })

  it('is drawn for an insight without a series', async () => {
    const { id } = await save({ name: 'Empty' })

    const { text } = await shop.call('GET', `insights/${id}/chart.svg`)

    expect(text).toContain('<title id="chart-title">Empty</title>')
  })

  it('is not found if the insight is deleted or belongs to another project', async () => {
    const other = await newProject()
    const { id } = await save({ name: 'Sales', filters })

    for (const format of ['svg', 'png']) {
      expect((await other.call('GET', `insights/${id}/chart.${format}`)).status).toBe(404)
    }
    await shop.call('DELETE', `insights/${id}/`)
    for (const format of ['svg', 'png']) {
      expect((await shop.call('GET', `insights/${id}/chart.${format}`)).status).toBe(404)
    }
  })
})

describe('the charts of a dashboard', () => {
  const filters = { events: [{ id: 'sold' }], ...RANGE }

  /** Creates a dashboard with insights of these names and filters. */
  async function newBoard(insights: [name: string, filters: JsonObject][]) {
    const board = (await shop.send('POST', 'dashboards/', { name: 'Weekly <review>' })).body
    for (const [name, own] of insights) {
      await shop.send('POST', 'insights/', { name, filters: own, dashboards: [board.id] })
    }
    return board as { id: number }
  }

  it('are below each other, each with its title', async () => {
    const { id } = await newBoard([
      ['Sales', filters],
      ['Shares', { ...filters, display: 'ActionsPie' }]
    ])

    const { status, headers, text } = await shop.call(
      'GET',
      `dashboards/${id}/chart.svg?height=200`
    )
    const image = await shop.call('GET', `dashboards/${id}/chart.png?height=200`)

    expect([status, headers.get('Content-Type')]).toEqual([200, 'image/svg+xml'])
    expect(text).toMatch(/^<svg [^>]*width="600" height="464"/)
    expect(text).toContain('<title id="chart-title">Weekly &lt;review&gt;</title>')
    expect(text).toContain('Sales: Line chart, 2 Nov to 4 Nov')
    expect(text.indexOf('>Sales</text>')).toBeLessThan(text.indexOf('>Shares</text>'))
    expect(sizeOf(image.bytes)).toEqual([1_200, 928])
  })

  it('show why an insight has no chart, and draw the others', async () => {
    const { id } = await newBoard([
      ['Too much', { ...filters, date_from: '2000-01-01', interval: 'minute' }],
      ['Empty', {}],
      ['Sales', filters]
    ])

    const { text } = await shop.call('GET', `dashboards/${id}/chart.svg`)

    expect(text).toMatch(/>A trend has at most 10,000 buckets\. /)
    expect(text).toContain('>This insight has no series yet.</text>')
    expect(text).toContain('Sales: Line chart, 2 Nov to 4 Nov')
  })

  it('show the first ten insights', async () => {
    const { id } = await newBoard(
      Array.from({ length: 12 }, (_, i): [string, JsonObject] => [`Sales ${i + 1}.`, filters])
    )

    const { text } = await shop.call('GET', `dashboards/${id}/chart.svg`)

    expect(text).toContain('Test · 2 more insights are not drawn</text>')
    expect([text.includes('>Sales 10.<'), text.includes('>Sales 11.<')]).toEqual([true, false])
  })

  it('say that a dashboard has no insights', async () => {
    const { id } = await newBoard([])

    const { text } = await shop.call('GET', `dashboards/${id}/chart.svg`)

    expect(text).toContain('This dashboard has no insights.</text>')
  })

  it('are not found if the dashboard is deleted or belongs to another project, and need the scope of insights', async () => {
    const other = await newProject()
    const { id } = await newBoard([['Sales', filters]])
    const Authorization = `Bearer ${await shop.newKey(['dashboard:read'])}`

    const foreign = await other.call('GET', `dashboards/${id}/chart.png`)
    const unscoped = await shop.call('GET', `dashboards/${id}/chart.png`, { Authorization })
    await shop.call('DELETE', `dashboards/${id}/`)
    const deleted = await shop.call('GET', `dashboards/${id}/chart.png`)

    expect([foreign.status, unscoped.status, deleted.status]).toEqual([404, 403, 404])
  })
})
