import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { newProject } from '../../support/project.ts'
import { newExamples } from '../../support/sql.ts'

/** Statements with F for `FROM events`, and their rows. */
const EXAMPLES: [statement: string, rows: Json[][]][] = [
  ['SELECT count() F', [[8]]],
  [
    'SELECT event, COUNT(*) AS n F GROUP BY event ORDER BY n DESC, event',
    [
      ['$pageview', 4],
      ['purchase', 3],
      ['signup', 1]
    ]
  ],
  [
    "SELECT properties.$pathname AS p, count() AS n, count(DISTINCT person_id) AS u F WHERE event = '$pageview' GROUP BY p ORDER BY n DESC, p LIMIT 20",
    [
      ['/', 2, 2],
      ['/pricing', 2, 2]
    ]
  ],
  [
    "SELECT countIf(event = 'purchase'), uniqIf(person_id, timestamp >= toDateTime('2026-03-03')), uniq(person_id), count(DISTINCT properties.$browser) F",
    [[3, 1, 3, 3]]
  ],
  [
    'SELECT toDate(timestamp) AS d, count() F GROUP BY d ORDER BY d',
    [
      ['2026-03-01', 2],
      ['2026-03-02', 3],
      ['2026-03-03', 2],
      ['2026-03-04', 1]
    ]
  ],
  [
    'SELECT toStartOfDay(timestamp) AS d, uniq(person_id) F GROUP BY d ORDER BY d LIMIT 2',
    [
      ['2026-03-01T00:00:00+01:00', 1],
      ['2026-03-02T00:00:00+01:00', 2]
    ]
  ],
  ['SELECT toStartOfWeek(timestamp) AS w, count() F GROUP BY w ORDER BY w', [['2026-03-01', 8]]],
  [
    "SELECT toHour(timestamp) AS h, count() F WHERE event = '$pageview' GROUP BY h ORDER BY h",
    [
      [0, 1],
      [9, 2],
      [11, 1]
    ]
  ],
  [
    "SELECT formatDateTime(timestamp, '%Y-%m') AS m, sum(properties.price) F GROUP BY m",
    [['2026-03', 32.5]]
  ],
  [
    'SELECT avg(properties.price), min(properties.price), max(properties.price), count(properties.price) F',
    [[10.833333333333334, 2.5, 20, 3]]
  ],
  ['SELECT median(properties.price), quantile(0.9)(properties.price) F', [[10, 18]]],
  [
    "SELECT count(), sum(properties.price), avg(properties.price), min(timestamp), any(event), uniq(person_id), sum(1) F WHERE event = 'nope'",
    [[0, null, null, '1970-01-01T01:00:00+01:00', '', 0, 0]]
  ],
  ["SELECT event, count() F WHERE event = 'nope' GROUP BY event", []],
  [
    "SELECT properties.note IS NULL, properties.note = '', properties.note F WHERE event != '$pageview' ORDER BY timestamp",
    [
      [1, 0, null],
      [0, 1, ''],
      [0, 0, 'null'],
      [0, 0, 'grüß 100%']
    ]
  ],
  [
    "SELECT properties.vip, count() F WHERE event = 'purchase' GROUP BY properties.vip ORDER BY properties.vip",
    [
      [false, 1],
      [true, 2]
    ]
  ],
  [
    'SELECT countIf(properties.vip), countIf(NOT properties.vip), countIf(properties.vip = false), countIf(properties.vip != true) F',
    [[2, 1, 1, 6]]
  ],
  [
    "SELECT properties.item, properties.item.sku, properties['item']['sku'], properties.item.tags[1], properties.item.tags.2, properties.item.no F WHERE event = 'purchase' ORDER BY timestamp LIMIT 1",
    [['{"sku":"a1","tags":["x","y"]}', 'a1', 'a1', 'x', 'y', null]]
  ],
  [
    "SELECT properties.qty, toFloat(properties.qty), toInt(properties.qty) F WHERE event = 'purchase' ORDER BY timestamp",
    [
      ['2', 2, 2],
      ['two', null, null],
      ['3', 3, 3]
    ]
  ],
  [
    "SELECT sum(toFloat(properties.qty)), countIf(toFloat(properties.qty) > 2), avgIf(properties.price, properties.qty = '2') F",
    [[5, 1, 10]]
  ],
  [
    "SELECT countIf(properties.note != 'x'), countIf(properties.note NOT LIKE '%100%'), countIf(properties.note LIKE '%') F",
    [[8, 7, 3]]
  ],
  [
    "SELECT countIf(properties.$browser IN ('Chrome', 'Safari')), countIf(properties.$browser NOT IN ('Chrome', 'Safari')) F",
    [[3, 5]]
  ],
  ['SELECT properties.price F ORDER BY properties.price DESC LIMIT 4', [[20], [10], [2.5], [null]]],
  [
    'SELECT person.properties.email AS email, count() AS n, min(timestamp) AS first F GROUP BY email HAVING n > 2 ORDER BY n DESC, email',
    [
      ['ada@x.io', 3, '2026-03-01T09:00:00+01:00'],
      [null, 3, '2026-03-03T11:00:00+01:00']
    ]
  ],
  [
    'SELECT distinct_id, argMin(properties.$pathname, timestamp), argMax(event, timestamp) F GROUP BY distinct_id ORDER BY distinct_id',
    [
      ['ada', '/', 'purchase'],
      ['bob', '/', 'purchase'],
      ['cem', '/pricing', 'signup']
    ]
  ],
  ['SELECT any(properties.$browser), topK(2)(event) F', [['Chrome', ['$pageview', 'purchase']]]],
  [
    'SELECT event, timestamp, distinct_id F ORDER BY timestamp DESC LIMIT 2',
    [
      ['signup', '2026-03-04T12:59:00+01:00', 'cem'],
      ['purchase', '2026-03-03T11:01:00+01:00', 'cem']
    ]
  ],
  [
    'SELECT event, timestamp F ORDER BY timestamp LIMIT 1 OFFSET 1',
    [['$pageview', '2026-03-01T09:00:05.250000+01:00']]
  ],
  [
    `SELECT count() F WHERE event IN ('signup', ${Array.from({ length: 20 }, (_, i) => `'no ${i}'`).join(', ')})`,
    [[1]]
  ],
  ['SELECT count() F WHERE timestamp > now() - INTERVAL 1 DAY', [[1]]],
  ['SELECT count() F WHERE timestamp >= today() - INTERVAL 1 DAY', [[3]]],
  ["SELECT count() F WHERE toDate(timestamp) = '2026-03-02'", [[3]]],
  ["SELECT count() F WHERE (timestamp BETWEEN '2026-03-02' AND '2026-03-03')", [[3]]],
  ["SELECT count() F WHERE timestamp >= toDateTime('2026-03-03T10:00:00Z')", [[3]]],
  [
    "SELECT toDate(toTimeZone(timestamp, 'UTC')) AS d, count() F GROUP BY d ORDER BY d",
    [
      ['2026-03-01', 3],
      ['2026-03-02', 2],
      ['2026-03-03', 2],
      ['2026-03-04', 1]
    ]
  ],
  [
    "SELECT count(), countIf(n = 1) FROM (SELECT $session_id AS s, count() AS n F WHERE event = '$pageview' AND s != '' GROUP BY s)",
    [[3, 2]]
  ],
  [
    'SELECT d, count() FROM (SELECT person_id, min(toDate(timestamp)) AS d F GROUP BY person_id) GROUP BY d ORDER BY d',
    [
      ['2026-03-01', 1],
      ['2026-03-02', 1],
      ['2026-03-03', 1]
    ]
  ],
  ["SELECT count() F WHERE person_id IN (SELECT person_id F WHERE event = 'signup')", [[3]]],
  [
    "SELECT 'a' AS k, count() AS n F WHERE event = 'signup' UNION ALL SELECT 'b', count() F WHERE event = 'purchase'",
    [
      ['a', 1],
      ['b', 3]
    ]
  ],
  [
    'SELECT DISTINCT properties.$browser AS b F WHERE b IS NOT NULL ORDER BY b',
    [['Chrome'], ['Firefox'], ['Safari']]
  ],
  [
    'WITH p AS (SELECT person_id, count() AS n F GROUP BY person_id) SELECT max(n), avg(n) FROM p',
    [[3, 2.6666666666666665]]
  ],
  [
    "SELECT CASE WHEN event = 'purchase' THEN 'buy' ELSE 'other' END AS k, count() F GROUP BY k ORDER BY k -- comment",
    [
      ['buy', 3],
      ['other', 5]
    ]
  ],
  [
    "SELECT session.$session_duration AS d, uniq($session_id) F WHERE $session_id = 's1' GROUP BY 1",
    [[5, 1]]
  ],
  [
    'SELECT event, count() AS n F GROUP BY event ORDER BY event LIMIT 1 BY n LIMIT 2',
    [
      ['$pageview', 4],
      ['purchase', 3]
    ]
  ],
  [
    "SELECT countIf(toString(person_id) = 'x'), uniq(toString(person_id)), uniq(distinct_id) F",
    [[0, 3, 3]]
  ]
]

