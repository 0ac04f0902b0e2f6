import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { projects } from '../../../src/db/schema.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { at, newStory, RANGE } from '../../support/trends.ts'

const event = (name: string) => ({ kind: 'EventsNode', event: name })
const series = ['$pageview', 'bought'].map(event)

const FUNNEL = { kind: 'FunnelsQuery', series, dateRange: RANGE }
const JOURNEY = { kind: 'FunnelsQuery', series: ['seen', 'paid'].map(event), dateRange: RANGE }
const viewed = (funnelVizType: string, more: object = {}) => ({
  ...JOURNEY,
  funnelsFilter: { funnelVizType, ...more }
})
const ENTITY = { id: 'seen', type: 'events' }
const RETENTION = {
  kind: 'RetentionQuery',
  dateRange: RANGE,
  retentionFilter: { targetEntity: ENTITY, returningEntity: ENTITY, totalIntervals: 3 }
}
const STICKINESS = { kind: 'StickinessQuery', series: [event('seen')], dateRange: RANGE }
const LIFECYCLE = { kind: 'LifecycleQuery', series: [event('seen')], dateRange: RANGE }

const WEB = { properties: [], dateRange: RANGE }
const OVERVIEW = { kind: 'WebOverviewQuery', ...WEB }
const PAGES = {
  kind: 'WebStatsTableQuery',
  breakdownBy: 'Page',
  includeBounceRate: true,
  ...WEB
}
const BOLD = { display: 'BoldNumber' }
const COMPARED = { compareFilter: { compare: true } }

const PAGE = { Accept: 'text/html' }

/**
 * Creates a project in which Ada sees on three days and pays a minute after the first time, Bo sees on
 * two days, and Cy sees once.
 */
async function newShop() {
  const project = await newProject()
  const seen = (distinct_id: string, time: string, properties = {}) => ({
    event: 'seen',
    distinct_id,
    timestamp: at(time),
    properties
  })
  await project.ingest([
    seen('ada', '01T10:00:00', { $browser: 'Firefox' }),
    {
      event: 'paid',
      distinct_id: 'ada',
      timestamp: at('01T10:01:00'),
      properties: { $browser: 'Firefox' }
    },
    seen('ada', '02T10:00:00', { $browser: 'Firefox' }),
    seen('ada', '03T10:00:00', { $browser: 'Firefox' }),
    seen('bo', '01T11:00:00', { $browser: '<script>alert(1)</script>' }),
    seen('bo', '03T11:00:00', { $browser: '<script>alert(1)</script>' }),
    seen('cy', '02T12:00:00')
  ])
  return project
}

/**
 * Creates a project with a session of one view and one of two, after a session of one view in the days
 * before. Nobody enters on `/pricing`.
 */
async function newSite() {
  const project = await newProject()
  const view = (distinct_id: string, timestamp: number, $pathname: string) => ({
    event: '$pageview',
    distinct_id,
    timestamp,
    properties: { $session_id: `s-${distinct_id}`, $pathname }
  })
  await project.ingest([
    view('ada', at('01T10:00:00'), '/'),
    view('ada', at('01T10:01:30'), '/pricing'),
    view('bo', at('02T10:00:00'), '/'),
    view('cy', Date.parse('2025-05-30T10:00:00Z'), '/')
  ])
  return project
}

/** Saves an insight, shares it, and returns what its link shows. */
async function shareInsight(project: TestProject, query: object, name = 'Shown') {
  const saved = await project.send('POST', 'insights/', { name, query })
  expect(saved.status).toBe(201)
  const { id } = saved.body
  const { body } = await project.send('PATCH', `insights/${id}/sharing/`, { enabled: true })
  const token = body.access_token
  return {
    id,
    token,
    json: (await request('GET', `/shared/${token}`)).body,
    csv: (await request('GET', `/shared/${token}?format=csv`)).text.split('\r\n').slice(0, -1),
    page: (await request('GET', `/shared/${token}`, PAGE)).text,
    embedded: (await request('GET', `/embedded/${token}`, PAGE)).text
  }
}

