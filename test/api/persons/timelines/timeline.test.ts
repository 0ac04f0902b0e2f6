import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { HOUR, MINUTE } from '../../../../src/calendar/units.ts'
import type { JsonObject } from '../../../../src/input/json.ts'
import { MAX_EVENTS } from '../../../../src/persons/timelines/compute.ts'
import { PAGE_EVENTS } from '../../../../src/persons/timelines/store.ts'
import { db, newProject, type TestProject } from '../../../support/project.ts'
import { untilQuiet } from '../../../support/queue.ts'

afterAll(untilQuiet)

const OCTOBER_1 = Date.UTC(2026, 9, 1)
const RANGE = 'date_from=2026-10-01&date_to=2026-10-05'
const PLAN = `properties=${encodeURIComponent('[{"key":"plan","type":"person","value":"pro"}]')}`

/**
 * Creates Ada with an event of each name, in order and a minute apart; each event sets the
 * properties next to its name.
 */
async function newAda(...events: [name: string, set: JsonObject][]) {
  const project = await newProject()
  for (const [n, [event, $set]] of events.entries()) {
    const timestamp = OCTOBER_1 + n * MINUTE
    await project.ingest(
      [{ event, distinct_id: 'ada', timestamp, properties: { $set } }],
      timestamp
    )
  }
  const { body } = await project.call('GET', 'persons')
  return { project, path: `persons/${body.results[0].id}/`, uuid: body.results[0].uuid }
}

const timeline = (project: TestProject, path: string, query = '') =>
  project.call('GET', `${path}properties_timeline/?${RANGE}&${query}`)

type Timeline = {
  points: { timestamp: string; properties: JsonObject; relevant_event_count: number }[]
}

/** Returns the minute, the plan and the number of events of each point. */
const plans = ({ points }: Timeline) =>
  points.map(({ timestamp, properties, relevant_event_count }) => [
    (Date.parse(timestamp) - OCTOBER_1) / MINUTE,
    properties.plan,
    relevant_event_count
  ])

