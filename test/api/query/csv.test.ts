import { expect, it } from 'vitest'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { newStory, RANGE } from '../../support/trends.ts'

const TREND = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: '$pageview' }],
  dateRange: RANGE
}

const ask = (
  project: TestProject,
  query: object,
  { beside = {}, path = 'query/?format=csv' } = {}
) => project.send('POST', path, { query, ...beside })

const statement = (query: string) => ({ kind: 'HogQLQuery', query })

it('answers a statement as CSV, whose formulas are harmless', async () => {
  const project = await newProject()

  const { status, headers, text } = await ask(
    project,
    statement(`SELECT '=1+1' AS a, 'x "y", z' AS a, NULL AS "=b", -5, [1, 2], toDate('2026-03-01')`)
  )

  expect([status, headers.get('Content-Type'), headers.get('Content-Disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'attachment; filename="query.csv"'
  ])
  expect(text.split('\r\n')).toEqual([
    `a,a,'=b,-5,"[1, 2]",toDate('2026-03-01')`,
    `'=1+1,"x ""y"", z",,-5,"[1,2]",2026-03-01`,
    ''
  ])
})

it('answers by the header Accept, with a mark for Excel', async () => {
  const project = await newProject()
  const path = `/api/environments/${project.id}/query/?bom=true`
  const headers = {
    Authorization: `Bearer ${project.key}`,
    'Content-Type': 'application/json',
    Accept: 'text/csv'
  }
  const body = JSON.stringify({ query: statement('SELECT 1 AS n') })

  const { bytes } = await request('POST', path, headers, body)

  expect([...new Uint8Array(bytes).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
})

it('has all rows without a LIMIT, in the order of the answer', async () => {
  const project = await newProject()
  await project.ingest(
    Array.from({ length: 130 }, (_, i) => ({ event: `e${i}`, distinct_id: `d${i}` }))
  )

  const rows = statement('SELECT distinct_id FROM events')
  const csv = await ask(project, rows)
  const limited = await ask(project, statement('SELECT distinct_id FROM events LIMIT 7'))
  const events = { kind: 'EventsQuery', select: ['event'], orderBy: ['timestamp'] }
  const persons = { kind: 'ActorsQuery', select: ['id'] }

  expect(csv.text.split('\r\n')).toHaveLength(132)
  expect(limited.text.split('\r\n')).toHaveLength(9)
  expect((await ask(project, events)).text.split('\r\n')).toHaveLength(132)
  expect((await ask(project, { ...events, limit: 2 })).text).toMatch(/^event\r\ne\d+\r\ne\d+\r\n$/)
  expect((await ask(project, persons)).text.split('\r\n')).toHaveLength(132)
  expect((await project.send('POST', 'query/', { query: rows })).body.results).toHaveLength(100)
})

it('answers a trend as insights/trend/ does', async () => {
  const project = await newStory()
  const { text } = await project.send('POST', 'insights/trend/?format=csv', { query: TREND })

  const csv = await ask(project, { kind: 'InsightVizNode', source: TREND })

  expect(text).toContain('$pageview,2,0,3')
  expect(csv.text).toBe(text)
})

it('is refused for an asynchronous answer', async () => {
  const project = await newProject()

  const { status, body } = await ask(project, TREND, { beside: { refresh: 'async' } })

  expect([status, body.attr]).toEqual([400, 'format'])
})

it('has the numbers of a chart as the file of a link has them', async () => {
  const project = await newStory()
  const series = [TREND.series[0], { kind: 'EventsNode', event: 'bought' }]
  const entity = { id: '$pageview', type: 'events' }
  const questions: Record<string, object> = {
    FunnelsQuery: { series },
    RetentionQuery: {
      retentionFilter: { targetEntity: entity, returningEntity: entity, totalIntervals: 3 }
    },
    StickinessQuery: { series: TREND.series },
    LifecycleQuery: { series: TREND.series },
    WebOverviewQuery: { properties: [] }
  }
  for (const [kind, members] of Object.entries(questions)) {
    const query = { kind, dateRange: RANGE, ...members }
    const saved = await project.send('POST', 'insights/', { name: 'N', query })
    const path = `insights/${saved.body.id}/sharing/`
    const { body } = await project.send('PATCH', path, { enabled: true })
    const { text } = await request('GET', `/shared/${body.access_token}?format=csv`)

    const csv = await ask(project, query)

    expect(text.split('\r\n').length, kind).toBeGreaterThan(3)
    expect(csv.text.split('\r\n'), kind).toEqual(
      text.split('\r\n').map((line) => line.replace(/^(?:N|insight),/, ''))
    )
  }
})

it('has all rows of a table of web analytics, with a column for each number', async () => {
  const project = await newProject()
  await project.ingest(
    Array.from({ length: 130 }, (_, i) => ({
      event: '$pageview',
      distinct_id: 'ada',
      properties: { $session_id: 's', $pathname: `/${String(i).padStart(3, '0')}` }
    }))
  )
  const pages = { kind: 'WebStatsTableQuery', breakdownBy: 'Page', properties: [] }

  const all = await ask(project, pages)
  const compared = await ask(project, {
    ...pages,
    limit: 1,
    includeBounceRate: true,
    compareFilter: { compare: true }
  })

  expect(all.text.split('\r\n')).toHaveLength(132)
  expect(all.text).toMatch(/^breakdown_value,visitors,views\r\n\/000,1,1\r\n/)
  expect(compared.text.split('\r\n').slice(0, 2)).toEqual([
    'breakdown_value,visitors,visitors (previous),views,views (previous),bounce_rate,bounce_rate (previous)',
    '/000,1,0,1,0,0,'
  ])
})

it('needs the scopes of the answer', async () => {
  const project = await newProject({ scopes: ['query:read'] })

  const { status, body } = await ask(project, { kind: 'ActorsQuery' })

  expect([status, body.detail]).toEqual([403, "API key missing required scope 'person:read'"])
})

it('asks for the kind in the path', async () => {
  const project = await newStory()
  const wrapped = { kind: 'DataTableNode', source: statement('SELECT 1') }

  const same = await ask(project, TREND, { path: 'query/TrendsQuery/' })
  const ofWrapper = await ask(project, wrapped, { path: 'query/DataTableNode' })
  const csv = await ask(project, statement('SELECT 1 AS n'), {
    path: 'query/HogQLQuery/?format=csv'
  })
  const other = await ask(project, TREND, { path: 'query/FunnelsQuery/' })
  const unknown = await ask(project, { kind: 'NoQuery' }, { path: 'query/NoQuery/' })

  expect(same.body).toMatchObject({ results: [{ count: 5 }], timezone: 'UTC' })
  expect(ofWrapper.body.results).toEqual([[1]])
  expect(csv.text).toBe('n\r\n1\r\n')
  expect([other.status, other.body]).toEqual([
    400,
    {
      type: 'validation_error',
      code: 'invalid_choice',
      detail: '"TrendsQuery" is not the kind in the path, "FunnelsQuery".',
      attr: 'query__kind'
    }
  ])
  expect([unknown.status, unknown.body.code, unknown.body.attr]).toEqual([
    400,
    'invalid_choice',
    'query__kind'
  ])
})
