import { expect, it } from 'vitest'
import { restAfter } from '../../../src/db/rest.ts'

it.each([
  ['is three times the time in the database, if the database is near', 10, 10, 30],
  ['is shorter by the time on the way', 10, 32, 8],
  ['is none if the way takes as long', 10, 110, 0],
  ['is none after a statement too short for a coarse clock', 0, 1, 0],
  ['is not longer if the clock of the Worker stands still', 10, 0, 30]
])('the pause after a statement %s', (_, databaseMs, elapsedMs, pauseMs) => {
  expect(restAfter({ databaseMs, elapsedMs }, 3)).toBe(pauseMs)
})