describe('an insight with a funnel', () => {
  it.each([
    ['alone', FUNNEL],
    ['in a wrapper', { kind: 'InsightVizNode', source: FUNNEL }],
    ['as text', JSON.stringify(FUNNEL)]
  ])('has its numbers: %s', async (_, query) => {
    const project = await newStory()
    const asked = await project.send('POST', 'query/', { query: FUNNEL })

    const saved = await project.send('POST', 'insights/', { query })
    const { status, body } = await project.call('GET', `insights/${saved.body.id}/?refresh=true`)

    expect([saved.status, saved.body.query]).toEqual([201, query])
    expect(status).toBe(200)
    expect(body.result).toEqual(asked.body.results)
    expect(body.result.map(({ count }: { count: number }) => count)).toEqual([3, 0])
  })

  it('is refused if the funnel is invalid', async () => {
    const project = await newProject()

    const { status, body } = await project.send('POST', 'insights/', {
      query: { ...FUNNEL, series: series.slice(1) }
    })

    expect([status, body.attr]).toEqual([400, 'query__series'])
  })
})

describe('a shared funnel', () => {
  it('shows its steps on the page, and as CSV', async () => {
    const project = await newShop()

    const { json, csv, page } = await shareInsight(project, JOURNEY)

    expect(json.tiles[0].chart).toMatchObject({
      title: 'Shown',
      subtitle: '1 – 3 Jun 2025 · UTC',
      counted: 'Persons within 14 days; most leave before paid: 2',
      kind: 'funnel',
      buckets: ['seen', 'paid'],
      series: [
        {
          name: 'Persons',
          data: [3, 1],
          times: [
            { average: null, median: null },
            { average: 60, median: 60 }
          ]
        }
      ]
    })
    expect(csv).toEqual([
      'insight,series,day,bucket,value,average_seconds,median_seconds',
      'Shown,Persons,,seen,3,,',
      'Shown,Persons,,paid,1,60,60'
    ])
    expect(page).toContain('<td>1</td><td>33.3%</td><td>33.3%</td><td>2</td><td>1m 00s</td>')
  })

  it('has the values of a breakdown side by side, whatever they are called', async () => {
    const project = await newShop()

    const { json, csv, page } = await shareInsight(project, {
      ...JOURNEY,
      breakdownFilter: { breakdown: '$browser' }
    })

    expect(json.tiles[0].chart.series.map(({ name, data }: never) => [name, data])).toEqual([
      ['Firefox', [1, 1]],
      ['<script>alert(1)</script>', [1, 0]],
      ['No value', [1, 0]]
    ])
    expect(csv.slice(1, 3)).toEqual(['Shown,Firefox,,seen,1,,', 'Shown,Firefox,,paid,1,60,60'])
    expect(page).not.toContain('<script')
    expect(page).toContain('&lt;script&gt;')
  })

  it('shows how long it takes', async () => {
    const project = await newShop()

    const { json, csv } = await shareInsight(project, viewed('time_to_convert', { binCount: 2 }))

    expect(json.tiles[0].chart).toMatchObject({
      kind: 'bars',
      counted: 'Persons by the time to convert; 1m 00s in the median, 1m 00s on average',
      buckets: ['1 min', '2 min', '3 min'],
      series: [{ name: 'Persons', data: [1, 0, 0] }]
    })
    expect(csv.slice(0, 2)).toEqual(['insight,series,day,bucket,value', 'Shown,Persons,,1 min,1'])
  })

  it('shows the share that converted by day, in percent', async () => {
    const project = await newShop()

    const { json, csv, page } = await shareInsight(project, viewed('trends'))

    expect(json.tiles[0].chart).toMatchObject({
      kind: 'line',
      unit: 'percent',
      buckets: ['1 Jun', '2 Jun', '3 Jun'],
      days: ['2025-06-01', '2025-06-02', '2025-06-03'],
      series: [{ data: [50, 0, 0] }]
    })
    expect(csv[1]).toBe('Shown,Persons,2025-06-01,50')
    expect(page).toContain('<td>50.0%</td>')
    expect(page).toContain('60%</text>')
  })
})

