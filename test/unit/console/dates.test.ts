import { describe, expect, it } from 'vitest'
import {
  comparedDays,
  comparisonName,
  daysOf,
  daysText,
  intervalOf,
  moved,
  PRESETS,
  periodName,
  usualComparison
} from '../../../console/dates.ts'
import { readFrom, readUntil } from '../../../src/calendar/dates.ts'

const TODAY = { day: '2026-11-27', weekStart: 1 } as const
const BERLIN = { timezone: 'Europe/Berlin', weekStart: 1 }

describe('the days of a period', () => {
  it.each([
    ...PRESETS.filter(({ from }) => from !== 'all'),
    { from: '2026-02-01', to: '2026-02-28' },
    { from: '-2w' },
    { from: '-1mStart', to: '-1mEnd' },
    { from: '-1y', to: '-3d' }
  ])('are those of the API: $from to $to', ({ from, to }) => {
    const now = new Date('2026-11-27T13:00:00Z')
    const day = (time = 0) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: BERLIN.timezone }).format(time)

    expect(daysOf({ from, to }, TODAY)).toEqual({
      from: day(readFrom(from, BERLIN, now)),
      to: day((readUntil(to, 'day', BERLIN, now) ?? 0) - 1)
    })
  })

  it.each(['all', '-24h', 'mEnd', '2026-13-45', 'x'])('are not known of %s', (from) => {
    expect(daysOf({ from }, TODAY)).toBeUndefined()
    expect(moved({ from }, -1, TODAY)).toBeUndefined()
  })
})

describe('earlier and later', () => {
  it('are as long, and lead back to the same period', () => {
    const before = moved({ from: '-29d' }, -1, TODAY)

    expect(before).toEqual({ from: '2026-09-29', to: '2026-10-28' })
    expect(moved(before ?? { from: '' }, 1, TODAY)).toEqual({ from: '-29d', to: undefined })
  })

  it.each([
    [{ from: 'dStart' }, { from: '-1dStart', to: '-1dEnd' }],
    [{ from: 'mStart' }, { from: '2026-10-01', to: '2026-10-31' }],
    [
      { from: '2026-03-01', to: '2026-03-31' },
      { from: '2026-02-01', to: '2026-02-28' }
    ],
    [{ from: '-11mStart' }, { from: '2024-12-01', to: '2025-11-30' }],
    [
      { from: '2026-03-02', to: '2026-03-08' },
      { from: '2026-02-23', to: '2026-03-01' }
    ]
  ])('moves %o back to %o', (period, before) => {
    expect(moved(period, -1, TODAY)).toEqual(before)
  })

  it('ends today', () => {
    expect(moved({ from: 'mStart' }, 1, TODAY)).toBeUndefined()
    expect(moved({ from: '2026-10-01', to: '2026-10-31' }, 1, TODAY)).toEqual({
      from: 'mStart',
      to: undefined
    })
    expect(moved({ from: '2026-11-10', to: '2026-11-23' }, 1, TODAY)).toEqual({
      from: '2026-11-14',
      to: TODAY.day
    })
  })
})

describe('a comparison', () => {
  it.each([
    ['-29d', '-5w', { from: '2026-09-24', to: '2026-10-23' }],
    ['-6d', '-1w', { from: '2026-11-14', to: '2026-11-20' }],
    ['dStart', '-1w', { from: '2026-11-20', to: '2026-11-20' }],
    ['-11mStart', '-1y', { from: '2024-12-01', to: expect.any(String) }]
  ])('of %s keeps weekdays: %s', (from, back, days) => {
    expect(usualComparison({ from }, TODAY)).toBe(back)
    expect(comparedDays({ from }, back, TODAY)).toEqual(days)
  })

  it('has a name', () => {
    expect(['-5w', '-30d', '-1y', undefined].map((back) => comparisonName(back, '-5w'))).toEqual([
      'Previous period',
      '30 days before',
      'Year before',
      'No comparison'
    ])
  })
})

it('a period has a name, and buckets that fit it', () => {
  expect(periodName({ from: '-29d' }, TODAY)).toBe('Last 30 days')
  expect(periodName({ from: '-24h' }, TODAY)).toBe('Since -24h')
  expect(daysText({ from: '2026-10-29', to: TODAY.day })).toMatch(/Oct.+Nov.+2026|Oct.+2026/)
  expect(
    ['dStart', '-6d', '-89d', '-120d', '-11mStart', 'all', '-24h'].map((from) =>
      intervalOf({ from }, TODAY)
    )
  ).toEqual(['hour', 'day', 'day', 'week', 'month', 'week', 'hour'])
})