describe('GET persons/{id}/properties_timeline/', () => {
  it('has a point for each state of a crucial property, with all properties of the person at that time', async () => {
    const { project, path } = await newAda(
      ['a', { plan: 'free', seats: 1 }],
      ['b', { seats: 2 }],
      ['c', { plan: 'pro', seats: 3 }],
      ['d', { plan: 'free' }]
    )

    const { status, body } = await timeline(project, path, PLAN)

    const creator = { $creator_event_uuid: expect.any(String) }
    expect(status).toBe(200)
    expect(body).toEqual({
      points: [
        {
          timestamp: '2026-10-01T00:00:00Z',
          properties: { ...creator, plan: 'free', seats: 1 },
          relevant_event_count: 2
        },
        {
          timestamp: '2026-10-01T00:02:00Z',
          properties: { ...creator, plan: 'pro', seats: 3 },
          relevant_event_count: 1
        },
        {
          timestamp: '2026-10-01T00:03:00Z',
          properties: { ...creator, plan: 'free', seats: 3 },
          relevant_event_count: 1
        }
      ],
      crucial_property_keys: ['plan'],
      effective_date_from: '2026-10-01T00:00:00Z',
      effective_date_to: '2026-10-05T23:59:59.999Z'
    })
  })

  it('shows the changes of PATCH and delete_property between events', async () => {
    const { project, path } = await newAda(['a', { plan: 'free' }])
    const later = (minute: number) =>
      project.ingest([{ event: 'b', distinct_id: 'ada', timestamp: OCTOBER_1 + minute * MINUTE }])
    await project.send('PATCH', path, { properties: { plan: 'pro' } })
    await later(1)
    await project.send('PATCH', path, { properties: { plan: { name: 'team' } } })
    await project.send('PATCH', path, { properties: { plan: null } })
    await later(2)
    await project.send('POST', `${path}delete_property/`, { $unset: 'plan' })
    await later(3)
    await project.send('PATCH', path, { properties: { plan: { name: 'team' } } })
    await later(4)

    const { body } = await timeline(project, path, PLAN)

    expect(plans(body)).toEqual([
      [0, 'free', 1],
      [1, 'pro', 1],
      [2, null, 2],
      [4, { name: 'team' }, 1]
    ])
  })

  it('covers the events of all distinct ids, including those before the person was identified', async () => {
    const project = await newProject()
    const at = (minute: number) => OCTOBER_1 + minute * MINUTE
    await project.ingest(
      [
        { distinct_id: 'anon', timestamp: at(0), properties: { $process_person_profile: false } },
        { distinct_id: 'ada', timestamp: at(1), properties: { $set: { plan: 'free' } } },
        {
          event: '$identify',
          distinct_id: 'ada',
          timestamp: at(2),
          properties: { $anon_distinct_id: 'anon' }
        },
        { distinct_id: 'anon', timestamp: at(3), properties: { $set: { plan: 'pro' } } }
      ],
      at(9)
    )
    const { id } = (await project.call('GET', 'persons')).body.results[0]

    const { body } = await timeline(project, `persons/${id}/`, PLAN)

    expect(plans(body)).toEqual([
      [0, undefined, 1],
      [1, 'free', 2],
      [3, 'pro', 1]
    ])
    expect(body.points[0].properties).toEqual({})
  })

  it('follows a distinct id that is split off', async () => {
    const { project, path } = await newAda(['a', { plan: 'free' }])
    const at = OCTOBER_1 + MINUTE
    await project.ingest(
      [
        {
          event: '$create_alias',
          distinct_id: 'ada',
          timestamp: at,
          properties: { alias: 'phone', $set: { plan: 'pro' } }
        },
        { distinct_id: 'phone', timestamp: at + MINUTE }
      ],
      at + MINUTE
    )
    const { body: apart } = await project.send('POST', `${path}split/`)
    await project.ingest([
      { distinct_id: 'phone', timestamp: at + 2 * MINUTE, properties: { $set: { plan: 'team' } } }
    ])

    const whole = await timeline(project, path, PLAN)
    const part = await timeline(project, `persons/${apart.persons[0].id}/`, PLAN)

    expect(plans(whole.body)).toEqual([
      [0, 'free', 1],
      [1, 'pro', 1]
    ])
    expect(plans(part.body)).toEqual([
      [2, 'pro', 1],
      [3, 'team', 1]
    ])
  })

  it('has one point if no property is crucial', async () => {
    const { project, path } = await newAda(['a', { plan: 'free' }], ['b', { plan: 'pro' }])

    const { body } = await timeline(project, path)

    expect([plans(body), body.crucial_property_keys]).toEqual([[[0, 'free', 2]], []])
  })

  it('has no points without events in the range', async () => {
    const { project, path } = await newAda(['a', { plan: 'free' }])

    const { body } = await project.call(
      'GET',
      `${path}properties_timeline/?${PLAN}&date_from=2026-10-02&date_to=2026-10-03`
    )

    expect(body).toMatchObject({ points: [], crucial_property_keys: ['plan'] })
  })

  it.each<[string, (string | number)[][]]>([
    ['events=["a"]', [[0, 'free', 2]]],
    ['events=["b"]', [[2, 'pro', 1]]],
    [
      'events=[{"id":"a"},{"id":"b"}]',
      [
        [0, 'free', 2],
        [2, 'pro', 1]
      ]
    ],
    ['events=["never"]', []],
    [
      'events=[{"id":null}]',
      [
        [0, 'free', 2],
        [2, 'pro', 1]
      ]
    ],
    [
      'events=[]',
      [
        [0, 'free', 2],
        [2, 'pro', 1]
      ]
    ]
  ])('counts only the requested events: %s', async (query, expected) => {
    const { project, path } = await newAda(
      ['a', { plan: 'free' }],
      ['a', {}],
      ['b', { plan: 'pro' }]
    )

    const { body } = await timeline(project, path, `${PLAN}&${query}`)

    expect(plans(body)).toEqual(expected)
  })

  it('begins with the person’s first event if `date_from` is `all`', async () => {
    const { project, path } = await newAda(['a', { plan: 'free' }])

    const { body } = await project.call('GET', `${path}properties_timeline/?date_from=all`)

    expect(body.effective_date_from).toBe('2026-10-01T00:00:00Z')
    expect(plans(body)).toEqual([[0, 'free', 1]])
  })

  it.each(['a"b', 'a\\b', "a'b", '$.x', '', 'ключ', '__proto__'])(
    'has points by the crucial key %j, unless the key is empty',
    async (key) => {
      const { project, path } = await newAda(['a', {}], ['b', {}])
      await project.send('PATCH', path, {
        properties: JSON.parse(`{${JSON.stringify(key)}:{"x":[1]}}`)
      })
      await project.ingest([{ distinct_id: 'ada', timestamp: OCTOBER_1 + 10 * MINUTE }])
      const breakdown = encodeURIComponent(JSON.stringify([key, 'other']))

      const { body } = await timeline(project, path, `breakdown=${breakdown}&breakdown_type=person`)

      expect(body.points.map((point: Timeline['points'][0]) => point.relevant_event_count)).toEqual(
        key === '' ? [3] : [2, 1]
      )
    }
  )

  it('has one row for each point as CSV', async () => {
    const { project, path } = await newAda(
      ['a', { plan: 'free' }],
      ['b', { plan: 'pro', address: { city: 'Rome' } }]
    )

    const { text } = await timeline(project, path, `${PLAN}&format=csv`)

    const [header, ...rows] = text.split('\r\n')
    expect(header).toBe(
      'properties.$creator_event_uuid,properties.address.city,properties.plan,relevant_event_count,timestamp'
    )
    expect(rows.map((row) => row.replace(/^[^,]*/, ''))).toEqual([
      ',,free,1,2026-10-01T00:00:00Z',
      ',Rome,pro,1,2026-10-01T00:01:00Z',
      ''
    ])
  })

  it('is empty for a client that prefers the documented empty body', async () => {
    const { project, path } = await newAda(['a', {}])

    const { status, text } = await project.call('GET', `${path}properties_timeline/`, {
      Prefer: 'return=minimal'
    })

    expect([status, text]).toEqual([200, ''])
  })

  it.each([
    ['date_from=soon', 'date_from'],
    ['date_from=2026-10-05&date_to=2026-10-01', 'date_from'],
    ['date_to=later', 'date_to'],
    ['events=[{', 'events'],
    ['events=[{}]', 'events__0__id'],
    ['events=[{"event":"a"}]', 'events__0__event'],
    ['events=[""]', 'events__0__id'],
    ['events=[1]', 'events__0'],
    ['events=[null]', 'events__0'],
    ['actions=[{"id":1}]', 'actions'],
    ['breakdown_type=group', 'breakdown_type'],
    ['interval=year', 'interval'],
    ['properties=[{"key":"a","operator":"like","value":1}]', 'properties'],
    ['properties=x', 'properties'],
    ['format=xml', 'format']
  ])('refuses %s', async (query, attr) => {
    const { project, path } = await newAda(['a', {}])

    const { status, body } = await project.call('GET', `${path}properties_timeline/?${query}`)

    expect([status, body.type, body.attr]).toEqual([400, 'validation_error', attr])
  })

  it('does not find an unknown person', async () => {
    const { project } = await newAda(['a', {}])
    const other = await newAda(['a', {}])

    for (const id of ['999999999', other.path.split('/')[1], other.uuid]) {
      expect((await timeline(project, `persons/${id}/`)).status).toBe(404)
    }
  })
})

