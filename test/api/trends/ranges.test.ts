import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY, HOUR } from '../../../src/calendar/units.ts'
import { newProject } from '../../support/project.ts'
import { ask, asTrend, at, lines, type Result } from '../../support/trends.ts'

// Otherwise an hour or a day could end between an event and the request for the trend.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Creates a project where Ada viewed a page these numbers of hours ago. */
async function newVisits(...hours: number[]) {
  const project = await newProject()
  const now = Date.now()
  await project.ingest(hours.map((ago) => ({ distinct_id: 'ada', timestamp: now - ago * HOUR })))
  return project
}

/** Builds a request for the number of page views since `date_from`. */
const inOneNumber = (date_from: string, more: object = {}) => ({
  events: [{ id: '$pageview' }],
  date_from,
  display: 'BoldNumber',
  ...more
})

/** Returns the number of each series, or the sum of its points. */
const total = (answer: { body: { result: Result[] } }) =>
  answer.body.result.map(({ aggregated_value, count }) => aggregated_value ?? count)

describe('a range of hours', () => {
  it.each([
    ['-24h', 23.9, 24.1],
    ['-36h', 35.9, 36.1],
    ['-90M', 1.4, 1.6]
  ])('begins exactly that long ago, not at midnight: %s', async (date_from, inside, outside) => {
    const project = await newVisits(inside, outside)
    const events = [{ id: '$pageview' }]

    expect(total(await ask(project, inOneNumber(date_from)))).toEqual([1])
    expect(total(await ask(project, inOneNumber(date_from, { interval: 'hour' })))).toEqual([1])
    expect(total(await ask(project, { events, date_from }))).toEqual([1])
    expect(total(await ask(project, { events, date_from, interval: 'week' }))).toEqual([1])
  })

  it('begins at a full hour if its buckets are hours', async () => {
    const project = await newVisits(2)
    const body = { events: [{ id: '$pageview' }], date_from: '-2h', interval: 'hour' }

    const [line] = (await ask(project, body)).body.result

    expect(line.data).toEqual([1, 0, 0])
  })

  it('is compared with nothing after the earlier hours, even if they end before a week that the range touches', async () => {
    // Monday: the 30 hours touch two weeks, and the 30 hours ten days before only one.
    vi.setSystemTime(Date.UTC(2025, 2, 10, 5))
    const project = await newVisits(240.1, 239.9)
    const body = {
      events: [{ id: '$pageview', math: 'dau' }],
      date_from: '-30h',
      interval: 'week',
      display: 'ActionsLineGraphCumulative',
      compare: true,
      compare_to: '-10d'
    }
    const late = await newVisits(239.9)

    const [, before] = (await ask(project, body)).body.result
    const [, after] = (await ask(late, body)).body.result

    expect(before.data).toEqual([1, 1])
    expect(after.data).toEqual([0, 0])
  })

  it('is compared, as a single number, with as many hours before', async () => {
    const project = await newVisits(1, 25, 47, 49)

    const answer = await ask(project, inOneNumber('-24h', { compare: true }))

    expect(total(answer)).toEqual([1, 2])
  })

  it('is compared, as a single number, with as many hours at the distance of `compare_to`', async () => {
    const project = await newVisits(1, 7 * 24 + 1, 7 * 24 + 23, 7 * 24 + 25)

    const answer = await ask(project, inOneNumber('-24h', { compare: true, compare_to: '-1w' }))

    expect(total(answer)).toEqual([1, 2])
  })

  it.each([
    ['-24h', [1, 25, 47.9, 48.1], 2],
    ['-36h', [1, 49, 83.9, 84.1], 2]
  ])(
    'is compared, by the day, with as many hours, shifted by whole days: %s',
    async (date_from, visits, count) => {
      const project = await newVisits(...visits)
      const body = { events: [{ id: '$pageview' }], date_from, compare: true }

      const { result } = (await ask(project, body)).body

      expect(result[1].data).toHaveLength(result[0].data.length)
      expect(result.map((one: Result) => one.count)).toEqual([1, count])
    }
  )
})

describe('a comparison by the day', () => {
  const daysOf = async (body: object): Promise<string[][]> => {
    const events = [{ id: '$pageview' }]
    const { result } = (await ask(await newProject(), { events, compare: true, ...body })).body
    return result.map(({ days }: { days: string[] }) => days)
  }

  /** Returns how many days earlier the compared period begins. */
  async function distanceOf(body: object): Promise<number> {
    const [current = [], previous = []] = await daysOf(body)
    expect(previous).toHaveLength(current.length)
    return (Date.parse(current[0] ?? '') - Date.parse(previous[0] ?? '')) / DAY
  }

  it.each([
    ['', 7],
    ['-7d', 7],
    ['-14d', 14],
    ['-21d', 21],
    ['-28dStart', 28],
    ['-6d', 7],
    ['-8d', 9],
    ['-1w', 8]
  ])('shifts whole weeks by weeks, other ranges by their days: %s', async (date_from, days) => {
    expect(await distanceOf({ date_from })).toBe(days)
  })

  it.each([
    ['an absolute range', { date_from: '2025-06-01', date_to: '2025-06-08' }, 8],
    ['a relative end', { date_from: '-14d', date_to: '-7d' }, 8],
    ['a requested distance', { date_from: '-7d', compare_to: '-1d' }, 1]
  ])(
    'compares with as many days just before, or at the requested distance: %s',
    async (_, body, days) => {
      expect(await distanceOf(body)).toBe(days)
    }
  )

  it('compares a range with an absolute end with as many days just before', async () => {
    const today = new Date().toISOString().slice(0, 10)

    expect(await distanceOf({ date_from: '-7d', date_to: today })).toBe(8)
  })

  it('compares whole weeks in a single number, too', async () => {
    const project = await newVisits(0, 7 * 24, 14 * 24)

    const answer = await ask(project, inOneNumber('-7d', { compare: true }))

    // The eight days up to today are compared with the eight days that begin seven days earlier.
    expect(total(answer)).toEqual([2, 2])
  })
})