describe('shared retention', () => {
  it('is a table with shaded cells, and a row of CSV for each cell that has begun', async () => {
    const project = await newShop()

    const { json, csv, page } = await shareInsight(project, RETENTION)

    expect(json.tiles[0].chart).toMatchObject({
      kind: 'retention',
      counted: 'Persons with seen; share that came back with seen by day',
      buckets: ['Day 0', 'Day 1', 'Day 2'],
      series: [
        { name: '1 Jun', data: [2, 1, 2], cohort: { finished: 3, begun: 3 } },
        { name: '2 Jun', data: [2, 1, 0], cohort: { finished: 2, begun: 2 } },
        { name: '3 Jun', data: [2, 0, 0], cohort: { finished: 1, begun: 1 } }
      ]
    })
    expect(csv).toEqual([
      'insight,series,day,bucket,value,complete',
      'Shown,,2025-06-01,Day 0,2,true',
      'Shown,,2025-06-01,Day 1,1,true',
      'Shown,,2025-06-01,Day 2,2,true',
      'Shown,,2025-06-02,Day 0,2,true',
      'Shown,,2025-06-02,Day 1,1,true',
      'Shown,,2025-06-03,Day 0,2,true'
    ])
    expect(page).toMatch(
      /All, weighted<\/bdi><\/th><td class="size">6<\/td><td>50.0%<\/td><td>100%/
    )
    expect(page).toMatch(/1 Jun<\/bdi><\/th><td class="size">2<\/td><td class="h1">50.0%/)
  })

  it('has a row for each value of a breakdown', async () => {
    const project = await newShop()

    const { json, csv, page } = await shareInsight(project, {
      ...RETENTION,
      retentionFilter: { ...RETENTION.retentionFilter, returningEntity: { id: null } },
      breakdownFilter: { breakdown: '$browser' }
    })

    expect(json.tiles[0].chart.counted).toBe(
      'Persons with seen; share that came back with any event by day'
    )
    expect(csv[1]).toBe('Shown,Firefox,2025-06-01,Day 0,1,true')
    expect(page).toContain('<bdi>Firefox</bdi></th><td class="size">3</td>')
    expect(page).not.toContain('<script')
  })
})

