import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { ROLE_SCOPES } from '../../../src/access/roles.ts'
import { projects } from '../../../src/db/schema.ts'
import { WEB_BREAKDOWN_NAMES } from '../../../src/questions/web/breakdowns.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'
import { sealRange } from '../../support/segments.ts'

type Story = {
  who: string
  session: string | null
  at: string
  event?: string
  [key: string]: unknown
}

const toEvent = ({ who, session, at, event = '$pageview', ...properties }: Story): TestEvent => ({
  distinct_id: who,
  event,
  timestamp: Date.parse(`2026-${at}Z`),
  properties: { ...(session !== null && { $session_id: session }), ...properties }
})

const page = (path: string) => ({
  $current_url: `https://shop.example${path}`,
  $pathname: path,
  $host: 'shop.example'
})

const FROM_GOOGLE = { $referring_domain: 'www.google.com', $referrer: 'https://www.google.com/' }
const CHROME = { $browser: 'Chrome', $os: 'Windows', $device_type: 'Desktop' }
const SAFARI = { $browser: 'Safari', $os: 'iOS', $device_type: 'Mobile' }

/**
 * The worked example of docs/questions.md: three sessions from 1 to 7 March, one that began before, one of the week before,
 * and a page without a session.
 */
const STORY: Story[] = [
  { who: 'ada', session: 's1', at: '03-01T10:00:00', ...page('/'), ...FROM_GOOGLE, ...CHROME },
  {
    who: 'bo',
    session: 's2',
    at: '03-02T10:00:00',
    ...page('/pricing'),
    $referring_domain: '$direct',
    ...SAFARI
  },
  { who: 'bo', session: 's2', at: '03-02T10:00:12', event: '$pageleave', ...page('/pricing') },
  {
    who: 'ada',
    session: 's3',
    at: '03-03T10:00:00',
    ...page('/pricing'),
    utm_source: 'news',
    utm_medium: 'email',
    ...CHROME
  },
  { who: 'ada', session: 's3', at: '03-03T10:00:03', event: '$autocapture', ...page('/pricing') },
  { who: 'cy', session: 's4', at: '02-28T23:59:00', ...page('/'), ...CHROME },
  { who: 'cy', session: 's4', at: '03-01T00:01:00', ...page('/pricing'), ...CHROME },
  { who: 'di', session: null, at: '03-04T10:00:00', ...page('/') },
  { who: 'cy', session: 's5', at: '02-25T10:00:00', ...page('/old'), ...CHROME }
]
const EVENTS = STORY.map(toEvent)

const WEEK = { date_from: '2026-03-01', date_to: '2026-03-07' }
const COMPARED = { compareFilter: { compare: true } }

const overview = (project: TestProject, more: object = {}) =>
  project.send('POST', 'query/', {
    query: { kind: 'WebOverviewQuery', properties: [], dateRange: WEEK, ...more }
  })

const table = (project: TestProject, breakdownBy: string, more: object = {}) =>
  project.send('POST', 'query/', {
    query: { kind: 'WebStatsTableQuery', properties: [], dateRange: WEEK, breakdownBy, ...more }
  })

/** Makes a segment of the page views from 1 to 7 March. */
async function seal({ id }: TestProject): Promise<void> {
  const [kind] = await db.all<{ project_id: number; event_id: number }>(
    sql`select project_id, id as event_id from event_names where project_id = ${id} and name = '$pageview'`
  )
  const [from, until] = [Date.parse('2026-03-01T00:00:00Z'), Date.parse('2026-03-08T00:00:00Z')]
  expect(kind && (await sealRange(db, kind, from, until))).toBe(true)
}

const numbers = ({ body }: { body: { results: { value: number | null }[] } }) =>
  body.results.map(({ value }) => value)

