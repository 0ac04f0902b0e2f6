import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'
import { sealRange } from '../../support/segments.ts'
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

    expect([first.results.length, first.hasMore, first.count]).toEqual([2, true, 3])
    expect([second.results.length, second.hasMore, second.count]).toEqual([1, false, 3])
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
    [behind({ day: '2025-06-01', interval: 1 }), 'source__interval'],
    [{ kind: 'InsightActorsQuery' }, 'source__source'],
    [{ kind: 'FunnelsActorsQuery', funnelStep: 1, source: TREND }, 'source__source__kind'],
    [{ kind: 'StickinessActorsQuery', day: 1, source: TREND }, 'source__source__kind'],
    [{ kind: 'InsightActorsQuery', source: { kind: 'PathsQuery' } }, 'source__source__kind'],
    [{ kind: 'HogQLQuery', query: 'select 1' }, 'source__kind'],
    ['x', 'source']
  ])('refuses the source %j', async (source, attr) => {
    const project = await newStory()

    const { status, body } = await askActors(project, { source })

    expect([status, body.attr]).toEqual([400, `query__${attr}`])
  })
})

const DAYS = { date_from: '2026-03-02', date_to: '2026-03-04' }
const VIEWS = [{ kind: 'EventsNode', event: '$pageview' }]

const view = (distinct_id: string, day: string, properties = {}): TestEvent => ({
  distinct_id,
  timestamp: Date.parse(`2026-${day}T12:00:00Z`),
  properties
})

/**
 * Page views of Ada, who is new on 1 March, of Bo, new on the second, of Cy, known since February by
 * another event, and of x, who has no person.
 */
const VISITS = [
  { ...view('cy', '02-20'), event: 'signed up' },
  view('ada', '03-01', { $browser: 'Safari' }),
  view('ada', '03-02', { $browser: 'Chrome' }),
  view('ada', '03-02', { $browser: 'Chrome' }),
  view('bo', '03-02', { $browser: 'Firefox' }),
  view('x', '03-02', { $process_person_profile: false }),
  view('bo', '03-03', { $browser: 'Firefox' }),
  view('cy', '03-03'),
  view('ada', '03-04', { $browser: 'Chrome' })
]

/** Creates a project with `VISITS`, and seals them from one day to another. */
async function newVisits(sealed: { from: string; until: string } | null) {
  const project = await newProject()
  await project.ingest(VISITS)
  if (sealed) {
    const [kind] = await db.all<{ project_id: number; event_id: number }>(sql`
      select project_id, id as event_id from event_names
      where project_id = ${project.id} and name = '$pageview'`)
    const [since, until] = [Date.parse(sealed.from), Date.parse(sealed.until)]
    expect(kind && (await sealRange(db, kind, since, until))).toBe(true)
  }
  return project
}

const resultsOf = async (project: TestProject, query: object) =>
  (await project.send('POST', 'query/', { query })).body.results

