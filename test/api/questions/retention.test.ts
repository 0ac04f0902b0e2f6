import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { projects } from '../../../src/db/schema.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'

const view = (distinct_id: string, timestamp: string, properties = {}): TestEvent => ({
  distinct_id,
  timestamp: Date.parse(timestamp),
  properties
})

/** Page views from 1 to 3 March: Ada on all days, Bo on the first and the last, Cy, who is no person, on the second. */
const VIEWS = [
  view('ada', '2026-03-01T10:00:00Z', { $browser: 'Chrome' }),
  view('bo', '2026-03-01T23:59:59Z', { $browser: 'Firefox' }),
  view('ada', '2026-03-02T00:00:00Z', { $browser: 'Firefox' }),
  view('cy', '2026-03-02T12:00:00Z', { $browser: 'Firefox', $process_person_profile: false }),
  view('ada', '2026-03-03T10:00:00Z', { $browser: 'Firefox' }),
  view('bo', '2026-03-03T10:00:00Z', { $browser: 'Firefox' })
]

const RANGE = { date_from: '2026-03-01', date_to: '2026-03-03' }

const ask = (project: TestProject, retentionFilter: object, more: object = {}) =>
  project.send('POST', 'query/', {
    query: {
      kind: 'RetentionQuery',
      dateRange: RANGE,
      retentionFilter: { totalIntervals: 3, ...retentionFilter },
      ...more
    }
  })

type Row = {
  label: string
  date: string
  breakdown_value: string | null
  values: { count: number; label: string; complete?: false }[]
}

/** Returns the numbers of each row, without columns beyond the range; with the value of a breakdown, if there is one. */
const rows = (answer: { body: { results: Row[] } }) =>
  answer.body.results.map(({ breakdown_value, values }) => {
    const counts = values.map(({ count }) => count)
    return breakdown_value === null ? counts : [breakdown_value, ...counts]
  })

/** Sets the clock and the calendar of a project. */
const place = (project: TestProject, timezone: string, weekStart = 0) =>
  db.update(projects).set({ timezone, weekStart }).where(eq(projects.id, project.id))

it('answers with a row for each period and a value for each column', async () => {
  const project = await newProject()
  await project.ingest(VIEWS)

  const { status, body } = await ask(project, {})

  expect(status).toBe(200)
  expect(body.results[1]).toEqual({
    label: 'Day 1',
    date: '2026-03-02T00:00:00Z',
    breakdown_value: null,
    values: [
      { count: 2, label: 'Day 0' },
      { count: 1, label: 'Day 1' },
      { count: 0, label: 'Day 2', complete: false }
    ]
  })
  expect(rows({ body })).toEqual([
    [2, 1, 2],
    [2, 1, 0],
    [2, 0, 0]
  ])
})

const FIREFOX = [{ key: '$browser', value: 'Firefox' }]

it.each<[string, object, object, unknown[][]]>([
  [
    'persons in the row of their first event',
    { retentionType: 'retention_first_time' },
    {},
    [
      [2, 1, 2],
      [1, 0, 0],
      [0, 0, 0]
    ]
  ],
  [
    'no person whose first event was before the range',
    { retentionType: 'retention_first_time' },
    { dateRange: { ...RANGE, date_from: '2026-03-02' } },
    [
      [1, 0, 0],
      [0, 0, 0]
    ]
  ],
  [
    'persons in the row of the first event that matches',
    { retentionType: 'retention_first_time' },
    { properties: FIREFOX },
    [
      [1, 0, 1],
      [2, 1, 0],
      [0, 0, 0]
    ]
  ],
  [
    'no person whose first event does not match',
    { retentionType: 'retention_first_ever_occurrence' },
    { properties: FIREFOX },
    [
      [1, 0, 1],
      [1, 0, 0],
      [0, 0, 0]
    ]
  ],
  [
    'persons in all columns up to the last one',
    { cumulative: true },
    {},
    [
      [2, 2, 2],
      [2, 1, 0],
      [2, 0, 0]
    ]
  ],
  [
    'brackets of several periods',
    { retentionCustomBrackets: [2] },
    {},
    [
      [2, 2],
      [2, 1],
      [2, 0]
    ]
  ],
  [
    'returns by the value of the row',
    {},
    { breakdownFilter: { breakdown: '$browser', breakdown_limit: 1 } },
    [
      ['Firefox', 1, 0, 1],
      ['Firefox', 2, 1, 0],
      ['Firefox', 2, 0, 0],
      ['$$_posthog_breakdown_other_$$', 1, 0, 0],
      ['$$_posthog_breakdown_other_$$', 0, 0, 0],
      ['$$_posthog_breakdown_other_$$', 0, 0, 0]
    ]
  ],
  [
    'returns of any value by the value of the first event',
    { retentionType: 'retention_first_time' },
    { breakdownFilter: { breakdown: '$browser' } },
    [
      ['Firefox', 1, 0, 1],
      ['Firefox', 1, 0, 0],
      ['Firefox', 0, 0, 0],
      ['Chrome', 1, 1, 1],
      ['Chrome', 0, 0, 0],
      ['Chrome', 0, 0, 0]
    ]
  ],
  [
    'events without a value',
    {},
    { breakdownFilter: { breakdown: 'color' } },
    [
      ['', 2, 1, 2],
      ['', 2, 1, 0],
      ['', 2, 0, 0]
    ]
  ]
])('counts %s', async (_, filter, more, expected) => {
  const project = await newProject()
  await project.ingest(VIEWS)

  expect(rows(await ask(project, filter, more))).toEqual(expected)
})

