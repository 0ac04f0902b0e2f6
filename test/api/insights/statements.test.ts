import { describe, expect, it } from 'vitest'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { newStory } from '../../support/trends.ts'

const statement = (query: string, beside: object = {}) => ({ kind: 'HogQLQuery', query, ...beside })
const shown = (query: string, view: object = {}) => ({
  kind: 'DataVisualizationNode',
  source: statement(query),
  ...view
})

const TOP = statement(
  'SELECT properties.$browser AS browser, count() AS n, max(timestamp) AS last FROM events GROUP BY browser ORDER BY n DESC, browser'
)
const DAILY =
  'SELECT toDate(timestamp) AS day, count() AS n, uniq(distinct_id) AS u FROM events GROUP BY day'
const BY_ID =
  'SELECT toDate(timestamp) AS day, distinct_id AS who, count() AS n FROM events GROUP BY 1, 2'
const PERSONS = statement(
  'SELECT person.properties.plan AS plan, count() AS n FROM events GROUP BY plan'
)

const save = (project: TestProject, query: object | string, beside: object = {}) =>
  project.send('POST', 'insights/', { name: 'Saved', query, ...beside })

/** Saves an insight and returns its chart, as its link shows it. */
async function chartOf(project: TestProject, query: object) {
  const saved = await save(project, query)
  expect([saved.status, saved.body.detail]).toEqual([201, undefined])
  const { id } = saved.body
  const { body } = await project.send('PATCH', `insights/${id}/sharing/`, { enabled: true })
  const { body: board } = await request('GET', `/shared/${body.access_token}`)
  const [{ chart, failure }] = board.tiles
  expect(failure).toBeNull()
  return chart
}

describe('a saved statement', () => {
  it.each([
    ['alone', TOP],
    ['in a DataTableNode', { kind: 'DataTableNode', source: TOP, full: true }],
    [
      'in a DataVisualizationNode',
      { kind: 'DataVisualizationNode', source: TOP, display: 'ActionsTable' }
    ],
    ['as text', JSON.stringify(TOP)]
  ])('is answered: %s', async (_, query) => {
    const project = await newStory()
    const saved = await save(project, query)
    const asked = await project.send('POST', 'query/', { query: TOP })

    const { body } = await project.call('GET', `insights/${saved.body.id}/?refresh=blocking`)
    const again = await project.send('PATCH', `insights/${saved.body.id}/`, body)

    expect([saved.status, saved.body.query]).toEqual([201, query])
    expect(body.result).toEqual(asked.body.results)
    expect([body.columns, body.types, body.hasMore]).toEqual([
      ['browser', 'n', 'last'],
      asked.body.types,
      false
    ])
    expect([again.status, again.body.detail]).toEqual([200, undefined])
  })

  it.each([
    ['without a column', { query: shown('SELECT nope FROM events') }, 'query__source__query'],
    ['that is none', { query: statement('DELETE FROM events') }, 'query__query'],
    [
      'with an axis that it lacks',
      {
        query: shown(DAILY, {
          display: 'ActionsLineGraph',
          chartSettings: { xAxis: { column: 'week' } }
        })
      },
      'query__chartSettings__xAxis__column'
    ],
    [
      'with numbers that are none',
      { query: shown(DAILY, { chartSettings: { yAxis: [{ column: 'n' }, { column: 'day' }] } }) },
      'query__chartSettings__yAxis__1__column'
    ],
    [
      'with a display that there is not',
      { query: shown(DAILY, { display: 'WorldMap' }) },
      'query__display'
    ],
    [
      'with a setting that is not honoured',
      { query: shown(DAILY, { chartSettings: { goalLines: [{ value: 3 }] } }) },
      'query__chartSettings__goalLines'
    ],
    [
      'with series of two columns',
      { query: shown(DAILY, { chartSettings: { seriesBreakdownColumn: 'day' } }) },
      'query__chartSettings__seriesBreakdownColumn'
    ],
    [
      'with a table of other columns',
      { query: shown(DAILY, { tableSettings: { columns: [{ column: 'x' }] } }) },
      'query__tableSettings__columns__0__column'
    ],
    [
      'with an unknown setting',
      { query: shown(DAILY, { chartSettings: { yAxes: [] } }) },
      'query__chartSettings__yAxes'
    ],
    [
      'in a view of a trend',
      {
        query: {
          kind: 'DataVisualizationNode',
          source: { kind: 'TrendsQuery', series: [{ event: 'x' }] }
        }
      },
      'query__source__kind'
    ]
  ])('is refused %s', async (_, body, attr) => {
    const project = await newProject()

    const saved = await project.send('POST', 'insights/', body)

    expect([saved.status, saved.body.attr]).toEqual([400, attr])
  })

  it('is refused with its line and column if a change breaks it', async () => {
    const project = await newProject()
    const { body } = await save(project, TOP)

    const broken = await project.send('PATCH', `insights/${body.id}/`, {
      query: statement('SELECT FROM events')
    })

    expect([broken.status, broken.body.attr]).toEqual([400, 'query__query'])
    expect(broken.body.detail).toMatch(/^1:8: /)
  })
})