describe.each([
  ['unsealed', null],
  ['sealed', { from: '2026-03-01', until: '2026-03-05' }],
  ['half sealed', { from: '2026-03-02', until: '2026-03-03' }]
])('an ActorsQuery, %s,', (_, sealed) => {
  it('of a lifecycle lists the persons of each bar', async () => {
    const project = await newVisits(sealed)
    const source = { kind: 'LifecycleQuery', series: VIEWS, dateRange: DAYS }

    const listed: unknown[] = []
    for (const { status, data, days } of await resultsOf(project, source)) {
      for (const [i, day] of days.entries()) {
        const bar = { kind: 'InsightActorsQuery', source, day, status }
        const names = await namesOf(project, bar)
        expect([status, day, names.length]).toEqual([status, day, Math.abs(data[i])])
        listed.push(...names.map((name: unknown[]) => [status, day.slice(8), ...name]))
      }
    }
    expect(listed).toEqual([
      ['new', '02', 'bo', 1],
      ['returning', '02', 'ada', 2],
      ['returning', '03', 'bo', 1],
      ['resurrecting', '03', 'cy', 1],
      ['resurrecting', '04', 'ada', 1],
      ['dormant', '03', 'ada', 2],
      ['dormant', '04', 'cy', 1],
      ['dormant', '04', 'bo', 1]
    ])
  })

  it('of stickiness lists the actors with so many days', async () => {
    const project = await newVisits(sealed)
    const dateRange = { date_from: '2026-03-01', date_to: '2026-03-04' }
    const source = { kind: 'StickinessQuery', series: VIEWS, dateRange }
    const actors = (bar: object) => namesOf(project, { kind: 'InsightActorsQuery', source, ...bar })

    const [{ data }] = await resultsOf(project, source)
    expect(data).toEqual([2, 1, 1, 0])
    expect(await actors({ day: 1 })).toEqual([
      ['cy', 1],
      ['x', 1]
    ])
    expect(await actors({ day: '3', series: 0, compare: 'current' })).toEqual([['ada', 3]])
    expect(await actors({ day: 4 })).toEqual([])
    const many = { kind: 'StickinessActorsQuery', source, day: 2, operator: 'gte' }
    expect(await namesOf(project, many)).toEqual([
      ['ada', 3],
      ['bo', 2]
    ])
  })

  it('of retention lists the members of a row with the columns that count them', async () => {
    const project = await newVisits(sealed)
    const source = {
      kind: 'RetentionQuery',
      dateRange: DAYS,
      retentionFilter: { totalIntervals: 3 }
    }
    const read = async (row: object) => {
      const rows = await rowsOf(project, {
        source: { kind: 'InsightActorsQuery', source, ...row },
        select: ['person', 'appearances'],
        orderBy: ['length(appearances) DESC', 'actor_id']
      })
      return rows.map(([{ name }, columns]: [{ name: string }, number[]]) => [name, columns])
    }

    for (const [interval, { values }] of (await resultsOf(project, source)).entries()) {
      const members = await read({ interval })
      const isIn = (column: number) =>
        members.filter((one: [string, number[]]) => one[1].includes(column))
      expect(values.map((_: object, column: number) => isIn(column).length)).toEqual(
        values.map(({ count }: { count: number }) => count)
      )
    }
    expect(await read({ interval: 0 })).toEqual([
      ['ada', [0, 2]],
      ['bo', [0, 1]],
      ['x', [0]]
    ])
  })
})

describe('an ActorsQuery of a stickiness', () => {
  const STICKINESS = { kind: 'StickinessQuery', series: VIEWS, dateRange: DAYS }
  const node = (bar: object, more: object = {}) => ({
    source: { kind: 'InsightActorsQuery', source: { ...STICKINESS, ...more }, ...bar }
  })

  it('counts actors as its answer does', async () => {
    const project = await newVisits(null)
    const cumulative = node({ day: 1 }, { stickinessFilter: { computedAs: 'cumulative' } })
    const compared = node({ day: 1, compare: 'previous' }, { compareFilter: { compare: true } })

    expect(await namesOf(project, cumulative.source)).toHaveLength(4)
    expect(await namesOf(project, compared.source)).toEqual([['ada', 1]])
  })

  it.each([
    [node({}), 'day'],
    [node({ day: 0 }), 'day'],
    [node({ day: 4 }), 'day'],
    [node({ day: '2026-03-02' }), 'day'],
    [node({ day: 1, series: 1 }), 'series'],
    [node({ day: 1, compare: 'previous' }), 'compare'],
    [node({ day: 1, operator: 'gt' }), 'operator'],
    [node({ day: 1, breakdown: 'x' }), 'breakdown'],
    [node({ day: 1 }, { intervalCount: 2 }), 'source__intervalCount']
  ])('refuses %j', async (sent, attr) => {
    const { status, body } = await askActors(await newProject(), sent)

    expect([status, body.attr]).toEqual([400, `query__source__${attr}`])
  })
})

