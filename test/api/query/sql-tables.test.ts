import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { SLOT } from '../../../src/columns/slots/store.ts'
import type { Json } from '../../../src/input/json.ts'
import { computeSql } from '../../../src/sql/answer.ts'
import { readSql } from '../../../src/sql/request.ts'
import { holdErasures } from '../../support/erasures.ts'
import { db, newProject } from '../../support/project.ts'
import { NOW, newExamples } from '../../support/sql.ts'

type Example = [statement: string, rows: Json[][]]

const PERSONS: Example[] = [
  ['SELECT count() FROM persons', [[3]]],
  [
    'SELECT properties.email, properties.age, created_at, is_identified FROM persons ORDER BY created_at',
    [
      ['ada@x.io', 36, '2026-03-01T09:00:00+01:00', false],
      ['Bob@Y.de', null, '2026-03-02T00:30:00+01:00', false],
      [null, null, '2026-03-03T11:00:00+01:00', false]
    ]
  ],
  [
    'SELECT properties.plan, count() AS n FROM persons GROUP BY properties.plan ORDER BY n DESC, 1',
    [
      ['free', 1],
      ['pro', 1],
      [null, 1]
    ]
  ],
  ["SELECT properties.plan FROM persons WHERE properties.email ILIKE '%y.DE'", [['free']]],
  ["SELECT count() FROM persons p WHERE p.created_at >= '2026-03-02'", [[2]]],
  [
    `SELECT p.properties LIKE '%"email":"Bob@Y.de","plan":"free"}' FROM persons AS p ORDER BY p.created_at DESC LIMIT 1 OFFSET 1`,
    [[1]]
  ],
  [
    'SELECT pdi.distinct_id FROM persons WHERE properties.plan IS NOT NULL ORDER BY pdi.distinct_id',
    [['ada'], ['bob']]
  ],
  [
    "SELECT created_at > '2026-03-02' AS late, count() FROM persons GROUP BY late ORDER BY late",
    [
      [0, 1],
      [1, 2]
    ]
  ],
  [
    "SELECT count() FROM events WHERE person_id IN (SELECT id FROM persons WHERE properties.plan = 'pro')",
    [[3]]
  ],
  [
    "SELECT count() FROM persons WHERE id IN (SELECT person_id FROM events WHERE event = 'signup')",
    [[1]]
  ],
  ['SELECT uniq(id), uniq(toString(id)), any(properties.email) FROM persons', [[3, 3, 'ada@x.io']]],
  ["SELECT count() FROM persons WHERE id = '00000000-0000-0000-0000-000000000000'", [[0]]],
  ['SELECT DISTINCT is_identified FROM persons', [[false]]]
]

const SESSIONS: Example[] = [
  [
    'SELECT session_id, $start_timestamp, $session_duration, $pageview_count FROM sessions ORDER BY $start_timestamp LIMIT 1',
    [['s1', '2026-03-01T09:00:00+01:00', 5, 2]]
  ],
  ['SELECT count(), sum($pageview_count), avg($session_duration) FROM sessions', [[5, 4, 13]]],
  [
    'SELECT session_id, $is_bounce, duration, $entry_pathname, $exit_pathname, distinct_id FROM sessions ORDER BY session_id',
    [
      ['s1', false, 5, '/', '/pricing', 'ada'],
      ['s2', true, 0, '/', '/', 'bob'],
      ['s3', null, 0, null, null, 'ada'],
      ['s4', null, 0, null, null, 'bob'],
      ['s5', false, 60, '/pricing', '/pricing', 'cem']
    ]
  ],
  ["SELECT count() FROM sessions WHERE $start_timestamp > '2026-03-02'", [[4]]],
  [
    "SELECT session_id FROM sessions s WHERE s.$end_timestamp = '2026-03-03T11:01:00' AND s.$screen_count = 0",
    [['s5']]
  ],
  [
    'SELECT $entry_pathname AS p, count() AS n, countIf($is_bounce) FROM sessions GROUP BY p ORDER BY n DESC, p',
    [
      ['/', 2, 1],
      [null, 2, 0],
      ['/pricing', 1, 0]
    ]
  ],
  ["SELECT sum($pageview_count), max($session_duration) FROM sessions WHERE id = 'x'", [[0, 0]]],
  [
    'SELECT count() FROM events WHERE $session_id IN (SELECT session_id FROM sessions WHERE $is_bounce)',
    [[1]]
  ],
  [
    "SELECT session.$is_bounce, count() FROM events WHERE event = '$pageview' GROUP BY session.$is_bounce ORDER BY 1",
    [
      [false, 3],
      [true, 1]
    ]
  ],
  ['SELECT uniq(toDate($start_timestamp)) FROM sessions', [[3]]]
]

