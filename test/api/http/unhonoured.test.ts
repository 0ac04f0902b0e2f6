import { afterAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'
import { DAILY } from '../../support/subscriptions.ts'

const project = await newProject()
await project.ingest([
  { event: '$identify', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } }
])
await holdRecordings().record(snapshotEvent(project))
const { results } = (await project.call('GET', 'persons/?distinct_id=ada')).body
const ada = `persons/${results[0].id}/`

afterAll(untilQuiet)

const VIEWS = { events: [{ id: '$pageview' }] }
const NODE = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }] }
const RECORDING = 'session_recordings/session/'

describe('the URL', () => {
  it.each([
    ['GET', 'persons/?emial=ada@example.com', 'emial', 'did you mean "email"?'],
    ['GET', 'persons/?colour=3', 'colour', '"colour"'],
    ['GET', 'persons/?id=1', 'id', '"id"'],
    ['GET', 'persons/?limit=1&limit=2', 'limit', 'more than once'],
    ['GET', 'persons/activity/?page=2&offset=3', 'page', 'offset'],
    ['GET', 'persons/?format=csv&cursor=x', 'cursor', 'cursor'],
    ['DELETE', `${ada}?delete_event=true`, 'delete_event', 'did you mean "delete_events"?'],
    ['DELETE', `${ada}?deleteEvents=true`, 'deleteEvents', 'did you mean "delete_events"?'],
    ['DELETE', `${ada}?keep_person=true`, 'keep_person', '"keep_person"'],
    ['DELETE', `${ada}?delete_events=true&delete_events=false`, 'delete_events', 'more than once'],
    ['DELETE', `${ada}?format=xml`, 'format', '"xml"'],
    ['POST', `${ada}delete_property/?$unset=plan&$unset=seats`, '$unset', 'more than once'],
    ['GET', 'subscriptions/?frequency=daily', 'frequency', '"frequency"'],
    ['GET', 'subscriptions/?created_by=1', 'created_by', 'UUID'],
    ['GET', 'subscriptions/?format=csv', 'format', 'JSON only'],
    ['GET', 'session_recordings/?foo=1', 'foo', '"foo"'],
    ['GET', 'session_recordings/?session_id=session', 'session_id', 'did you mean "session_ids"?'],
    ['GET', `${RECORDING}?save_view=true`, 'save_view', '"save_view"'],
    [
      'GET',
      `session_recordings/?events=${encodeURIComponent('[{"id":"a","propertis":[]}]')}`,
      'events__0__propertis',
      'did you mean "properties"?'
    ],
    ['GET', 'insights/trend/?dateFrom=-7d', 'dateFrom', 'did you mean "date_from"?'],
    ['GET', 'insights/trend/?event=$pageview', 'event', 'did you mean "events"?'],
    [
      'GET',
      `persons/?properties=${encodeURIComponent('[{"key":"plan","value":"x","opertor":"is_not"}]')}`,
      'properties',
      'did you mean "operator"?'
    ],
    [
      'GET',
      `${ada}properties_timeline/?events=${encodeURIComponent('[{"event":"bought"}]')}`,
      'events__0__event',
      '`id`'
    ],
    ...['session_recordings/', `${ada}properties_timeline/`].flatMap((list) =>
      [
        ['type', 'actions'],
        ['kind', 'ActionsNode'],
        ['negate', true],
        ['property', 'plan']
      ].map(([name, value]): [string, string, string, string] => [
        'GET',
        `${list}?events=${encodeURIComponent(JSON.stringify([{ id: 'a', [String(name)]: value }]))}`,
        `events__0__${name}`,
        ''
      ])
    ),
    ['GET', 'insights/trend/?limit=5', 'limit', '"limit"'],
    [
      'GET',
      `insights/trend/?filters=${encodeURIComponent('{"events":[{"id":"a"}],"limit":1}')}`,
      'filters__limit',
      '`breakdown_limit`'
    ]
  ])('%s %s is a 400 for %s', async (method, path, attr, detail) => {
    const { status, body } = await project.call(method, path)

    expect([status, body.attr]).toEqual([400, attr])
    expect(body.detail).toContain(detail)
    expect((await project.call('GET', ada)).status).toBe(200)
  })

  it.each(['DELETE', 'POST'])('may ask for JSON when it is the only format: %s', async (method) => {
    const path = method === 'DELETE' ? 'persons/999999999/' : 'subscriptions/999999999/test/'

    expect((await project.call(method, `${path}?format=json`)).status).toBe(404)
  })

  it.each(['session_recordings/', `${ada}properties_timeline/`])(
    'may have events as clients send them: %s',
    async (list) => {
      const event = { id: 'a', name: 'a', type: 'events', order: 0, math: 'dau', negation: false }
      const path = `${list}?events=${encodeURIComponent(JSON.stringify([event]))}`

      expect((await project.call('GET', path)).status).toBe(200)
    }
  )
})