describe('overview', () => {
  it('answers with five numbers and those of the period before', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)

    const { status, body } = await overview(project, COMPARED)

    expect(status).toBe(200)
    expect(body).toMatchObject({
      dateFrom: '2026-03-01',
      dateTo: '2026-03-07',
      samplingRate: { numerator: 1, denominator: 1 },
      resolved_date_range: {
        date_from: '2026-03-01T00:00:00Z',
        date_to: '2026-03-07T23:59:59.999Z'
      }
    })
    expect(body.results).toEqual([
      {
        key: 'visitors',
        kind: 'unit',
        value: 2,
        previous: 1,
        changeFromPreviousPct: 100,
        isIncreaseBad: null
      },
      {
        key: 'views',
        kind: 'unit',
        value: 3,
        previous: 2,
        changeFromPreviousPct: 50,
        isIncreaseBad: null
      },
      {
        key: 'sessions',
        kind: 'unit',
        value: 3,
        previous: 2,
        changeFromPreviousPct: 50,
        isIncreaseBad: null
      },
      {
        key: 'session duration',
        kind: 'duration_s',
        value: 5,
        previous: 60,
        changeFromPreviousPct: -92,
        isIncreaseBad: null
      },
      {
        key: 'bounce rate',
        kind: 'percentage',
        value: 100 / 3,
        previous: 50,
        changeFromPreviousPct: -33,
        isIncreaseBad: true
      }
    ])
  })

  it('has no earlier numbers without a comparison, and no mean of nothing', async () => {
    const { body } = await overview(await newProject())

    expect(body.results).toEqual([
      expect.objectContaining({
        key: 'visitors',
        value: 0,
        previous: null,
        changeFromPreviousPct: null
      }),
      expect.objectContaining({ key: 'views', value: 0, previous: null }),
      expect.objectContaining({ key: 'sessions', value: 0, previous: null }),
      expect.objectContaining({ key: 'session duration', value: null, previous: null }),
      expect.objectContaining({ key: 'bounce rate', value: null, previous: null })
    ])
  })

  it('has the same numbers from segments, and with late events', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)
    await seal(project)

    expect(numbers(await overview(project))).toEqual([2, 3, 3, 5, 100 / 3])

    const late = { who: 'eve', session: 's6', at: '03-05T10:00:00', ...page('/') }
    const longer = { who: 'ada', session: 's1', at: '03-01T10:00:30', event: 'paid' }
    await project.ingest([toEvent(late), toEvent(longer)])

    // Ada's first session takes 30 s now, so only that of Eve is a bounce.
    expect(numbers(await overview(project))).toEqual([3, 4, 4, 45 / 4, 25])
  })

  it('counts a person once under all ids, and visitors without a person', async () => {
    const project = await newProject()
    const ghost = { $process_person_profile: false }
    await project.ingest([
      ...EVENTS,
      toEvent({ who: 'ghost', session: 's6', at: '03-05T10:00:00', ...page('/'), ...ghost }),
      toEvent({ who: 'phone', session: 's7', at: '03-05T11:00:00', ...page('/') })
    ])
    expect(numbers(await overview(project))[0]).toBe(4)

    await project.ingest([
      {
        distinct_id: 'ada',
        event: '$identify',
        timestamp: Date.parse('2026-03-06T10:00:00Z'),
        properties: { $anon_distinct_id: 'phone' }
      }
    ])

    expect(numbers(await overview(project))[0]).toBe(3)
  })

  it('ends days on the clock of the project', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)
    await db.update(projects).set({ timezone: 'Asia/Tokyo' }).where(eq(projects.id, project.id))

    // In Tokyo, the session of Cy began on 1 March.
    expect(numbers(await overview(project))).toEqual([3, 5, 4, (15 + 120) / 4, 25])
  })

  it('begins a range of hours exactly then', async () => {
    const project = await newProject()
    const at = (minutes: number) =>
      new Date(Date.now() - minutes * 60_000).toISOString().slice(5, -1)
    await project.ingest([
      toEvent({ who: 'ada', session: 'new', at: at(30), ...page('/') }),
      toEvent({ who: 'bo', session: 'old', at: at(90), ...page('/') })
    ])

    const dateRange = { date_from: '-1h' }
    expect(numbers(await overview(project, { dateRange }))[0]).toBe(1)
  })
})