const EVENTS: Example[] = [
  [
    "SELECT properties FROM events WHERE event = 'purchase' ORDER BY timestamp LIMIT 1",
    [
      [
        '{"$session_id":"s3","price":10,"qty":"2","vip":"true","item":{"sku":"a1","tags":["x","y"]}}'
      ]
    ]
  ],
  [
    `SELECT event, person.created_at, person.properties LIKE '%"$browser":"Safari"%' FROM events ORDER BY timestamp DESC LIMIT 1`,
    [['signup', '2026-03-03T11:00:00+01:00', 1]]
  ],
  ["SELECT uniq(uuid), count() FROM events WHERE properties LIKE '%grüß%'", [[1, 1]]],
  ['SELECT $window_id, elements_chain FROM events ORDER BY timestamp LIMIT 1', [['', '']]],
  [
    "SELECT length(toString(uuid)), person.properties LIKE '%ada@x.io%' FROM events WHERE event = '$pageview' ORDER BY timestamp LIMIT 1",
    [[36, 1]]
  ],
  ['SELECT count() FROM (SELECT uuid, properties FROM events)', [[8]]],
  [
    "SELECT event, JSON FROM (SELECT event, properties AS JSON, uuid FROM events WHERE event = 'signup')",
    [['signup', '{"note":"grüß 100%"}']]
  ],
  [
    'SELECT pdi.distinct_id, pdi.person.properties.plan FROM events ORDER BY timestamp LIMIT 1',
    [['ada', 'pro']]
  ]
]

const ALL = [...PERSONS, ...SESSIONS, ...EVENTS]

const FAULTS = [
  ['SELECT person_id FROM persons', '1:8: Unable to resolve field: person_id.'],
  ['SELECT pdi.person_id FROM persons', '1:8: Unable to resolve field: pdi.person_id.'],
  ['SELECT $urls FROM sessions', '1:8: $urls is not kept here: use topK(100)'],
  ['SELECT $nope FROM sessions', '1:8: Unable to resolve field: $nope.'],
  ['SELECT constructor FROM sessions', '1:8: Unable to resolve field: constructor.'],
  [
    'SELECT 1 FROM persons WHERE {filters}',
    '{filters} can stand in a SELECT from events or sessions'
  ],
  ['SELECT 1 FROM persons JOIN events ON 1', 'Joins are not supported'],
  ['SELECT 1 FROM persons, events', 'Joins are not supported'],
  ['SELECT properties.email FROM sessions', '1:8: Unable to resolve field: properties.email.']
]

