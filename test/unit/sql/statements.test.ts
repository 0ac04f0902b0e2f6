import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { computeSql } from '../../../src/sql/answer.ts'
import { readSql } from '../../../src/sql/request.ts'

const NOW = new Date('2026-03-04T12:00:00Z')
const PROJECT = { id: 1, timezone: 'Europe/Berlin', weekStart: 0 }

/** Statements without a table read nothing. */
const NO_DB = undefined as never

/** Computes a statement that has no table. */
function answer(query: string, beside: Record<string, Json> = {}) {
  const settings = { ...PROJECT, testAccountFilters: [] }
  const read = readSql({ kind: 'HogQLQuery', query, ...beside }, settings, NOW)
  return computeSql({ db: NO_DB, project: PROJECT }, read, NOW)
}

const rowsOf = async (query: string, beside: Record<string, Json> = {}) =>
  (await answer(query, beside)).results

describe('a statement without a table', () => {
  it.each<[string, Json[][]]>([
    ['SELECT 1', [[1]]],
    ['select 1 = NULL, NULL = NULL, 2 != NULL, NULL < 1, true', [[0, 1, 1, 0, 1]]],
    ['SELECT 7 / 2, intDiv(7, 2), -7 % 3, 1 / 0, 0 / 0', [[3.5, 3, -1, null, null]]],
    [
      'SELECT round(2.5), round(3.5), round(3.65, 1), round(-2.5), floor(-2.5), ceil(2.1)',
      [[2, 4, 3.6, -2, -3, 3]]
    ],
    [
      "SELECT toInt('42'), toInt('4.2'), toInt('abc'), toFloat('1e3'), toFloat('')",
      [[42, null, null, 1000, null]]
    ],
    [
      "SELECT coalesce(NULL, 'a'), nullIf('a', 'a'), ifNull(NULL, 3), if(NULL, 1, 2), multiIf(0, 'x', 1, 'y', 'z'), 1 ? 'a' : 'b', NULL ?? 'z'",
      [['a', null, 3, 2, 'y', 'a', 'z']]
    ],
    [
      "SELECT lower('ÄBc'), lowerUTF8('ÄBc'), length('ä'), lengthUTF8('ä'), position('grüß', 'ß'), positionUTF8('grüß', 'ß')",
      [['Äbc', 'äbc', 2, 1, 5, 4]]
    ],
    [
      "SELECT 'a_b' LIKE 'a\\\\_b', 'axb' LIKE 'a\\\\_b', 'aXb' ILIKE 'A_B', '100%' LIKE '100\\\\%'",
      [[1, 0, 1, 1]]
    ],
    [
      "SELECT 'abc' =~ 'B', 'abc' =~* 'B', replaceRegexpOne('a1b22', '([0-9]+)', '<\\\\1>'), replaceRegexpAll('a1b22', '\\\\d', '')",
      [[0, 1, 'a<1>b22', 'ab']]
    ],
    [
      "SELECT concat('a', NULL, 1), trim('  x '), startsWith('abc', 'ab'), substring('hello', 2, 3)",
      [['a1', 'x', 1, 'ell']]
    ],
    [
      "SELECT topK(2)((x, y)) FROM (SELECT 'a' AS x, 1 AS y UNION ALL SELECT 'b', 1 UNION ALL SELECT 'c', 1 UNION ALL SELECT 'b', 1)",
      [
        [
          [
            ['b', 1],
            ['a', 1]
          ]
        ]
      ]
    ],
    ['SELECT 1 IN (1, NULL), NULL IN (1, NULL), NULL IN (1), 2 NOT IN (1)', [[1, 1, 0, 1]]],
    [
      "SELECT [10, 20][1], (1, 'a').2, 5 BETWEEN 1 AND 5, NULL NOT BETWEEN 1 AND 2",
      [[10, 'a', 1, 0]]
    ],
    [
      "SELECT toDayOfWeek(toDate('2026-03-01')), toStartOfWeek(toDate('2026-03-04')), toStartOfWeek(toDate('2026-03-04'), 3), toMonday(toDate('2026-03-01'))",
      [[7, '2026-03-01', '2026-03-02', '2026-02-23']]
    ],
    [
      "SELECT dateDiff('day', toDateTime('2026-03-01 23:59:00'), toDateTime('2026-03-02 00:01:00')), dateDiff('month', toDate('2026-01-31'), toDate('2026-02-01')), dateDiff('week', toDate('2026-03-01'), toDate('2026-03-02'))",
      [[1, 1, 1]]
    ],
    [
      "SELECT toDate('2026-01-31') + INTERVAL 1 MONTH, addMonths(toDate('2026-03-31'), -1), toDate('2026-03-04') - INTERVAL 1 WEEK",
      [['2026-02-28', '2026-02-28', '2026-02-25']]
    ],
    [
      "SELECT formatDateTime(toDateTime('2026-03-04 07:05:09'), '%Y-%m-%d %H:%i:%S'), formatDateTime(toDate('2026-03-04'), '%b %M %j %V %u')",
      [['2026-03-04 07:05:09', 'Mar March 063 10 3']]
    ],
    [
      'SELECT today(), toHour(now()), now() - INTERVAL 30 MINUTE',
      [['2026-03-04', 13, '2026-03-04T12:30:00+01:00']]
    ],
    ["SELECT 'a' = 'a' AND NOT 1 = 2 OR 0", [[1]]],
    ['SELECT -2 + 3 * -4, (1 + 2) * 3, 2 - 1 - 1', [[-14, 9, 0]]],
    ['SELECT if(0 = 0, 7, intDiv(1, 0))', [[7]]],
    ["SELECT CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN 0 THEN 'a' END", [['b', null]]],
    [
      "SELECT toString(1.0), toString(true), toString(toDate('2026-03-01'))",
      [['1', 'true', '2026-03-01']]
    ],
    [
      "SELECT toDateTime('2026-03-29 02:30:00') AS t, t + INTERVAL 1 DAY",
      [['2026-03-29T03:30:00+02:00', '2026-03-30T03:30:00+02:00']]
    ],
    ['SELECT 1 UNION ALL SELECT 2.5;', [[1], [2.5]]],
    ['SELECT n * 2 FROM (SELECT 21 AS n)', [[42]]],
    ['WITH t AS (SELECT 3 AS n) SELECT n FROM t WHERE n IN (SELECT 3)', [[3]]],
    ["SELECT 'it''s', 'a\\\\b' -- comment", [["it's", 'a\\b']]],
    ['SELECT 0x1F, 1e3, .5, 1.', [[31, 1000, 0.5, 1]]]
  ])('computes %s', async (query, expected) => {
    expect(await rowsOf(query)).toEqual(expected)
  })

  it('names columns, and types them', async () => {
    expect(await answer("SELECT 1, 'a' AS x, 1 + 2, NULL, 1.5, today()")).toMatchObject({
      columns: ['1', 'x', 'plus(1, 2)', 'NULL', '1.5', 'today()'],
      types: [
        ['1', 'UInt8'],
        ['x', 'String'],
        ['plus(1, 2)', 'Int64'],
        ['NULL', 'Nullable(Nothing)'],
        ['1.5', 'Float64'],
        ['today()', 'Date']
      ],
      hasMore: false,
      limit: 100,
      offset: 0,
      warnings: []
    })
  })

  it('fills placeholders with constants', async () => {
    const values = { a: "x' OR 1", n: 2, list: ['a', 'b'], none: null }
    const rows = await rowsOf("SELECT {a}, {n} + 1, 'b' IN {list}, {none} IS NULL", { values })

    expect(rows).toEqual([["x' OR 1", 3, 1, 1]])
  })

  it('fills variables', async () => {
    const variables = { v: { variableId: 'v', code_name: 'country', value: 'DE' } }

    expect(await rowsOf('SELECT {variables.country}', { variables })).toEqual([['DE']])
  })

  it('tells whether there are more rows than the limit', async () => {
    const union = Array.from({ length: 5 }, (_, i) => `SELECT ${i} AS n`).join(' UNION ALL ')
    const { results, hasMore, limit, offset } = await answer(
      `SELECT n FROM (${union}) ORDER BY n DESC LIMIT 2 OFFSET 1`
    )

    expect({ results, hasMore, limit, offset }).toEqual({
      results: [[3], [2]],
      hasMore: true,
      limit: 2,
      offset: 1
    })
  })

  it('puts nulls last in both directions, unless they are to come first', async () => {
    const rows = 'SELECT 2 AS n UNION ALL SELECT NULL UNION ALL SELECT 1'

    expect(await rowsOf(`SELECT n FROM (${rows}) ORDER BY n`)).toEqual([[1], [2], [null]])
    expect(await rowsOf(`SELECT n FROM (${rows}) ORDER BY n DESC`)).toEqual([[2], [1], [null]])
    expect(await rowsOf(`SELECT n FROM (${rows}) ORDER BY n NULLS FIRST`)).toEqual([
      [null],
      [1],
      [2]
    ])
  })
})