describe('an ActorsQuery of a lifecycle', () => {
  const LIFECYCLE = { kind: 'LifecycleQuery', series: VIEWS, dateRange: DAYS }
  const node = (bar: object, more: object = {}) => ({
    source: { kind: 'InsightActorsQuery', source: { ...LIFECYCLE, ...more }, ...bar }
  })

  it.each([{ day: '2026-03-03T00:00:00Z' }, { day: 1 }, { day: '1', series: 0 }])(
    'finds the bar by %j',
    async (bar) => {
      const project = await newVisits(null)

      expect(await namesOf(project, node({ ...bar, status: 'resurrecting' }).source)).toEqual([
        ['cy', 1]
      ])
    }
  )

  it.each([
    [node({ status: 'new' }), 'day'],
    [node({ day: 0 }), 'status'],
    [node({ day: 0, status: 'old' }), 'status'],
    [node({ day: '2026-03-01', status: 'new' }), 'day'],
    [node({ day: 3, status: 'new' }), 'day'],
    [node({ day: 0, status: 'new', series: 1 }), 'series'],
    [node({ day: 0, status: 'new', compare: 'previous' }), 'compare'],
    [node({ day: 0, status: 'new' }, { breakdownFilter: {} }), 'source__breakdownFilter']
  ])('refuses %j', async (sent, attr) => {
    const { status, body } = await askActors(await newProject(), sent)

    expect([status, body.attr]).toEqual([400, `query__source__${attr}`])
  })
})

describe('an ActorsQuery of retention', () => {
  const node = (row: object, more: object = {}, rest: object = {}) => ({
    source: {
      kind: 'InsightActorsQuery',
      source: { kind: 'RetentionQuery', dateRange: DAYS, ...more },
      ...row
    },
    ...rest
  })
  const BREAKDOWN = { breakdownFilter: { breakdown: '$browser', breakdown_limit: 1 } }

  it('shows the appearances unless told what to select, and counts them', async () => {
    const project = await newVisits(null)

    const { body } = await askActors(project, node({ interval: 0 }, {}, { limit: 2 }))

    expect(body.columns).toEqual(['person', 'id', 'created_at', 'appearances'])
    expect(body.types[3]).toBe('Array(UInt64)')
    expect(body.results.map((row: unknown[]) => row[3])).toEqual([
      [0, 2],
      [0, 1]
    ])
    expect(body.hasMore).toBe(true)
    expect(await namesOf(project, node({ interval: 0 }).source)).toEqual([
      ['ada', 2],
      ['bo', 2],
      ['x', 1]
    ])
  })

  it.each([
    ['Chrome', [['ada', 2]]],
    [['Chrome'], [['ada', 2]]],
    ['', [['x', 1]]],
    ['$$_posthog_breakdown_other_$$', [['bo', 2]]]
  ])('finds the value %j of a breakdown', async (breakdown, expected) => {
    const project = await newVisits(null)
    const { source } = node({ interval: 0, breakdown }, BREAKDOWN)

    expect(await namesOf(project, source)).toEqual(expected)
  })

  it.each([
    [node({}), 'source__interval'],
    [node({ interval: 3 }), 'source__interval'],
    [node({ interval: -1 }), 'source__interval'],
    [node({ interval: 0, day: 0, status: 'new' }), 'source__status'],
    [node({ interval: 0, day: '2026-03-02' }), 'source__day'],
    [node({ interval: 0, breakdown: 'x' }), 'source__breakdown'],
    [node({ interval: 0 }, BREAKDOWN), 'source__breakdown'],
    [node({ interval: 0, breakdown: ['a', 'b'] }, BREAKDOWN), 'source__breakdown'],
    [node({ interval: 0, compare: 'previous' }), 'source__compare'],
    [
      node({ interval: 0 }, { retentionFilter: { period: 'Year' } }),
      'source__source__retentionFilter__period'
    ],
    [node({ interval: 0 }, {}, { orderBy: ['created_at DESC'] }), 'orderBy__0'],
    [node({ interval: 0 }, {}, { orderBy: ['event_count DESC', 'id'] }), 'orderBy__1']
  ])('refuses %j', async (sent, attr) => {
    const { status, body } = await askActors(await newProject(), sent)

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
    [{ select: ['appearances'], source: behind({ day: 0 }) }, 'select__0'],
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

  it('names the table with which expressions go', async () => {
    const project = await newProject()

    const { status, body } = await askActors(project, { select: ['lower(properties.email)'] })

    expect(status).toBe(400)
    expect(body.detail).toContain('send a HogQLQuery that selects FROM persons')
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