describe('overview with more', () => {
  it('has the rows of each table, as a question of its own has them', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)
    const wishes = WEB_BREAKDOWN_NAMES.slice(0, 16).map((breakdownBy, i) => ({
      breakdownBy,
      includeBounceRate: i % 3 !== 1,
      limit: 1 + (i % 5),
      offset: i % 2
    }))
    const chrome = { properties: [{ key: '$browser', value: 'Chrome' }] }
    const entered = { properties: [{ key: '$pathname', value: '/pricing' }] }

    for (const more of [{}, COMPARED, { ...COMPARED, ...chrome }, entered]) {
      await seal(project).catch(() => {})
      const { status, body } = await overview(project, { ...more, tables: wishes })

      expect(status).toBe(200)
      expect(numbers({ body })).toEqual(numbers(await overview(project, more)))
      expect(body.tables).toHaveLength(wishes.length)
      for (const [i, wish] of wishes.entries()) {
        const alone = await table(project, wish.breakdownBy, { ...more, ...wish })
        const { results, columns, types, hasMore, limit, offset } = alone.body
        expect(body.tables[i]).toEqual({ results, columns, types, hasMore, limit, offset })
      }
    }
  })

  it('has the numbers of each bucket, and those of the period before', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)
    const expected = {
      interval: 'day',
      finished: 7,
      current: {
        days: ['01', '02', '03', '04', '05', '06', '07'].map((day) => `2026-03-${day}`),
        visitors: [1, 1, 1, 0, 0, 0, 0],
        views: [1, 1, 1, 0, 0, 0, 0],
        sessions: [1, 1, 1, 0, 0, 0, 0],
        'session duration': [0, 12, 3, null, null, null, null],
        'bounce rate': [100, 0, 0, null, null, null, null]
      },
      previous: {
        days: ['22', '23', '24', '25', '26', '27', '28'].map((day) => `2026-02-${day}`),
        visitors: [0, 0, 0, 1, 0, 0, 1],
        views: [0, 0, 0, 1, 0, 0, 1],
        sessions: [0, 0, 0, 1, 0, 0, 1],
        'session duration': [null, null, null, 0, null, null, 120],
        'bounce rate': [null, null, null, 100, null, null, 0]
      }
    }
    const more = { interval: 'day', ...COMPARED }

    expect((await overview(project, more)).body.series).toEqual(expected)
    await seal(project)
    expect((await overview(project, more)).body.series).toEqual(expected)

    const safari = { properties: [{ key: '$browser', value: 'Safari' }] }
    const filtered = await overview(project, { interval: 'week', ...safari })
    expect(filtered.body.series).toMatchObject({
      current: { visitors: [1], 'session duration': [12] },
      previous: null
    })
  })

  it('says which buckets are over, on the clock of the project', async () => {
    const project = await newProject()
    await db.update(projects).set({ timezone: 'Asia/Kathmandu' }).where(eq(projects.id, project.id))
    const at = new Date(Date.now() - 60_000).toISOString().slice(5, -1)
    await project.ingest([toEvent({ who: 'ada', session: 's', at, ...page('/') })])

    const { body } = await overview(project, {
      interval: 'day',
      dateRange: { date_from: '-2d' }
    })

    expect(body.series.finished).toBe(2)
    expect(body.series.current.visitors).toHaveLength(3)
    expect(body.series.current.visitors.reduce((sum: number, one: number) => sum + one)).toBe(1)
  })

  it('lists the most frequent events, also those that are no views', async () => {
    const project = await newProject()
    await project.ingest([
      ...EVENTS,
      toEvent({ who: 'bo', session: 's2', at: '03-02T10:00:30', event: 'paid', ...SAFARI }),
      toEvent({ who: 'bo', session: 's2', at: '03-02T10:00:31', event: 'paid', ...SAFARI })
    ])
    const events = async (more: object) => (await overview(project, more)).body.events

    expect(await events({})).toBeUndefined()
    expect(await events({ events: { limit: 2 } })).toEqual([
      { event: '$pageview', count: 5, previous: null },
      { event: 'paid', count: 2, previous: null }
    ])
    expect(await events({ events: {}, ...COMPARED })).toEqual([
      { event: '$pageview', count: 5, previous: 2 },
      { event: 'paid', count: 2, previous: 0 },
      { event: '$autocapture', count: 1, previous: 0 },
      { event: '$pageleave', count: 1, previous: 0 }
    ])
    const safari = { properties: [{ key: '$browser', value: 'Safari' }] }
    expect(await events({ events: {}, ...safari })).toEqual([
      { event: 'paid', count: 2, previous: null },
      { event: '$pageview', count: 1, previous: null }
    ])
    const empty = { date_from: '2020-01-01', date_to: '2020-01-02' }
    expect(await events({ events: {}, dateRange: empty })).toEqual([])
  })

  it('has the annotations of the range that all charts show', async () => {
    const project = await newProject()
    const note = (content: string, more: object) =>
      project.send('POST', 'annotations/', { content, scope: 'project', ...more })
    await note('Prices', { date_marker: '2026-03-03T09:00:00Z' })
    await note('Launch', { date_marker: '2026-03-01T00:00:00Z' })
    await note('Later', { date_marker: '2026-03-08T00:00:00Z' })
    const insight = await project.send('POST', 'insights/', { name: 'One' })
    const item = { scope: 'dashboard_item', dashboard_item: insight.body.id }
    await note('Of one', { ...item, date_marker: '2026-03-02T00:00:00Z' })

    const { body } = await overview(project, { annotations: true })

    expect(body.annotations).toEqual([
      { date_marker: '2026-03-01T00:00:00Z', content: 'Launch' },
      { date_marker: '2026-03-03T09:00:00Z', content: 'Prices' }
    ])
    expect((await overview(project)).body).not.toHaveProperty('annotations')
  })

  it('is answered to the key of a viewer', async () => {
    const project = await newProject({ scopes: ROLE_SCOPES.viewer })
    const { status } = await overview(project, { interval: 'day', tables: [], events: {} })

    expect(status).toBe(200)
  })
})

