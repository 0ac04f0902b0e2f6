import { expect, it } from 'vitest'
import { toClock } from '../../../player/clock.ts'

it.each([
  [0, '0:00'],
  [83_456, '1:23'],
  [3_599_999, '59:59'],
  [3_600_000, '1:00:00'],
  [3_723_000, '1:02:03'],
  [90_061_000, '25:01:01'],
  [-5, '0:00']
])('%d ms is %s', (ms, clock) => {
  expect(toClock(ms)).toBe(clock)
})