describe.each([{ isSealed: false }, { isSealed: true }])(
  'the tables of statements, $isSealed',
  ({ isSealed }) => {
    it.each([131_072, 1])('answer the examples in steps of %i events', async (stepEvents) => {
      const project = await newExamples({ isSealed })

      const answers: [string, unknown][] = []
      for (const [statement] of ALL) {
        const answer = await project
          .answer(statement, {}, stepEvents)
          .catch((error) => ({ results: error.message }))
        answers.push([statement, answer.results])
      }

      expect(answers).toEqual(ALL)
    })

    it('have all columns', async () => {
      const project = await newExamples({ isSealed })
      const persons = await project.call('GET', 'persons/')
      const ada = persons.body.results.at(-1)

      const events = await project.answer('SELECT * FROM events ORDER BY timestamp LIMIT 1')
      const { results, columns, types } = await project.answer(
        'SELECT * FROM persons ORDER BY created_at LIMIT 1'
      )
      const sessions = await project.answer('SELECT s.* FROM sessions s ORDER BY session_id')

      const [first = []] = events.results
      expect(Object.fromEntries(events.columns.map((name, i) => [name, first[i]]))).toEqual({
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        event: '$pageview',
        properties: expect.stringContaining('"$pathname":"/"'),
        timestamp: '2026-03-01T09:00:00+01:00',
        distinct_id: 'ada',
        elements_chain: '',
        $session_id: 's1',
        $window_id: '',
        person_id: ada.uuid
      })
      expect(columns).toEqual(['id', 'created_at', 'properties', 'is_identified'])
      expect(types.map(([, type]) => type)).toEqual([
        'UUID',
        "DateTime64(6, 'Europe/Berlin')",
        'String',
        'Bool'
      ])
      expect(results).toEqual([
        [ada.uuid, '2026-03-01T09:00:00+01:00', JSON.stringify(ada.properties), false]
      ])
      expect(sessions.columns.slice(0, 4)).toEqual([
        'session_id',
        'distinct_id',
        '$start_timestamp',
        '$end_timestamp'
      ])
      expect(sessions.results).toHaveLength(5)
      expect(new Map(sessions.types).get('$session_duration')).toBe('Int64')
    })

    it('filter sessions by the time of their beginning', async () => {
      const project = await newExamples({ isSealed })
      const ask = (filters: Record<string, Json>) =>
        project.answer('SELECT count() FROM sessions WHERE {filters}', { filters })

      const { results } = await ask({
        dateRange: { date_from: '2026-03-02', date_to: '2026-03-03' }
      })
      const properties = [{ type: 'event', key: 'a', value: 'b' }]
      const error = await ask({ properties }).catch(({ message }) => message)

      expect(results).toEqual([[3]])
      expect(error).toContain('{filters} with properties can stand in a SELECT from events only')
    })

    it('show a merged person once, and no erased one', async () => {
      const project = await newExamples({ isSealed })
      await project.ingest(
        [
          {
            event: '$identify',
            distinct_id: 'ada',
            timestamp: NOW.getTime(),
            properties: { $anon_distinct_id: 'bob', $session_id: 's6' }
          }
        ],
        NOW.getTime()
      )
      const rowsOf = async (statement: string) => (await project.answer(statement)).results

      expect(await rowsOf('SELECT properties.email FROM persons ORDER BY created_at')).toEqual([
        ['Bob@Y.de'],
        [null]
      ])
      expect(
        await rowsOf('SELECT pdi.distinct_id, is_identified FROM persons ORDER BY pdi.distinct_id')
      ).toEqual([
        ['ada', true],
        ['bob', true],
        ['cem', false]
      ])
      expect(
        await rowsOf(
          'SELECT count() FROM events WHERE person_id IN (SELECT id FROM persons LIMIT 1)'
        )
      ).toEqual([[6]])

      const listed = await project.call('GET', 'persons/')
      const { uuid } = listed.body.results.find(({ name }: { name: string }) => name !== 'cem')
      const erasures = holdErasures()
      const erased = await erasures.call(project, 'DELETE', `persons/${uuid}/`)
      await erasures.drain()

      expect(erased.status).toBeLessThan(300)
      expect(await rowsOf('SELECT pdi.distinct_id FROM persons')).toEqual([['cem']])
      const events = 'SELECT person.created_at, person.properties, distinct_id FROM events'
      expect(await rowsOf(`${events} WHERE timestamp < '2026-03-02' LIMIT 1`)).toEqual([
        [null, '{}', null]
      ])
      expect(await rowsOf("SELECT distinct_id FROM sessions WHERE session_id = 's1'")).toEqual([
        [null]
      ])
    })

    it('read many properties of persons', async () => {
      const project = await newExamples({ isSealed })
      const listed = (prefix: string, count: number) =>
        Array.from({ length: count }, (_, i) => `${prefix}properties.plan${i || ''}`).join()
      const others = (count: number) => Array.from({ length: count }, () => null)

      const { results } = await project.answer(
        `SELECT ${listed('', 80)} FROM persons ORDER BY created_at LIMIT 1`
      )
      const { results: ofEvents } = await project.answer(
        `SELECT ${listed('person.', 120)} FROM events ORDER BY timestamp LIMIT 1`
      )

      expect(results).toEqual([['pro', ...others(79)]])
      expect(ofEvents).toEqual([['pro', ...others(119)]])
      await expect(project.answer(`SELECT ${listed('', 81)} FROM persons`)).rejects.toMatchObject({
        code: 'invalid_input',
        attr: 'query',
        message: expect.stringContaining('at most 80 properties of the table persons')
      })
    })

    it('refuse what they cannot answer', async () => {
      const project = await newExamples({ isSealed })
      const filters = { dateRange: { date_from: '-1d' } }

      for (const [statement = '', detail] of FAULTS) {
        const error = await project.answer(statement, { filters }).catch((caught) => caught)
        expect(error).toMatchObject({ code: 'invalid_input', attr: 'query' })
        expect(error.message).toContain(detail)
      }
    })
  }
)

