import { expect, it } from 'vitest'
import { Work } from '../../../src/properties/work.ts'
import { isCountedBySlots } from '../../../src/sql/event-counts.ts'
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

it.each([
  ['event, toDate(timestamp), count() FROM events GROUP BY 1, 2', true],
  ["count(), countIf(event = 'a') FROM events WHERE event LIKE 'a%'", true],
  ["formatDateTime(timestamp, '%Y-%m-%d %H'), count() FROM events GROUP BY 1", true],
  ['lower(event), toStartOfHour(timestamp), count() FROM events GROUP BY 1, 2', true],
  ["date_trunc('day', timestamp), count() FROM events GROUP BY 1", true],
  [
    "dateTrunc('week', timestamp), dateTrunc('month', timestamp), count() FROM events GROUP BY 1, 2",
    true
  ],
  ["date_trunc('hour', timestamp, 'Asia/Kolkata'), count() FROM events GROUP BY 1", true],
  ['toStartOfInterval(timestamp, INTERVAL 30 MINUTE), count() FROM events GROUP BY 1', true],
  ['toStartOfInterval(timestamp, INTERVAL 2 WEEK), count() FROM events GROUP BY 1', true],
  ["date_trunc('minute', timestamp), count() FROM events GROUP BY 1", false],
  ['toStartOfInterval(timestamp, INTERVAL 20 MINUTE), count() FROM events GROUP BY 1', false],
  ["formatDateTime(timestamp, '%H:%i'), count() FROM events GROUP BY 1", false],
  ['toMinute(timestamp), count() FROM events GROUP BY 1', false],
  ['toStartOfMinute(timestamp), count() FROM events GROUP BY 1', false],
  ['timestamp, count() FROM events GROUP BY 1', false],
  ['toDate(timestamp), min(timestamp) FROM events GROUP BY 1', false],
  ['toDate(timestamp), uniq(event) FROM events GROUP BY 1', false],
  ['count(event) FROM events', false],
  ["countIf(timestamp > '2026-03-01') FROM events", false],
  ["countIf(properties.a = 'b') FROM events", false],
  ["count() FROM events WHERE properties.a = 'b'", false]
])('knows whether the counts of slots are enough for SELECT %s', (select, isEnough) => {
  const plan = planStatement(parseStatement(`SELECT ${select}`), {
    setting: SETTING,
    kinds: { event: new Map(), person: new Map() },
    fill: () => {
      throw new Error('There are no placeholders.')
    }
  })
  const [{ where, groupBy } = { where: undefined, groupBy: undefined }] = plan.selects
  const { rest } = reachOf(where, SETTING)

  expect(isCountedBySlots(groupBy?.aggregates ?? [], [...(groupBy?.keys ?? []), ...rest])).toBe(
    isEnough
  )
})
