import { describe, expect, it } from 'vitest'
import { newProject, type TestEvent, type TestProject } from '../../support/project.ts'

const event = (name: string, distinct_id: string, time: string, properties = {}): TestEvent => ({
  event: name,
  distinct_id,
  timestamp: Date.parse(`2026-03-${time}:00Z`),
  properties
})

/** Ada and Bo sign up; Ada pays after ten minutes. Ada comes back on the third, Bo does not. */
const STORY = [
  event('signup', 'ada', '01T10:00', { $browser: 'Chrome' }),
  event('pay', 'ada', '01T10:10', { $browser: 'Chrome' }),
  event('signup', 'bo', '01T12:00', { $browser: 'Safari' }),
  event('$pageview', 'ada', '01T13:00'),
  event('$pageview', 'bo', '01T13:00'),
  event('$pageview', 'ada', '03T13:00')
]

const RANGE = { date_from: '2026-03-01', date_to: '2026-03-03' }

/** The steps in the wrong places, and in the right order. */
const STEPS = [
  { id: 'pay', type: 'events', order: 1, math: 'total' },
  { id: 'signup', type: 'events', order: 0 }
]

async function newStory(): Promise<TestProject> {
  const project = await newProject()
  await project.ingest(STORY)
  return project
}

/** Sends fields in a URL, as the old clients do: all but texts as JSON. */
const inUrl = (fields: object) =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value)
    ])
  )

/** Sends fields in a body and in a URL, and expects the same answer. */
async function ask(project: TestProject, kind: 'funnel' | 'retention', fields: object) {
  const posted = await project.send('POST', `insights/${kind}/`, fields)
  const gotten = await project.call('GET', `insights/${kind}/?${inUrl(fields)}`)
  expect(gotten.status).toBe(posted.status)
  expect({ ...gotten.body, last_refresh: null }).toEqual({ ...posted.body, last_refresh: null })
  return posted
}

async function resultOf(project: TestProject, kind: 'funnel' | 'retention', fields: object) {
  const { status, body } = await ask(project, kind, { ...RANGE, ...fields })
  expect([status, body.detail]).toEqual([200, undefined])
  return body.result
}

type Row = { values: { count: number }[] }

const counts = (rows: Row[]) => rows.map(({ values }) => values.map(({ count }) => count))