describe('an error in a statement', () => {
  it.each([
    ['', '1:1: The statement is empty: send a SELECT.'],
    ['SELECT\n  FROM events', '2:3: Expected an expression before FROM.'],
    ['SELECT 1 FROM events e JOIN persons p ON 1', '1:24: JOIN: Joins are not supported'],
    ['SELECT event e FROM events', '1:14: Expected a comma before e, or AS to name the column.'],
    [
      'INSERT INTO events VALUES (1)',
      '1:1: Expected SELECT before INSERT: only SELECT is supported.'
    ],
    ['SELECT 1; SELECT 2', '1:11: Expected the next clause'],
    ['SELECT mad(1)', '1:8: Unsupported function: mad(). Close: max().'],
    ['SELECT cast(1)', '1:8: cast() is not supported here: use toString, toFloat or toDateTime.'],
    ["SELECT if(1, 'a', 2)", '1:19: if needs values of one type, and got String and UInt8'],
    ["SELECT 1 + 'a'", "1:12: plus takes a number, and 'a' is String."],
    ['SELECT intDiv(1, 0)', '1:8: Division by zero in intDiv'],
    ["SELECT '\\d'", '1:9: \\d is not an escape: write a backslash as \\\\, so \\\\d.'],
    ["SELECT 'abc", "1:8: This text has no end: close it with '."],
    ['SELECT 017', '1:8: 017 begins with 0: write it without the leading zero.'],
    ['SELECT x', '1:8: Unable to resolve field: x. Columns here: none, since there is no FROM.'],
    ['SELECT 1 FROM event', '1:15: Unknown table event'],
    ['SELECT [1][0]', '1:12: Indexes begin at 1.'],
    ['SELECT {a}', '1:8: Unresolved placeholder {a}: send its value in `values`.'],
    ['SELECT count() OVER ()', '1:16: OVER is not supported'],
    ['SELECT 1 LIMIT 1, 2', '1:17: LIMIT takes one number here'],
    ['SELECT count(count())', '1:14: count() may not stand inside count'],
    [
      'SELECT 1 WHERE count() > 1',
      '1:24: count() is an aggregate: conditions on aggregates belong into HAVING.'
    ],
    ["SELECT 'a' =~ '(?=x)'", "1:15: '(?=x)' is not a regular expression of RE2"],
    ["SELECT toDateTime('soon')", "1:19: toDateTime cannot read 'soon'"],
    ['SELECT 9007199254740993', '1:8: 9007199254740993 is above 2^53'],
    ["SELECT toInt('9007199254740993')", '1:8: 9007199254740993 is a whole number above 2^53'],
    ['SELECT 9007199254740991 + 1', '1:25: The result is a whole number above 2^53'],
    [
      'SELECT sum(n) FROM (SELECT 9007199254740991 AS n UNION ALL SELECT 1)',
      '1:8: The sum is a whole number above 2^53'
    ],
    ['SELECT [intDiv(1, 0)]', '1:9: Division by zero'],
    ["SELECT addYears(toDate('2026-01-01'), 300000)", 'out of range'],
    [`SELECT 1${' + 1'.repeat(4_000)}`, 'More than 100 operators in a row'],
    [`SELECT [1]${'[1]'.repeat(4_000)}`, 'More than 100 members in a row'],
    [`SELECT ${'('.repeat(100)}1`, 'Nested deeper than 60 levels.']
  ])('of %j says where it is, and what to do', async (query, detail) => {
    const error = await Promise.resolve()
      .then(() => answer(query))
      .catch((caught) => caught)

    expect(error).toMatchObject({ code: 'invalid_input', attr: 'query' })
    expect(error.message).toContain(detail)
  })
})
