import { expect, it } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { computeSql } from '../../../src/sql/answer.ts'
import { readSql } from '../../../src/sql/request.ts'

const NOW = new Date('2026-03-04T12:00:00Z')
const PROJECT = { id: 1, timezone: 'Europe/Berlin', weekStart: 0 }

/** Statements without a table read nothing. */
const NO_DB = undefined as never

/** Computes a list of expressions. */
function answer(expressions: string) {
  const node = { kind: 'HogQLQuery', query: `SELECT ${expressions}` }
  const read = readSql(node, { ...PROJECT, testAccountFilters: [] }, NOW)
  return computeSql({ db: NO_DB, project: PROJECT }, read, NOW)
}

it.each<[string, Json[]]>([
  // The weeks of 1 January, by MySQL's table of modes.
  [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((mode) => `toWeek(toDate('2026-01-01'), ${mode})`).join(),
    [0, 1, 52, 1, 0, 0, 53, 52, 1, 1]
  ],
  [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((mode) => `toWeek(toDate('2024-12-31'), ${mode})`).join(),
    [52, 53, 52, 1, 53, 53, 1, 53, 1, 1]
  ],
  [
    "toStartOfInterval(toDateTime('2026-03-29 03:30:00'), INTERVAL 6 HOUR), toStartOfInterval(toDateTime('2026-03-29 09:30:00'), INTERVAL 6 HOUR)",
    ['2026-03-29T00:00:00+01:00', '2026-03-29T06:00:00+02:00']
  ],
  [
    "toStartOfInterval(toDate('2026-05-31'), INTERVAL 1 QUARTER), toStartOfInterval(toDate('2026-05-31'), INTERVAL 5 MONTH), toStartOfInterval(toDate('1969-05-31'), INTERVAL 10 YEAR)",
    ['2026-04-01', '2026-04-01', '1960-01-01']
  ],
  [
    "toStartOfInterval(toDateTime('2026-03-04 23:30:00'), INTERVAL 1 DAY, 'Asia/Tokyo')",
    ['2026-03-05T00:00:00+09:00']
  ],
  [
    "toMonday(toDateTime('2026-03-01 23:30:00'), 'Asia/Tokyo'), toStartOfMonth(toDateTime('2026-02-28 23:30:00'), 'Asia/Tokyo')",
    ['2026-03-02', '2026-03-01']
  ],
  [
    "age('month', toDate('2026-01-31'), toDate('2026-02-28')), age('month', toDate('2026-01-31'), toDate('2026-03-31')), age('day', toDateTime('2026-03-02 01:00:00'), toDateTime('2026-03-01 02:00:00')), age('year', toDate('2025-03-05'), toDate('2026-03-04'))",
    [1, 2, 0, 0]
  ],
  [
    'now() - toIntervalHour(2), toIntervalDay(1) + today()',
    ['2026-03-04T11:00:00+01:00', '2026-03-05']
  ],
  ["position('äbcb', 'b', 4), positionUTF8('äbcb', 'b', 3), position('abc', 'a', 2)", [5, 4, 0]],
  ["substringUTF8('grüß', -2), substring('abc', -5, 3), substring('grüß', 3, 2)", ['üß', 'a', 'ü']],
  [
    "transform(2, [1, 2], ['a', 'b'], 'c'), transform(3, [1, 2], ['a', 'b'], 'c'), transform('x', ['a'], ['b'])",
    ['b', 'c', 'x']
  ],
  [
    "toFloatOrZero(NULL), toFloatOrDefault(NULL, 5), toIntOrZero('4.2'), toFloatOrZero('1e3')",
    [null, 5, 0, 1000]
  ],
  [
    `JSONExtractString('{"a": 1}', 'a'), JSONExtractString('no json', 'a'), JSONExtractInt('{"a": 2.7}', 'a'), JSONExtractFloat('{"a": "1"}', 'a'), JSONExtractString('["x", "y"]', 2), JSONExtractString('["x", "y"]', -1), JSONExtractString(NULL, 'a'), JSONHas('{"a": 1}', 'b'), JSONLength('{"a": {"b": 1}}', 'a')`,
    ['', '', 2, 0, 'y', 'y', null, 0, 1]
  ],
  [
    "extractURLParameter('https://x.io/#a?b=1', 'c'), queryString('/a?b'), fragment('/a'), extractURLParameter('/a?bc=1&b=2', 'b')",
    ['', 'b', '', '2']
  ]
])('computes %s', async (expressions, expected) => {
  expect((await answer(expressions)).results).toEqual([expected])
})

it('reads a JSON text that is nested without end as no JSON', async () => {
  const nested = `${'['.repeat(9_000)}${']'.repeat(9_000)}`

  expect((await answer(`length(JSONExtractRaw('${nested}', 1))`)).results).toEqual([[0]])
})

it.each([
  ["formatDateTime(now(), '%H:%M')", 1],
  ["formatDateTime(now(), '%d %M %H:%i')", 0],
  ["formatDateTime(now(), '%M')", 0]
])('warns of the month in place of the minute in %s', async (expression, count) => {
  const { warnings } = await answer(expression)

  expect(warnings.filter((warning) => warning.includes('write %i'))).toHaveLength(count)
})

it.each([
  ['toWeek(today(), 12)', 'toWeek takes a mode from 0 to 9'],
  ['toStartOfInterval(now(), 2)', 'Write toStartOfInterval(timestamp, INTERVAL 2 HOUR)'],
  ['toStartOfInterval(now(), INTERVAL 0 DAY)', 'at least 1 unit'],
  ["JSONExtract('{}', 'a', 'Int')", 'use JSONExtractString'],
  ["JSONExtractString('[]', 0)", 'Indexes begin at 1'],
  ["transform('a', ['a'], ['b', 'c'])", 'two lists of the same length'],
  ["transform('a', 'a', 'b')", 'a list of constants'],
  ["toMonday(now(), 'Nowhere')", 'is not a time zone'],
  ['groupArray(0)(1)', 'the number of values to keep'],
  // Names that every object of JavaScript has.
  ['1 constructor 2', 'Expected a comma before constructor'],
  ['constructor(1)', 'Unsupported function: constructor()'],
  ["toBool('constructor')", "toBool cannot read 'constructor'"],
  ["toBool('no') = 'constructor'", "write 'true' or 'false'"],
  ["dateDiff('constructor', now(), now())", "does not know the unit 'constructor'"]
])('refuses %s', async (expression, message) => {
  await expect(answer(expression)).rejects.toThrow(message)
})