describe('other shared questions', () => {
  it('stickiness has a bar for each number of days', async () => {
    const project = await newShop()

    const { json, csv } = await shareInsight(project, STICKINESS)

    expect(json.tiles[0].chart).toMatchObject({
      kind: 'bars',
      counted: 'seen, persons by days with it',
      buckets: ['1 day', '2 days', '3 days'],
      series: [{ name: 'seen', data: [1, 1, 1] }]
    })
    expect(csv[2]).toBe('Shown,seen,,2 days,1')
  })

  it('a lifecycle has stacked bars, with dormant persons below zero', async () => {
    const project = await newShop()

    const { json, csv, page } = await shareInsight(project, LIFECYCLE)

    expect(json.tiles[0].chart).toMatchObject({
      kind: 'stacked',
      counted: 'seen, persons by day',
      days: ['2025-06-01', '2025-06-02', '2025-06-03'],
      series: [
        { name: 'New', data: [2, 1, 0] },
        { name: 'Returning', data: [0, 1, 1] },
        { name: 'Resurrecting', data: [0, 0, 1] },
        { name: 'Dormant', data: [0, -1, -1] }
      ]
    })
    expect(csv.at(-1)).toBe('Shown,Dormant,2025-06-03,-1')
    expect(page).toContain('<td>−1</td>')
  })

  it('an overview is five numbers with those of the period before', async () => {
    const project = await newSite()

    const { json, csv, page } = await shareInsight(project, { ...OVERVIEW, ...COMPARED })

    expect(json.tiles[0].chart).toMatchObject({
      kind: 'numbers',
      subtitle: '1 – 3 Jun 2025 · UTC',
      counted: 'Sessions that began in the range',
      series: [{ data: [2, 3, 2, 45, 50], previous: [1, 1, 1, 0, 100] }]
    })
    expect(csv).toEqual([
      'insight,series,day,bucket,value,previous',
      'Shown,All visits,,Visitors,2,1',
      'Shown,All visits,,Views,3,1',
      'Shown,All visits,,Sessions,2,1',
      'Shown,All visits,,Session duration,45,0',
      'Shown,All visits,,Bounce rate,50,100'
    ])
    expect(page).toContain('>50.0%</text>')
    expect(page).toMatch(/fill="var\(--good\)"[^>]*>−50.0 pt</)
  })

  it('an overview of no sessions has neither a duration nor a bounce rate', async () => {
    const { json, csv, page } = await shareInsight(await newProject(), OVERVIEW)

    expect(json.tiles[0].chart.series).toEqual([{ name: 'All visits', data: [0, 0, 0] }])
    expect(csv).toHaveLength(4)
    expect(page).toContain('>–</text>')
  })

  it('a table has a column for each number', async () => {
    const project = await newSite()

    const { json, csv, page } = await shareInsight(project, { ...PAGES, ...COMPARED })

    expect(json.tiles[0].chart).toMatchObject({
      kind: 'table',
      title: 'Shown',
      counted: 'Visitors, views and bounce rate by page',
      buckets: ['Visitors', 'Views', 'Bounce rate'],
      series: [
        { name: '/', data: [2, 2, 50], previous: [1, 1, 100] },
        { name: '/pricing', data: [1, 1], previous: [0, 0] }
      ]
    })
    expect(csv.slice(-3)).toEqual([
      'Shown,/,,Bounce rate,50,100',
      'Shown,/pricing,,Visitors,1,0',
      'Shown,/pricing,,Views,1,0'
    ])
    expect(page).toContain(
      '<bdi>/pricing</bdi></th><td>1</td><td>0</td><td>1</td><td>0</td><td>–</td><td>–</td>'
    )
  })

  it('a table says that it has more rows, and names views without a value', async () => {
    const project = await newSite()

    const first = await shareInsight(project, { ...PAGES, limit: 1 })
    const cities = await shareInsight(project, { ...PAGES, breakdownBy: 'City' })

    expect(first.json.tiles[0].chart.counted).toMatch(/; there are more rows$/)
    expect(first.json.tiles[0].chart.series).toHaveLength(1)
    expect(cities.json.tiles[0].chart.series).toEqual([{ name: 'No value', data: [2, 3, 50] }])
  })

  it('an annotation stands on a time axis', async () => {
    const project = await newShop()
    await project.send('POST', 'annotations/', {
      content: 'Launch',
      date_marker: '2025-06-02T09:00:00Z',
      scope: 'project'
    })

    const lifecycle = await shareInsight(project, LIFECYCLE)
    const funnel = await shareInsight(project, JOURNEY)

    expect(lifecycle.json.tiles[0].chart.annotations).toEqual([{ bucket: 1, text: 'Launch' }])
    expect(funnel.json.tiles[0].chart.annotations).toEqual([])
  })

  it('names that no event has are said', async () => {
    const project = await newShop()

    const { page } = await shareInsight(project, {
      ...JOURNEY,
      series: ['seeen', 'payed'].map(event)
    })

    expect(page).toContain('No event is called “seeen”. Did you mean “seen”?')
  })
})

it('a page names its only insight once, and has a link to its CSV where it is embedded', async () => {
  const { token, page, embedded } = await shareInsight(await newShop(), JOURNEY, 'Only one')

  expect(page.match(/<bdi>Only one<\/bdi>/g)).toHaveLength(1)
  expect(embedded).toContain('<h2><bdi>Only one</bdi></h2>')
  const [, link = ''] = /href="([^"]*format=csv[^"]*)"/.exec(embedded) ?? []
  const csv = await request('GET', link.replaceAll('&amp;', '&'))
  expect(link).toBe(`/shared/${token}?format=csv&amp;bom=true`)
  expect(csv.headers.get('Content-Type')).toMatch(/^text\/csv/)
})

