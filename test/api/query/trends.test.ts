import { describe, expect, it } from 'vitest'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { ask, newStory, RANGE } from '../../support/trends.ts'

/** A trend of page views on the three days of the story. */
const NODE = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: '$pageview', math: 'total' }],
  dateRange: RANGE
}

const post = (project: TestProject, body: object, path = 'query/') =>
  project.send('POST', path, body)

describe('POST query/', () => {
  it.each([
    ['a node', NODE, 'query/'],
    ['a node, without the slash at the end', NODE, 'query'],
    ['an InsightVizNode', { kind: 'InsightVizNode', source: NODE, full: true }, 'query/'],
    ['a DataTableNode', { kind: 'DataTableNode', source: NODE, columns: ['a'] }, 'query/']
  ])('answers %s as insights/trend/ does', async (_, query, path) => {
    const project = await newStory()

    const { status, body } = await post(project, { query }, path)
    const trend = await ask(project, { query: NODE })

    expect(status).toBe(200)
    expect(body.results).toEqual(trend.body.result)
    expect(body.results[0].data).toEqual([2, 0, 3])
    expect(body).toMatchObject({
      hasMore: false,
      resolved_date_range: {
        date_from: '2025-06-01T00:00:00Z',
        date_to: '2025-06-03T23:59:59.999Z'
      },
      is_cached: false,
      last_refresh: expect.stringMatching(/Z$/),
      timezone: 'UTC',
      query_status: null,
      hogql: null,
      error: null,
      timings: []
    })
  })

  it('answers below both prefixes', async () => {
    const project = await newStory()

    const { status, body } = await request(
      'POST',
      `/api/projects/${project.id}/query`,
      { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
      JSON.stringify({ query: NODE })
    )

    expect([status, body.results[0].data]).toEqual([200, [2, 0, 3]])
  })

  it('says whether there are more values of a breakdown', async () => {
    const project = await newStory()
    const breakdownFilter = { breakdown: '$browser', breakdown_limit: 1 }

    const { body } = await post(project, { query: { ...NODE, breakdownFilter } })

    expect(body.hasMore).toBe(true)
  })

  it('has the same cache key for equal queries of a project only', async () => {
    const [project, other] = [await newStory(), await newStory()]
    const keyOf = async (of: TestProject, query: object) =>
      (await post(of, { query })).body.cache_key

    const key = await keyOf(project, NODE)
    const { kind, ...rest } = NODE
    expect(await keyOf(project, { ...rest, kind })).toBe(key)
    expect(await keyOf(project, { ...NODE, interval: 'week' })).not.toBe(key)
    expect(await keyOf(other, NODE)).not.toBe(key)
  })

  it.each([
    {},
    { refresh: 'blocking' },
    { refresh: true },
    { refresh: 'force_cache', name: 'page views', client_query_id: 'a-1' },
    { async: false, filters_override: {}, variables_override: null, limit_context: null }
  ])('takes %j beside the query', async (fields) => {
    const project = await newProject()

    const { status } = await post(project, { query: NODE, ...fields })

    expect(status).toBe(200)
  })

  it('lays the filters of a dashboard over the query', async () => {
    const project = await newStory()
    const properties = [{ key: 'price', value: 4, operator: 'gt', type: 'event' }]

    const { body } = await post(project, {
      query: { ...NODE, properties: [{ key: '$browser', value: 'Firefox', type: 'event' }] },
      filters_override: {
        date_from: '2025-06-01',
        date_to: '2025-06-02',
        properties,
        breakdown_filter: { breakdown: '$browser' }
      }
    })

    expect(
      body.results.map((one: { breakdown_value: string; data: number[] }) => [
        one.breakdown_value,
        one.data
      ])
    ).toEqual([['Firefox', [1, 0]]])
  })

  it.each([
    [{ date_from: 'tomorow' }, 'filters_override__date_from'],
    [{ properties: [{ key: 'a', operator: 'like', value: 1 }] }, 'filters_override__properties'],
    [
      { breakdown_filter: { breakdowns: [{}] } },
      'filters_override__breakdown_filter__breakdowns__0__property'
    ],
    [{ explicitDate: true }, 'filters_override__explicitDate'],
    [{ interval: 'week' }, 'filters_override__interval']
  ])('refuses the filters %j', async (filters_override, attr) => {
    const project = await newProject()

    const { status, body } = await post(project, { query: NODE, filters_override })

    expect([status, body.attr]).toEqual([400, attr])
  })

  it('refuses filters over a query that has no range', async () => {
    const project = await newProject()

    const { status, body } = await post(project, {
      query: { kind: 'ActorsQuery' },
      filters_override: { date_from: '-7d' }
    })

    expect([status, body.attr]).toEqual([400, 'filters_override'])
  })

  it.each([
    ['an unknown kind', { kind: 'GroupsQuery' }, 'invalid_choice', 'query__kind'],
    ['a kind of every object', { kind: 'constructor' }, 'invalid_choice', 'query__kind'],
    ['no kind', { series: [] }, 'required', 'query__kind'],
    ['a kind that is no text', { kind: 1 }, 'invalid_choice', 'query__kind'],
    [
      'an unknown kind in a wrapper',
      { kind: 'InsightVizNode', source: { kind: 'PathsQuery' } },
      'invalid_choice',
      'query__source__kind'
    ],
    ['a wrapper without a source', { kind: 'InsightVizNode' }, 'required', 'query__source'],
    [
      'a source that is no object',
      { kind: 'DataTableNode', source: 'x' },
      'invalid_input',
      'query__source'
    ],
    [
      'a field of the source in a wrapper',
      { kind: 'DataTableNode', source: NODE, series: NODE.series },
      'invalid_input',
      'query__series'
    ],
    ['no series', { kind: 'TrendsQuery' }, 'required', 'query__series'],
    ['an unknown field', { ...NODE, funnelsFilter: {} }, 'invalid_input', 'query__funnelsFilter'],
    [
      'a math that does not exist',
      { ...NODE, series: [{ kind: 'EventsNode', event: 'a', math: 'median_ish' }] },
      'invalid_input',
      'query__series__0__math'
    ],
    [
      'a date that is none, in a wrapper',
      { kind: 'InsightVizNode', source: { ...NODE, dateRange: { date_from: 'tomorow' } } },
      'invalid_input',
      'query__source__dateRange__date_from'
    ]
  ])('refuses %s', async (_, query, code, attr) => {
    const project = await newProject()

    const { status, body } = await post(project, { query })

    expect([status, body.code, body.attr]).toEqual([400, code, attr])
  })

  it('names the kinds that it knows when it refuses another', async () => {
    const project = await newProject()

    const { body } = await post(project, { query: { kind: 'GroupsQuery' } })

    expect(body.detail).toMatch(/^"GroupsQuery" is not a valid choice\. Choices: TrendsQuery, /)
  })

  it.each([
    [{}, 'required', 'query'],
    [{ query: {} }, 'required', 'query'],
    [{ query: null }, 'null', 'query'],
    [{ kind: 'TrendsQuery', series: [] }, 'invalid_input', 'kind'],
    [{ query: NODE, limit: 5 }, 'invalid_input', 'limit'],
    [{ query: NODE, refresh: 'sometimes' }, 'invalid_input', 'refresh'],
    [{ query: NODE, client_query_id: 'a/b' }, 'invalid_input', 'client_query_id'],
    [{ query: NODE, variables_override: { a: 1 } }, 'invalid_input', 'variables_override'],
    [{ query: NODE, limit_context: 'posthog_ai' }, 'invalid_input', 'limit_context']
  ])('refuses the body %j', async (json, code, attr) => {
    const project = await newProject()

    const { status, body } = await post(project, json)

    expect([status, body.code, body.attr]).toEqual([400, code, attr])
  })

  it.each([
    [['query:read'], 200],
    [['insight:read'], 200],
    [['insight:write'], 200],
    [['person:read', 'dashboard:read'], 403]
  ])('with a key for %j answers %i', async (scopes, expected) => {
    const project = await newProject({ scopes })

    const { status } = await post(project, { query: NODE })

    expect(status).toBe(expected)
  })
})
