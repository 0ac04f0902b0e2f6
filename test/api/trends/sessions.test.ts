import { describe, expect, it } from 'vitest'
import { newProject, type TestEvent } from '../../support/project.ts'
import { ask, asTrend, at, lines } from '../../support/trends.ts'

/**
 * Creates a project with a session of two pages in 30 seconds that came from an ad, a session of one page, and a page view
 * without a session.
 */
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

  it('break a trend down together with properties of events, and can be aggregated', async () => {
    const project = await newSessions()
    const breakdowns = [
      { property: 'utm_source', type: 'event' },
      { property: '$entry_utm_source', type: 'session' }
    ]

    const found = lines(await ask(project, { ...asTrend({}), breakdowns }))
    expect([found[0], found.at(-1)]).toEqual([
      ['google::google', [1, 0, 0]],
      ['None (i.e. no value)::None (i.e. no value)', [0, 1, 1]]
    ])
    expect(
      lines(await ask(project, asTrend({ math: 'max', math_property: '$session_duration' })))
    ).toEqual([['$pageview', [30, 0, 0]]])
    const sum = {
      math: 'sum',
      math_property: '$pageview_count',
      math_property_type: 'session_properties'
    }
    expect(lines(await ask(project, asTrend(sum)))).toEqual([['$pageview', [2, 1, 0]]])
  })

  it.each([
    ['avg', 120],
    ['sum', 240],
    ['min', 0],
    ['max', 240],
    ['median', 120],
    ['p90', 216]
  ])('count once per session, however many events it has: %s', async (math, expected) => {
    const project = await newProject()
    const page = (session: string, time: string, path: string): TestEvent => ({
      distinct_id: 'ada',
      timestamp: at(time),
      properties: { $session_id: session, path }
    })
    await project.ingest([
      page('four minutes', '01T10:00:00', '/a'),
      page('four minutes', '01T10:02:00', '/b'),
      page('four minutes', '01T10:04:00', '/a'),
      page('a moment', '01T11:00:00', '/a')
    ])
    const series = { math, math_property: '$session_duration' }

    expect(lines(await ask(project, { ...asTrend(series), display: 'BoldNumber' }))).toEqual([
      ['$pageview', expected]
    ])
  })

  it('count once for each breakdown value of their events, and once in "Other"', async () => {
    const project = await newProject()
    const page = (time: string, path: string): TestEvent => ({
      distinct_id: 'ada',
      timestamp: at(time),
      properties: { $session_id: 's', path }
    })
    await project.ingest([
      page('01T10:00:00', '/a'),
      page('01T10:01:00', '/b'),
      page('01T10:02:00', '/c')
    ])
    const series = asTrend({ math: 'sum', math_property: '$session_duration' })

    const answer = await ask(project, { ...series, breakdown: 'path', breakdown_limit: 1 })

    expect(lines(answer)).toEqual([
      ['/a', [120, 0, 0]],
      ['Other (i.e. all remaining values)', [120, 0, 0]]
    ])
  })

  it('count a session past midnight on both days, but once in a single number', async () => {
    const project = await newProject()
    const page = (time: string): TestEvent => ({
      distinct_id: 'ada',
      timestamp: at(time),
      properties: { $session_id: 'night' }
    })
    await project.ingest([page('01T23:59:00'), page('02T00:01:00')])
    const asked = asTrend({ math: 'sum', math_property: '$session_duration' })

    expect(lines(await ask(project, asked))).toEqual([['$pageview', [120, 120, 0]]])
    expect(lines(await ask(project, { ...asked, display: 'BoldNumber' }))).toEqual([
      ['$pageview', 120]
    ])
  })

  it('may be used in as many filters as a series may have', async () => {
    const one = { key: '$session_duration', operator: 'between', value: [0, 99], type: 'session' }

    const answer = await ask(await newSessions(), asTrend({ properties: new Array(25).fill(one) }))

    expect([answer.status, lines(answer)]).toEqual([200, [['$pageview', [2, 1, 0]]]])
  })
})