const FAULTS = [
  [
    'SELECT sum(properties.qty) F',
    '1:12: sum takes a number, and properties.qty is Nullable(String): write toFloat(properties.qty).'
  ],
  ['SELECT count() F WHERE properties.qty > 2', 'Write toFloat(properties.qty).'],
  ['SELECT event, count() F', '1:8: event must be in GROUP BY or inside an aggregate'],
  ['SELECT count() AS n F WHERE n > 1', 'conditions on aggregates belong into HAVING.'],
  ['SELECT quantile(properties.price) F', "1:8: Aggregation 'quantile' requires parameters"],
  ['SELECT evnt F', '1:8: Unable to resolve field: evnt. Did you mean: event?'],
  [
    "SELECT count() F WHERE properties.price = 'cheap'",
    "'cheap' cannot be compared with properties.price"
  ],
  ['SELECT created_at F', '1:8: created_at is not a column here: the time of receipt is not kept'],
  ['SELECT $group_0 F', '1:8: $group_0: there are no groups here.'],
  ['SELECT constructor F', '1:8: Unable to resolve field: constructor.'],
  ['SELECT session.$nope F', '1:16: Unable to resolve field: session.$nope.'],
  ['SELECT person.name F', '1:15: Unable to resolve field: person.name.'],
  [
    'SELECT 1 FROM groups',
    '1:15: Unknown table groups: the tables here are events, persons and sessions.'
  ],
  ['SELECT 1 FROM system.tables', '1:15: Unknown table system.tables']
]

