import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { captureSignups, type Desk, newDesk, setClock } from '../../support/deliveries.ts'
import { measureRows } from '../../support/log.ts'
import { untilQuiet } from '../../support/queue.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

describe('the content of a delivery', () => {
  /** Returns the text of a test delivery. */
  async function textOf(desk: Desk, fields: JsonObject): Promise<string> {
    const { id } = await desk.subscribe(fields)
    await desk.send('POST', `subscriptions/${id}/test/`)
    await desk.drain()
    return desk.mails.at(-1)?.text ?? ''
  }

  it('is the insight and the first ten tiles of the dashboard', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Own')
    await captureSignups(desk)
    const dashboard = (await desk.send('POST', 'dashboards/', { name: 'Review' })).body.id
    for (let n = 1; n <= 12; n += 1) {
      await desk.send('POST', 'insights/', {
        name: `Tile ${n}.`,
        filters: { events: [{ id: 'signed up' }], date_from: '-6d' },
        dashboards: [dashboard]
      })
    }

    const text = await textOf(desk, { dashboard })

    expect(text).toContain('Test: Review')
    expect(text).toContain('Own (15 – 20 Nov 2026)\n  signed up: 5 (+25.0% from 4)')
    expect(text).toContain('Tile 10. (15')
    expect(text).not.toContain('Tile 11.')
    expect(text).toContain('…and 2 more on the dashboard.')
  })

  it.each(['00:30', '12:00', '23:30'])(
    'covers whole days: a steady number shows no change, whatever the hour: %s',
    async (hour) => {
      setClock(`2026-11-21T${hour}:00Z`)
      const desk = await newDesk('Steady')
      const hours = Array.from(
        { length: 15 * 24 },
        (_, n) => Date.parse('2026-11-07T00:30:00Z') + n * HOUR
      )
      await desk.project.ingest(
        hours
          .filter((time) => time < Date.now())
          .map((timestamp) => ({ event: 'signed up', distinct_id: 'p', timestamp }))
      )

      expect(await textOf(desk, {})).toContain(
        'Steady (15 – 20 Nov 2026)\n  signed up: 144 (no change)'
      )
    }
  )

  it('has names on one line, without control characters', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Bell\u0007\r\n\r\nUnsubscribe: https://evil.example')
    await desk.project.ingest([
      { event: 'signed up', distinct_id: 'p', timestamp: Date.now() - 1_000 }
    ])

    const text = await textOf(desk, { title: 'My\u001b[2J\nweek' })

    expect(text).toContain('Test: My\ufffd[2J week\n')
    expect(text).toContain('Bell\ufffd Unsubscribe: https://evil.example (15 – 21 Nov 2026)\n')
    expect(desk.mails.at(-1)?.html).not.toMatch(/[\p{Cc}--[\n]]/v)
  })

  it('covers today if only today has events', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('New')
    await desk.project.ingest([
      { event: 'signed up', distinct_id: 'p', timestamp: Date.now() - 1_000 }
    ])

    expect(await textOf(desk, {})).toContain('New (15 – 21 Nov 2026)\n  signed up: 1\n')
  })

  it('has plain names for the events of SDKs, in Slack and e-mails', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    await desk.project.ingest([
      { event: '$pageview', distinct_id: 'p', timestamp: Date.now() - 25 * HOUR }
    ])
    const filters = { events: [{ id: '$pageview' }], date_from: '-6d' }
    const insight = (await desk.send('POST', 'insights/', { name: 'Views', filters })).body.id

    expect(await textOf(desk, { insight })).toContain('  Page view: 1\n')
    expect(desk.mails.at(-1)?.html).not.toContain('$pageview')
  })

  it('contains an insight only once if it is also a tile of the dashboard', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const dashboard = (await desk.send('POST', 'dashboards/', { name: 'Review' })).body.id
    const filters = { events: [{ id: 'signed up' }] }
    const insight = (
      await desk.send('POST', 'insights/', { name: 'Both', filters, dashboards: [dashboard] })
    ).body.id

    const text = await textOf(desk, { insight, dashboard, title: ' ' })

    expect(text).toContain('Test: Review')
    expect(text.split('Both')).toHaveLength(2)
  })

  it.each<[string, JsonObject, string]>([
    [
      'nothing happened',
      { events: [{ id: 'signed up' }], date_from: '-6d' },
      'Nothing to report for 15 – 21 Nov 2026: all values are zero.'
    ],
    [
      'an event does not exist',
      { events: [{ id: 'signed_up' }], date_from: '-6d' },
      'No event is called “signed_up”. Did you mean “signed up”?'
    ],
    ['the insight has no series', {}, 'This insight has no series yet.'],
    [
      'the insight has too many buckets',
      { events: [{ id: 'signed up' }], date_from: '1990-01-01', interval: 'day' },
      'This insight could not be computed: A trend has at most 10,000 buckets.'
    ]
  ])('says so when %s', async (_, filters, expected) => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const timestamp = Date.parse('2026-06-01T12:00:00Z')
    await desk.project.ingest([{ event: 'signed up', distinct_id: 'p', timestamp }])
    const insight = (await desk.send('POST', 'insights/', { name: 'Other', filters })).body.id

    expect(await textOf(desk, { insight })).toContain(`Other\n  ${expected}`)
  })

  it('says so when the insight is deleted', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id, insight } = await desk.subscribe()
    await desk.send('DELETE', `insights/${insight}/`)
    await desk.send('POST', `subscriptions/${id}/test/`)
    await desk.drain()

    expect(desk.mails[0]?.text).toContain('The insight or dashboard has been deleted.')
  })
})

it.each<[string, JsonObject]>([
  ['persons', { events: [{ id: 'signed up', math: 'dau' }] }],
  ['averages', { events: [{ id: 'signed up', math: 'avg', math_property: 'size' }] }],
  [
    'events with a filter',
    { events: [{ id: 'signed up', properties: [{ key: 'size', value: 1 }] }] }
  ],
  ['events by a property', { events: [{ id: 'signed up' }], breakdown: 'size' }],
  ['persons by a property', { events: [{ id: 'signed up', math: 'dau' }], breakdown: 'size' }]
])('an e-mail with a chart reads no more events than one with the number: %s', async (_, trend) => {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  await desk.project.ingest(
    Array.from({ length: 60 }, (_, i) => ({
      event: 'signed up',
      distinct_id: `p${i % 20}`,
      timestamp: Date.parse('2026-11-09T08:00:00Z') + i * 4 * HOUR,
      properties: { size: 1 + (i % 3) }
    }))
  )
  /** Returns the rows read by a delivery. */
  async function readFor(display: string): Promise<number> {
    const filters = { ...trend, date_from: '-6d', display }
    const insight = (await desk.send('POST', 'insights/', { name: 'Own', filters })).body.id
    const { id } = await desk.subscribe({ insight })
    await desk.send('POST', `subscriptions/${id}/test/`)
    return (await measureRows(() => desk.drain())).read
  }
  await readFor('ActionsTable')

  const number = await readFor('ActionsTable')
  const chart = await readFor('ActionsLineGraph')

  expect(desk.mails.map(({ attachments }) => attachments.length)).toEqual([0, 0, 1])
  expect(number).toBeGreaterThan(60)
  // The chart also looks for annotations.
  expect(chart).toBeLessThanOrEqual(number + 1)
})