it('tells members from the event by which they come back', async () => {
  const project = await newProject()
  await project.ingest([
    ...VIEWS,
    { ...view('bo', '2026-03-01T08:00:00Z'), event: 'buy' },
    { ...view('bo', '2026-03-02T08:00:00Z'), event: 'buy' },
    { ...view('cy', '2026-03-03T08:00:00Z', { $process_person_profile: false }), event: 'buy' }
  ])

  expect(rows(await ask(project, { returningEntity: { id: 'buy', type: 'events' } }))).toEqual([
    [2, 1, 0],
    [2, 1, 0],
    [2, 0, 0]
  ])
  // Any event brings members back.
  expect(rows(await ask(project, { returningEntity: { id: null } }))?.[0]).toEqual([2, 2, 2])
})

it('counts a person whose distinct ids were merged once', async () => {
  const project = await newProject()
  await project.ingest(VIEWS)
  await project.ingest([
    {
      ...view('ada', '2026-03-03T11:00:00Z', { alias: 'bo' }),
      event: '$merge_dangerously'
    }
  ])

  expect(rows(await ask(project, {}))).toEqual([
    [1, 1, 1],
    [2, 1, 0],
    [1, 0, 0]
  ])
})

describe('the range', () => {
  it('without a start has as many rows as columns, up to the present', async () => {
    const project = await newProject()
    await project.ingest([{ distinct_id: 'ada', timestamp: Date.now() }])

    const { body } = await ask(project, { period: 'Week', totalIntervals: 11 }, { dateRange: {} })

    expect(body.results).toHaveLength(11)
    expect(body.results.map(({ values }: Row) => values.length)).toEqual(Array(11).fill(11))
    expect(body.results.at(-1)?.values[0]).toEqual({ count: 1, label: 'Week 0', complete: false })
    expect(body.results[0]?.values[0]).toEqual({ count: 0, label: 'Week 0' })
  })

  it.each([
    // A Sunday and a Monday.
    [
      0,
      ['2026-03-01', '2026-03-08'],
      [
        [2, 1],
        [1, 0]
      ]
    ],
    [
      1,
      ['2026-02-23', '2026-03-02', '2026-03-09'],
      [
        [1, 1],
        [2, 1],
        [1, 0]
      ]
    ]
  ])('follows a week that begins on day %i', async (weekStart, dates, expected) => {
    const project = await newProject()
    await place(project, 'UTC', weekStart)
    await project.ingest([
      view('ada', '2026-03-01T10:00:00Z'),
      view('ada', '2026-03-02T10:00:00Z'),
      view('bo', '2026-03-07T10:00:00Z'),
      view('ada', '2026-03-09T10:00:00Z')
    ])

    const answer = await ask(
      project,
      { period: 'Week', totalIntervals: 2 },
      { dateRange: { date_from: '2026-03-01', date_to: '2026-03-09' } }
    )

    expect(answer.body.results.map(({ date }: Row) => date.slice(0, 10))).toEqual(dates)
    expect(rows(answer)).toEqual(expected)
  })

  it('ends with the whole period of its end', async () => {
    const project = await newProject()
    await project.ingest([view('ada', '2026-02-02T10:00:00Z'), view('ada', '2026-03-30T10:00:00Z')])

    const answer = await ask(
      project,
      { period: 'Month', totalIntervals: 2 },
      { dateRange: { date_from: '2026-02-20', date_to: '2026-03-03' } }
    )

    expect(answer.body.resolved_date_range).toEqual({
      date_from: '2026-02-01T00:00:00Z',
      date_to: '2026-03-31T23:59:59.999Z'
    })

    expect(rows(answer)).toEqual([
      [1, 1],
      [1, 0]
    ])
  })

  it('follows the clock of the project where it changes', async () => {
    const project = await newProject()
    await place(project, 'Europe/Berlin')
    // In the night to 29 March 2026, the clock is set from 2:00 to 3:00: the day has 23 hours.
    await project.ingest([
      view('ada', '2026-03-28T22:30:00Z'),
      view('ada', '2026-03-28T23:30:00Z'),
      view('ada', '2026-03-29T00:30:00Z'),
      view('ada', '2026-03-29T01:30:00Z'),
      view('ada', '2026-03-29T22:30:00Z')
    ])

    const days = await ask(
      project,
      {},
      { dateRange: { date_from: '2026-03-28', date_to: '2026-03-30' } }
    )
    expect(days.body.results.map(({ date }: Row) => date)).toEqual([
      '2026-03-28T00:00:00+01:00',
      '2026-03-29T00:00:00+01:00',
      '2026-03-30T00:00:00+02:00'
    ])
    expect(rows(days)).toEqual([
      [1, 1, 1],
      [1, 1, 0],
      [1, 0, 0]
    ])
    const hours = await ask(
      project,
      { period: 'Hour', totalIntervals: 2 },
      { dateRange: { date_from: '2026-03-29T00:00:00', date_to: '2026-03-29T04:00:00' } }
    )
    expect(hours.body.results.map(({ date }: Row) => date)).toEqual([
      '2026-03-29T00:00:00+01:00',
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
      '2026-03-29T04:00:00+02:00'
    ])
    expect(rows(hours)).toEqual([
      [1, 1],
      [1, 1],
      [1, 0],
      [0, 0]
    ])
  })
})