const written = (statement: string): string => statement.replaceAll(/ F(?= |\)|$)/g, ' FROM events')

describe.each([{ isSealed: false }, { isSealed: true }])(
  'a HogQLQuery of events, $isSealed',
  ({ isSealed }) => {
    it('answers the examples', async () => {
      const project = await newExamples({ isSealed })

      const answers: [string, unknown][] = []
      for (const [statement] of EXAMPLES) {
        const answer = await project
          .answer(written(statement))
          .catch((error) => ({ results: error.message }))
        answers.push([statement, answer.results])
      }

      expect(answers).toEqual(EXAMPLES)
    })

    it('answers them step by step', async () => {
      const project = await newExamples({ isSealed })

      const answers: [string, unknown][] = []
      for (const [statement] of EXAMPLES) {
        answers.push([statement, (await project.answer(written(statement), {}, 1)).results])
      }

      expect(answers).toEqual(EXAMPLES)
    })

    it('lists persons by their UUIDs', async () => {
      const project = await newExamples({ isSealed })
      const listed = await project.call('GET', 'persons/')
      const uuids = listed.body.results.map(({ uuid }: { uuid: string }) => uuid).sort()

      const { results, types } = await project.answer(
        'SELECT person_id, count() FROM events GROUP BY person_id ORDER BY person_id'
      )

      expect(results.map(([uuid]) => uuid)).toEqual(uuids)
      expect(types[0]).toEqual(['person_id', 'UUID'])
    })

    it('fills in filters', async () => {
      const project = await newExamples({ isSealed })
      const counts = async (filters: JsonObject) => {
        const query = 'SELECT count() FROM events WHERE event = {e} AND {filters}'
        const { results } = await project.answer(query, { values: { e: 'purchase' }, filters })
        return results
      }

      expect(await counts({ dateRange: { date_from: '2026-03-03' } })).toEqual([[1]])
      expect(await counts({ dateRange: { date_from: '-1d', date_to: '2026-03-04' } })).toEqual([
        [1]
      ])
      expect(
        await counts({
          properties: [{ type: 'person', key: 'plan', operator: 'exact', value: 'pro' }]
        })
      ).toEqual([[1]])
      expect(await counts({})).toEqual([[3]])
    })

    it('begins weeks as the project does', async () => {
      const project = await newExamples({ isSealed, weekStart: 1 })

      const { results } = await project.answer(
        'SELECT toStartOfWeek(timestamp) AS w, count() FROM events GROUP BY w ORDER BY w'
      )

      expect(results).toEqual([
        ['2026-02-23', 2],
        ['2026-03-02', 6]
      ])
    })

    it('refuses what it cannot answer', async () => {
      const project = await newExamples({ isSealed })

      for (const [statement = '', detail] of FAULTS) {
        const error = await project.answer(written(statement)).catch((caught) => caught)
        expect(error).toMatchObject({ code: 'invalid_input', attr: 'query' })
        expect(error.message).toContain(detail)
      }
    })
  }
)