describe('a DELETE of a person', () => {
  const remove = async (id: string, json?: Json) => {
    await project.ingest([{ event: 'seen', distinct_id: id }])
    const { results } = (await project.call('GET', `persons/?distinct_id=${id}`)).body
    const { status } = await project.send('DELETE', `persons/${results[0].id}/`, json)
    const query = `persons/deletion_status/?person_uuid=${results[0].uuid}`
    const { body } = await project.call('GET', query)
    const [task] = body.results
    return { status, tasks: body.count, delete_events: task.delete_events }
  }

  it('accepts delete_events in the body', async () => {
    expect(await remove('carol', { delete_events: true })).toEqual({
      status: 204,
      tasks: 1,
      delete_events: true
    })
  })

  it('accepts an empty object', async () => {
    expect(await remove('dave', {})).toEqual({
      status: 204,
      tasks: 1,
      delete_events: false
    })
  })
})

it('a filter of recordings by events is refused with the field that is missing or misnamed', async () => {
  const list = (events: Json) =>
    project.send('GET', `session_recordings/?events=${encodeURIComponent(JSON.stringify(events))}`)

  const missing = await list([{}])
  const misnamed = await list([{ event: 'a' }])

  expect(missing.body).toMatchObject({ code: 'required', attr: 'events__0__id' })
  expect(misnamed.body).toMatchObject({ attr: 'events__0__event' })
})