describe('the chart of a statement', () => {
  it('is a table of its columns', async () => {
    const project = await newStory()

    const chart = await chartOf(project, { kind: 'DataTableNode', source: TOP })

    expect(chart).toMatchObject({
      title: 'Saved',
      subtitle: 'UTC',
      counted: 'n, last by browser',
      kind: 'table',
      buckets: ['n', 'last'],
      series: [
        { name: 'Firefox', data: [], cells: [2, '2025-06-03 00:00:00'] },
        { name: '', data: [], cells: [2, '2025-06-03 13:00:00'] },
        { name: '', data: [], cells: [1, '2025-06-03 12:00:00'] },
        { name: 'Chrome', data: [], cells: [1, '2025-06-01 23:59:59'] }
      ]
    })
  })

  it('is a line for each column of numbers over the first time, in its order', async () => {
    const project = await newStory()

    const chart = await chartOf(
      project,
      shown(`${DAILY} ORDER BY n`, { display: 'ActionsLineGraph' })
    )

    expect(chart).toMatchObject({
      counted: 'n, u by day',
      kind: 'line',
      days: ['2025-06-01', '2025-06-02', '2025-06-03'],
      buckets: ['1 Jun', '2 Jun', '3 Jun'],
      finished: 3,
      series: [
        { name: 'n', data: [2, 1, 3] },
        { name: 'u', data: [1, 1, 3] }
      ]
    })
  })

  it('has a series for each text if a time has several rows', async () => {
    const project = await newStory()

    const chart = await chartOf(
      project,
      shown(`${BY_ID} ORDER BY who`, { display: 'ActionsStackedBar' })
    )

    expect(chart).toMatchObject({
      counted: 'n by day and who; missing numbers are drawn as 0',
      kind: 'stacked',
      series: [
        { name: 'ada', data: [2, 0, 1] },
        { name: 'bob', data: [0, 1, 1] },
        { name: 'x', data: [0, 0, 1] }
      ]
    })
  })

  it('has the columns that its settings name, with their labels', async () => {
    const project = await newStory()
    const yAxis = [{ column: 'u', settings: { display: { label: 'People' } } }]

    const chart = await chartOf(
      project,
      shown(DAILY, {
        display: 'ActionsBarValue',
        chartSettings: { xAxis: { column: 'day' }, yAxis, showLegend: true }
      })
    )

    expect(chart).toMatchObject({
      counted: 'People by day',
      kind: 'values',
      series: [
        { name: '2025-06-01', data: [1] },
        { name: '2025-06-02', data: [1] },
        { name: '2025-06-03', data: [3] }
      ]
    })
  })

  it.each([
    ['SELECT count() AS n, uniq(distinct_id) AS u FROM events', {}, 'numbers', [6, 3]],
    ['SELECT count() AS n FROM events', {}, 'number', [6]],
    [
      'SELECT toDate(timestamp) AS day, count() AS n FROM events GROUP BY day ORDER BY day',
      { display: 'BoldNumber' },
      'number',
      [2]
    ]
  ])('shows numbers large: %s %j', async (query, view, kind, data) => {
    const project = await newStory()

    const chart = await chartOf(project, shown(query, view))

    expect([chart.kind, chart.series.map((one: { data: number[] }) => one.data)]).toEqual([
      kind,
      [data]
    ])
  })

  it('is drawn as SVG and PNG, on a dashboard and as CSV', async () => {
    const project = await newStory()
    const { body: board } = await project.send('POST', 'dashboards/', { name: 'Board' })
    const query = shown(TOP.query)
    const { body: saved } = await save(project, query, { dashboards: [board.id] })

    const svg = await project.call('GET', `insights/${saved.id}/chart.svg`)
    const png = await project.call('GET', `insights/${saved.id}/chart.png`)
    const charts = await project.call('GET', `dashboards/${board.id}/charts/`)
    const { body } = await project.send('PATCH', `dashboards/${board.id}/sharing/`, {
      enabled: true
    })
    const page = await request('GET', `/shared/${body.access_token}`, { Accept: 'text/html' })
    const csv = await request('GET', `/shared/${body.access_token}?format=csv`)

    expect(svg.text).toContain('>Firefox</text>')
    expect(svg.text).toContain('>2025-06-03 13:00:00</text>')
    expect(svg.text).toContain('Firefox: 2, 2025-06-03 00:00:00.')
    expect(png.headers.get('Content-Type')).toBe('image/png')
    expect(charts.body.results[0].chart.kind).toBe('table')
    expect(page.text).toContain('<td>2025-06-03 13:00:00</td>')
    expect(csv.text.split('\r\n').slice(0, 3)).toEqual([
      'insight,series,day,bucket,value',
      'Saved,Firefox,,n,2',
      'Saved,Firefox,,last,2025-06-03 00:00:00'
    ])
  })

  it('takes the dates of a dashboard where it says {filters}', async () => {
    const project = await newStory()
    const { body: board } = await project.send('POST', 'dashboards/', { name: 'Board' })
    const count = (where: string) => shown(`SELECT count() AS n FROM events ${where}`)
    await save(project, count('WHERE {filters}'), { dashboards: [board.id] })
    await save(project, count(''), { dashboards: [board.id] })

    const { body } = await project.call(
      'GET',
      `dashboards/${board.id}/charts/?date_from=2025-06-02&date_to=2025-06-03`
    )

    expect(
      body.results.map(({ chart }: { chart: { series: object[] } }) => chart.series[0])
    ).toEqual([
      { name: 'n', data: [1] },
      { name: 'n', data: [6] }
    ])
  })

  it('says that there are more rows', async () => {
    const project = await newStory()

    const chart = await chartOf(project, statement('SELECT event FROM events LIMIT 2'))

    expect(chart).toMatchObject({ kind: 'table', counted: 'there are more rows', buckets: [] })
    expect(chart.series).toHaveLength(2)
  })
})