describe('POST query/ with a HogQLQuery', () => {
  it('answers with rows, columns, types', async () => {
    const { send } = await newProject()

    const { status, body } = await send('POST', 'query/', {
      query: { kind: 'HogQLQuery', query: 'SELECT event, count() AS n FROM events GROUP BY event' }
    })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      results: [],
      columns: ['event', 'n'],
      types: [
        ['event', 'String'],
        ['n', 'UInt64']
      ],
      hasMore: false,
      limit: 100,
      offset: 0,
      query: 'SELECT event, count() AS n FROM events GROUP BY event',
      clickhouse: null,
      error: null
    })
    expect(body.warnings).toHaveLength(1)
  })

  it('names the place of an error', async () => {
    const { send } = await newProject()

    const { status, body } = await send('POST', 'query/', {
      query: { kind: 'DataTableNode', source: { kind: 'HogQLQuery', query: 'SELECT\n  mad(1)' } }
    })

    expect([status, body.code, body.attr, body.detail]).toEqual([
      400,
      'invalid_input',
      'query__source__query',
      '2:3: Unsupported function: mad(). Close: max().'
    ])
  })

  it('needs the scope of persons for their properties', async () => {
    const { send } = await newProject({ scopes: ['query:read'] })
    const ask = async (query: string) =>
      (await send('POST', 'query/', { query: { kind: 'HogQLQuery', query } })).status

    expect(await ask('SELECT uniq(person_id), uniq(person.id) FROM events')).toBe(200)
    expect(await ask('SELECT person.properties.email FROM events')).toBe(403)
    expect(await ask("SELECT person['properties']['email'] FROM events")).toBe(403)
  })

  it('reads the events of its own project only', async () => {
    await newExamples({ isSealed: false })
    const { send } = await newProject()

    const { body } = await send('POST', 'query/', {
      query: { kind: 'HogQLQuery', query: 'SELECT count() FROM events' }
    })

    expect(body.results).toEqual([[0]])
  })
})