describe('tables', () => {
  it('answers with a row for each page', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)

    const { status, body } = await table(project, 'Page', { includeBounceRate: true, ...COMPARED })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      columns: [
        'context.columns.breakdown_value',
        'context.columns.visitors',
        'context.columns.views',
        'context.columns.bounce_rate'
      ],
      results: [
        ['/pricing', [2, 0], [2, 0], [0, null]],
        ['/', [1, 1], [1, 1], [1, 0]],
        ['/old', [0, 1], [0, 1], [null, 1]]
      ],
      hasMore: false,
      limit: 100,
      offset: 0
    })
    expect(body.types).toHaveLength(4)
  })

  it.each<[string, unknown[][]]>([
    [
      'InitialPage',
      [
        ['/pricing', 2, 2, 0],
        ['/', 1, 1, 1]
      ]
    ],
    [
      'ExitPage',
      [
        ['/pricing', 2, 2, 0],
        ['/', 1, 1, 1]
      ]
    ],
    [
      'InitialChannelType',
      [
        ['Direct', 1, 1, 0],
        ['Email', 1, 1, 0],
        ['Organic Search', 1, 1, 1]
      ]
    ],
    [
      'InitialReferringDomain',
      [
        ['$direct', 1, 1, 0],
        ['www.google.com', 1, 1, 1],
        [null, 1, 1, 0]
      ]
    ],
    [
      'InitialReferringURL',
      [
        [null, 2, 2, 0],
        ['https://www.google.com/', 1, 1, 1]
      ]
    ],
    [
      'InitialUTMSource',
      [
        [null, 2, 2, 0.5],
        ['news', 1, 1, 0]
      ]
    ],
    [
      'InitialUTMMedium',
      [
        [null, 2, 2, 0.5],
        ['email', 1, 1, 0]
      ]
    ],
    ['InitialUTMCampaign', [[null, 2, 3, 1 / 3]]],
    [
      'Browser',
      [
        ['Chrome', 1, 2, 0.5],
        ['Safari', 1, 1, 0]
      ]
    ],
    [
      'OS',
      [
        ['Windows', 1, 2, 0.5],
        ['iOS', 1, 1, 0]
      ]
    ],
    [
      'DeviceType',
      [
        ['Desktop', 1, 2, 0.5],
        ['Mobile', 1, 1, 0]
      ]
    ],
    ['ScreenName', []],
    ['Language', [[null, 2, 3, 1 / 3]]]
  ])('by %s', async (breakdownBy, rows) => {
    const project = await newProject()
    await project.ingest(EVENTS)

    const { body } = await table(project, breakdownBy, { includeBounceRate: true })

    expect(
      body.results.map(([value, ...cells]: [unknown, ...[number, null][]]) => [
        value,
        ...cells.map(([current]) => current)
      ])
    ).toEqual(rows)
  })

  it('shows places with their country', async () => {
    const project = await newProject()
    const berlin = {
      $geoip_country_code: 'DE',
      $geoip_subdivision_1_code: 'BE',
      $geoip_subdivision_1_name: 'Berlin',
      $geoip_city_name: 'Berlin'
    }
    await project.ingest([
      toEvent({ who: 'ada', session: 's1', at: '03-01T10:00:00', ...page('/'), ...berlin }),
      toEvent({
        who: 'bo',
        session: 's2',
        at: '03-01T10:00:00',
        ...page('/'),
        $geoip_country_code: 'DE'
      }),
      toEvent({ who: 'cy', session: 's3', at: '03-01T10:00:00', ...page('/') })
    ])
    const rows = async (breakdownBy: string) =>
      (await table(project, breakdownBy)).body.results.map(([value]: [unknown]) => value)

    expect(await rows('Country')).toEqual(['DE', null])
    expect(await rows('Region')).toEqual([['DE', 'BE', 'Berlin'], ['DE', null, null], null])
    expect(await rows('City')).toEqual([['DE', 'Berlin'], ['DE', null], null])
  })

  it('shows rows page by page, in the order that is asked for', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)
    const rows = async (more: object) => {
      const { body } = await table(project, 'Page', {
        includeBounceRate: true,
        ...COMPARED,
        ...more
      })
      return [body.results.map(([value]: [string]) => value), body.hasMore]
    }

    expect(await rows({ limit: 2 })).toEqual([['/pricing', '/'], true])
    expect(await rows({ limit: 2, offset: 2 })).toEqual([['/old'], false])
    expect(await rows({ orderBy: ['Views', 'ASC'] })).toEqual([['/old', '/', '/pricing'], false])
    expect(await rows({ orderBy: ['Visitors', 'DESC'] })).toEqual([
      ['/pricing', '/', '/old'],
      false
    ])
    // A row without a rate comes last in both directions.
    expect(await rows({ orderBy: ['BounceRate', 'ASC'] })).toEqual([
      ['/pricing', '/', '/old'],
      false
    ])
    expect(await rows({ orderBy: ['BounceRate', 'DESC'] })).toEqual([
      ['/', '/pricing', '/old'],
      false
    ])
  })

  it('has the bounce rate of the sessions that entered on a page, whichever pages are asked for', async () => {
    const project = await newProject()
    await project.ingest([
      ...EVENTS,
      toEvent({ who: 'eve', session: 's6', at: '03-05T10:00:00', ...page('/') }),
      toEvent({ who: 'eve', session: 's6', at: '03-05T10:00:01', ...page('/pricing') })
    ])
    const properties = [{ key: '$pathname', value: '/pricing' }]

    const { body } = await table(project, 'Page', { includeBounceRate: true, properties })
    const whole = await table(project, 'Page', { includeBounceRate: true })

    expect(body.results).toEqual([['/pricing', [3, null], [3, null], [0, null]]])
    expect(whole.body.results).toEqual([
      ['/pricing', [3, null], [3, null], [0, null]],
      ['/', [2, null], [2, null], [0.5, null]]
    ])
  })

  it('has rows whose values filter the overview', async () => {
    const project = await newProject()
    await project.ingest(EVENTS)
    const KEYS: [string, string, string][] = [
      ['Page', '$pathname', 'event'],
      ['InitialPage', '$entry_pathname', 'session'],
      ['ExitPage', '$end_pathname', 'session'],
      ['InitialChannelType', '$channel_type', 'session'],
      ['InitialReferringDomain', '$entry_referring_domain', 'session'],
      ['InitialUTMSource', '$entry_utm_source', 'session'],
      ['Browser', '$browser', 'event'],
      ['OS', '$os', 'event']
    ]

    for (const [breakdownBy, key, type] of KEYS) {
      const { body } = await table(project, breakdownBy)
      expect(body.results.length).toBeGreaterThan(1)
      for (const [value, [visitors], [views]] of body.results) {
        const filter = value === null ? { operator: 'is_not_set' } : { value }
        const answer = await overview(project, { properties: [{ key, type, ...filter }] })
        expect(numbers(answer).slice(0, 2)).toEqual([visitors, views])
      }
    }
  })
})

