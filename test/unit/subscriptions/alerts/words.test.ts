import { expect, it } from 'vitest'
import { describeInterval } from '../../../../src/calendar/words.ts'

it.each([
  ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', '25 Oct 2026'],
  ['2026-10-18T22:00:00Z', '2026-10-25T23:00:00Z', '19 – 25 Oct 2026'],
  ['2026-11-24T12:00:00Z', '2026-11-24T13:00:00Z', '24 Nov 2026, 13:00–14:00']
])('the interval from %s until %s is %s', (from, until, words) => {
  const interval = { from: Date.parse(from), until: Date.parse(until) }

  expect(describeInterval(interval, 'Europe/Berlin')).toBe(words)
})
