import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { holdRecordings, snapshotEvent, visit } from '../../support/recordings.ts'
import { ask, asNode, asTrend, at, newStory } from '../../support/trends.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Requests the persons behind a point of a trend. */
const askActors = (project: TestProject, body: object, point: string) =>
  project.send('POST', `insights/trend/actors/?${point}`, body)

type Actor = { name: string; count: number }

/** Returns the persons behind a point, as pairs of a name and a number of events. */
async function namesOf(project: TestProject, body: object, point: string) {
  const answer = await askActors(project, body, point)
  expect(answer.status).toBe(200)
  return answer.body.results.map(({ name, count }: Actor) => [name, count])
}

describe('the persons behind a point', () => {
  it.each([
    ['total', 0, [['ada', 2]]],
    ['total', 1, []],
    [
      'dau',
      2,
      [
        ['ada', 1],
        ['bob', 1],
        ['x', 1]
      ]
    ],
    [
      'weekly_active',
      2,
      [
        ['ada', 3],
        ['bob', 1],
        ['x', 1]
      ]
    ],
    [
      'first_time_for_user',
      2,
      [
        ['bob', 1],
        ['x', 1]
      ]
    ],
    ['unique_session', 2, []]
  ])('are those of %s in bucket %i', async (math, bucket, expected) => {
    const project = await newStory()

    expect(await namesOf(project, asTrend({ math }), `bucket=${bucket}`)).toEqual(expected)
  })

  it('are only persons with a number if the trend aggregates a property', async () => {
    const project = await newStory()
    const body = asTrend({ math: 'sum', math_property: 'price' })

    expect(await namesOf(project, body, 'bucket=2025-06-03')).toEqual([['ada', 1]])
  })

  it('include the persons of earlier points in a cumulative display', async () => {
    const project = await newStory()
    const body = { ...asTrend({ math: 'dau' }), display: 'ActionsLineGraphCumulative' }

    expect(await namesOf(project, body, 'bucket=1')).toEqual([['ada', 2]])
    expect(await namesOf(project, body, 'bucket=2')).toHaveLength(3)
  })

  it('are listed for a value, for no value and for all other values', async () => {
    const project = await newStory()
    const body = { ...asTrend({}), breakdown: '$browser', breakdown_limit: 1 }
    const behind = (bucket: number, value: string) =>
      namesOf(project, body, `bucket=${bucket}&breakdown_value=${encodeURIComponent(value)}`)

    expect(await behind(0, 'Firefox')).toEqual([['ada', 1]])
    expect(await behind(0, '$$_posthog_breakdown_other_$$')).toEqual([['ada', 1]])
    expect(await behind(2, '$$_posthog_breakdown_other_$$')).toEqual([])
    expect(await behind(2, '$$_posthog_breakdown_null_$$')).toEqual([
      ['bob', 1],
      ['x', 1]
    ])
    expect(await behind(0, 'Safari')).toEqual([])
  })

  it('are listed for every breakdown value in the answer of the trend', async () => {
    const project = await newStory()
    const body = asNode({
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      breakdownFilter: {
        breakdowns: [{ property: 'price', histogram_bin_count: 2 }, { property: '$browser' }]
      }
    })
    const { result } = (await ask(project, body)).body
    expect(result.length).toBeGreaterThan(2)
    for (const { data, breakdown_value } of result) {
      for (const [bucket, number] of data.entries()) {
        const value = encodeURIComponent(JSON.stringify(breakdown_value))
        const names = await namesOf(project, body, `bucket=${bucket}&breakdown_value=${value}`)
        expect(names.reduce((sum: number, [, count]: [string, number]) => sum + count, 0)).toBe(
          number
        )
      }
    }
  })

  it('are those of the earlier period of a comparison', async () => {
    const project = await newStory()
    const body = { ...asTrend({}), date_from: '2025-06-03', compare: true, compare_to: '-2d' }

    expect(await namesOf(project, body, 'bucket=0&compare_label=previous')).toEqual([['ada', 2]])
    expect(await namesOf(project, body, 'bucket=0')).toHaveLength(3)
  })

  it('look as in the list of persons, with a link to their recordings, and have pages', async () => {
    const project = await newStory()
    const { body } = await askActors(project, asTrend({}), 'bucket=2&limit=2')
    const [ada, bob] = body.results

    const persons = await project.call('GET', 'persons?distinct_id=ada')
    expect(ada).toEqual({
      ...persons.body.results[0],
      type: 'person',
      count: 1,
      recordings: expect.any(String)
    })
    expect(bob.name).toBe('bob')
    expect([...new URL(ada.recordings).searchParams]).toEqual([
      ['person', String(ada.id)],
      ['date_from', '2025-06-03T00:00:00Z'],
      ['date_to', '2025-06-03T23:59:59.999Z']
    ])
    // Snapshots are accepted for seven days.
    vi.useFakeTimers({ toFake: ['Date'], now: at('04T12:00:00') })
    await holdRecordings().record(
      snapshotEvent(project, { session: 'before', snapshots: visit(at('02T12:00:00')) }),
      snapshotEvent(project, { session: 'inside', snapshots: visit(at('03T12:00:00')) }),
      snapshotEvent(project, {
        session: 'bob',
        distinct_id: 'bob',
        snapshots: visit(at('03T12:00:00'))
      })
    )
    const recordings = await project.call(
      'GET',
      `session_recordings${new URL(ada.recordings).search}`
    )
    expect(recordings.body.results).toMatchObject([{ id: 'inside' }])
    expect(body.count).toBe(3)

    const next = await askActors(project, asTrend({}), new URL(body.next).search.slice(1))
    expect(next.body.results).toEqual([
      {
        type: 'distinct_id',
        id: null,
        uuid: null,
        name: 'x',
        distinct_ids: ['x'],
        properties: {},
        created_at: null,
        count: 1,
        recordings: expect.stringContaining('distinct_id=x')
      }
    ])
  })

  it('include an erased person whose events are kept, without a name', async () => {
    const project = await newStory()
    const persons = await project.call('GET', 'persons?distinct_id=ada')
    await project.call('DELETE', `persons/${persons.body.results[0].id}`)

    expect(await namesOf(project, asTrend({ math: 'dau' }), 'bucket=0')).toEqual([
      ['Erased person', 2]
    ])
  })

  it('have all their distinct ids in CSV, and a hundred with a flag in JSON', async () => {
    const project = await newStory()
    await db.run(sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 150)
      insert into distinct_ids (key, project_id, distinct_id, person_id)
      select 1e9 + ${project.id} * 1000 + n, ${project.id}, 'other ' || n,
        (select person_id from distinct_ids where project_id = ${project.id} and distinct_id = 'ada')
      from numbers`)

    const listed = await askActors(project, asTrend({}), 'bucket=2')
    const { text } = await askActors(project, asTrend({}), 'bucket=2&format=csv')

    const ada = listed.body.results.find(({ name }: Actor) => name === 'ada')
    expect([ada.distinct_ids.length, ada.distinct_ids_truncated]).toEqual([100, true])
    expect(text).toContain('other 150')
  })

  it('are a CSV file with a column for each property', async () => {
    const project = await newStory()
    const { text, headers } = await askActors(project, asTrend({}), 'bucket=2&format=csv')
    const [header, ...rows] = text.trimEnd().split('\r\n')

    expect(headers.get('Content-Disposition')).toContain('actors.csv')
    expect(header).toBe(
      'count,created_at,distinct_ids,id,name,properties.$browser,properties.$creator_event_uuid,properties.$initial_browser,properties.plan,recordings,type,uuid'
    )
    expect(rows.map((row) => row.split(',')[0])).toEqual(['1', '1', '1'])
  })

  it.each([
    ['bucket', 'bucket=3', {}],
    ['bucket', 'bucket=2025-06-04', {}],
    ['series', 'bucket=0&series=1', {}],
    ['compare_label', 'bucket=0&compare_label=previous', {}],
    ['breakdown_value', 'bucket=0&breakdown_value=a', {}],
    ['breakdown_value', 'bucket=0', { breakdown: '$browser' }],
    ['breakdown_value', 'bucket=0&breakdown_value=a', { breakdowns: [{ property: '$browser' }] }],
    [
      'breakdown_value',
      'bucket=0&breakdown_value=[1,2]',
      { breakdown: 'price', breakdown_histogram_bin_count: 2 }
    ],
    ['formula', 'bucket=0', { formula: 'A' }],
    ['bucket', '', {}]
  ])('are refused for a wrong or missing %s: %s %j', async (attr, point, fields) => {
    const { status, body } = await askActors(await newStory(), { ...asTrend({}), ...fields }, point)

    expect([status, body.attr]).toEqual([400, attr])
  })

  it('are refused for a breakdown value that is no list, with the form that it needs', async () => {
    const breakdowns = [{ property: '$browser' }]
    const { body } = await askActors(
      await newStory(),
      { ...asTrend({}), breakdowns },
      'bucket=0&breakdown_value=a'
    )

    expect(body.detail).toBe(
      '`breakdown_value` must be a JSON list with one text for each of the trend\'s `breakdowns` (1); got "a".'
    )
  })

  it('are refused without a series', async () => {
    const { status, body } = await askActors(await newProject(), {}, 'bucket=0')

    expect([status, body.attr]).toEqual([400, 'events'])
  })

  it('need the index of the bucket for an hour that the clock shows twice', async () => {
    const project = await newProject()
    await db.run(sql`update projects set timezone = 'Europe/Berlin' where id = ${project.id}`)
    await project.ingest([{ timestamp: Date.parse('2025-10-26T01:30:00Z') }])
    const body = {
      ...asTrend({}),
      interval: 'hour',
      date_from: '2025-10-26',
      date_to: '2025-10-26'
    }
    const named = await askActors(project, body, 'bucket=2025-10-26 02:00:00')

    expect([named.status, named.body.attr]).toEqual([400, 'bucket'])
    expect(await namesOf(project, body, 'bucket=3')).toEqual([['someone', 1]])
    expect(await namesOf(project, body, 'bucket=2')).toEqual([])
  })

  it('are the persons as of today, after merges', async () => {
    const project = await newStory()
    await project.ingest([
      {
        event: '$merge_dangerously',
        distinct_id: 'ada',
        timestamp: at('04T00:00:00'),
        properties: { alias: 'bob' }
      }
    ])

    expect(await namesOf(project, asTrend({ math: 'dau' }), 'bucket=2')).toEqual([
      ['ada', 2],
      ['x', 1]
    ])
  })
})
