import { expect, it } from 'vitest'
import { HOUR, MINUTE } from '../../../src/calendar/units.ts'
import { isDue, readQueuesSince } from '../../../src/queues/sweep-window.ts'

/**
 * Returns the minutes at which a message is sent for an object that was uploaded in minute 0. `minutes`
 * are the times of the sweeps; the queues have lost all messages from before minute `queuesSince`.
 */
const sentAt = (minutes: number[], queuesSince = 0) =>
  minutes.filter((minute, i) =>
    isDue(
      0,
      { since: (minutes[i - 1] ?? -60) * MINUTE, until: minute * MINUTE },
      queuesSince * MINUTE
    )
  )

const every = (step: number, until: number) =>
  Array.from({ length: Math.floor(until / step) }, (_, n) => (n + 1) * step)

it('sends a message at the age of 15 minutes, and again each time the age has doubled', () => {
  expect(sentAt(every(15, 24 * 60))).toEqual([15, 30, 60, 120, 240, 480, 960])
})

it.each([1, 7, 15, 40, 100])(
  'sends at most eleven messages in 14 days, with a sweep every %i minutes',
  (step) => {
    expect(sentAt(every(step, 14 * 24 * 60)).length).toBeLessThanOrEqual(11)
  }
)

it('sends one message for all missed sweeps', () => {
  expect(sentAt([5, 14, 100, 115, 130, 145])).toEqual([100, 130])
})

it('sends one message, in the next sweep, if the queues have lost messages since the upload', () => {
  expect(sentAt([3, 4, 5, 6], 3)).toEqual([3])
  expect(sentAt([1, 2, 5, 6], 3)).toEqual([5])
})

it('sends one message after the queues lost messages, even if the clock was set back since the upload', () => {
  const uploadedTomorrow = 24 * HOUR
  const [first, second] = [
    { since: 0, until: 3 * MINUTE },
    { since: 3 * MINUTE, until: 4 * MINUTE }
  ]

  expect(isDue(uploadedTomorrow, first, 2 * MINUTE)).toBe(true)
  expect(isDue(uploadedTomorrow, second, 2 * MINUTE)).toBe(false)
})

it('sends no message in the next sweep if the queues lost messages only before the upload', () => {
  expect(sentAt([1, 2, 3], -1)).toEqual([])
})

it('reads `QUEUES_SINCE`', () => {
  expect([readQueuesSince(''), readQueuesSince('1764000000000')]).toEqual([0, 1_764_000_000_000])
  expect(() => readQueuesSince('yesterday')).toThrow(
    'QUEUES_SINCE must be empty or a time in milliseconds; got "yesterday".'
  )
})
