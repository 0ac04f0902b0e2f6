import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { projects } from '../../../src/db/schema.ts'
import { computeEvents } from '../../../src/questions/events/answer.ts'
import { readEvents } from '../../../src/questions/events/request.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { at, newStory } from '../../support/trends.ts'

/** Asks for events of all time, unless the node says otherwise. */
const askEvents = (project: TestProject, node: object, beside: object = {}) =>
  project.send('POST', 'query/', {
    query: { kind: 'EventsQuery', after: 'all', ...node },
    ...beside
  })

/** Returns the rows of an answer. */
async function rowsOf(project: TestProject, node: object) {
  const { status, body } = await askEvents(project, node)
  expect([status, body.detail]).toEqual([200, undefined])
  return body.results
}

describe('an EventsQuery', () => {
  it('lists events as rows of the selected columns, newest first', async () => {
    const project = await newStory()

    const { body } = await askEvents(project, {
      select: ['event', 'timestamp', 'distinct_id', 'properties.$browser', 'properties["price"]']
    })

    expect(body).toMatchObject({
      columns: ['event', 'timestamp', 'distinct_id', 'properties.$browser', 'properties["price"]'],
      types: ['String', 'DateTime64', 'String', 'JSON', 'JSON'],
      hasMore: false,
      limit: 100,
      offset: 0,
      results: [
        ['$pageview', '2025-06-03T13:00:00Z', 'x', null, null],
        ['$pageview', '2025-06-03T12:00:00Z', 'bob', '', 'much'],
        ['$pageview', '2025-06-03T00:00:00Z', 'ada', 'Firefox', 1],
        ['bought', '2025-06-02T13:00:00Z', 'bob', null, null],
        ['$pageview', '2025-06-01T23:59:59.999Z', 'ada', 'Chrome', '7.5'],
        ['$pageview', '2025-06-01T10:00:00Z', 'ada', 'Firefox', 5]
      ]
    })
  })

  it('shows whole events by default', async () => {
    const project = await newStory()
    const list = await project.call('GET', 'events/?event=bought')
    const [{ id, properties }] = list.body.results

    const { body } = await askEvents(project, { event: 'bought' })

    expect(body.columns).toEqual(['*'])
    expect(body.results).toEqual([
      [
        {
          uuid: id,
          event: 'bought',
          properties,
          timestamp: '2025-06-02T13:00:00Z',
          team_id: project.id,
          distinct_id: 'bob'
        }
      ]
    ])
  })

  it('shows persons, and distinct ids of events without one', async () => {
    const project = await newStory()
    const list = await project.call('GET', 'persons/?distinct_id=bob')
    const [{ uuid, created_at, properties }] = list.body.results

    const rows = await rowsOf(project, {
      select: ['person', 'person_display_name -- Person', 'person.id', 'person.properties.plan'],
      limit: 2
    })

    expect(rows).toEqual([
      [{ distinct_id: 'x' }, { display_name: 'x', id: null, distinct_id: 'x' }, null, null],
      [
        { uuid, created_at, properties, distinct_id: 'bob' },
        { display_name: 'bob', id: uuid, distinct_id: 'bob' },
        uuid,
        'pro'
      ]
    ])
  })

  it.each([
    ['event', { event: 'bought' }, ['02T13']],
    ['events', { events: ['bought', 'sold'] }, ['02T13']],
    ['two different names', { event: 'bought', events: ['$pageview'] }, []],
    ['a condition on the name', { where: ["event = 'bought'"] }, ['02T13']],
    ['a list of names', { where: ["event IN ('bought', 'x')"] }, ['02T13']],
    [
      'conditions on the time',
      {
        where: [
          "timestamp > '2025-06-01T10:00:00Z'",
          "timestamp <= toDateTime('2025-06-02 13:00:00')"
        ]
      },
      ['02T13', '01T23']
    ],
    [
      'conditions on the time, the other way',
      { where: ["timestamp >= '2025-06-01T10:00:00Z'", "timestamp < '2025-06-02 13:00:00'"] },
      ['01T23', '01T10']
    ],
    ['a distinct id', { where: ["distinct_id = 'bob'"] }, ['03T12', '02T13']],
    ['two distinct ids', { where: ["distinct_id = 'bob'", "distinct_id = 'ada'"] }, []],
    ['a property', { where: ["properties.$browser = 'Chrome'"] }, ['01T23']],
    ['a number', { where: ['properties.price = 5'] }, ['01T10']],
    [
      'a property of the person then',
      { where: ["person.properties.plan = 'free'"] },
      ['01T23', '01T10']
    ],
    [
      'property filters',
      { properties: [{ key: 'price', value: 4, operator: 'gt', type: 'event' }] },
      ['01T23', '01T10']
    ],
    [
      'fixed filters',
      { fixedProperties: [{ key: '$browser', value: 'Chrome', type: 'event' }] },
      ['01T23']
    ],
    ['dates', { after: '2025-06-02', before: '2025-06-03' }, ['02T13']],
    ['the order', { orderBy: ['timestamp ASC'], limit: 2 }, ['01T10', '01T23']],
    ['a page', { orderBy: ['timestamp'], offset: 1, limit: 2 }, ['01T23', '02T13']],
    ['a page with filters', { where: ['properties.price = 5'], offset: 1 }, []]
  ])('is narrowed by %s', async (_, node, expected) => {
    const project = await newStory()

    const rows = await rowsOf(project, { select: ['timestamp'], ...node })

    expect(rows.map(([time]: [string]) => time.slice(8, 13))).toEqual(expected)
  })

  it('is narrowed by a person', async () => {
    const project = await newStory()
    const { body } = await project.call('GET', 'persons/?distinct_id=ada')
    const [{ uuid, id }] = body.results

    for (const personId of [uuid, id]) {
      expect(await rowsOf(project, { personId, select: ['distinct_id'] })).toEqual([
        ['ada'],
        ['ada'],
        ['ada']
      ])
    }
  })

  it('says whether there are more rows', async () => {
    const project = await newStory()
    const hasMoreOf = async (limit: number) =>
      (await askEvents(project, { select: ['event'], limit })).body.hasMore

    expect(await hasMoreOf(5)).toBe(true)
    expect(await hasMoreOf(6)).toBe(false)
  })

  it('begins 24 hours ago by default, and shows nothing of the future', async () => {
    const project = await newProject()
    const now = Date.now()
    await project.ingest([
      { event: 'old', timestamp: now - 26 * 3_600_000 },
      { event: 'new', timestamp: now - 3_600_000 },
      { event: 'future', timestamp: now + 3_600_000 }
    ])

    const rows = await rowsOf(project, { after: undefined, select: ['event'] })

    expect(rows).toEqual([['new']])
  })

  it('leaves out events of test accounts', async () => {
    const project = await newStory()
    await db
      .update(projects)
      .set({
        testAccountFilters: [
          { key: '$browser', value: 'Firefox', operator: 'is_not', type: 'event' }
        ]
      })
      .where(eq(projects.id, project.id))

    const rows = await rowsOf(project, {
      filterTestAccounts: true,
      select: ['event', 'distinct_id']
    })

    expect(rows).toHaveLength(4)
  })

  it('shows nothing of another project', async () => {
    const [project, other] = [await newStory(), await newProject()]
    const { body } = await project.call('GET', 'persons/?distinct_id=ada')

    expect(await rowsOf(other, {})).toEqual([])
    expect(await rowsOf(other, { personId: body.results[0].uuid })).toEqual([])
  })

  it.each([
    [{ select: ['event', 'nope'] }, 'select__1'],
    [{ select: ['upper(event'] }, 'select__0'],
    [{ select: ['event, 1'] }, 'select__0'],
    [{ select: ['1 FROM persons'] }, 'select__0'],
    [{ select: ['count()', 'person'] }, 'select__1'],
    [{ select: ['person.name'] }, 'select__0'],
    [{ select: ['constructor'] }, 'select__0'],
    [{ select: ['count()'], personId: 4 }, 'personId'],
    [{ where: ["event = 'a'", 'nope > 1'] }, 'where__1'],
    [{ where: ["event != 'a') OR (1 = 1"] }, 'where__0'],
    [{ where: ["event != 'a"] }, 'where__0'],
    [{ where: ["timestamp > 'soon'"] }, 'where__0'],
    [{ where: ['count() > 1'] }, 'where__0'],
    [{ orderBy: ['timestamp', 'nope DESC'] }, 'orderBy__1'],
    [{ limit: 10_001 }, 'limit'],
    [{ limit: 0 }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ after: 'tomorow' }, 'after'],
    [{ before: 'x' }, 'before'],
    [{ personId: 'ada' }, 'personId'],
    [{ properties: [{ key: 'a', operator: 'like', value: 1 }] }, 'properties'],
    [{ source: { kind: 'InsightActorsQuery' } }, 'source'],
    [{ actionId: 4 }, 'actionId'],
    [{ selected: ['event'] }, 'selected'],
    [{ modifiers: { personsOnEventsMode: 'disabled' } }, 'modifiers']
  ])('refuses %j', async (node, attr) => {
    const project = await newProject()

    const { status, body } = await askEvents(project, node)

    expect([status, body.attr]).toEqual([400, `query__${attr}`])
  })

  it.each([
    [['query:read'], { select: ['*'] }, 200],
    [['insight:read'], { select: ['*'] }, 403],
    [['query:read'], { select: ['event', 'person'] }, 403],
    [['query:read'], { select: ['person_display_name'] }, 403],
    [['query:read'], { select: ['person.properties.plan'] }, 403],
    [['query:read', 'person:read'], { select: ['event', 'person'] }, 200]
  ])('with a key for %j and %j answers %i', async (scopes, node, expected) => {
    const project = await newProject({ scopes })

    const { status } = await askEvents(project, node)

    expect(status).toBe(expected)
  })

  it.each<[object, unknown[][]]>([
    [{ select: ['count()'] }, [[6]]],
    [
      { select: ['event', 'count() as n'] },
      [
        ['$pageview', 5],
        ['bought', 1]
      ]
    ],
    [
      {
        select: ['upper(distinct_id) -- Who'],
        where: ["event != 'bought'"],
        orderBy: ['timestamp']
      },
      [['ADA'], ['ADA'], ['ADA'], ['BOB'], ['X']]
    ],
    [
      { select: ['event'], orderBy: ['event DESC', 'timestamp'], limit: 2 },
      [['bought'], ['$pageview']]
    ],
    [{ select: ['count()'], where: ["event LIKE 'b%' OR distinct_id = 'x'"] }, [[2]]],
    [{ select: ['count()'], where: ["toDate(timestamp) = '2025-06-03'"] }, [[3]]],
    [{ select: ['count()'], event: 'bought', after: '2025-06-02' }, [[1]]],
    [{ select: ['count()'], after: '2025-06-03', before: '2025-06-03T12:30:00Z' }, [[2]]],
    [{ select: ['count()'], properties: [{ key: '$browser', value: 'Firefox' }] }, [[2]]],
    [{ select: ['event', 'count()'], limit: 1, offset: 1 }, [['bought', 1]]]
  ])('takes the expressions of statements: %j', async (node, rows) => {
    const project = await newStory()

    expect(await rowsOf(project, node)).toEqual(rows)
  })

  it('shows whole events beside expressions, the newest first', async () => {
    const project = await newStory()
    const whole = await rowsOf(project, { event: '$pageview' })

    const rows = await rowsOf(project, { where: ["event != 'bought'"] })
    const [first] = await rowsOf(project, { select: ['upper(event)', '*'], limit: 1 })

    expect(rows).toEqual(whole)
    expect(first).toEqual(['$PAGEVIEW', whole[0][0]])
  })

  it('says what is wrong with an expression, and where', async () => {
    const project = await newStory()

    const { body } = await askEvents(project, { select: ['event', 'lower(evnt)'] })

    expect(body.detail).toMatch(/^1:7: Unable to resolve field: evnt\. Did you mean: event\?/)
  })

  it('shows what it computes as it was selected', async () => {
    const project = await newStory()

    const { body } = await askEvents(project, { select: ['event -- Name', 'count()'], limit: 1 })

    expect(body).toMatchObject({
      columns: ['event -- Name', 'count()'],
      types: ['String', 'UInt64'],
      results: [['$pageview', 5]],
      hasMore: true,
      limit: 1,
      offset: 0
    })
  })

  it('needs person:read for expressions of persons', async () => {
    const project = await newProject({ scopes: ['query:read'] })

    const select = await askEvents(project, { select: ['upper(person.properties.plan)'] })
    const where = await askEvents(project, {
      select: ['count()'],
      where: ["person.properties.plan != 'x'"]
    })

    expect([select.status, where.status]).toEqual([403, 403])
  })

  it('refuses a page that would have to end before it is full', async () => {
    const project = await newStory()
    const settings = { timezone: 'UTC', weekStart: 0, testAccountFilters: [] }
    const query = readEvents({ kind: 'EventsQuery', after: 'all' }, settings, new Date())
    // D1 allows 1,000 queries; the page ends before.
    const usage = { ...newUsage(), queries: 900 }

    const computed = computeEvents(
      { db, project: { id: project.id, ...settings }, usage },
      query,
      new Date()
    )

    await expect(computed).rejects.toMatchObject({ code: 'query_too_large', attr: 'after' })
  })

  it('refuses rows that are too long together', async () => {
    const project = await newProject()
    const long = 'x'.repeat(400_000)
    await project.ingest(
      Array.from({ length: 60 }, (_, i) => ({
        event: 'long',
        timestamp: at('01T10:00:00') + i,
        properties: { long }
      }))
    )

    const { body } = await askEvents(project, { select: ['event'] })

    expect([body.code, body.attr]).toEqual(['query_too_large', 'limit'])
    expect(await rowsOf(project, { select: ['event'], limit: 2 })).toHaveLength(2)
  })
})