describe('a long timeline', () => {
  /**
   * Adds events of Ada, the first half of them in her first state and the rest in her last state,
   * spread over this many new identities of hers.
   */
  async function fill(project: TestProject, count: number, identities: number) {
    await db.run(sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${identities})
      insert or ignore into distinct_ids (key, project_id, distinct_id, person_id)
      select 5000000 + ${project.id} * 1000 + n, ${project.id}, 'more-' || n, (select max(id) from persons where project_id = ${project.id})
      from numbers`)
    const [first, last] = await db.all<{ id: number }>(sql`
      select id from person_versions where project_id = ${project.id} order by id`)
    for (let from = 0; from < count; from += 10_000) {
      await db.run(sql`
        with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${Math.min(count, from + 10_000) - 1})
        insert into events (project_id, event_id, timestamp, uuid, identity, version, properties)
        select ${project.id}, (select min(id) from event_names where project_id = ${project.id}),
               ${OCTOBER_1 + HOUR} + n / 2 * 10, randomblob(16),
               5000000 + ${project.id} * 1000 + 1 + n % ${identities},
               iif(n < ${count / 2}, ${first?.id ?? 0}, ${last?.id ?? 0}), jsonb('{}')
        from numbers`)
    }
  }
  const twoStates = () => newAda(['a', { plan: 'free' }], ['b', { plan: 'pro' }])

  it.each([1, 7, 900])(
    'is read in pages, and has each event once: %i identities',
    async (identities) => {
      const { project, path } = await twoStates()
      await fill(project, 2 * PAGE_EVENTS + 2, identities)

      const { body } = await timeline(project, path, PLAN)

      expect(plans(body).map(([, plan, count]) => [plan, count])).toEqual([
        ['free', 1],
        ['pro', 1],
        ['free', PAGE_EVENTS + 1],
        ['pro', PAGE_EVENTS + 1]
      ])
    }
  )

  it('is refused beyond the documented number of events', async () => {
    const { project, path } = await twoStates()
    await fill(project, MAX_EVENTS - 2, 3)
    const allowed = await timeline(project, path, PLAN)
    await project.ingest([{ event: 'b', distinct_id: 'ada', timestamp: OCTOBER_1 + 2 * HOUR }])

    const { status, body } = await timeline(project, path, PLAN)

    expect([allowed.status, plans(allowed.body).length]).toEqual([200, 4])
    expect([status, body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'query_too_large',
        detail: 'A timeline reads at most 50000 events: choose a shorter range.',
        attr: 'events'
      }
    ])
  })

  it('is refused beyond the documented size of its points', async () => {
    const big = 'x'.repeat(400_000)
    const { project, path } = await newAda(
      ...Array.from({ length: 11 }, (_, n): [string, JsonObject] => ['a', { plan: n, big }])
    )

    const { status, body } = await timeline(project, path, PLAN)
    const one = await timeline(project, path)

    expect([status, body.code, body.attr]).toEqual([400, 'query_too_large', 'points'])
    expect([one.status, one.body.points.length]).toEqual([200, 1])
  })
})