describe('a body', () => {
  it.each<[string, string, Json, string, string]>([
    ['PATCH', ada, { propertis: {} }, 'propertis', 'did you mean "properties"?'],
    ['PATCH', ada, { properties: {}, $unset: ['plan'] }, '$unset', 'delete_property'],
    ['POST', `${ada}delete_property/?$unset=a`, { $unset: 'b' }, '$unset', 'in the body'],
    ['POST', `${ada}delete_property/`, { unset: 'b' }, 'unset', 'did you mean "$unset"?'],
    ['POST', `${ada}delete_property/`, { $unset: 'b', properties: [] }, 'properties', 'object'],
    ['POST', `${ada}split/`, { properties: 'all' }, 'properties', 'object'],
    ['POST', `${ada}split/`, { distinct_id: 'ada' }, 'distinct_id', 'main_distinct_id'],
    ['POST', `${ada}split/`, { keep: 'ada' }, 'keep', 'main_distinct_id'],
    [
      'POST',
      'persons/bulk_delete/',
      { distinct_ids: ['x'], delete_event: true },
      'delete_event',
      'did you mean "delete_events"?'
    ],
    [
      'POST',
      'persons/bulk_delete/',
      { distinct_ids: ['x'], keep_person: true },
      'keep_person',
      'always deleted'
    ],
    [
      'POST',
      'persons/bulk_delete/?delete_events=true',
      { distinct_ids: ['x'], delete_events: false },
      'delete_events',
      'in the body'
    ],
    ...['keep_persons', 'preview', 'search', 'email', 'properties'].map(
      (name): [string, string, Json, string, string] => [
        'POST',
        'persons/bulk_delete/',
        { distinct_ids: ['x'], [name]: true },
        name,
        ''
      ]
    ),
    ...['keepPerson', 'events_only'].map((name): [string, string, Json, string, string] => [
      'POST',
      'persons/bulk_delete/',
      { distinct_ids: ['x'], [name]: true },
      name,
      'always deleted'
    ]),
    ...['confirm', 'delete_person', 'dryrun'].map(
      (name): [string, string, Json, string, string] => [
        'POST',
        'persons/bulk_delete/',
        { distinct_ids: ['x'], [name]: false },
        name,
        ''
      ]
    ),
    ['DELETE', ada, { delete_event: true }, 'delete_event', 'did you mean "delete_events"?'],
    ['DELETE', ada, { dry_runs: true }, 'dry_runs', 'did you mean "dry_run"?'],
    ['DELETE', ada, { keep_person: true }, 'keep_person', 'always deleted'],
    ['DELETE', ada, { delete_events: 'yes' }, 'delete_events', 'boolean'],
    ['DELETE', `${ada}?delete_events=true`, { delete_events: false }, 'delete_events', 'the body'],
    ['DELETE', ada, [true], '', 'object'],
    ['DELETE', 'insights/1/', { dry_run: true }, 'dry_run', 'leave it out'],
    ['DELETE', 'dashboards/1/', { delete_insights: true }, 'delete_insights', 'leave it out'],
    ['DELETE', 'subscriptions/1/', { dry_run: true }, 'dry_run', 'leave it out'],
    ['DELETE', RECORDING, { dry_run: true }, 'dry_run', 'leave it out'],
    ['POST', 'subscriptions/1/test/', { target_value: 'a@b.co' }, 'target_value', 'leave it out'],
    ['POST', `${RECORDING}sharing/refresh/`, { enabled: false }, 'enabled', 'leave it out'],
    ...['expires_at', 'expires_after', 'valid_until'].map(
      (name): [string, string, Json, string, string] => [
        'PATCH',
        `${RECORDING}sharing/`,
        { enabled: true, [name]: '2026-12-01' },
        name,
        'do not expire'
      ]
    ),
    ...Object.entries({
      paused: true,
      freq: 'weekly',
      byday: ['monday'],
      bymonthday: 1,
      bymonth: 2,
      insight_id: 44,
      dashboard_id: 3,
      format: 'pdf',
      ai_prompt: 'Be brief.',
      summary_enabled: true,
      next_delivery_date: '2099-01-01T00:00:00Z'
    }).map(([name, value]): [string, string, Json, string, string] => [
      'POST',
      'subscriptions/',
      { ...DAILY, [name]: value },
      name,
      ''
    ]),
    [
      'POST',
      'subscriptions/',
      { ...DAILY, start_date: '2026-11-23T09:00:60Z' },
      'start_date',
      'ISO'
    ],
    ['PATCH', 'subscriptions/1/', { paused: false }, 'paused', '`enabled`'],
    ['POST', 'subscriptions/', { ...DAILY, is_active: true }, 'is_active', '`enabled`'],
    ['POST', 'subscriptions/', { ...DAILY, start_date: 'Nov 1 2026' }, 'start_date', 'ISO'],
    ['POST', 'subscriptions/', { ...DAILY, start_date: '1700000000' }, 'start_date', 'ISO'],
    ['POST', 'subscriptions/', { ...DAILY, until_date: 'Nov 1 2099' }, 'until_date', 'ISO'],
    ['POST', 'subscriptions/', { ...DAILY, until_date: '2026-11-21' }, 'until_date', 'over'],
    ['POST', 'subscriptions/', { ...DAILY, start_date: '2025-01-01', count: 3 }, 'count', 'over'],
    ['POST', 'subscriptions/', { ...DAILY, integration_id: 7 }, 'integration_id', 'webhook'],
    ['POST', 'subscriptions/', { ...DAILY, byWeekday: ['monday'] }, 'byWeekday', '"byweekday"'],
    ['PATCH', RECORDING, { viewed: false }, '', '`viewed` or `analyzed` as `true`'],
    ['PATCH', RECORDING, { viewed: 'yes' }, 'viewed', 'boolean'],
    ['PATCH', RECORDING, { viewed: true, id: 'other' }, 'id', 'read-only'],
    ['PATCH', RECORDING, { person: { uid: 'x' } }, 'person__uid', 'did you mean "uuid"?'],
    [
      'POST',
      'session_recordings/ai/filters/',
      { person: { distinct_ids: ['ada'] }, distinct_id: 'eve' },
      'distinct_id',
      'not a distinct id of the person'
    ],
    [
      'POST',
      'session_recordings/ai/regex/',
      { person: 'ada', distinct_id: 'eve' },
      'distinct_id',
      'not a distinct id of the person'
    ],
    [
      'POST',
      'session_recordings/ai/regex/',
      { regex: 'a number', person: 'ada' },
      'person',
      'not both'
    ],
    [
      'PATCH',
      `${RECORDING}sharing/`,
      { enabled: true, password_required: true },
      'password_required',
      'no password'
    ],
    [
      'PATCH',
      `${RECORDING}sharing/`,
      { enabled: true, access_token: 'mine' },
      'access_token',
      'read-only'
    ],
    ['POST', 'dashboards/', { name: 'A', filters: { date_from: '-7d' } }, 'filters', 'no filters'],
    ['POST', 'insights/', { ...VIEWS }, 'events', '`filters`'],
    ['POST', 'insights/', { query: NODE, filters: VIEWS }, 'filters', '"query"'],
    ['POST', 'insights/trend/', { event: [{ id: 'a' }] }, 'event', '`events`'],
    ['POST', 'insights/trend/', { ...VIEWS, dateFrom: '-7d' }, 'dateFrom', '"date_from"'],
    [
      'POST',
      'insights/trend/',
      { events: [{ id: 'a', math_multiplier: 2 }] },
      'events__0__math_multiplier',
      'not supported'
    ],
    ['POST', 'insights/trend/', { events: [{ event: 'a' }] }, 'events__0__event', '`id`'],
    [
      'POST',
      'insights/trend/',
      { ...VIEWS, data_warehouse: [{ id: 'orders' }] },
      'data_warehouse',
      'not supported'
    ],
    ['POST', 'insights/trend/', { ...VIEWS, formulas: ['A*2'] }, 'formulas', '`formula`'],
    ['POST', 'insights/trend/', { filters: VIEWS, date_from: '-7d' }, 'date_from', '"filters"'],
    ['POST', 'insights/trend/', { query: NODE, filters: VIEWS }, 'filters', '"query"'],
    [
      'POST',
      'insights/trend/',
      { filters: { ...VIEWS, dateFrom: '' } },
      'filters__dateFrom',
      '"date_from"'
    ],
    [
      'POST',
      'insights/trend/?date_from=-7d',
      { ...VIEWS, date_from: '-1d' },
      'date_from',
      'the body'
    ],
    [
      'POST',
      'insights/trend/',
      { ...VIEWS, breakdown: 'plan', breakdowns: [{ property: 'color' }] },
      'breakdown',
      'not both'
    ],
    ...[
      ['filters_override', { date_from: '-1d' }, 'Overrides'],
      ['variables_override', { a: 1 }, 'Overrides'],
      ['timezone', 'Asia/Tokyo', 'time zone'],
      ['limit', 1, '`breakdown_limit`'],
      ['offset', 1, 'URL'],
      ['search', 'x', '`properties`'],
      ['distinct_id', 'ada', '`properties`'],
      ['start_date', '-1d', '`date_from`'],
      ['end_date', '-1d', '`date_to`'],
      ['dateRangeTo', '-1d', '`date_to`'],
      ['date_range', { date_from: '-1d' }, '`date_from`'],
      ['breakdown_filter', { breakdown: 'a' }, '`breakdown`'],
      ['compare_filter', { compare: true }, '`compare`'],
      ['filterGroup', { values: [1] }, '`properties`']
    ].flatMap(([name, value, detail]): [string, string, Json, string, string][] => [
      [
        'POST',
        'insights/trend/',
        { ...VIEWS, [String(name)]: value } as Json,
        String(name),
        String(detail)
      ],
      [
        'POST',
        'insights/trend/',
        { filters: { ...VIEWS, [String(name)]: value } } as Json,
        `filters__${name}`,
        String(detail)
      ]
    ]),
    ['POST', 'insights/trend/', { filters: { ...VIEWS, format: 'csv' } }, 'filters__format', 'URL'],
    ...[
      ['date_from', '-1d', '"source.dateRange.date_from"'],
      ['interval', 'week', '"source.interval"'],
      ['dateRange', { date_from: '-1d' }, '"source.dateRange"'],
      ['intervall', 'week', '"interval"'],
      ['color', 'red', 'not a field of an InsightVizNode']
    ].map(([name, value, detail]): [string, string, Json, string, string] => [
      'POST',
      'insights/trend/',
      { query: { kind: 'InsightVizNode', source: NODE, [String(name)]: value } } as Json,
      `query__${name}`,
      String(detail)
    ]),
    ...(['orderBy', 'limit'] as const).map((name): [string, string, Json, string, string] => [
      'POST',
      'insights/trend/',
      {
        query: {
          kind: 'TrendsQuery',
          series: [{ kind: 'EventsNode', event: 'a', [name]: name === 'limit' ? 5 : ['timestamp'] }]
        }
      },
      `query__series__0__${name}`,
      'not supported'
    ]),
    [
      'POST',
      'insights/trend/',
      { query: { ...NODE, trendsFilter: { formula: 'A', formulas: ['A * 2'] } } },
      'query__trendsFilter__formula',
      'different formulas'
    ],
    [
      'POST',
      'insights/trend/',
      {
        query: { ...NODE, trendsFilter: { formulas: ['A'], formulaNodes: [{ formula: 'A * 2' }] } }
      },
      'query__trendsFilter__formulas',
      'different formulas'
    ],
    [
      'POST',
      'insights/trend/',
      { events: [{ id: '$pageview', negate: true }] },
      'events__0__negate',
      'negated'
    ],
    ['POST', 'insights/trend/', NODE, 'kind', '`query`'],
    ['POST', 'insights/trend/', { name: 'A', series: NODE.series }, 'series', '`query`']
  ])('%s %s %j is a 400 for %s', async (method, path, json, attr, detail) => {
    const { status, body } = await project.send(method, path, json)

    expect([status, body.attr ?? '']).toEqual([400, attr])
    expect(body.detail).toContain(detail)
  })

  it.each<[string, string, JsonObject, number, string]>([
    ['POST', `${ada}delete_property/`, { $unset: 'x', properties: {}, note: 1 }, 200, 'note'],
    ['POST', 'subscriptions/', { ...DAILY, rrule: 'x', id: 9 }, 201, 'rrule, id'],
    ['POST', 'dashboards/', { name: 'A', color: 'red', filters: {} }, 201, 'color, filters'],
    ['PATCH', RECORDING, { viewed: true, durations: [1] }, 200, 'durations'],
    [
      'POST',
      'insights/trend/',
      {
        events: [{ id: '$pageview', optionalInFunnel: false }],
        data_warehouse: [],
        show_legend: true,
        'ключ, 1': 2
      },
      200,
      `events__0__optionalInFunnel, data_warehouse, show_legend, ${encodeURIComponent('ключ, 1')}`
    ],
    [
      'POST',
      'insights/trend/',
      { filters: { ...VIEWS, hidden_legend_keys: {} } },
      200,
      'filters__hidden_legend_keys'
    ]
  ])(
    '%s %s %j ignores unknown fields, and names them in X-Ignored-Fields',
    async (method, path, json, expected, named) => {
      const { status, headers } = await project.send(method, path, json)

      expect([status, headers.get('X-Ignored-Fields')]).toEqual([expected, named])
    }
  )

  it.each([
    {
      query: { kind: 'InsightVizNode', source: NODE, full: true, showTable: true, embedded: true }
    },
    { query: { ...NODE, trendsFilter: { formula: 'A', formulas: ['A'] } } },
    { ...VIEWS, filters_override: {}, variables_override: null, timezone: null }
  ])('of a trend may have the fields that clients send: %j', async (json) => {
    expect((await project.send('POST', 'insights/trend/', json)).status).toBe(200)
  })

  it('gets no X-Ignored-Fields when every field was read', async () => {
    const { headers } = await project.send('POST', 'insights/trend/', VIEWS)

    expect(headers.has('X-Ignored-Fields')).toBe(false)
  })

  it('may have 1,000 unknown fields, but neither 1,001 nor 40,000', async () => {
    const sendWith = (count: number) => {
      const unknown = Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 0]))
      return project.send('POST', 'insights/trend/', { ...VIEWS, ...unknown })
    }

    expect((await sendWith(1_000)).status).toBe(200)
    for (const count of [1_001, 40_000]) {
      const { status, body } = await sendWith(count)
      expect([status, body.detail]).toEqual([
        400,
        'At most 1000 unknown fields are allowed in one object: leave them out.'
      ])
    }
  })

  it('gets at most 50 fields named in X-Ignored-Fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${n}`.repeat(9), n]))

    const { headers } = await project.send('POST', 'insights/trend/', { ...VIEWS, ...many })

    expect(headers.get('X-Ignored-Fields')?.split(', ')).toHaveLength(50)
  })
})

