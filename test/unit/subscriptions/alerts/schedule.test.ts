import { describe, expect, it } from 'vitest'
import { toIso } from '../../../../src/calendar/clock.ts'
import type { CheckSchedule } from '../../../../src/db/schema.ts'
import { nextCheck } from '../../../../src/subscriptions/alerts/schedule.ts'

const next = (schedule: Partial<CheckSchedule>, after: string, n: number): string[] => {
  const checks: CheckSchedule = {
    every: 'daily',
    skipsWeekends: false,
    timezone: 'Europe/Berlin',
    weekStart: 1,
    ...schedule
  }
  const found: number[] = []
  while (found.length < n) {
    found.push(nextCheck(checks, found.at(-1) ?? Date.parse(after)))
  }
  return found.map(toIso)
}

describe('the checks of an alert', () => {
  it.each<[CheckSchedule['every'], string, string[]]>([
    ['every_15_minutes', '2026-03-29T00:50:00Z', ['2026-03-29T01:02:00Z', '2026-03-29T01:17:00Z']],
    ['hourly', '2026-03-29T00:02:00Z', ['2026-03-29T01:02:00Z', '2026-03-29T02:02:00Z']],
    // The day of the change has 23 hours.
    ['daily', '2026-03-28T12:00:00Z', ['2026-03-28T23:02:00Z', '2026-03-29T22:02:00Z']],
    // The day of the change has 25 hours.
    ['daily', '2026-10-24T12:00:00Z', ['2026-10-24T22:02:00Z', '2026-10-25T23:02:00Z']],
    ['weekly', '2026-10-21T12:00:00Z', ['2026-10-25T23:02:00Z', '2026-11-01T23:02:00Z']],
    ['monthly', '2026-10-21T12:00:00Z', ['2026-10-31T23:02:00Z', '2026-11-30T23:02:00Z']]
  ])('%s after %s are two minutes after the end of an interval', (every, after, expected) => {
    expect(next({ every }, after, 2)).toEqual(expected)
  })

  it('wait for Monday if they skip weekends', () => {
    // 2026-11-27 is a Friday.
    expect(next({ skipsWeekends: true }, '2026-11-26T12:00:00Z', 3)).toEqual([
      '2026-11-26T23:02:00Z',
      '2026-11-29T23:02:00Z',
      '2026-11-30T23:02:00Z'
    ])
    expect(next({ every: 'hourly', skipsWeekends: true }, '2026-11-27T21:30:00Z', 3)).toEqual([
      '2026-11-27T22:02:00Z',
      '2026-11-29T23:02:00Z',
      '2026-11-30T00:02:00Z'
    ])
    // A week that begins on Sunday ends on a weekend.
    expect(
      next({ every: 'weekly', weekStart: 0, skipsWeekends: true }, '2026-11-27T12:00:00Z', 2)
    ).toEqual(['2026-11-29T23:02:00Z', '2026-12-06T23:02:00Z'])
  })
})
