import { describe, expect, it } from 'vitest'
import { newProject, type TestProject } from '../../support/project.ts'
import { newStory, RANGE } from '../../support/trends.ts'

const TREND = {
  kind: 'TrendsQuery',
  series: [
    { kind: 'EventsNode', event: '$pageview', math: 'total' },
    { kind: 'EventsNode', event: 'bought', math: 'dau' }
  ],
  dateRange: RANGE
}

const behind = (point: object, trend: object = {}) => ({
  kind: 'InsightActorsQuery',
  source: { ...TREND, ...trend },
  ...point
})

const askActors = (project: TestProject, node: object) =>
  project.send('POST', 'query/', { query: { kind: 'ActorsQuery', ...node } })

async function rowsOf(project: TestProject, node: object) {
  const { status, body } = await askActors(project, node)
  expect([status, body.detail]).toEqual([200, undefined])
  return body.results
}

/** Returns the pairs of a name and a number of events behind a point. */
async function namesOf(project: TestProject, source: object) {
  const rows = await rowsOf(project, { source, select: ['actor', 'event_count'] })
  return rows.map(([{ name }, count]: [{ name: string }, number]) => [name, count])
}

describe('an ActorsQuery of a point of a trend', () => {
  it('lists the persons with the numbers of their events, most first', async () => {
    const project = await newStory()

    const { body } = await askActors(project, {
      source: behind({ day: '2025-06-03' }),
      select: ['person_display_name -- Person', 'event_count', 'properties.plan']
    })

    expect(body).toMatchObject({
      columns: ['person_display_name -- Person', 'event_count', 'properties.plan'],
      hasMore: false,
      limit: 100,
      offset: 0,
      missing_actors_count: 0
    })
    expect(
      body.results.map(([{ display_name }, ...rest]: [{ display_name: string }]) => [
        display_name,
        ...rest
      ])
    ).toEqual([
      ['ada', 1, 'pro'],
      ['bob', 1, 'pro'],
      ['x', 1, null]
    ])
  })

  it.each([
    ['a date', { day: '2025-06-01' }, [['ada', 2]]],
    ['a moment', { day: '2025-06-01T00:00:00Z' }, [['ada', 2]]],
    ['a moment of another zone', { day: '2025-06-01T02:00:00+02:00' }, [['ada', 2]]],
    ['a place', { day: 0 }, [['ada', 2]]],
    ['a series', { day: '2025-06-02', series: 1 }, [['bob', 1]]],
    ['a day without events', { day: '2025-06-02' }, []]
  ])('finds it by %s', async (_, point, expected) => {
    const project = await newStory()

    expect(await namesOf(project, behind(point))).toEqual(expected)
  })

  it('finds an hour by its moment', async () => {
    const project = await newStory()

    expect(
      await namesOf(project, behind({ day: '2025-06-03T12:00:00Z' }, { interval: 'hour' }))
    ).toEqual([['bob', 1]])
  })

  it('needs no day for a display without a time axis', async () => {
    const project = await newStory()
    const trend = { trendsFilter: { display: 'BoldNumber' } }

    expect(await namesOf(project, behind({}, trend))).toEqual([
      ['ada', 3],
      ['bob', 1],
      ['x', 1]
    ])
  })

  it.each([
    ['a text', 'Firefox', { breakdown: '$browser' }, [['ada', 1]]],
    ['a list', ['Firefox'], { breakdowns: [{ property: '$browser' }] }, [['ada', 1]]]
  ])('finds the value of a breakdown by %s', async (_, breakdown, breakdownFilter, expected) => {
    const project = await newStory()
    const source = behind({ day: '2025-06-01', breakdown }, { breakdownFilter })

    expect(await namesOf(project, source)).toEqual(expected)
  })

  it('finds the earlier period of a comparison', async () => {
    const project = await newStory()
    const trend = {
      dateRange: { date_from: '2025-06-02', date_to: '2025-06-03' },
      compareFilter: { compare: true }
    }

    expect(
      await namesOf(project, behind({ day: '2025-06-01', compare: 'previous' }, trend))
    ).toEqual([['ada', 2]])
  })

  it('is paged', async () => {
    const project = await newStory()
    const node = { source: behind({ day: '2025-06-03' }), select: ['event_count'], limit: 2 }

    const first = (await askActors(project, node)).body
    const second = (await askActors(project, { ...node, offset: 2 })).body

    expect([first.results.length, first.hasMore]).toEqual([2, true])
    expect([second.results.length, second.hasMore]).toEqual([1, false])
  })

  it('lists erased persons whose events were kept, and counts them', async () => {
    const project = await newStory()
    const { body } = await project.call('GET', 'persons/?distinct_id=bob')
    await project.call('DELETE', `persons/${body.results[0].id}/`)

    const answer = await askActors(project, {
      source: behind({ day: '2025-06-03' }),
      select: ['person', 'id']
    })

    expect(answer.body.missing_actors_count).toBe(1)
    expect(answer.body.results.map(([{ type }]: [{ type: string }]) => type)).toEqual([
      'person',
      'erased',
      'distinct_id'
    ])
  })

  it.each([
    [behind({}), 'source__day'],
    [behind({ day: '2025-07-01' }), 'source__day'],
    [behind({ day: '2025-06-01', series: 2 }), 'source__series'],
    [behind({ day: '2025-06-01', breakdown: 'x' }), 'source__breakdown'],
    [
      behind({ day: '2025-06-01' }, { breakdownFilter: { breakdown: '$browser' } }),
      'source__breakdown'
    ],
    [behind({ day: '2025-06-01', compare: 'previous' }), 'source__compare'],
    [behind({ day: '2025-06-01', status: 'new' }), 'source__status'],
    [behind({ day: '2025-06-01', includeRecordings: true }), 'source__includeRecordings'],
    [behind({ day: '2025-06-01', page: 1 }), 'source__page'],
    [behind({ day: '2025-06-01' }, { interval: 'second' }), 'source__source__interval'],
    [
      behind({ day: '2025-06-01' }, { trendsFilter: { formula: 'A+B' } }),
      'source__source__trendsFilter__formula'
    ],
    [{ kind: 'InsightActorsQuery' }, 'source__source'],
    [{ kind: 'InsightActorsQuery', source: { kind: 'PathsQuery' } }, 'source__source__kind'],
    [{ kind: 'HogQLQuery', query: 'select 1' }, 'source__kind'],
    ['x', 'source']
  ])('refuses the source %j', async (source, attr) => {
    const project = await newStory()

    const { status, body } = await askActors(project, { source })

    expect([status, body.attr]).toEqual([400, `query__${attr}`])
  })
})