describe('a whole object', () => {
  it.each([
    ['dashboards/', { name: 'A' }],
    ['insights/', { name: 'A', filters: VIEWS }],
    ['subscriptions/', DAILY]
  ])('may be sent back to %s, unless a read-only field has changed', async (path, json) => {
    const created = await project.send('POST', path, json)
    const own = `${path}${created.body.id}/`
    const { body: shown } = await project.call('GET', own)

    const back = await project.send('PATCH', own, shown)
    const wrong = await project.send('PATCH', own, { ...shown, id: 0 })

    expect(back.status).toBe(200)
    expect(back.headers.get('X-Ignored-Fields')).toMatch(/^id, /)
    expect([wrong.status, wrong.body.attr]).toEqual([400, 'id'])
  })
})

it('filters of an insight that its query would override are refused, unless the query is removed', async () => {
  const { body } = await project.send('POST', 'insights/', { query: NODE })
  const path = `insights/${body.id}/`

  const unread = await project.send('PATCH', path, { filters: VIEWS })
  const instead = await project.send('PATCH', path, { filters: VIEWS, query: null })

  expect([unread.status, unread.body.attr]).toEqual([400, 'filters'])
  expect([instead.status, instead.body.filters]).toEqual([200, VIEWS])
})

describe('a cursor', () => {
  it.each(['persons/', 'persons/activity/', 'session_recordings/'])(
    'of %s is accepted with the offset at which it continues, or without an offset',
    async (path) => {
      const own = await newProject()
      const people = [1, 2, 3].map((n) => ({ distinct_id: `p${n}`, event: '$identify' }))
      await own.ingest(people.map((one) => ({ ...one, properties: { $set: { a: 1 } } })))
      const listed = (await own.call('GET', 'persons/')).body.results
      for (const { id } of listed) {
        await own.send('PATCH', `persons/${id}/`, { properties: { b: 1 } })
      }
      const sent = [1, 2, 3].map((n) => snapshotEvent(own, { session: `s${n}` }))
      await holdRecordings().record(...sent)
      const { body } = await own.call('GET', `${path}?limit=1`)
      const next = new URL(body.next).searchParams

      const follow = (change: (query: URLSearchParams) => void) => {
        const query = new URLSearchParams(next)
        change(query)
        return own.call('GET', `${path}?${query}`)
      }
      const followed = await follow(() => {})
      const without = await follow((query) => query.delete('offset'))
      const moved = await follow((query) => query.set('offset', '2'))

      expect(followed.status).toBe(200)
      expect(without.body).toEqual({ ...followed.body, next: expect.any(String) })
      expect([moved.status, moved.body.attr]).toEqual([400, 'offset'])
    }
  )
})