describe('insights/funnel', () => {
  it('answers with the steps of the funnel that POST query/ has', async () => {
    const project = await newStory()

    const { body } = await ask(project, 'funnel', { ...RANGE, insight: 'FUNNELS', events: STEPS })
    const asNode = await project.send('POST', 'query/', {
      query: {
        kind: 'FunnelsQuery',
        series: [
          { kind: 'EventsNode', event: 'signup' },
          { kind: 'EventsNode', event: 'pay' }
        ],
        dateRange: RANGE
      }
    })

    expect(body).toMatchObject({ timezone: 'UTC', is_cached: false, timings: [] })
    expect(body.result).toEqual(asNode.body.results)
    expect(
      body.result.map(({ name, count }: { name: string; count: number }) => [name, count])
    ).toEqual([
      ['signup', 2],
      ['pay', 1]
    ])
    expect(body.result[1]).toMatchObject({ average_conversion_time: 600, people: [] })
  })

  it.each<[string, object, number[]]>([
    [
      'a window in units',
      { funnel_window_interval: 5, funnel_window_interval_unit: 'minute' },
      [2, 0]
    ],
    ['a window in days', { funnel_window_days: 1 }, [2, 1]],
    ['an order', { funnel_order_type: 'unordered' }, [2, 1]],
    ['filters', { properties: [{ key: '$browser', value: 'Chrome' }] }, [1, 1]],
    ['neutral values', { breakdown: '', exclusions: [], bin_count: 'auto', shown_as: '' }, [2, 1]],
    [
      'an exclusion',
      { exclusions: [{ id: '$pageview', type: 'events', funnel_from_step: 0, funnel_to_step: 1 }] },
      [1, 1]
    ]
  ])('follows %s', async (_, fields, expected) => {
    const project = await newStory()

    const steps = await resultOf(project, 'funnel', { events: STEPS, ...fields })

    expect(steps.map(({ count }: { count: number }) => count)).toEqual(expected)
  })

  it.each([
    ['a text for the text `breakdown`', { breakdown: '$browser' }, 'Chrome'],
    ['a list for `breakdowns`', { breakdowns: [{ property: '$browser' }] }, ['Chrome']]
  ])('names a value by %s', async (_, fields, value) => {
    const project = await newStory()

    const [steps] = await resultOf(project, 'funnel', { events: STEPS, ...fields })

    expect(steps).toMatchObject([
      { breakdown: value, breakdown_value: value, count: 1 },
      { breakdown: value, breakdown_value: value, count: 1 }
    ])
  })

  it.each([{ funnel_viz_type: 'trends' }, { display: 'ActionsLineGraph' }])(
    'draws the conversion over time for %j',
    async (fields) => {
      const project = await newStory()

      const [line] = await resultOf(project, 'funnel', { events: STEPS, ...fields })

      expect(line.data).toEqual([50, 0, 0])
    }
  )

  it.each<[object, string]>([
    [{}, 'events'],
    [{ events: [{ id: 'a' }] }, 'events'],
    [{ events: [{ id: 'a' }, { id: 'b', math: 'sum', math_property: 'c' }] }, 'events__1__math'],
    [{ events: STEPS, actions: [{ id: 1 }] }, 'actions'],
    [{ events: STEPS, insight: 'TRENDS' }, 'insight'],
    [{ events: STEPS, shown_as: 'Stickiness' }, 'shown_as'],
    [{ events: STEPS, funnel_viz_type: 'sankey' }, 'funnel_viz_type'],
    [{ events: STEPS, funnel_window_interval: 'x' }, 'funnel_window_interval'],
    [{ events: STEPS, funnel_window_days: 0 }, 'funnel_window_days'],
    [{ events: STEPS, funnel_window_days: 1, funnel_window_interval: 2 }, 'funnel_window_days'],
    [{ events: STEPS, funnel_to_step: 2 }, 'funnel_to_step'],
    [{ events: STEPS, funnel_aggregate_by_hogql: 'properties.x' }, 'funnel_aggregate_by_hogql'],
    [
      { events: STEPS, exclusions: [{ id: 'x', funnel_to_step: 7 }] },
      'exclusions__0__funnel_to_step'
    ],
    [{ events: STEPS, exclusions: [{ id: 'x', type: 'actions' }] }, 'exclusions__0__type'],
    [{ events: STEPS, exclusions: [{ id: '' }] }, 'exclusions__0__id'],
    [{ events: STEPS, date_from: 'soon' }, 'date_from'],
    [{ events: STEPS, sampling_factor: 0.5 }, 'sampling_factor'],
    [{ events: STEPS, aggregation_group_type_index: 1 }, 'aggregation_group_type_index'],
    [{ events: STEPS, compare: true }, 'compare'],
    [{ events: STEPS, retention_type: 'x' }, 'retention_type'],
    [{ events: STEPS, query: { kind: 'FunnelsQuery' } }, 'query'],
    [{ events: STEPS, nonsense: 'x' }, 'nonsense']
  ])('refuses %j', async (fields, attr) => {
    const project = await newProject()
    const posted = await project.send('POST', 'insights/funnel/', fields)
    const gotten = await project.call('GET', `insights/funnel/?${inUrl(fields)}`)

    expect([posted.status, posted.body.attr]).toEqual([400, attr])
    expect([gotten.status, gotten.body.attr]).toEqual([400, attr])
  })
})

