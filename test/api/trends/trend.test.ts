import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { aroundCalls } from '../../support/faults.ts'
import { newProject, request, type TestProject } from '../../support/project.ts'
import {
  ask,
  asNode,
  asTrend,
  at,
  lines,
  newStory,
  RANGE,
  type Result
} from '../../support/trends.ts'

describe('a trend', () => {
  it("has the shape of PostHog's answer", async () => {
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
    ['flat fields', asTrend({ math: 'dau' })],
    [
      'flat fields with JSON text',
      { ...asTrend({}), events: JSON.stringify([{ id: '$pageview', math: 'dau' }]) }
    ],
    ['`filters`', { name: 'Mine', saved: true, filters: asTrend({ math: 'dau' }) }],
    [
      'a query',
      {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
          dateRange: RANGE
        }
      }
    ],
    [
      'a query in JSON text, beside fields that are unset',
      {
        query: JSON.stringify({
          kind: 'InsightVizNode',
          source: {
            kind: 'TrendsQuery',
            series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
            dateRange: RANGE
          }
        }),
        filters: {},
        date_from: null,
        compare: false
      }
    ]
  ])('is read from %s', async (_, body) => {
    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', [1, 0, 3]]])
  })

  const FIELDS = {
    events: JSON.stringify([{ id: '$pageview' }]),
    filter_test_accounts: 'false',
    explicit_date: 'false',
    ...RANGE
  }
  const BY_DAY = `?${new URLSearchParams(FIELDS)}`
  const BY_MONTH = `?${new URLSearchParams({ ...FIELDS, interval: 'month' })}`

  /** Requests a trend with all fields in the URL. */
  const get = (project: TestProject, query: string) =>
    request('GET', `/api/projects/${project.id}/insights/trend/${query}`, {
      Authorization: `Bearer ${project.key}`
    })

  /** Returns the query of a URL with one field as JSON. */
  const asParameter = (name: string, value: object) =>
    `?${new URLSearchParams({ [name]: JSON.stringify(value) })}`

  it('is read from a URL, alone or beside a body that agrees', async () => {
    const project = await newStory()
    const filter = { key: 'plan', value: 'pro', type: 'person' }
    const reordered = { type: 'person', value: 'pro', key: 'plan' }

    const byMonth = await get(project, BY_MONTH)
    const sampled = await get(project, `${BY_MONTH}&sampling_factor=1`)
    const csv = await get(project, `${BY_MONTH}&format=csv`)
    const empty = await get(project, '')
    const node = await get(project, asParameter('query', asNode({}).query))
    const filters = await get(project, asParameter('filters', asTrend({})))
    const agreed = await ask(project, { ...asTrend({}), interval: 'day' }, BY_DAY)
    const same = await ask(
      project,
      { ...asTrend({}), properties: [reordered] },
      asParameter('properties', [filter])
    )

    expect(lines(byMonth)).toEqual([['$pageview', [5]]])
    expect(lines(sampled)).toEqual([['$pageview', [5]]])
    expect(csv.text).toContain('$pageview,5')
    expect(empty.body.result).toEqual([])
    for (const answer of [node, filters, agreed]) {
      expect(lines(answer)).toEqual([['$pageview', [2, 0, 3]]])
    }
    expect(lines(same)).toEqual([['$pageview', [0, 0, 2]]])
  })

  it('is refused for a URL that is invalid or does not agree with the body', async () => {
    const project = await newStory()

    const refused = await get(project, '?events=[{"id":"a","math":"no"}]')
    const different = await ask(project, { interval: 'day' }, BY_MONTH)
    const unread = await ask(project, { query: asNode({}).query }, '?date_from=-7d')
    const twice = await ask(project, asTrend({}), asParameter('query', asNode({}).query))
    const text = await get(project, `${BY_MONTH}&properties=plan`)

    expect([refused.status, refused.body.attr]).toEqual([400, 'events__0__math'])
    expect(different.body).toMatchObject({ attr: 'interval' })
    expect([unread.status, unread.body.attr]).toEqual([400, 'date_from'])
    expect([twice.status, twice.body.attr]).toEqual([400, 'events'])
    expect([text.status, text.body.detail]).toEqual([
      400,
      'Property filters must be JSON: a list of filters, a group or one filter.'
    ])
  })

  it.each([
    ['compare', 'true', false],
    ['compare', 'false', true],
    ['filter_test_accounts', 'true', false],
    ['breakdown_hide_other_aggregation', 'true', 'false'],
    ['date_from', '-30d', '-7d'],
    ['smoothing_intervals', '2', 1],
    ['properties', '[{"key":"$browser","value":"Firefox"}]', {}],
    ['events', '[{"id":"$pageview"}]', []],
    ['filters', '{"events":[{"id":"$pageview"}]}', { events: [{ id: 'bought' }] }]
  ])('is refused if `%s` is %s in the URL and %j in the body', async (name, text, value) => {
    const url = `?${new URLSearchParams({ [name]: text })}`

    const { status, body } = await ask(await newProject(), { [name]: value }, url)

    expect([status, body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'invalid_input',
        attr: name,
        detail: `"${name}" has one value in the URL and another in the body: send only one of them.`
      }
    ])
  })

  it.each([
    ['fields', { events: null, date_from: null, date_to: null, properties: null, formula: null }],
    ['fields', { filter_test_accounts: false, compare: 'false', smoothing_intervals: 1 }],
    ['filters', { name: null, query: null, filters: {}, tags: [], deleted: false }],
    ['filters', { query: '', filters: null, compare: null }],
    ['query', { query: {}, filters: {}, events: [], formula: '', compare: false }]
  ])(
    'is read from %s in a URL beside a body that leaves them unset or agrees: %j',
    async (form, body) => {
      const project = await newStory()
      const fields = {
        ...RANGE,
        events: '[{"id":"$pageview"}]',
        filter_test_accounts: 'false',
        compare: 'false',
        smoothing_intervals: '1'
      }
      const urls: Record<string, Record<string, string>> = {
        fields,
        filters: { filters: JSON.stringify(asTrend({})) },
        query: { query: JSON.stringify(asNode({}).query) }
      }

      const answer = await ask(project, body, `?${new URLSearchParams(urls[form])}`)

      expect(lines(answer)).toEqual([['$pageview', [2, 0, 3]]])
    }
  )

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
    'is refused for a wrong %s in a URL just as in a body: %s at %s',
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

  it('reads half a surrogate pair in a filter as capture stores it, in each of its forms', async () => {
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

  it('ignores fields that do not change the numbers', async () => {
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

  it('accepts settings without effect that PostHog sends with every trend', async () => {
    const unset = { breakdown: null, breakdown_type: 'event', breakdown_limit: 25 }
    const series = { math: 'total', math_property: null, math_property_type: 'event_properties' }
    const project = await newStory()

    const flat = await ask(project, { ...asTrend(series), ...unset })
    const node = await ask(
      project,
      asNode({
        series: [{ kind: 'EventsNode', event: '$pageview', ...series }],
        breakdownFilter: unset
      })
    )

    expect(lines(flat)).toEqual([['$pageview', [2, 0, 3]]])
    expect(lines(node)).toEqual([['$pageview', [2, 0, 3]]])
  })

  it.each(['event', 'event_properties', 'numerical_event_properties'])(
    'adds up a property of events whose type is sent as %s',
    async (math_property_type) => {
      const body = asTrend({ math: 'sum', math_property: 'price', math_property_type })

      expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', [12.5, 0, 1]]])
    }
  )

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
    ['an event that was never captured', [{ id: 'never' }], [['never', [0, 0, 0]]]],
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
      'a property that the person had at the event',
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

  it('accepts at most the documented number of filters, beside everything else in a statement', async () => {
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
    for (const series of [
      { math: 'first_time_for_user' },
      { math: 'first_matching_event_for_user' },
      { math: 'median', math_property: 'price' }
    ]) {
      const binned = breakdowns.map(() => ({
        property: 'price',
        type: 'event',
        histogram_bin_count: 9
      }))
      const more = { ...body(25, series), breakdowns: binned }
      expect((await ask(project, more)).status).toBe(200)
    }
    expect([refused.status, refused.body.code, refused.body.attr]).toEqual([
      400,
      'query_too_large',
      'filters'
    ])
  })

  it('filters all series', async () => {
    const body = {
      events: [{ id: '$pageview' }, { id: 'bought' }],
      ...RANGE,
      properties: { type: 'OR', values: [{ key: '$browser', operator: 'is_set' }] }
    }

    expect(lines(await ask(await newStory(), body))).toEqual([
      ['$pageview', [2, 0, 2]],
      ['bought', [0, 0, 0]]
    ])
  })

  it.each([
    ['hour', '2025-06-01T22:00:00', '2025-06-02', [0, 1, ...new Array(24).fill(0)]],
    ['minute', '2025-06-01T23:59:00', '2025-06-01T23:59:59.999', [1]],
    ['week', '2025-06-02', '2025-06-03', [5]],
    ['month', '2025-05-20', '2025-06-03', [0, 5]]
  ])('has buckets by the %s', async (interval, date_from, date_to, data) => {
    const body = { ...asTrend({}), interval, date_from, date_to }

    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', data]])
  })

  it.each(['', 'undefined', []])('takes %j in a legacy field as not given', async (neutral) => {
    const names = [
      ...['insight', 'shown_as', 'interval', 'properties', 'filter_test_accounts', 'display'],
      ...['breakdown', 'breakdown_type', 'breakdowns', 'breakdown_limit', 'compare', 'compare_to'],
      ...['breakdown_hide_other_aggregation', 'breakdown_histogram_bin_count', 'formula'],
      ...['breakdown_normalize_url', 'smoothing_intervals', 'sampling_factor', 'explicit_date'],
      ...['aggregation_group_type_index', 'actions']
    ]
    const project = await newStory()
    const plain = asTrend({})
    const filter = { ...plain, ...Object.fromEntries(names.map((name) => [name, neutral])) }
    const own = ['type', 'order', 'math', 'math_property', 'math_property_type', 'properties']
    const events = [{ id: '$pageview', ...Object.fromEntries(own.map((name) => [name, neutral])) }]
    const expected = lines(await ask(project, plain))

    expect(lines(await ask(project, filter))).toEqual(expected)
    expect(lines(await ask(project, { ...plain, events }))).toEqual(expected)
    expect(lines(await ask(project, { filters: { ...filter, events } }))).toEqual(expected)
    for (const name of typeof neutral === 'string' ? names : []) {
      const { status, body } = await ask(project, { ...plain }, `?${name}=${neutral}`)
      expect([name, status, body.attr]).toEqual([name, 200, undefined])
    }
  })

  it('begins with the first event of its series if `date_from` is `all`', async () => {
    const project = await newStory()
    await project.ingest([{ event: 'installed', timestamp: Date.UTC(2024, 0, 1) }])
    const [result] = (await ask(project, { ...asTrend({}), date_from: 'all' })).body.result
    const events = [{ id: null }]
    const [ofAll] = (await ask(project, { events, date_from: 'all' })).body.result

    expect([result.days[0], result.count]).toEqual(['2025-06-01', 5])
    expect(ofAll.days[0]).toBe('2024-01-01')
  })

  it.each([
    ['1970', 12_000],
    ['the year 1', Date.parse('0001-01-01T00:00:00Z')],
    ['2009', Date.UTC(2010, 0, 1) - 1]
  ])('does not begin with an event of %s if `date_from` is `all`', async (_, timestamp) => {
    const project = await newStory()
    await project.ingest([{ event: '$pageview', timestamp }])
    const date = new Date(timestamp).toISOString().slice(0, 10)
    const at = { ...asTrend({}), display: 'BoldNumber', date_from: date, date_to: date }

    const { status, body } = await ask(project, { ...asTrend({}), date_from: 'all' })
    expect([status, body.result?.[0]]).toMatchObject([200, { count: 5 }])
    expect(body.result[0].days[0]).toBe('2025-06-01')
    // The event is stored, listed, and counted in a range that names its time.
    expect((await project.call('GET', 'events/')).body.results).toHaveLength(7)
    expect(lines(await ask(project, at))).toEqual([['$pageview', 1]])
  })

  it('begins at 2010 if `date_from` is `all` and an event happened then', async () => {
    const project = await newStory()
    await project.ingest([{ event: '$pageview', timestamp: Date.UTC(2010, 0, 1) }])
    const [result] = (await ask(project, { ...asTrend({}), date_from: 'all' })).body.result

    expect([result.days[0], result.count]).toEqual(['2010-01-01', 6])
  })

  it.each([
    ['ActionsLineGraphCumulative', [2, 2, 5]],
    ['BoldNumber', 5],
    ['ActionsPie', 5]
  ])('has the numbers of the display %s', async (display, expected) => {
    expect(lines(await ask(await newStory(), { ...asTrend({}), display }))).toEqual([
      ['$pageview', expected]
    ])
  })

  it('counts an actor once in a number for the whole range', async () => {
    const body = { ...asTrend({ math: 'dau' }), display: 'BoldNumber' }

    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', 3]])
  })

  it('is one number for a range with too many days for buckets', async () => {
    const body = { ...asTrend({}), date_from: '1970-01-01', display: 'BoldNumber' }

    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', 5]])
  })

  it('is compared with the period just before, or with that of `compare_to`', async () => {
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

  it('sorts the events of the legacy form by `order`, if all have one', async () => {
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

  it('is a 503 if any statement fails, never a partial answer', async () => {
    const project = await newStory()
    const body = asTrend({ math: 'sum', math_property: 'price' })
    // Looks up the calendar and records the use of the key, so that later requests need not.
    const whole = await ask(project, body)
    let calls = 0
    const counting = aroundCalls(env.DB, (run) => {
      calls += 1
      return run()
    })
    await ask(project, body, '', { DB: counting })

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
    // A read that fails in the round trip of the key check is repeated in a second round trip.
    expect(answers).toEqual([whole.body.result, [503, 'unavailable']])
  })

  it('adds up whole numbers beyond 64 bits, and leaves out infinite numbers', async () => {
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

  it('refuses sums that are too large for a double, but returns the largest of such numbers', async () => {
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
      'The numbers of $pageview are too large.'
    ])
    expect([squared.status, squared.body.attr]).toEqual([400, 'formula'])
    expect(lines(highest)).toEqual([['$pageview', [1e308, 1e308, 0]]])
    expect(highest.body.result[0].count).toBe(Number.MAX_VALUE)
  })

  it('breaks down by long texts, unless the shown texts together are too long', async () => {
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
    expect([refused.status, refused.body.attr, refused.body.detail]).toEqual([
      400,
      'breakdown_values',
      'The breakdown by "text" has more than 100000 distinct values in this range, or values that are too long: choose a shorter range or another property.'
    ])
  })

  it('is refused when it would read too many events', async () => {
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

  it('is smoothed over each bucket and the buckets before it', async () => {
    expect(lines(await ask(await newStory(), { ...asTrend({}), smoothing_intervals: 2 }))).toEqual([
      ['$pageview', [2, 1, 1]]
    ])
  })

  it('is not smoothed if it is one number', async () => {
    const body = {
      ...asTrend({ math: 'avg', math_property: 'price' }),
      smoothing_intervals: 2,
      display: 'BoldNumber'
    }

    expect(lines(await ask(await newStory(), body))).toEqual([['$pageview', 4.5]])
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