it.each([
  ['a funnel', JOURNEY, 'Funnel', '33.3%'],
  ['a time to convert', viewed('time_to_convert'), 'Bar chart', 'seen → paid'],
  ['a conversion', viewed('trends'), 'Line chart', '60%'],
  ['retention', RETENTION, 'Retention table', 'All, weighted'],
  ['stickiness', STICKINESS, 'Bar chart', '2 days'],
  ['a lifecycle', LIFECYCLE, 'Stacked bar chart', 'Dormant'],
  ['an overview', { kind: 'InsightVizNode', source: OVERVIEW }, 'Numbers', 'Session duration'],
  ['a table', { kind: 'DataTableNode', source: PAGES }, 'Table', 'No values in this range']
])('%s is drawn as SVG and PNG, also on a dashboard', async (_, query, kind, text) => {
  const project = await newShop()
  const dashboard = (await project.send('POST', 'dashboards/', { name: 'Weekly' })).body.id
  const { id } = (await project.send('POST', 'insights/', { query, dashboards: [dashboard] })).body

  const svg = await project.call('GET', `insights/${id}/chart.svg`)
  const png = await project.call('GET', `insights/${id}/chart.png`)
  const board = await project.call('GET', `dashboards/${dashboard}/chart.svg`)

  expect([svg.status, png.status, board.status]).toEqual([200, 200, 200])
  expect(svg.text).toContain(`${kind}, `)
  expect(svg.text).toContain(text)
  expect(board.text).toContain(`${kind}, `)
  expect(png.headers.get('Content-Type')).toBe('image/png')
})