describe('insights/retention', () => {
  const SIGNUPS = {
    insight: 'RETENTION',
    target_entity: { id: 'signup', type: 'events', order: 0, uuid: 'x' },
    returning_entity: { id: '$pageview', type: 'events' },
    retention_type: 'retention_first_time',
    period: 'Day'
  }

  it('answers with the rows of the table, eleven columns wide', async () => {
    const project = await newStory()

    const rows = await resultOf(project, 'retention', SIGNUPS)

    expect(rows[0].values).toHaveLength(11)
    expect(rows[0]).toMatchObject({ label: 'Day 0', date: '2026-03-01T00:00:00Z' })
    expect(rows[0].values[2]).toEqual({ count: 1, label: 'Day 2', people: [] })
  })

  it.each<[object, number[][]]>([
    [
      { total_intervals: 3 },
      [
        [2, 0, 1],
        [0, 0, 0],
        [0, 0, 0]
      ]
    ],
    [{ total_intervals: 2, period: 'Week' }, [[2, 0]]],
    [
      { total_intervals: 2, properties: [{ key: '$browser', value: 'Chrome' }] },
      [
        [1, 0],
        [0, 0],
        [0, 0]
      ]
    ]
  ])('follows %j', async (fields, expected) => {
    const project = await newStory()

    expect(counts(await resultOf(project, 'retention', { ...SIGNUPS, ...fields }))).toEqual(
      expected
    )
  })

  it.each<[object, string]>([
    [{ period: 'Year' }, 'period'],
    [{ total_intervals: 0 }, 'total_intervals'],
    [{ retention_type: 'x' }, 'retention_type'],
    [{ target_entity: { type: 'events' } }, 'target_entity__id'],
    [{ target_entity: { id: 1, type: 'actions' } }, 'target_entity__id'],
    [{ returning_entity: { id: 'a', math: 'sum' } }, 'returning_entity__math'],
    [{ interval: 'day' }, 'interval'],
    [{ events: STEPS }, 'events'],
    [{ insight: 'FUNNELS' }, 'insight'],
    [{ date_to: 'x' }, 'date_to'],
    [{ breakdowns: [{ property: 'a' }, { property: 'b' }] }, 'breakdowns']
  ])('refuses %j', async (fields, attr) => {
    const project = await newProject()
    const posted = await project.send('POST', 'insights/retention/', fields)
    const gotten = await project.call('GET', `insights/retention/?${inUrl(fields)}`)

    expect([posted.status, posted.body.attr]).toEqual([400, attr])
    expect([gotten.status, gotten.body.attr]).toEqual([400, attr])
  })

  it.each([
    [['insight:read'], 200],
    [['query:read'], 403]
  ])('with a key for %j answers %i', async (scopes, expected) => {
    const project = await newProject({ scopes })

    expect((await project.call('GET', 'insights/retention/')).status).toBe(expected)
  })
})

describe('an insight with `filters`', () => {
  const VIEWS = { events: [{ id: '$pageview' }], ...RANGE }

  it.each<[string, object, (result: never) => unknown, unknown]>([
    [
      'of a funnel',
      { insight: 'FUNNELS', events: STEPS, ...RANGE },
      (steps: { count: number }[]) => steps.map(({ count }) => count),
      [2, 1]
    ],
    [
      'of retention',
      { insight: 'RETENTION', total_intervals: 3, ...RANGE },
      counts,
      [
        [2, 0, 1],
        [0, 0, 0],
        [1, 0, 0]
      ]
    ],
    [
      'of stickiness',
      { insight: 'STICKINESS', ...VIEWS },
      ([{ data }]: [{ data: number[] }]) => data,
      [1, 1, 0]
    ],
    [
      'of stickiness by its form',
      { insight: 'TRENDS', shown_as: 'Stickiness', ...VIEWS },
      ([{ data }]: [{ data: number[] }]) => data,
      [1, 1, 0]
    ],
    [
      'of a lifecycle',
      { insight: 'LIFECYCLE', shown_as: 'Lifecycle', display: 'ActionsLineGraph', ...VIEWS },
      (statuses: { data: number[] }[]) => statuses.map(({ data }) => data),
      [
        [2, 0, 0],
        [0, 0, 0],
        [0, 0, 1],
        [0, -2, 0]
      ]
    ]
  ])('%s computes it', async (_, filters, numbersOf, expected) => {
    const project = await newStory()
    const { status, body } = await project.send('POST', 'insights/', { name: 'x', filters })
    expect([status, body.detail]).toEqual([201, undefined])

    const { body: insight } = await project.call('GET', `insights/${body.id}/?refresh=true`)

    expect(insight.filters).toEqual(filters)
    expect(numbersOf(insight.result as never)).toEqual(expected)
  })

  it.each<[object, string]>([
    [{ insight: 'FUNNELS', events: [{ id: 'a' }] }, 'filters__events'],
    [{ insight: 'RETENTION', period: 'Year' }, 'filters__period'],
    [
      { insight: 'STICKINESS', events: [{ id: 'a', math: 'sum', math_property: 'b' }] },
      'filters__events__0__math'
    ],
    [{ insight: 'LIFECYCLE', ...VIEWS, compare: true }, 'filters__compare'],
    [{ insight: 'PATHS' }, 'filters__insight']
  ])('is not saved with %j', async (filters, attr) => {
    const { status, body } = await (await newProject()).send('POST', 'insights/', { filters })

    expect([status, body.attr]).toEqual([400, attr])
  })
})