it('leaves out test accounts, and takes the filters of a dashboard', async () => {
  const project = await newProject()
  await project.ingest(EVENTS)
  await db
    .update(projects)
    .set({ testAccountFilters: [{ key: '$browser', value: 'Safari', operator: 'is_not' }] })
    .where(eq(projects.id, project.id))

  expect(numbers(await overview(project, { filterTestAccounts: true }))).toEqual([1, 2, 2, 1.5, 50])

  const query = { kind: 'WebOverviewQuery', properties: [], dateRange: WEEK }
  const filters_override = { date_from: '2026-03-02', date_to: '2026-03-02' }
  const answer = await project.send('POST', 'query/', { query, filters_override })
  expect(numbers(answer)).toEqual([1, 1, 1, 12, 0])
})

it.each<[object, string]>([
  [{ doPathCleaning: true }, 'doPathCleaning'],
  [{ conversionGoal: { customEventName: 'paid' } }, 'conversionGoal'],
  [{ includeRevenue: true }, 'includeRevenue'],
  [{ samplingFactor: 0.1 }, 'samplingFactor'],
  [{ modifiers: { bounceRateDurationSeconds: 30 } }, 'modifiers__bounceRateDurationSeconds'],
  [{ modifiers: { bounceRatePageViewMode: 'uniq_urls' } }, 'modifiers__bounceRatePageViewMode'],
  [{ properties: [{ key: 'x', type: 'group' }] }, 'properties'],
  [{ dateRange: { date_from: 'tomorow' } }, 'dateRange__date_from'],
  [{ interval: 'minute' }, 'interval'],
  [{ events: { limit: 51 } }, 'events__limit'],
  [{ events: { event: 'paid' } }, 'events__event'],
  [{ tables: [{ breakdownBy: 'OS' }, { breakdownBy: 'Clicks' }] }, 'tables__1__breakdownBy'],
  [{ tables: [{ breakdownBy: 'Page', orderBy: ['BounceRate', 'DESC'] }] }, 'tables__0__orderBy'],
  [{ tables: [{ breakdownBy: 'Page', dateRange: WEEK }] }, 'tables__0__dateRange'],
  [{ tables: Array.from({ length: 17 }, () => ({ breakdownBy: 'OS' })) }, 'tables'],
  [{ series: [] }, 'series'],
  [{ breakdownFilter: { breakdown: 'a' } }, 'breakdownFilter'],
  [{ breakdownBy: 'Browser' }, 'breakdownBy']
])('refuses an overview with %j', async (more, attr) => {
  const { status, body } = await overview(await newProject(), more)

  expect({ status, attr: body.attr }).toEqual({ status: 400, attr: `query__${attr}` })
})