it('answers after the display and neutral fields that clients send', async () => {
  const project = await newProject()
  await project.ingest(VIEWS)

  const { status } = await ask(
    project,
    {
      targetEntity: { id: '$pageview', name: '$pageview', type: 'events', order: 0, uuid: 'x' },
      retentionReference: 'previous',
      meanRetentionCalculation: 'weighted',
      aggregationType: 'count',
      timeWindowMode: 'strict_calendar_dates',
      retentionCustomBrackets: null,
      display: 'ActionsLineGraph'
    },
    {
      version: 2,
      tags: { scene: 'x' },
      modifiers: null,
      samplingFactor: 1,
      filterTestAccounts: false
    }
  )

  expect(status).toBe(200)
})

it.each<[object, object, string]>([
  [{ period: 'day' }, {}, 'retentionFilter__period'],
  [{ retentionType: 'first' }, {}, 'retentionFilter__retentionType'],
  [{ totalIntervals: 0 }, {}, 'retentionFilter__totalIntervals'],
  [{ timeWindowMode: '24_hour_windows' }, {}, 'retentionFilter__timeWindowMode'],
  [{ aggregationType: 'sum' }, {}, 'retentionFilter__aggregationType'],
  [{ retentionCustomBrackets: [1, 0] }, {}, 'retentionFilter__retentionCustomBrackets__1'],
  [{ retentionCustomBrackets: [600, 600] }, {}, 'retentionFilter__retentionCustomBrackets'],
  [{ targetEntity: { type: 'events' } }, {}, 'retentionFilter__targetEntity__id'],
  [{ targetEntity: { id: 1, type: 'actions' } }, {}, 'retentionFilter__targetEntity__id'],
  [
    { returningEntity: { id: 'buy', properties: [{ key: 'a', value: 1, operator: 'like' }] } },
    {},
    'retentionFilter__returningEntity__properties'
  ],
  [{ occurrences: 2 }, {}, 'retentionFilter__occurrences'],
  [{}, { interval: 'day' }, 'interval'],
  [{}, { dateRange: { date_from: 'soon' } }, 'dateRange__date_from'],
  [{}, { dateRange: { ...RANGE, date_to: '2026-02-01' } }, 'dateRange__date_from'],
  [{}, { samplingFactor: 0.5 }, 'samplingFactor'],
  [{}, { aggregation_group_type_index: 0 }, 'aggregation_group_type_index'],
  [
    {},
    { breakdownFilter: { breakdowns: [{ property: 'a' }, { property: 'b' }] } },
    'breakdownFilter__breakdowns'
  ]
])('refuses %j %j', async (filter, more, attr) => {
  const project = await newProject()

  const { status, body } = await ask(project, filter, more)

  expect({ status, attr: body.attr }).toEqual({ status: 400, attr: `query__${attr}` })
})

it('refuses more numbers than an answer has', async () => {
  const project = await newProject()

  const { status, body } = await ask(
    project,
    { period: 'Hour', totalIntervals: 1_000 },
    { dateRange: { date_from: '2026-01-01', date_to: '2026-02-01' } }
  )

  expect({ status, code: body.code, attr: body.attr }).toEqual({
    status: 400,
    code: 'query_too_large',
    attr: 'points'
  })
})
