import { expect, it } from 'vitest'
import { Work } from '../../../src/properties/work.ts'
import { parseStatement } from '../../../src/sql/parse.ts'
import { planStatement } from '../../../src/sql/plan.ts'
import { reachOf } from '../../../src/sql/reach.ts'

const SETTING = {
  timezone: 'Europe/Berlin',
  weekStart: 1,
  now: new Date('2026-03-04T12:00:00Z'),
  work: new Work(),
  warn: () => {}
}

const NEVER = () => {
  throw new Error('There are no placeholders.')
}

/** Returns the names and the times of the events that a condition is about. */
function reach(where: string) {
  const plan = planStatement(parseStatement(`SELECT count() FROM events WHERE ${where}`), {
    setting: SETTING,
    kinds: { event: new Map(), person: new Map() },
    fill: NEVER
  })
  const { names, since, until, rest } = reachOf(plan.selects[0]?.where, SETTING)
  const toTime = (time: number) =>
    Math.abs(time) === 8.64e15 ? null : new Date(time).toISOString()
  return [names ?? null, toTime(since), toTime(until), rest.map(({ label }) => label)]
}

it.each([
  ["event = 'a'", [['a'], null, null, []]],
  ["'a' = event AND event IN ('a', 'b')", [['a'], null, null, []]],
  [
    "event = 'a' OR event = 'b'",
    [null, null, null, ["or(equals(event, 'a'), equals(event, 'b'))"]]
  ],
  ["timestamp >= '2026-03-02'", [null, '2026-03-01T23:00:00.000Z', null, []]],
  ["'2026-03-02' < timestamp", [null, '2026-03-01T23:00:00.001Z', null, []]],
  [
    'timestamp > now() - INTERVAL 1 DAY AND timestamp <= now()',
    [null, '2026-03-03T12:00:00.001Z', '2026-03-04T12:00:00.001Z', []]
  ],
  [
    "toDate(timestamp) = '2026-03-02'",
    [null, '2026-03-01T23:00:00.000Z', '2026-03-02T23:00:00.000Z', []]
  ],
  ['toDate(timestamp) >= today() - 1', [null, '2026-03-02T23:00:00.000Z', null, []]],
  [
    "timestamp BETWEEN '2026-03-02' AND '2026-03-03'",
    [null, '2026-03-01T23:00:00.000Z', '2026-03-02T23:00:00.001Z', []]
  ],
  [
    "event != 'a' AND timestamp < '2026-03-02'",
    [null, null, '2026-03-01T23:00:00.000Z', ["notEquals(event, 'a')"]]
  ]
])('reads the names and the range of %s', (where, expected) => {
  expect(reach(where)).toEqual(expected)
})