describe('an ActorsQuery without a source', () => {
  it('lists persons, newest first', async () => {
    const project = await newStory()
    const list = await project.call('GET', 'persons/')
    const [first] = list.body.results

    const { body } = await askActors(project, {})

    expect(body.columns).toEqual(['person', 'id', 'created_at'])
    expect(body.results).toHaveLength(2)
    expect(body.results[0]).toEqual([
      {
        id: first.uuid,
        type: 'person',
        name: first.name,
        properties: first.properties,
        created_at: first.created_at,
        distinct_ids: first.distinct_ids
      },
      first.uuid,
      first.created_at
    ])
  })

  it.each([
    [{ search: 'ada' }, ['ada']],
    [{ properties: [{ key: 'plan', value: 'free', type: 'person' }] }, []],
    [{ properties: [{ key: 'plan', value: 'pro', type: 'person' }] }, ['ada', 'bob']],
    [{ fixedProperties: [{ key: 'plan', operator: 'is_not_set', type: 'person' }] }, []],
    [{ orderBy: ['created_at DESC'] }, ['ada', 'bob']]
  ])('is narrowed by %j', async (node, expected) => {
    const project = await newStory()

    const rows = await rowsOf(project, { ...node, select: ['person'] })

    expect(rows.map(([{ name }]: [{ name: string }]) => name).sort()).toEqual(expected)
  })

  it('is paged', async () => {
    const project = await newStory()

    const { body } = await askActors(project, { limit: 1, select: ['id'] })
    const rest = await askActors(project, { limit: 1, offset: 1, select: ['id'] })

    expect([body.hasMore, rest.body.hasMore]).toEqual([true, false])
    expect(body.results).not.toEqual(rest.body.results)
  })

  it('lists nobody of another project', async () => {
    await newStory()
    const other = await newProject()

    expect(await rowsOf(other, {})).toEqual([])
  })

  it.each([
    [{ select: ['event_count'] }, 'select__0'],
    [{ select: ['id', 'person.$delete'] }, 'select__1'],
    [{ select: ['__proto__'] }, 'select__0'],
    [{ orderBy: ['event_count DESC'] }, 'orderBy__0'],
    [{ orderBy: ['created_at ASC'] }, 'orderBy__0'],
    [{ limit: 1_001 }, 'limit'],
    [{ properties: [{ key: 'a', value: 1, type: 'event' }] }, 'properties'],
    [{ search: 'ada', source: behind({ day: 0 }) }, 'search'],
    [{ properties: [{ key: 'a', value: 1 }], source: behind({ day: 0 }) }, 'properties']
  ])('refuses %j', async (node, attr) => {
    const project = await newProject()

    const { status, body } = await askActors(project, node)

    expect([status, body.attr]).toEqual([400, `query__${attr}`])
  })

  it.each([
    [['query:read', 'person:read'], 200],
    [['insight:read', 'person:read'], 200],
    [['person:read'], 403],
    [['query:read', 'insight:read'], 403]
  ])('with a key for %j answers %i', async (scopes, expected) => {
    const project = await newProject({ scopes })

    const { status } = await askActors(project, {})

    expect(status).toBe(expected)
  })
})