describe('a statement that shows persons', () => {
  const headersOf = (key: string) => ({ Authorization: `Bearer ${key}` })

  it('is saved with person:read only', async () => {
    const project = await newStory()
    const key = await project.newKey(['insight:write', 'query:read'])
    const body = JSON.stringify({ query: PERSONS })
    const path = `/api/environments/${project.id}/insights/`
    const headers = { ...headersOf(key), 'Content-Type': 'application/json' }

    const refused = await request('POST', path, headers, body)
    const plain = await request('POST', path, headers, JSON.stringify({ query: TOP }))

    expect([refused.status, refused.body.detail]).toEqual([
      403,
      "API key missing required scope 'person:read'"
    ])
    expect(plain.status).toBe(201)
  })

  it('needs query:read, as any statement', async () => {
    const project = await newProject({ scopes: ['insight:write'] })

    const { status, body } = await save(project, TOP)

    expect([status, body.detail]).toEqual([403, "API key missing required scope 'query:read'"])
  })

  it.each([
    PERSONS,
    statement('SELECT properties.plan AS plan FROM persons WHERE id IS NOT NULL'),
    statement('SELECT properties.plan AS plan FROM "Persons" AS id')
  ])('is read with person:read only, and is in no link: $query', async (query) => {
    const project = await newStory()
    const { body: board } = await project.send('POST', 'dashboards/', { name: 'Board' })
    const { body: saved } = await save(project, query, { dashboards: [board.id] })
    const reader = headersOf(await project.newKey(['insight:read', 'query:read']))
    const own = headersOf(project.key)
    const paths = [`insights/${saved.id}/?refresh=true`, `insights/${saved.id}/chart.svg`]

    for (const path of paths) {
      expect((await project.call('GET', path, own)).status).toBe(200)
      const { status, body } = await project.call('GET', path, reader)
      expect([status, body.detail]).toEqual([403, "API key missing required scope 'person:read'"])
    }
    const charts = await project.call('GET', `dashboards/${board.id}/charts/`, reader)
    expect(charts.body.results[0]).toMatchObject({
      chart: null,
      failure: "API key missing required scope 'person:read'"
    })
    for (const path of [`insights/${saved.id}`, `dashboards/${board.id}`]) {
      const { body } = await project.send('PATCH', `${path}/sharing/`, { enabled: true })
      const { text } = await request('GET', `/shared/${body.access_token}`)
      expect(text).toContain('This insight shows persons')
      expect(text).not.toContain('free')
    }
  })
})