/** Makes a project look as if it had many more events on 1 June 2025, of each name. */
const pretendEvents = (projectId: number, count: number) =>
  db.run(sql`
    insert into event_counts (project_id, event_id, slot, count)
    select project_id, id, ${Date.parse('2025-06-01T00:00:00Z') / SLOT}, ${count} from event_names
    where project_id = ${projectId}`)

describe('a statement with what only rows have', () => {
  it('is refused before work begins if it would read too many of them', async () => {
    const project = await newExamples({ isSealed: true })
    await pretendEvents(project.id, 500_000)
    const ask = (statement: string) =>
      project.answer(statement).then(
        ({ results }) => results,
        ({ code, attr, message }) => [code, attr, message]
      )

    expect(await ask('SELECT uniq(uuid) FROM events')).toEqual([
      'query_too_large',
      'rows',
      'The statement would read 1500008 events with their UUIDs or all their properties, and at most 1000000 are allowed: narrow timestamp, or name a property, such as properties.$browser.'
    ])
    expect(await ask("SELECT count() FROM events WHERE properties LIKE '%a%'")).toContain(
      'The statement would read 1500008 events with their UUIDs or all their properties, and at most 150000 are allowed: narrow timestamp, or name a property, such as properties.$browser.'
    )
    expect(await ask('SELECT uniq(uuid) FROM events WHERE timestamp > today() - 9')).toEqual([[8]])
    expect(await ask("SELECT uniq(uuid) FROM events WHERE event = 'signup'")).toEqual([[1]])
    expect(await ask('SELECT uniq(distinct_id) FROM events')).toEqual([[3]])
  })

  it('reads the rows of its answer only', async () => {
    const project = await newExamples({ isSealed: true })
    await pretendEvents(project.id, 500_000)
    const ask = async (statement: string) => (await project.answer(statement)).results

    expect(
      await ask(
        'SELECT properties, uuid IS NOT NULL FROM events WHERE properties.price > 5 ORDER BY properties.price DESC LIMIT 1'
      )
    ).toEqual([[expect.stringContaining('"price":20'), 1]])
    expect(
      await ask(
        'SELECT event, properties.note, uuid IS NULL FROM events ORDER BY timestamp DESC LIMIT 1'
      )
    ).toEqual([['signup', 'grüß 100%', 0]])
    expect(
      await ask(
        'SELECT event FROM (SELECT event, uuid FROM events ORDER BY timestamp DESC LIMIT 2 OFFSET 1)'
      )
    ).toEqual([['purchase'], ['$pageview']])
    expect(
      await ask('SELECT event, uuid IS NULL FROM events LIMIT 1 BY event LIMIT 9')
    ).toHaveLength(3)
  })

  it('has properties of 20 million characters at most', async () => {
    const project = await newProject()
    const events = Array.from({ length: 30 }, (_, i) => ({
      distinct_id: 'ada',
      timestamp: NOW.getTime() - i,
      properties: { text: 'x'.repeat(30_000), i }
    }))
    await project.ingest(events, NOW.getTime())
    for (let doubled = 0; doubled < 5; doubled += 1) {
      await db.run(sql`
        insert into events (project_id, event_id, timestamp, uuid, identity, properties)
        select project_id, event_id, timestamp, randomblob(16), identity, properties from events
        where project_id = ${project.id}`)
    }
    await db.run(sql`
      update event_counts set count = 32 * count where project_id = ${project.id}`)
    const settings = { id: project.id, timezone: 'UTC', weekStart: 0 }
    const ask = (query: string) => {
      const node = { kind: 'HogQLQuery', query }
      const read = readSql(node, { ...settings, testAccountFilters: [] }, NOW)
      return computeSql({ db, project: settings }, read, NOW).then(
        ({ results }) => results,
        ({ code, attr }) => [code, attr]
      )
    }

    expect(await ask('SELECT properties FROM events LIMIT 900')).toEqual([
      'query_too_large',
      'limit'
    ])
    expect(await ask('SELECT length(properties) > 30000 FROM events LIMIT 900')).toHaveLength(900)
    expect(
      await ask(
        'SELECT properties LIKE \'%,"i":0}\', properties FROM events ORDER BY properties.i LIMIT 1'
      )
    ).toEqual([[1, expect.stringContaining('"i":0')]])
    expect(
      await ask('SELECT properties FROM events ORDER BY length(properties), properties.i LIMIT 1')
    ).toHaveLength(1)
  }, 30_000)

  it('reads large persons page by page', async () => {
    const project = await newProject()
    const events = Array.from({ length: 40 }, (_, i) => ({
      distinct_id: `d${i}`,
      properties: { $set: { text: 'x'.repeat(120_000), i } }
    }))
    await project.ingest(events)
    const settings = { id: project.id, timezone: 'UTC', weekStart: 0 }
    const ask = async (query: string) => {
      const node = { kind: 'HogQLQuery', query }
      const read = readSql(node, { ...settings, testAccountFilters: [] }, NOW)
      return (await computeSql({ db, project: settings }, read, NOW)).results
    }

    expect(await ask('SELECT count(), sum(length(properties.text)) FROM persons')).toEqual([
      [40, 4_800_000]
    ])
    expect(await ask('SELECT uniq(properties) FROM persons')).toEqual([[40]])
    expect(
      await ask(
        'SELECT properties.i, pdi.distinct_id FROM persons ORDER BY created_at DESC, properties.i DESC LIMIT 2'
      )
    ).toEqual([
      [39, 'd39'],
      [38, 'd38']
    ])
  }, 30_000)

  it('has all events of a moment', async () => {
    const project = await newProject()
    const events = Array.from({ length: 7 }, (_, i) => ({
      event: i % 2 ? 'a' : 'b',
      distinct_id: `d${i}`,
      timestamp: NOW.getTime(),
      properties: { i }
    }))
    await project.ingest(events, NOW.getTime())
    const settings = { id: project.id, timezone: 'UTC', weekStart: 0 }
    const query =
      'SELECT properties.i, uuid IS NULL FROM events WHERE properties.i > 1 ORDER BY timestamp, properties.i DESC LIMIT 3'
    const read = readSql(
      { kind: 'HogQLQuery', query },
      { ...settings, testAccountFilters: [] },
      NOW
    )

    const { results, hasMore } = await computeSql({ db, project: settings }, read, NOW)

    expect([results, hasMore]).toEqual([
      [
        [6, 0],
        [5, 0],
        [4, 0]
      ],
      true
    ])
  })
})

describe('POST query/ with a HogQLQuery of persons or sessions', () => {
  it('needs the scope of persons for persons', async () => {
    const { send } = await newProject({ scopes: ['query:read'] })
    const ask = async (query: string) =>
      (await send('POST', 'query/', { query: { kind: 'HogQLQuery', query } })).status

    expect(await ask('SELECT count() FROM sessions')).toBe(200)
    expect(await ask('SELECT * FROM events')).toBe(200)
    expect(await ask('SELECT id FROM persons')).toBe(403)
    expect(await ask('SELECT p.id FROM "Persons" p')).toBe(403)
    expect(await ask('SELECT person.created_at FROM events')).toBe(403)
    expect(await ask('SELECT 1 WHERE 1 IN (SELECT 1 FROM persons)')).toBe(403)
  })

  it.each(['events', 'persons', 'sessions'])('reads %s of its own project only', async (table) => {
    await newExamples({ isSealed: false })
    const { send } = await newProject()

    const { body } = await send('POST', 'query/', {
      query: { kind: 'HogQLQuery', query: `SELECT * FROM ${table}` }
    })

    expect(body.results).toEqual([])
  })
})