describe('PATCH of a recording', () => {
  it('accepts `analyzed` as PostHog does, without marking the recording as viewed', async () => {
    const own = await newProject()
    await holdRecordings().record(snapshotEvent(own))

    const analyzed = await own.send('PATCH', RECORDING, { analyzed: true })
    const unviewed = await own.send('PATCH', RECORDING, { analyzed: true, viewed: false })
    await own.send('PATCH', RECORDING, { viewed: true })
    const undone = await own.send('PATCH', RECORDING, { analyzed: true, viewed: false })
    const neither = await own.send('PATCH', RECORDING, { analyzed: false })

    expect([analyzed.status, analyzed.body.viewed]).toEqual([200, false])
    expect([unviewed.status, unviewed.body.viewed]).toEqual([200, false])
    expect([undone.status, undone.body.attr]).toEqual([400, 'viewed'])
    expect(neither.status).toBe(400)
  })
})

it('the AI helpers accept a person together with one of its distinct ids', async () => {
  const { status } = await project.send('POST', 'session_recordings/ai/filters/', {
    person: { distinct_ids: ['ada'] },
    distinct_id: 'ada'
  })

  expect(status).toBe(200)
})

it('a subscription that has ended may be renamed, but a change may not end a subscription', async () => {
  const { body } = await project.send('POST', 'subscriptions/', {
    ...DAILY,
    deleted: true,
    count: 1
  })
  const path = `subscriptions/${body.id}/`

  const renamed = await project.send('PATCH', path, { title: 'New' })
  const { body: live } = await project.send('POST', 'subscriptions/', DAILY)
  const ended = await project.send('PATCH', `subscriptions/${live.id}/`, {
    until_date: '2026-11-21'
  })

  expect(renamed.status).toBe(200)
  expect([ended.status, ended.body.attr]).toEqual([400, 'until_date'])
})
