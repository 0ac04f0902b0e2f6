import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/json.ts'
import { readTrend } from '../../../src/trends/request.ts'
import { computeTrend } from '../../../src/trends/trend.ts'
import { aroundCalls } from '../../support/faults.ts'
import { db, newProject, request, type TestEvent, type TestProject } from '../../support/project.ts'

const at = (text: string) => Date.parse(`2025-06-${text}Z`)

/** Three days: Ada twice on the first, Ada and Bob on the third, one without a person. */
const EVENTS: TestEvent[] = [
  {
    distinct_id: 'ada',
    timestamp: at('01T10:00:00'),
    properties: { $browser: 'Firefox', price: 5, $set: { plan: 'free' } }
  },
  {
    distinct_id: 'ada',
    timestamp: at('01T23:59:59.999'),
    properties: { $browser: 'Chrome', price: '7.5' }
  },
  {
    distinct_id: 'ada',
    timestamp: at('03T00:00:00'),
    properties: { $browser: 'Firefox', price: 1, $set: { plan: 'pro' } }
  },
  {
    distinct_id: 'bob',
    timestamp: at('03T12:00:00'),
    properties: { $browser: '', price: 'much', $set: { plan: 'pro' } }
  },
  {
    distinct_id: 'x',
    timestamp: at('03T13:00:00'),
    properties: { $process_person_profile: false }
  },
  {
    event: 'bought',
    distinct_id: 'bob',
    timestamp: at('02T13:00:00'),
    properties: { $session_id: 's1' }
  }
]
const RANGE = { date_from: '2025-06-01', date_to: '2025-06-03' }

async function newStory() {
  const project = await newProject()
  await project.ingest(EVENTS)
  return project
}

async function ask(project: TestProject, body: object, query = '', bindings: Partial<Env> = {}) {
  return request(
    'POST',
    `/api/environments/${project.id}/insights/trend/${query}`,
    { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
    JSON.stringify(body),
    bindings
  )
}

type Result = {
  label: string
  data: number[]
  count: number
  aggregated_value?: number
  breakdown_value?: unknown
}
const lines = (answer: { body: { result: Result[] } }) =>
  answer.body.result.map(({ label, data, aggregated_value }) => [label, aggregated_value ?? data])

const asTrend = (fields: object) => ({ events: [{ id: '$pageview', ...fields }], ...RANGE })
const asNode = (fields: object) => ({
  query: {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: '$pageview' }],
    dateRange: RANGE,
    ...fields
  }
})

/** Two sessions: of two pages and 30 seconds from an ad, of one page; and a page in none. */
async function newSessions() {
  const project = await newProject()
  const page = (session: string | null, time: string, path: string, more = {}): TestEvent => ({
    distinct_id: session ?? 'nobody',
    timestamp: at(time),
    properties: {
      $current_url: `https://a.example${path}`,
      ...(session && { $session_id: session }),
      ...more
    }
  })
  await project.ingest([
    page('s1', '01T10:00:00', '/ad', { utm_source: 'google', utm_medium: 'cpc' }),
    page('s1', '01T10:00:30', '/buy', { utm_source: 'own' }),
    page('s2', '02T00:00:00', '/', { $referring_domain: '$direct' }),
    page(null, '03T00:00:00', '/')
  ])
  return project
}

const ofSession = (key: string, operator: string, value?: unknown) => ({
  properties: [{ key, operator, type: 'session', ...(value !== undefined && { value }) }]
})

describe('properties of sessions', () => {
  it.each([
    ['$entry_utm_source', 'exact', ['google'], [2, 0, 0]],
    ['$entry_utm_source', 'is_not', 'google', [0, 1, 1]],
    ['$entry_utm_source', 'in', ['google', 'own'], [2, 0, 0]],
    ['$entry_utm_source', 'not_in', ['google'], [0, 1, 1]],
    ['$entry_pathname', 'icontains', 'AD', [2, 0, 0]],
    ['$entry_pathname', 'not_icontains', 'ad', [0, 1, 1]],
    ['$end_pathname', 'icontains_multi', ['BUY', 'x'], [2, 0, 0]],
    ['$end_pathname', 'not_icontains_multi', ['buy', 'x'], [0, 1, 1]],
    ['$end_current_url', 'regex', '/$', [0, 1, 0]],
    ['$end_current_url', 'not_regex', '/$', [2, 0, 1]],
    ['$session_duration', 'gt', 29, [2, 0, 0]],
    ['$session_duration', 'gte', 30, [2, 0, 0]],
    ['$session_duration', 'min', 30, [2, 0, 0]],
    ['$session_duration', 'lt', 30, [0, 1, 0]],
    ['$session_duration', 'lte', 0, [0, 1, 0]],
    ['$session_duration', 'max', 0, [0, 1, 0]],
    ['$pageview_count', 'between', [2, 3], [2, 0, 0]],
    ['$pageview_count', 'not_between', [2, 3], [0, 1, 0]],
    ['$channel_type', 'is_set', undefined, [2, 1, 0]],
    ['$channel_type', 'is_not_set', undefined, [0, 0, 1]],
    ['$is_bounce', 'exact', true, [0, 1, 0]],
    ['$is_bounce', 'exact', ['false'], [2, 0, 0]],
    ['$start_timestamp', 'is_date_exact', '2025-06-01T10:00:00Z', [2, 0, 0]],
    ['$start_timestamp', 'is_date_before', '2025-06-02', [2, 0, 0]],
    ['$end_timestamp', 'is_date_after', '2025-06-01T10:00:29.999Z', [2, 1, 0]],
    ['$vitals_lcp', 'is_set', undefined, [0, 0, 0]],
    ['$last_external_click_url', 'is_not_set', undefined, [2, 1, 1]],
    ['$entry_utm_source', 'semver_eq', '1.0.0', [0, 0, 0]]
  ])('filter a trend: %s %s %j', async (key, operator, value, data) => {
    const answer = await ask(await newSessions(), asTrend(ofSession(key, operator, value)))

    expect([answer.status, lines(answer)]).toEqual([200, [['$pageview', data]]])
  })

  it.each([
    [
      '$channel_type',
      [
        ['Paid Search', [2, 0, 0]],
        ['Direct', [0, 1, 0]],
        ['None (i.e. no value)', [0, 0, 1]]
      ]
    ],
    [
      '$session_duration',
      [
        ['30', [2, 0, 0]],
        ['0', [0, 1, 0]],
        ['None (i.e. no value)', [0, 0, 1]]
      ]
    ],
    [
      '$is_bounce',
      [
        ['false', [2, 0, 0]],
        ['true', [0, 1, 0]],
        ['None (i.e. no value)', [0, 0, 1]]
      ]
    ],
    [
      '$start_timestamp',
      [
        ['2025-06-01T10:00:00.000Z', [2, 0, 0]],
        ['2025-06-02T00:00:00.000Z', [0, 1, 0]],
        ['None (i.e. no value)', [0, 0, 1]]
      ]
    ]
  ])('break a trend down: %s', async (breakdown, expected) => {
    const answer = await ask(await newSessions(), {
      ...asTrend({}),
      breakdown,
      breakdown_type: 'session'
    })

    expect(lines(answer)).toEqual(expected)
  })

  it('break down beside those of events, and are computed with', async () => {
    const project = await newSessions()
    const breakdowns = [
      { property: 'utm_source', type: 'event' },
      { property: '$entry_utm_source', type: 'session' }
    ]

    expect(lines(await ask(project, { ...asTrend({}), breakdowns })).slice(0, 2)).toEqual([
      ['None (i.e. no value)::None (i.e. no value)', [0, 1, 1]],
      ['google::google', [1, 0, 0]]
    ])
    expect(
      lines(await ask(project, asTrend({ math: 'max', math_property: '$session_duration' })))
    ).toEqual([['$pageview', [30, 0, 0]]])
    const sum = {
      math: 'sum',
      math_property: '$pageview_count',
      math_property_type: 'session_properties'
    }
    expect(lines(await ask(project, asTrend(sum)))).toEqual([['$pageview', [4, 1, 0]]])
  })

  it('may be as many as a series has filters', async () => {
    const one = { key: '$session_duration', operator: 'between', value: [0, 99], type: 'session' }

    const answer = await ask(await newSessions(), asTrend({ properties: new Array(25).fill(one) }))

    expect([answer.status, lines(answer)]).toEqual([200, [['$pageview', [2, 1, 0]]]])
  })
})

