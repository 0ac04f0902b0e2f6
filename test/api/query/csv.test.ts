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

it.each([
  ['a funnel', { ...TREND, kind: 'FunnelsQuery', series: [TREND.series[0], TREND.series[0]] }, {}],
  ['an asynchronous answer', TREND, { refresh: 'async' }]
])('is refused for %s', async (_, query, beside) => {
  const project = await newProject()

  const { status, body } = await ask(project, query, { beside })

  expect([status, body.attr]).toEqual([400, 'format'])
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