/** Creates a project with visits of Ada on the first two days of December, and of Bob on 30 November and 31 January. */
async function newMonths() {
  const project = await newProject()
  const visit = (distinct_id: string, day: string) => ({
    distinct_id,
    timestamp: Date.parse(`${day}T12:00:00Z`)
  })
  await project.ingest([
    visit('ada', '2024-12-01'),
    visit('ada', '2024-12-02'),
    visit('bob', '2024-11-30'),
    visit('bob', '2025-01-31')
  ])
  return project
}

describe('active users', () => {
  const asked = (math: string, interval: string, more: object = {}) => ({
    events: [{ id: '$pageview', math }],
    date_from: '2024-12-01',
    date_to: '2025-01-31',
    interval,
    ...more
  })

  it.each([
    ['weekly_active', 'week', [1, 0, 0, 0, 0, 0, 0, 0, 1]],
    ['weekly_active', 'month', [1, 1]],
    ['monthly_active', 'month', [1, 1]]
  ])(
    'are the actors of the bucket if it is at least as long as the window: %s by the %s',
    async (math, interval, data) => {
      const answer = await ask(await newMonths(), asked(math, interval))

      expect(lines(answer)).toEqual([['$pageview', data]])
      expect(answer.body.result[0].action.math).toBe(math)
    }
  )

  it.each([
    ['monthly_active by the week', asked('monthly_active', 'week'), [2, 2, 2, 2, 0, 0, 0, 0, 1]],
    ['one number', asked('weekly_active', 'month', { display: 'BoldNumber' }), 1]
  ])('are otherwise the actors of the days in the window: %s', async (_, body, data) => {
    expect(lines(await ask(await newMonths(), body))).toEqual([['$pageview', data]])
  })
})

describe('a cumulative display', () => {
  /** Creates a project with visits of Ada on three days, with a session past midnight, and of Bob on the last day. */
  async function newVisitors() {
    const project = await newProject()
    const visit = (distinct_id: string, time: string, $session_id: string, path = '/a') => ({
      distinct_id,
      timestamp: at(time),
      properties: { $session_id, path }
    })
    await project.ingest([
      visit('ada', '01T23:50:00', 'night'),
      visit('ada', '02T00:10:00', 'night', '/b'),
      visit('ada', '03T10:00:00', 'day'),
      visit('bob', '03T11:00:00', 'other')
    ])
    return project
  }
  const cumulative = (math: string, more: object = {}) => ({
    ...asTrend({ math }),
    display: 'ActionsLineGraphCumulative',
    ...more
  })

  it.each([
    ['dau', [1, 1, 2]],
    ['weekly_active', [1, 1, 2]],
    ['monthly_active', [1, 1, 2]],
    ['unique_session', [1, 1, 3]],
    ['total', [1, 2, 4]]
  ])('adds up events, and counts each actor or session once: %s', async (math, data) => {
    const { result } = (await ask(await newVisitors(), cumulative(math))).body

    expect(result[0]).toMatchObject({ data, count: data.at(-1) })
  })

  it('counts an actor once for each value of a breakdown', async () => {
    const body = cumulative('dau', { breakdown: 'path' })

    expect(lines(await ask(await newVisitors(), body))).toEqual([
      ['/a', [1, 1, 2]],
      ['/b', [0, 1, 1]]
    ])
  })

  it('computes a formula with the cumulative numbers', async () => {
    const events = [{ id: '$pageview' }, { id: '$pageview', math: 'dau' }]
    const body = { ...cumulative('dau'), events, formula: 'A / B' }

    const { result } = (await ask(await newVisitors(), body)).body

    expect(result[0]).toMatchObject({ data: [1, 2, 2], count: 2 })
  })

  it('adds up fractions without rounding errors, in "Other" too', async () => {
    const project = await newProject()
    await project.ingest(
      [0.1, 0.2, 0.3, 0.3].map((price, i) => ({
        timestamp: at('01T10:00:00') + i * DAY,
        properties: { price, $browser: `browser ${i}` }
      }))
    )
    const series = asTrend({ math: 'sum', math_property: 'price' })
    const range = { date_from: '2025-06-01', date_to: '2025-06-04' }
    const cumulated = await ask(project, { ...cumulative('sum'), ...series, ...range })
    const [{ data, count }] = cumulated.body.result
    const broken = { ...series, ...range, display: 'BoldNumber', breakdown: '$browser' }
    const { result } = (await ask(project, { ...broken, breakdown_limit: 1 })).body

    expect([data.at(-1), count]).toEqual([0.9, 0.9])
    expect(result.map((one: Result) => one.aggregated_value)).toEqual([0.3, 0.6])
  })

  it('smooths the cumulative numbers', async () => {
    const body = cumulative('total', { smoothing_intervals: 2 })

    expect(lines(await ask(await newVisitors(), body))).toEqual([['$pageview', [1, 1, 3]]])
  })
})