describe('a trend', () => {
  it('is answered in the shape that PostHog gives it', async () => {
    const project = await newStory()

    const { status, body } = await ask(project, asTrend({}))

    expect(status).toBe(200)
    expect(body).toEqual({
      result: [
        {
          action: {
            id: '$pageview',
            type: 'events',
            order: 0,
            name: '$pageview',
            custom_name: null,
            math: 'total',
            math_property: null,
            math_hogql: null,
            math_group_type_index: null,
            properties: {}
          },
          label: '$pageview',
          count: 5,
          data: [2, 0, 3],
          labels: ['1-Jun-2025', '2-Jun-2025', '3-Jun-2025'],
          days: ['2025-06-01', '2025-06-02', '2025-06-03'],
          filter: {
            insight: 'TRENDS',
            interval: 'day',
            date_from: '2025-06-01',
            date_to: '2025-06-03',
            display: 'ActionsLineGraph'
          }
        }
      ],
      timezone: 'UTC',
      last_refresh: expect.stringMatching(/^\d{4}-.*Z$/),
      is_cached: false,
      next: null
    })
  })

  it.each([
    ['flat', asTrend({ math: 'dau' })],
    [
      'flat with JSON text',
      { ...asTrend({}), events: JSON.stringify([{ id: '$pageview', math: 'dau' }]) }
    ],
    ['in filters', { name: 'Mine', saved: true, filters: asTrend({ math: 'dau' }) }],
    [
      'as a query',
      {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
          dateRange: RANGE
        }
      }
    ],
    [
      'as a query in JSON text, which counts more than filters',
      {
        query: JSON.stringify({
          kind: 'InsightVizNode',
          source: {
            kind: 'TrendsQuery',
            series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
            dateRange: RANGE
          }
        }),
        filters: asTrend({ math: 'total' })
      }
    ],
    [
      'in filters, which count more than what is flat',
      { ...asTrend({ math: 'total' }), filters: asTrend({ math: 'dau' }) }
    ]
  ])('is read %s', async (_, body) => {
    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', [1, 0, 3]]])
  })

  it('is read in a URL, whose fields count less than those of the body', async () => {
    const project = await newStory()
    const fields = {
      events: JSON.stringify([{ id: '$pageview' }]),
      filter_test_accounts: 'false',
      explicit_date: 'false'
    }
    const url = `?${new URLSearchParams({ ...fields, ...RANGE, interval: 'month' })}`
    const get = (query: string) =>
      request('GET', `/api/projects/${project.id}/insights/trend/${query}`, {
        Authorization: `Bearer ${project.key}`
      })
    const form = (name: string, body: object) =>
      `?${new URLSearchParams({ [name]: JSON.stringify(body) })}`

    const refused = await get('?events=[{"math":"no"}]')
    const unread = await ask(project, { query: asNode({}).query }, '?date_from=-7d')
    const twice = await ask(project, asTrend({}), form('query', asNode({}).query))
    const text = await get(`${url}&properties=plan`)

    expect(lines(await get(url))).toEqual([['$pageview', [5]]])
    expect(lines(await ask(project, { interval: 'day' }, url))).toEqual([['$pageview', [2, 0, 3]]])
    expect((await get(`${url}&format=csv`)).text).toContain('$pageview,5')
    expect((await get('')).body.result).toEqual([])
    expect(lines(await get(form('query', asNode({}).query)))).toEqual([['$pageview', [2, 0, 3]]])
    expect(lines(await get(form('filters', asTrend({}))))).toEqual([['$pageview', [2, 0, 3]]])
    expect(lines(await get(`${url}&sampling_factor=1`))).toEqual([['$pageview', [5]]])
    expect([refused.status, refused.body.attr]).toEqual([400, 'events__0__math'])
    expect([unread.status, unread.body.attr]).toEqual([400, 'date_from'])
    expect([twice.status, twice.body.attr]).toEqual([400, 'query'])
    expect([text.status, text.body.detail]).toEqual([
      400,
      'Property filters are JSON, which this is not.'
    ])
  })

  it.each([
    ['smoothing_intervals', 'min_value', 'smoothing_intervals', '-1'],
    ['smoothing_intervals', 'max_value', 'smoothing_intervals', '1001'],
    ['breakdown_limit', 'min_value', 'breakdown_limit', '0'],
    ['breakdowns', 'required', 'breakdowns__0__property', '[{}]'],
    ['breakdowns', 'null', 'breakdowns__0__property', '[{"property":null}]'],
    ['breakdowns', 'blank', 'breakdowns__0__property', '[{"property":""}]'],
    ['filters', 'invalid_choice', 'filters__interval', '{"interval":"era"}'],
    ['formula', 'max_length', 'formula', 'A'.repeat(1_001)]
  ])(
    'is refused for a wrong %s in a URL as in a body: %s at %s',
    async (name, code, attr, text) => {
      const project = await newProject()
      const query = new URLSearchParams({ [name]: text })
      const value = /^[[{]/.test(text) ? JSON.parse(text) : text

      const inUrl = await project.call('GET', `insights/trend/?${query}`)
      const inBody = await ask(project, { [name]: value })

      expect([inUrl.status, inUrl.body]).toMatchObject([400, { code, attr }])
      expect([inBody.status, inBody.body]).toEqual([400, inUrl.body])
    }
  )

  it('finds half a surrogate pair as it is stored, in each of its forms', async () => {
    const project = await newProject()
    await project.ingest([{ timestamp: at('01T00:00:00'), properties: { name: '\ufffd' } }])
    const properties = [{ key: 'name', value: '\ud83d' }]
    const node = asNode({ series: [{ kind: 'EventsNode', event: '$pageview', properties }] })
    const url = `?${new URLSearchParams({ events: JSON.stringify(asTrend({ properties }).events), ...RANGE })}`

    for (const answer of [
      await ask(project, node),
      await ask(project, { query: JSON.stringify(node.query) }),
      await ask(project, {}, url)
    ]) {
      expect(lines(answer)).toEqual([['$pageview', [1, 0, 0]]])
    }
  })

  it('takes what says nothing of the numbers', async () => {
    const drawn = {
      version: 2,
      modifiers: null,
      dateRange: { ...RANGE, explicitDate: false },
      trendsFilter: { showLegend: true, display: 'ActionsBar' },
      series: [
        {
          kind: 'EventsNode',
          event: '$pageview',
          version: 1,
          math_multiplier: null,
          math_group_type_index: null
        }
      ]
    }

    expect(lines(await ask(await newStory(), asNode(drawn)))).toEqual([['$pageview', [2, 0, 3]]])
  })

  it.each([
    {},
    { name: 'Nothing' },
    { query: null, filters: {} },
    { query: '' },
    { filters: { events: [] } }
  ])('without a series is empty: %j', async (body) => {
    const project = await newProject()

    const answer = await ask(project, body)
    const csv = await ask(project, body, '?format=csv')

    expect([answer.status, answer.body.result]).toEqual([200, []])
    expect([csv.status, csv.text]).toEqual([200, 'series\r\n'])
  })

  it.each([
    ['total', {}, [2, 0, 3]],
    ['dau', {}, [1, 0, 3]],
    ['weekly_active', {}, [1, 1, 3]],
    ['monthly_active', {}, [1, 1, 3]],
    ['unique_session', {}, [0, 0, 0]],
    ['sum', { math_property: 'price' }, [12.5, 0, 1]],
    ['avg', { math_property: 'price' }, [6.25, 0, 1]],
    ['min', { math_property: 'price' }, [5, 0, 1]],
    ['max', { math_property: 'price' }, [7.5, 0, 1]],
    ['median', { math_property: 'price' }, [6.25, 0, 1]],
    ['p75', { math_property: 'price' }, [6.875, 0, 1]],
    ['p90', { math_property: 'price' }, [7.25, 0, 1]],
    ['avg_count_per_actor', {}, [2, 0, 1]],
    ['max_count_per_actor', {}, [2, 0, 1]]
  ])('computes %s', async (math, more, data) => {
    expect(lines(await ask(await newStory(), asTrend({ math, ...more })))).toEqual([
      ['$pageview', data]
    ])
  })

  it.each([
    ['all events', [{ id: null }], [['All events', [2, 1, 3]]]],
    ['sessions', [{ id: 'bought', math: 'unique_session' }], [['bought', [0, 1, 0]]]],
    ['an event that never was', [{ id: 'never' }], [['never', [0, 0, 0]]]],
    [
      'several series',
      [{ id: 'bought', custom_name: 'Sales' }, { id: '$pageview' }],
      [
        ['Sales', [0, 1, 0]],
        ['$pageview', [2, 0, 3]]
      ]
    ],
    [
      'an event property',
      [{ id: '$pageview', properties: [{ key: '$browser', value: 'Firefox' }] }],
      [['$pageview', [1, 0, 1]]]
    ],
    [
      'what the person was at the event',
      [{ id: '$pageview', properties: [{ key: 'plan', value: 'free', type: 'person' }] }],
      [['$pageview', [2, 0, 0]]]
    ],
    [
      'a pattern',
      [
        {
          id: '$pageview',
          properties: [{ key: '$browser', value: '^(Fire|Ch)', operator: 'regex' }]
        }
      ],
      [['$pageview', [2, 0, 1]]]
    ]
  ])('counts %s', async (_, events, expected) => {
    expect(lines(await ask(await newStory(), { events, ...RANGE }))).toEqual(expected)
  })

  it('takes as many filters as it says, with all else that a statement has', async () => {
    const wide = { operator: 'between', value: [-1, 100] }
    const some = (count: number, key: string) =>
      Array.from({ length: count }, () => ({ key, ...wide }))
    const breakdowns = ['$browser', 'price', 'plan'].map((property) => ({
      property,
      type: 'event'
    }))
    const body = (count: number, more: object = { math: 'median', math_property: 'price' }) => ({
      ...asTrend({ properties: some(12, 'price'), ...more }),
      properties: some(count - 12, 'price'),
      breakdowns,
      breakdown_limit: 1
    })
    const project = await newStory()

    const answer = await ask(project, body(25))
    const refused = await ask(project, body(26))

    expect(answer.body.result.map(({ count }: Result) => count)).toEqual([7.5, 6])
    for (const math of ['first_time_for_user', 'first_matching_event_for_user', 'median']) {
      const binned = breakdowns.map(() => ({
        property: 'price',
        type: 'event',
        histogram_bin_count: 9
      }))
      const more = { ...body(25, { math, math_property: 'price' }), breakdowns: binned }
      expect((await ask(project, more)).status).toBe(200)
    }
    expect([refused.status, refused.body.code, refused.body.attr]).toEqual([
      400,
      'query_too_large',
      'filters'
    ])
  })

  it('filters all series, and leaves out test accounts when asked to', async () => {
    const project = await newStory()
    const body = {
      ...asTrend({}),
      properties: { type: 'OR', values: [{ key: '$browser', operator: 'is_set' }] }
    }

    expect(lines(await ask(project, body))).toEqual([['$pageview', [2, 0, 2]]])
  })

  it.each([
    ['hour', '2025-06-01T22:00:00', '2025-06-02', 26, 1],
    ['minute', '2025-06-01T23:59:00', '2025-06-01T23:59:59.999', 1, 0],
    ['week', '2025-06-02', '2025-06-03', 1, 0],
    ['month', '2025-05-20', '2025-06-03', 2, 1]
  ])('is cut by the %s', async (interval, date_from, date_to, length, index) => {
    const [result] = (await ask(await newStory(), { ...asTrend({}), interval, date_from, date_to }))
      .body.result

    expect(result.data).toHaveLength(length)
    expect(result.data[index]).toBeGreaterThan(0)
  })

  it('begins with the first event of all', async () => {
    const [result] = (await ask(await newStory(), { ...asTrend({}), date_from: 'all' })).body.result

    expect(result.days[0]).toBe('2025-06-01')
    expect(result.count).toBe(5)
  })

  it.each([
    ['ActionsLineGraphCumulative', [2, 2, 5]],
    ['BoldNumber', 5],
    ['ActionsPie', 5]
  ])('is shown as %s', async (display, expected) => {
    expect(lines(await ask(await newStory(), { ...asTrend({}), display }))).toEqual([
      ['$pageview', expected]
    ])
  })

  it('counts an actor once in a number for the whole range', async () => {
    const body = { ...asTrend({ math: 'dau' }), display: 'BoldNumber' }

    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', 3]])
  })

  it('is one number of a range that is longer than a trend by the day', async () => {
    const body = { ...asTrend({}), date_from: '1970-01-01', display: 'BoldNumber' }

    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', 5]])
  })

  it('is compared with the period before', async () => {
    const body = { ...asTrend({}), date_from: '2025-06-03', compare: true }

    const { result } = (await ask(await newStory(), body)).body

    expect(
      result.map((one: Record<string, unknown>) => [
        one.compare,
        one.compare_label,
        one.days,
        one.labels,
        one.data
      ])
    ).toEqual([
      [true, 'current', ['2025-06-03'], ['day 0'], [3]],
      [true, 'previous', ['2025-06-02'], ['day 0'], [0]]
    ])
    const twoDays = await ask(await newStory(), { ...body, compare_to: '-2d' })
    expect(lines(twoDays)[1]).toEqual(['$pageview', [2]])
  })

  it.each([
    ['A + B', [2, 1, 3]],
    ['A / B', [0, 0, 0]],
    ['A * 100', [200, 0, 300]]
  ])('computes the formula %s', async (formula, data) => {
    const body = { events: [{ id: '$pageview' }, { id: 'bought' }], ...RANGE, formula }

    const answer = await ask(await newStory(), body)

    expect(lines(answer)).toEqual([[`Formula (${formula})`, data]])
    expect(answer.body.result[0].action).toBeNull()
  })

  it('takes the events of the old form in their order, if all have one', async () => {
    const events = [
      { id: 'bought', order: 1 },
      { id: '$pageview', order: 0 }
    ]
    const project = await newStory()

    const ordered = await ask(project, { events, ...RANGE, formula: 'A - B' })
    const asGiven = await ask(project, {
      events: [{ id: 'bought' }, events[1]],
      ...RANGE,
      formula: 'A - B'
    })

    expect(lines(ordered)).toEqual([['Formula (A - B)', [2, -1, 3]]])
    expect(lines(asGiven)).toEqual([['Formula (A - B)', [-2, 1, -3]]])
  })

  it('is a 503 when a statement fails, and never part of an answer', async () => {
    const project = await newStory()
    const body = asTrend({ math: 'sum', math_property: 'price' })
    let calls = 0
    const counting = aroundCalls(env.DB, (run) => {
      calls += 1
      return run()
    })
    const whole = await ask(project, body, '', { DB: counting })

    expect(lines(whole)).toEqual([['$pageview', [12.5, 0, 1]]])
    const answers = []
    for (let call = 1; call <= calls; call += 1) {
      const DB = aroundCalls(env.DB, (run, at) => {
        if (at === call) {
          throw new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
        }
        return run()
      })
      const { status, body: answer } = await ask(project, body, '', { DB })
      answers.push(status === 200 ? answer.result : [status, answer.code])
    }
    // The last call is not for the trend: it notes when the key was used.
    const failed = [503, 'unavailable']
    expect(answers).toEqual([failed, failed, failed, whole.body.result])
  })

  it('adds up whole numbers beyond 64 bits, and leaves out what is beyond all numbers', async () => {
    const project = await newProject()
    const big = [9_000_000_000_000_000_000, 9_000_000_000_000_000_000, '1e999', '-1e999', 5]
    await project.ingest(
      big.map((price) => ({ timestamp: at('01T00:00:00'), properties: { price } }))
    )
    const compute = async (math: string) => {
      const { result } = (
        await ask(project, { ...asTrend({ math, math_property: 'price' }), interval: 'month' })
      ).body
      return result[0].data
    }

    expect(await compute('sum')).toEqual([18_000_000_000_000_000_000])
    expect(await compute('max')).toEqual([9_000_000_000_000_000_000])
    expect(await compute('min')).toEqual([5])
    expect(await compute('median')).toEqual([9_000_000_000_000_000_000])
  })

  it('refuses what adds up to more than a number can be, but not the highest of such numbers', async () => {
    const project = await newProject()
    const times = [at('01T00:00:00'), at('01T00:00:01'), at('02T00:00:00')]
    await project.ingest(times.map((timestamp) => ({ timestamp, properties: { price: 1e308 } })))

    const { status, body } = await ask(project, asTrend({ math: 'sum', math_property: 'price' }))

    const squared = await ask(project, {
      ...asTrend({ math: 'max', math_property: 'price' }),
      formula: 'A*A'
    })
    const highest = await ask(project, asTrend({ math: 'max', math_property: 'price' }))

    expect([status, body.attr, body.detail]).toEqual([
      400,
      'series',
      expect.stringContaining('$pageview adds up')
    ])
    expect([squared.status, squared.body.attr]).toEqual([400, 'series'])
    expect(lines(highest)).toEqual([['$pageview', [1e308, 1e308, 0]]])
    expect(highest.body.result[0].count).toBe(Number.MAX_VALUE)
  })

  it('breaks down by texts that are longer than a bound value, or refuses them', async () => {
    const project = await newProject()
    const text = (n: number) => String(n).padStart(2, '0') + 'x'.repeat(100_000)
    for (const from of [0, 10, 20]) {
      await project.ingest(
        Array.from({ length: 10 }, (_, n) => ({
          timestamp: at('01T00:00:00'),
          properties: { text: text(from + n) }
        }))
      )
    }
    const body = { ...asTrend({ math: 'dau' }), breakdown: 'text' }

    const answer = await ask(project, { ...body, breakdown_limit: 17 })
    const refused = await ask(project, body)

    expect(answer.body.result.map(({ data }: Result) => data)).toEqual(
      new Array(18).fill([1, 0, 0])
    )
    expect([refused.status, refused.body.attr]).toEqual([400, 'breakdown_values'])
  })

  it('is refused when it would look at too many events', async () => {
    const project = await newStory()
    await env.DB.prepare('update event_counts set count = 10000000 where project_id = ?')
      .bind(project.id)
      .run()

    const { status, body } = await ask(project, asTrend({ math: 'dau' }))

    expect([status, body.code, body.attr]).toEqual([400, 'query_too_large', 'rows'])
  })

  it('computes several formulas, each with its name', async () => {
    const series = [{ kind: 'EventsNode', event: '$pageview' }]
    const trendsFilter = {
      formulaNodes: [{ formula: 'A', custom_name: 'Views' }, { formula: 'A * 2' }]
    }
    const answer = await ask(await newStory(), {
      query: { kind: 'TrendsQuery', series, dateRange: RANGE, trendsFilter }
    })

    expect(lines(answer)).toEqual([
      ['Views', [2, 0, 3]],
      ['Formula (A * 2)', [4, 0, 6]]
    ])
  })

  it('is smoothed over the buckets before', async () => {
    expect(lines(await ask(await newStory(), { ...asTrend({}), smoothing_intervals: 2 }))).toEqual([
      ['$pageview', [2, 1, 1]]
    ])
  })

  it('is one number that is not smoothed', async () => {
    const body = {
      ...asTrend({ math: 'avg', math_property: 'price' }),
      smoothing_intervals: 2,
      display: 'BoldNumber'
    }

    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', 4.5]])
  })
})

describe('a trend of first events', () => {
  const FIRST = 'first_time_for_user'
  const MATCHING = 'first_matching_event_for_user'
  const firefox = { properties: [{ key: '$browser', value: 'Firefox' }] }
  const chrome = { properties: [{ key: '$browser', value: 'Chrome' }] }

  it.each([
    ['each actor once', FIRST, {}, {}, [1, 0, 2]],
    ['each actor once', MATCHING, {}, {}, [1, 0, 2]],
    ['nobody who was there before the range', FIRST, {}, { date_from: '2025-06-03' }, [2]],
    ['who begins with what fulfils the filters', FIRST, firefox, {}, [1, 0, 0]],
    ['nobody whose first event fulfils no filter', FIRST, chrome, {}, [0, 0, 0]],
    ['the first event that fulfils the filters', MATCHING, chrome, {}, [1, 0, 0]],
    [
      'nobody who fulfilled the filters before',
      MATCHING,
      firefox,
      { date_from: '2025-06-03' },
      [0]
    ],
    [
      'what the person was at the event',
      MATCHING,
      { properties: [{ key: 'plan', value: 'pro', type: 'person' }] },
      {},
      [0, 0, 2]
    ],
    [
      'patterns',
      MATCHING,
      { properties: [{ key: '$browser', value: '^Ch', operator: 'regex' }] },
      {},
      [1, 0, 0]
    ],
    ['of all events', FIRST, { id: null }, {}, [1, 1, 1]],
    ['of what is left of a range', FIRST, {}, { display: 'BoldNumber' }, 3]
  ])('counts %s: %s %j', async (_, math, more, range, expected) => {
    expect(lines(await ask(await newStory(), { ...asTrend({ math, ...more }), ...range }))).toEqual(
      [[expect.any(String), expected]]
    )
  })

  it('is broken down by what the first event says', async () => {
    const project = await newStory()
    const broken = { breakdown: '$browser', breakdown_limit: 1 }

    expect(lines(await ask(project, { ...asTrend({ math: FIRST }), ...broken }))).toEqual([
      ['Firefox', [1, 0, 0]],
      ['None (i.e. no value)', [0, 0, 2]]
    ])
    expect(
      lines(await ask(project, { ...asTrend({ math: MATCHING, ...chrome }), ...broken }))
    ).toEqual([['Chrome', [1, 0, 0]]])
    expect(
      lines(
        await ask(project, {
          ...asTrend({ math: FIRST }),
          breakdown: 'price',
          breakdown_histogram_bin_count: 5
        })
      )
    ).toEqual([
      ['[5,5.01]', [1, 0, 0]],
      ['None (i.e. no value)', [0, 0, 2]]
    ])
  })

  it('takes the event with the lowest uuid of several at the same moment', async () => {
    const project = await newProject()
    const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
    await project.ingest(
      [3, 1, 2].map((n) => ({
        uuid: uuid(n),
        timestamp: at('01T10:00:00'),
        properties: { $browser: `B${n}` }
      }))
    )

    expect(
      lines(await ask(project, { ...asTrend({ math: FIRST }), breakdown: '$browser' }))
    ).toEqual([['B1', [1, 0, 0]]])
  })

  it('follows merges and splits', async () => {
    const project = await newStory()
    const body = asTrend({ math: FIRST })
    await project.ingest([
      {
        event: '$merge_dangerously',
        distinct_id: 'ada',
        timestamp: at('04T00:00:00'),
        properties: { alias: 'bob' }
      }
    ])

    expect(lines(await ask(project, body))).toEqual([['$pageview', [1, 0, 1]]])

    await env.DB.prepare(
      `update distinct_ids set person_id = 1000000 where project_id = ? and distinct_id = 'bob'`
    )
      .bind(project.id)
      .run()
    expect(lines(await ask(project, body))).toEqual([['$pageview', [1, 0, 2]]])
  })
})

describe('a breakdown', () => {
  it('has the values by their totals, then none', async () => {
    const { result } = (await ask(await newStory(), { ...asTrend({}), breakdown: '$browser' })).body

    expect(
      result.map((one: Result) => [one.label, one.breakdown_value, one.data, one.count])
    ).toEqual([
      ['Firefox', 'Firefox', [1, 0, 1], 2],
      ['Chrome', 'Chrome', [1, 0, 0], 1],
      ['None (i.e. no value)', '$$_posthog_breakdown_null_$$', [0, 0, 2], 2]
    ])
  })

  it.each([
    'total',
    'unique_session',
    'dau',
    'weekly_active',
    'p90_count_per_actor',
    'avg',
    'sum',
    'p90'
  ])('names its values the same whatever is computed: %s', async (math) => {
    const project = await newProject()
    const kinds = ['a "quoted" word', '10', 10, 7.5, true, null, '', ['x', 1], { y: null }]
    await project.ingest(
      kinds.map((kind, i) => ({
        distinct_id: 'ada',
        timestamp: at('01T10:00:00') + i,
        properties: { kind, price: 5, $session_id: 's1' }
      }))
    )

    const answer = await ask(project, {
      ...asTrend({ math, math_property: 'price' }),
      breakdown: 'kind'
    })

    const names = answer.body.result.map(({ breakdown_value }: Result) => breakdown_value)
    expect(names.slice(0, -1).sort()).toEqual([
      '10',
      '7.5',
      '["x",1]',
      'a "quoted" word',
      'true',
      '{"y":null}'
    ])
    expect(names.at(-1)).toBe('$$_posthog_breakdown_null_$$')
  })

  it('adds up what is beyond the limit, which is paged through', async () => {
    const project = await newStory()
    const body = { ...asTrend({}), breakdown: '$browser', breakdown_limit: 1 }

    const first = await ask(project, body)
    const second = await ask(project, body, new URL(first.body.next).search)

    expect(lines(first)).toEqual([
      ['Firefox', [1, 0, 1]],
      ['None (i.e. no value)', [0, 0, 2]],
      ['Other (i.e. all remaining values)', [1, 0, 0]]
    ])
    expect(lines(second)[0]).toEqual(['Chrome', [1, 0, 0]])
    expect(second.body.next).toBeNull()
    expect(
      lines(await ask(project, { ...body, breakdown_hide_other_aggregation: true }))
    ).toHaveLength(2)
  })

  it('counts distinct actors of all other values together', async () => {
    const body = {
      ...asTrend({ math: 'dau' }),
      breakdown: '$browser',
      breakdown_limit: 1,
      date_to: '2025-06-01'
    }

    expect(lines(await ask(await newStory(), body))).toEqual([
      ['Chrome', [1]],
      ['Other (i.e. all remaining values)', [1]]
    ])
  })

  it('is by what the person was at the event', async () => {
    const body = { ...asTrend({}), breakdown: 'plan', breakdown_type: 'person' }

    expect(lines(await ask(await newStory(), body))).toEqual([
      ['free', [2, 0, 0]],
      ['pro', [0, 0, 2]],
      ['None (i.e. no value)', [0, 0, 1]]
    ])
  })

  it('is by several properties at once', async () => {
    const breakdowns = [
      { property: '$browser', type: 'event' },
      { property: 'plan', type: 'person' }
    ]
    const { result } = (await ask(await newStory(), { ...asTrend({}), breakdowns })).body

    expect(result.map((one: Result) => [one.label, one.breakdown_value, one.data])).toContainEqual([
      'None (i.e. no value)::pro',
      ['$$_posthog_breakdown_null_$$', 'pro'],
      [0, 0, 1]
    ])
    expect(result).toHaveLength(5)
  })

  it('is by bins of numbers, which all series and periods share', async () => {
    const project = await newStory()
    const broken = { breakdown: 'price', breakdown_histogram_bin_count: 2 }
    const events = [
      { id: '$pageview' },
      { id: '$pageview', math: 'dau', properties: [{ key: 'price', value: 5 }] }
    ]

    const { result } = (await ask(project, { events, ...RANGE, ...broken })).body
    const compared = await ask(project, {
      ...asTrend({}),
      ...broken,
      date_from: '2025-06-03',
      compare_to: '-2d',
      compare: true
    })

    expect(result.map((one: Result) => [one.label, one.breakdown_value, one.data])).toEqual([
      ['$pageview - [4.25,7.51]', [4.25, 7.51], [2, 0, 0]],
      ['$pageview - [1,4.25]', [1, 4.25], [0, 0, 1]],
      ['$pageview - None (i.e. no value)', '$$_posthog_breakdown_null_$$', [0, 0, 2]],
      ['$pageview - [4.25,7.51]', [4.25, 7.51], [1, 0, 0]]
    ])
    expect(lines(compared)).toEqual([
      ['[1,4.25]', [1]],
      ['[1,4.25]', [0]],
      ['[4.25,7.51]', [0]],
      ['[4.25,7.51]', [2]],
      ['None (i.e. no value)', [2]],
      ['None (i.e. no value)', [0]]
    ])
  })

  it('has one bin for one number, none for no number, and bins beside other values', async () => {
    const project = await newStory()
    const of = (property: string, histogram_bin_count?: number) => ({
      property,
      type: 'event',
      histogram_bin_count
    })
    const values = async (...breakdowns: object[]) =>
      (await ask(project, { ...asTrend({}), date_to: '2025-06-01', breakdowns })).body.result.map(
        (one: Result) => one.breakdown_value
      )

    expect(await values(of('price', 3))).toEqual([
      [5, 5 + 2.5 / 3],
      [5 + (2.5 / 3) * 2, 7.51]
    ])
    expect(await values(of('$browser', 3))).toEqual(['$$_posthog_breakdown_null_$$'])
    expect(await values(of('$browser'), of('price', 1))).toEqual([
      ['Chrome', '[5,7.51]'],
      ['Firefox', '[5,7.51]']
    ])
    const [one] = (
      await ask(project, { ...asTrend({}), date_from: '2025-06-03', breakdowns: [of('price', 9)] })
    ).body.result
    expect(one.breakdown_value).toEqual([1, 1.01])
  })

  it('names the series when there are several, and goes with a formula', async () => {
    const project = await newStory()
    const events = [{ id: '$pageview' }, { id: 'bought' }]

    expect(
      lines(await ask(project, { events, ...RANGE, breakdown: '$browser' })).map(([label]) => label)
    ).toContain('$pageview - Firefox')
    expect(
      lines(await ask(project, { events, ...RANGE, breakdown: '$browser', formula: 'A + B' }))
    ).toEqual([
      ['Firefox', [1, 0, 1]],
      ['Chrome', [1, 0, 0]],
      ['None (i.e. no value)', [0, 1, 2]]
    ])
  })

  it('shows the same values in both periods, at last those that only the one before has', async () => {
    const body = {
      ...asTrend({}),
      breakdown: '$browser',
      date_from: '2025-06-03',
      compare: true,
      compare_to: '-2d'
    }

    expect(lines(await ask(await newStory(), body))).toEqual([
      ['Firefox', [1]],
      ['Firefox', [1]],
      ['Chrome', [0]],
      ['Chrome', [1]],
      ['None (i.e. no value)', [2]],
      ['None (i.e. no value)', [0]]
    ])
    expect(lines(await ask(await newStory(), { ...body, breakdown_limit: 1 }))).toEqual([
      ['Firefox', [1]],
      ['Firefox', [1]],
      ['None (i.e. no value)', [2]],
      ['None (i.e. no value)', [0]],
      ['Other (i.e. all remaining values)', [0]],
      ['Other (i.e. all remaining values)', [1]]
    ])
  })
})

describe('a breakdown with more cells than are read at once', () => {
  const HOURS = 960

  it.each([
    ['total', {}],
    ['dau', {}],
    ['avg', { math_property: 'price' }]
  ])('is complete: %s', async (math, more) => {
    const project = await newProject()
    const from = Date.UTC(2025, 4, 1)
    await project.ingest([{ timestamp: from, properties: { $browser: 'b00', price: 1 } }])
    const copied = `from events e, json_each(?2) where e.project_id = ?1 and value > 0`
    const numbers = JSON.stringify(Array.from({ length: HOURS * 30 }, (_, n) => n))
    await env.DB.batch([
      env.DB.prepare(`insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select e.project_id, event_id, timestamp + (value / 30) * 3600000, unhex(printf('%032x', value)), identity,
               jsonb(json_object('$browser', printf('b%02d', value % 30), 'price', 1)) ${copied}`).bind(
        project.id,
        numbers
      ),
      env.DB.prepare(`insert into event_counts (project_id, event_id, slot, count)
        select project_id, event_id, timestamp / 900000, count(*) from events where project_id = ? group by 1, 2, 3
        on conflict do update set count = excluded.count`).bind(project.id)
    ])

    const { result } = (
      await ask(project, {
        events: [{ id: '$pageview', math, ...more }],
        date_from: '2025-05-01',
        date_to: new Date(from + HOURS * 3_600_000 - 1).toISOString(),
        interval: 'hour',
        breakdown: '$browser',
        breakdown_limit: 29
      })
    ).body

    expect(result.map(({ label, count }: Result) => [label, count])).toEqual([
      ...Array.from({ length: 29 }, (_, n) => [`b${String(n).padStart(2, '0')}`, HOURS]),
      ['Other (i.e. all remaining values)', HOURS]
    ])
  })
})

describe('the values of a breakdown', () => {
  const DAYS = [
    ['a', 'a', 'b', undefined, ...Array.from({ length: 20 }, (_, i) => `one of many ${i}`)],
    ['b\nc', 5, '5', null, undefined, true, 'true', { x: [1, 2] }, '', 'a', '🙂', '!'],
    ['a', 'x'.repeat(100), '"', '\\n']
  ]
  const numbers = (text: unknown) =>
    DAYS.map((day) => day.filter((value) => spell(value) === text).length)
  const spell = (value: unknown) => {
    if (value === undefined || value === null || value === '') {
      return '$$_posthog_breakdown_null_$$'
    }
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  it.each([1, 3, 5, 30, 40_000])(
    'is the same in statements of so many events: %i',
    async (statementEvents) => {
      const story = await newProject()
      await story.ingest(
        DAYS.flatMap((day, d) =>
          day.map((value, i) => ({
            timestamp: at(`0${d + 1}T00:00:00`) + i * 900_000,
            properties: value === undefined ? {} : { value: value as Json }
          }))
        )
      )
      const project = {
        id: story.id,
        timezone: 'UTC',
        weekStart: 1 as const,
        testAccountFilters: []
      }
      const query = readTrend(
        { ...asTrend({}), breakdown: 'value', breakdown_limit: 100 },
        project,
        new Date()
      )
      if (!query) {
        throw new Error('The request was not understood.')
      }

      const { result } = await computeTrend(db, project, query, 0, new Date(), statementEvents)

      const texts = [...new Set(DAYS.flat().map(spell))]
      const found = new Map(result.map(({ breakdown_value, data }) => [breakdown_value, data]))
      expect(found).toEqual(new Map(texts.map((text) => [text, numbers(text)])))
    }
  )

  it('counts more events of one moment than a statement looks at', async () => {
    const project = await newProject()
    await project.ingest([{ timestamp: at('02T00:00:00'), properties: { $browser: 'b' } }])
    await env.DB.batch([
      env.DB.prepare(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 40500)
        insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select e.project_id, event_id, timestamp, unhex(printf('%032x', n)), identity, jsonb(json_object('$browser', 'b' || (n % 2)))
        from events e, numbers where e.project_id = ?`).bind(project.id),
      env.DB.prepare('update event_counts set count = 40501 where project_id = ?').bind(project.id)
    ])

    const { result } = (await ask(project, { ...asTrend({}), breakdown: '$browser' })).body

    expect(result.map(({ label, data }: Result) => [label, data])).toEqual([
      ['b0', [0, 20_250, 0]],
      ['b1', [0, 20_250, 0]],
      ['b', [0, 1, 0]]
    ])
  })

  it('counts values that are together longer than a text of the database', async () => {
    const project = await newProject()
    await project.ingest([{ timestamp: at('02T00:00:00'), properties: { $browser: 'b' } }])
    await env.DB.batch([
      env.DB.prepare(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 180000)
        insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select e.project_id, event_id, timestamp, unhex(printf('%032x', n)), identity, jsonb(json_object('$browser', printf('%044d', n % 2)))
        from events e, numbers where e.project_id = ?`).bind(project.id),
      env.DB.prepare('update event_counts set count = 180001 where project_id = ?').bind(project.id)
    ])

    const { result } = (await ask(project, { ...asTrend({}), breakdown: '$browser' })).body

    expect(result.map(({ count }: Result) => count)).toEqual([90_000, 90_000, 1])
  })
})

describe('a trend as CSV', () => {
  it.each([
    [{}, 'series,1-Jun-2025,2-Jun-2025,3-Jun-2025\r\n$pageview,2,0,3\r\n'],
    [{ display: 'BoldNumber' }, 'series,value\r\n$pageview,5\r\n'],
    [{ formula: 'A/2' }, 'series,1-Jun-2025,2-Jun-2025,3-Jun-2025\r\nFormula (A/2),1,0,1.5\r\n'],
    [
      { date_from: '2025-06-03', compare: true },
      'series,day 0\r\n$pageview,3\r\n$pageview (previous),0\r\n'
    ]
  ])('has a line for each series: %j', async (more, expected) => {
    const { status, headers, text } = await ask(
      await newStory(),
      { ...asTrend({}), ...more },
      '?format=csv'
    )

    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="trend.csv"')
    expect(text).toBe(expected)
  })
})

describe('a trend that cannot be', () => {
  it.each([
    [asTrend({ math: 'median_ish' }), 'invalid_input', 'events__0__math', '"median_ish"'],
    [asTrend({ math: 'hogql' }), 'invalid_input', 'events__0__math', '"hogql"'],
    [asTrend({ math: 'sum' }), 'required', 'events__0__math_property', 'required'],
    [
      asTrend({ properties: [{ key: 'a', value: 1, operator: 'like' }] }),
      'invalid_input',
      'events__0__properties',
      '"like"'
    ],
    [
      asTrend({ properties: [{ key: 'id', value: 1, type: 'cohort' }] }),
      'invalid_input',
      'events__0__properties',
      '"cohort"'
    ],
    [{ ...asTrend({}), interval: 'quarter' }, 'invalid_choice', 'interval', '"quarter"'],
    [{ ...asTrend({}), date_from: 'soon' }, 'invalid_input', 'date_from', '"soon"'],
    [{ ...asTrend({}), date_to: '2025-02-30' }, 'invalid_input', 'date_to', '"2025-02-30"'],
    [{ ...asTrend({}), date_from: '2025-06-04' }, 'invalid_input', 'date_from', 'ends before'],
    [{ ...asTrend({}), display: 'Metric' }, 'invalid_input', 'display', '"Metric"'],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_type: 'cohort' },
      'invalid_input',
      'breakdown_type',
      '"cohort"'
    ],
    [{ ...asTrend({}), breakdown: [1] }, 'invalid_input', 'breakdown', 'string'],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: 0 },
      'min_value',
      'breakdown_limit',
      'greater'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: true },
      'invalid_input',
      'breakdown_limit',
      'number'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: 1.5 },
      'invalid_input',
      'breakdown_limit',
      'int'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_limit: 1001 },
      'query_too_large',
      'breakdown_values',
      '1000'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_histogram_bin_count: 1001 },
      'query_too_large',
      'breakdown_values',
      '1000 bins'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_histogram_bin_count: 0 },
      'min_value',
      'breakdown_histogram_bin_count',
      'greater'
    ],
    [
      asTrend({ properties: [{ key: '$browser', value: 1, type: 'session' }] }),
      'invalid_input',
      'events__0__properties',
      '"$browser" is not a property of sessions'
    ],
    [
      { ...asTrend({}), breakdown: 'a', breakdown_type: 'session' },
      'invalid_input',
      'breakdown',
      '"a"'
    ],
    [
      { ...asTrend({}), breakdowns: [{ property: 'a', type: 'session' }] },
      'invalid_input',
      'breakdowns__0__property',
      '"a"'
    ],
    [
      asTrend({ math: 'sum', math_property: 'price', math_property_type: 'session_properties' }),
      'invalid_input',
      'events__0__math_property',
      '"price"'
    ],
    [{ ...asTrend({}), formula: 'A +' }, 'invalid_input', 'formula', 'ends too early'],
    [asNode({ dateRang: RANGE }), 'invalid_input', 'query__dateRang', 'not known'],
    [
      asNode({ dateRange: { from: '-1d' } }),
      'invalid_input',
      'query__dateRange__from',
      'not known'
    ],
    [
      asNode({ dateRange: { ...RANGE, explicitDate: true } }),
      'invalid_input',
      'query__dateRange__explicitDate',
      'not supported'
    ],
    [
      asNode({ trendsFilter: { smoothing_intervals: 2 } }),
      'invalid_input',
      'query__trendsFilter__smoothing_intervals',
      'not known'
    ],
    [
      asNode({ modifiers: { convertToProjectTimezone: false } }),
      'invalid_input',
      'query__modifiers',
      'not supported'
    ],
    [
      asNode({ series: [{ kind: 'EventsNode', event: 'a', math_multiplier: 2 }] }),
      'invalid_input',
      'query__series__0__math_multiplier',
      'not supported'
    ],
    [{ ...asTrend({}), explicit_date: true }, 'invalid_input', 'explicit_date', 'not supported'],
    [
      asNode({ trendsFilter: { formulas: ['A', 'A +'] } }),
      'invalid_input',
      'query__trendsFilter__formulas__1',
      'ends too early'
    ],
    [
      asNode({ trendsFilter: { formulaNodes: [{ formula: 'B' }] } }),
      'invalid_input',
      'query__trendsFilter__formulaNodes__0__formula',
      'no series B'
    ],
    [
      asNode({ trendsFilter: { formulas: new Array(27).fill('A') } }),
      'query_too_large',
      'formulas',
      '26'
    ],
    [
      asNode({
        trendsFilter: { formulas: new Array(26).fill('A') },
        interval: 'minute',
        dateRange: { date_from: '2025-06-01', date_to: '2025-06-06' }
      }),
      'query_too_large',
      'points',
      '200000'
    ],
    [{ ...asTrend({}), smoothing_intervals: 1001 }, 'max_value', 'smoothing_intervals', 'less'],
    [{ ...asTrend({}), smoothing_intervals: 0 }, 'min_value', 'smoothing_intervals', 'greater'],
    [{ ...asTrend({}), sampling_factor: 0.1 }, 'invalid_input', 'sampling_factor', '0.1'],
    [{ ...asTrend({}), insight: 'STICKINESS' }, 'invalid_input', 'insight', '"STICKINESS"'],
    [asTrend({ type: 'actions' }), 'invalid_input', 'events__0__type', '"actions"'],
    [
      asTrend({ properties: [{ key: 'n', operator: 'gt', value: [] }] }),
      'invalid_input',
      'events__0__properties',
      'gt needs a value'
    ],
    [
      asTrend({ properties: [{ key: 'n', value: 'x', negation: true }] }),
      'invalid_input',
      'events__0__properties',
      'negation'
    ],
    [{ ...asTrend({}), breakdown: '\u0000' }, 'invalid_input', 'breakdown', 'null characters'],
    [
      asTrend({ math: 'sum', math_property: '\u0000' }),
      'invalid_input',
      'events__0__math_property',
      'null characters'
    ],
    [{ ...asTrend({}), actions: [{ id: 1 }] }, 'invalid_input', 'actions', 'Actions'],
    [{ ...asTrend({}), compare: true, date_from: 'all' }, 'invalid_input', 'compare', 'no period'],
    [
      { ...asTrend({}), compare: true, compare_to: 'week' },
      'invalid_input',
      'compare_to',
      '"week"'
    ],
    [
      { ...asTrend({}), interval: 'minute', date_from: '2025-05-01' },
      'query_too_large',
      'buckets',
      '10000'
    ],
    [{ events: new Array(27).fill({ id: 'a' }) }, 'query_too_large', 'series', '26'],
    [
      {
        ...asTrend({}),
        interval: 'hour',
        date_from: '2025-04-01',
        breakdown: 'a',
        breakdown_limit: 500
      },
      'query_too_large',
      'points',
      '200000'
    ],
    [{ events: 'a' }, 'invalid_input', 'events', 'list'],
    [{ events: '[' }, 'invalid_input', 'events', 'JSON'],
    [{ name: 1 }, 'invalid_input', 'name', 'string'],
    [{ tags: 'a' }, 'invalid_input', 'tags', 'list'],
    [{ dashboards: ['a'] }, 'invalid_input', 'dashboards__0', 'number'],
    [{ saved: 'yes' }, 'invalid_input', 'saved', 'boolean'],
    [{ query: 7 }, 'invalid_input', 'query', 'object'],
    [{ query: '{' }, 'invalid_input', 'query', 'JSON'],
    [{ query: { kind: 'FunnelsQuery' } }, 'invalid_input', 'query__kind', '"FunnelsQuery"'],
    [
      { query: { kind: 'InsightVizNode', source: { kind: 'RetentionQuery' } } },
      'invalid_input',
      'query__source__kind',
      '"RetentionQuery"'
    ],
    [
      { query: { kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id: 1 }] } },
      'invalid_input',
      'query__series__0__kind',
      '"ActionsNode"'
    ],
    [
      { filters: { events: [{ id: 'a' }], date_from: 'x' } },
      'invalid_input',
      'filters__date_from',
      '"x"'
    ]
  ])('is a 400 that names it: %j', async (body, code, attr, detail) => {
    const answer = await ask(await newProject(), body)

    expect([answer.status, answer.body]).toEqual([
      400,
      { type: 'validation_error', code, attr, detail: expect.stringContaining(detail) }
    ])
  })
})