describe('a saved list', () => {
  const EVENTS = {
    kind: 'EventsQuery',
    select: ['event', '*', 'timestamp -- Time', 'properties.$browser'],
    where: ["event = 'seen'"],
    after: '2025-06-01',
    before: '2025-06-03',
    orderBy: ['timestamp ASC']
  }
  const COUNTS = {
    ...EVENTS,
    select: ['distinct_id', 'count()'],
    orderBy: ['count() DESC', 'distinct_id ASC']
  }

  /** `DataTableNode`s as PostHog saves them. */
  const tableOf = (source: object) => ({
    kind: 'DataTableNode',
    full: true,
    propertiesViaUrl: true,
    showSavedQueries: true,
    source
  })

  it('of events is a table, on the clock of the project', async () => {
    const project = await newShop()
    await db.update(projects).set({ timezone: 'Europe/Berlin' }).where(eq(projects.id, project.id))

    const { json, csv, page } = await shareInsight(project, tableOf(EVENTS))

    expect(json.tiles[0].chart).toMatchObject({
      title: 'Shown',
      subtitle: 'Europe/Berlin',
      kind: 'table',
      buckets: ['*', 'Time', 'properties.$browser'],
      series: [
        { name: 'seen', cells: ['seen', '2025-06-01 12:00:00', 'Firefox'] },
        { name: 'seen', cells: ['seen', '2025-06-01 13:00:00', '<script>alert(1)</script>'] },
        { name: 'seen', cells: ['seen', '2025-06-02 12:00:00', 'Firefox'] },
        { name: 'seen', cells: ['seen', '2025-06-02 14:00:00', null] }
      ]
    })
    expect(csv.slice(0, 3)).toEqual([
      'insight,series,day,bucket,value',
      'Shown,seen,,*,seen',
      'Shown,seen,,Time,2025-06-01 12:00:00'
    ])
    expect(page).toContain('&lt;script&gt;')
  })

  it('of expressions is a table, or the numbers of its only row', async () => {
    const project = await newShop()

    const counts = await shareInsight(project, COUNTS)
    const total = await shareInsight(project, {
      ...COUNTS,
      select: ['count()'],
      orderBy: []
    })

    expect(counts.json.tiles[0].chart).toMatchObject({
      kind: 'table',
      counted: 'count() by distinct_id',
      series: [
        { name: 'ada', cells: [2] },
        { name: 'bo', cells: [1] },
        { name: 'cy', cells: [1] }
      ]
    })
    expect(total.json.tiles[0].chart).toMatchObject({ kind: 'number', series: [{ data: [4] }] })
  })

  it.each([
    ['events', EVENTS],
    ['expressions', COUNTS],
    ['persons', { kind: 'ActorsQuery', select: ['id', 'person_display_name -- Person'] }]
  ])('of %s is answered as POST query/ answers it', async (_, query) => {
    const project = await newShop()
    const saved = await project.send('POST', 'insights/', { query: tableOf(query) })
    const asked = await project.send('POST', 'query/', { query })

    const { body } = await project.call('GET', `insights/${saved.body.id}/?refresh=blocking`)

    expect([saved.status, saved.body.query]).toEqual([201, tableOf(query)])
    expect(asked.body.results.length).toBeGreaterThan(2)
    expect([body.result, body.columns, body.types, body.hasMore]).toEqual([
      asked.body.results,
      asked.body.columns,
      asked.body.types,
      false
    ])
  })

  it.each([
    ['persons', { kind: 'ActorsQuery', select: ['person_display_name -- Person'] }],
    ['events and who did them', { ...EVENTS, select: ['person', 'event'] }],
    ['events of some persons', { ...EVENTS, where: ["person.properties.plan = 'pro'"] }]
  ])('of %s is read with person:read only, and is in no link', async (_, query) => {
    const project = await newShop()
    const { body: board } = await project.send('POST', 'dashboards/', { name: 'Board' })
    const saving = { query: tableOf(query), dashboards: [board.id] }
    const writer = await project.newKey(['insight:write', 'query:read'])
    const reader = await project.newKey(['insight:read', 'query:read'])

    const refused = await request(
      'POST',
      `/api/environments/${project.id}/insights/`,
      { Authorization: `Bearer ${writer}`, 'Content-Type': 'application/json' },
      JSON.stringify(saving)
    )
    const { body: saved } = await project.send('POST', 'insights/', saving)
    const path = `insights/${saved.id}/chart.svg`
    const own = await project.call('GET', path)
    const hidden = await project.call('GET', path, { Authorization: `Bearer ${reader}` })
    const sharing = await project.send('PATCH', `dashboards/${board.id}/sharing/`, {
      enabled: true
    })
    const link = await request('GET', `/shared/${sharing.body.access_token}`)

    expect([refused.status, own.status, hidden.status]).toEqual([403, 200, 403])
    expect(own.text).toMatch(/Table[.,] /)
    expect(link.body.tiles).toMatchObject([
      { chart: null, failure: expect.stringContaining('This insight shows persons') }
    ])
  })

  it('is checked when it is saved', async () => {
    const project = await newProject()
    const save = async (query: object) => {
      const { status, body } = await project.send('POST', 'insights/', { query: tableOf(query) })
      return [status, body.attr]
    }

    expect(await save({ ...EVENTS, select: ['event', 'nope + 1'] })).toEqual([
      400,
      'query__source__select__1'
    ])
    expect(await save({ ...EVENTS, orderBy: ['nope ASC'] })).toEqual([
      400,
      'query__source__orderBy__0'
    ])
    expect(await save({ kind: 'ActorsQuery', select: ['nope'] })).toEqual([
      400,
      'query__source__select__0'
    ])
  })

  it('has the range of its dashboard', async () => {
    const project = await newShop()
    const { body: board } = await project.send('POST', 'dashboards/', { name: 'Board' })
    const point = { kind: 'TrendsQuery', series: [event('seen')], trendsFilter: BOLD }
    const actors = {
      kind: 'ActorsQuery',
      select: ['person_display_name'],
      source: { kind: 'InsightActorsQuery', source: point }
    }
    for (const query of [EVENTS, actors, { kind: 'ActorsQuery' }]) {
      await project.send('POST', 'insights/', { query: tableOf(query), dashboards: [board.id] })
    }

    const rowsIn = async (range: string) => {
      const { body } = await project.call('GET', `dashboards/${board.id}/charts/?${range}`)
      return body.results.map((tile: { chart: { series: [] } | null; failure: string }) =>
        tile.chart ? tile.chart.series.length : tile.failure
      )
    }

    expect(await rowsIn('date_from=2025-06-03&date_to=2025-06-03')).toEqual([2, 2, 3])
    expect(await rowsIn('date_from=all')).toEqual([6, 3, 3])
  })
})