it('accepts what changes no number', async () => {
  const { status } = await overview(await newProject(), {
    doPathCleaning: false,
    conversionGoal: null,
    includeRevenue: false,
    sampling: { enabled: false },
    samplingFactor: 1,
    useSessionsTable: true,
    orderBy: null,
    modifiers: { bounceRateDurationSeconds: 10, sessionTableVersion: 'v2' },
    tags: { productKey: 'web' },
    version: 2
  })

  expect(status).toBe(200)
})

it.each<[object, string]>([
  [{ includeScrollDepth: true }, 'includeScrollDepth'],
  [{ includeAvgTimeOnPage: true }, 'includeAvgTimeOnPage'],
  [{ includeHost: true }, 'includeHost'],
  [{ limit: 0 }, 'limit'],
  [{ limit: 10_001 }, 'limit'],
  [{ offset: -1 }, 'offset'],
  [{ orderBy: ['Clicks', 'ASC'] }, 'orderBy__0'],
  [{ orderBy: ['Views', 'up'] }, 'orderBy__1'],
  [{ orderBy: ['BounceRate', 'DESC'] }, 'orderBy']
])('refuses a table with %j', async (more, attr) => {
  const { status, body } = await table(await newProject(), 'Page', more)

  expect({ status, attr: body.attr }).toEqual({ status: 400, attr: `query__${attr}` })
})

it('refuses another breakdown with the names of those that work', async () => {
  const project = await newProject()

  const { status, body } = await table(project, 'FrustrationMetrics')
  const missing = await project.send('POST', 'query/', { query: { kind: 'WebStatsTableQuery' } })

  expect({ status, attr: body.attr }).toEqual({ status: 400, attr: 'query__breakdownBy' })
  for (const name of WEB_BREAKDOWN_NAMES) {
    expect(body.detail).toContain(name)
  }
  expect(missing.body).toMatchObject({ code: 'required', attr: 'query__breakdownBy' })
})
