import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Bucket,
  bucketsBefore,
  bucketsFrom,
  bucketsOf,
  type Calendar,
  daysBefore,
  daysOf,
  INTERVALS,
  type Interval,
  labelsOf,
  MAX_BUCKETS
} from '../../../src/calendar/buckets.ts'
import { toClock } from '../../../src/calendar/clock.ts'
import { readFrom, readUntil } from '../../../src/calendar/dates.ts'
import { DAY, HOUR, MINUTE } from '../../../src/calendar/units.ts'
import { deep } from '../../support/depth.ts'

const dayOf = (bucket: Bucket, interval: Interval) => daysOf([bucket], interval)[0]

const labelOf = (bucket: Bucket, interval: Interval) => labelsOf([bucket], interval)[0]

const calendar = (timezone: string, weekStart = 0): Calendar => ({ timezone, weekStart })
const at = (text: string) => Date.parse(text)
const iso = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toISOString().replace('.000', '')

/** Returns the start of each bucket, in UTC and on the clock of the time zone. */
const shown = (from: string, until: string, interval: Interval, zone: Calendar) =>
  bucketsOf({ from: at(from), until: at(until) }, interval, zone).map(
    (bucket) => `${iso(bucket.from)} ${dayOf(bucket, interval)}`
  )

/** Zones, each with a moment at which its clock changes, or with any moment. */
const PLACES: [zone: string, around: string][] = [
  ['UTC', '2025-03-01T00:00:00Z'],
  ['Asia/Kathmandu', '2025-06-01T00:00:00Z'],
  ['Asia/Tehran', '2022-03-21T20:30:00Z'],
  ['America/St_Johns', '2025-03-09T05:30:00Z'],
  ['America/St_Johns', '2025-11-02T04:30:00Z'],
  ['Europe/Berlin', '2025-03-30T01:00:00Z'],
  ['Europe/Berlin', '2025-10-26T01:00:00Z'],
  ['Australia/Lord_Howe', '2025-04-05T15:00:00Z'],
  ['Australia/Lord_Howe', '2025-10-04T15:30:00Z']
]

describe('buckets in UTC', () => {
  it.each<[Interval, string, string, string[]]>([
    [
      'minute',
      '2025-06-01T10:00:30Z',
      '2025-06-01T10:02:00Z',
      ['2025-06-01 10:00:00', '2025-06-01 10:01:00']
    ],
    [
      'hour',
      '2025-06-01T22:30:00Z',
      '2025-06-02T00:00:00Z',
      ['2025-06-01 22:00:00', '2025-06-01 23:00:00']
    ],
    [
      'day',
      '2025-02-27T05:00:00Z',
      '2025-03-02T00:00:00Z',
      ['2025-02-27', '2025-02-28', '2025-03-01']
    ],
    ['week', '2025-06-04T00:00:00Z', '2025-06-12T00:00:00Z', ['2025-06-01', '2025-06-08']],
    [
      'month',
      '2024-12-31T00:00:00Z',
      '2025-02-02T00:00:00Z',
      ['2024-12-01', '2025-01-01', '2025-02-01']
    ]
  ])('by the %s begin with their interval', (interval, from, until, days) => {
    const buckets = bucketsOf({ from: at(from), until: at(until) }, interval, calendar('UTC'))

    expect(buckets.map((bucket) => dayOf(bucket, interval))).toEqual(days)
    expect(iso(buckets.at(-1)?.until)).toBe(iso(at(until)))
  })

  it.each([
    [0, '2025-06-01'],
    [1, '2025-05-26']
  ])("of weeks begin on the project's first day of the week: %i", (weekStart, day) => {
    const [first] = bucketsOf(
      { from: at('2025-06-01T12:00:00Z'), until: at('2025-06-01T13:00:00Z') },
      'week',
      calendar('UTC', weekStart)
    )

    expect(first && dayOf(first, 'week')).toBe(day)
  })

  it('are labelled as PostHog labels them', () => {
    const [bucket] = bucketsOf(
      { from: at('2025-06-03T14:00:00Z'), until: at('2025-06-03T15:00:00Z') },
      'hour',
      calendar('UTC')
    )

    expect(bucket && [labelOf(bucket, 'hour'), labelOf(bucket, 'day')]).toEqual([
      '3-Jun-2025 14:00',
      '3-Jun-2025'
    ])
  })

  it.each(['UTC', 'Asia/Kathmandu', 'America/St_Johns'])(
    'may be in the first years of the calendar: %s',
    (zone) => {
      const days = (from: string, until: string) =>
        bucketsOf({ from: at(from), until: at(until) }, 'month', calendar(zone)).map((bucket) =>
          dayOf(bucket, 'month')
        )

      expect(days('0026-01-15T00:00:00Z', '0026-02-15T00:00:00Z')).toEqual([
        '0026-01-01',
        '0026-02-01'
      ])
      expect(days('0000-12-15T00:00:00Z', '0001-01-15T00:00:00Z')).toEqual([
        '0000-12-01',
        '0001-01-01'
      ])
      expect(
        iso(readFrom('-2000yStart', calendar(zone), new Date(at('2026-06-01T00:00:00Z'))))
      ).toMatch(/^00(26-01-01|25-12-31)T/)
    }
  )

  it(`are at most ${MAX_BUCKETS}`, () => {
    const range = { from: 0, until: (MAX_BUCKETS + 1) * HOUR }

    expect(() => bucketsOf(range, 'hour', calendar('UTC'))).toThrow('at most 10,000 buckets')
    expect(
      bucketsOf({ ...range, until: MAX_BUCKETS * HOUR }, 'hour', calendar('UTC'))
    ).toHaveLength(MAX_BUCKETS)
  })
})

describe('buckets in a time zone', () => {
  it.each([
    ['Asia/Kathmandu', '2025-06-01T18:15:00Z', '2025-06-02'],
    ['Asia/Tehran', '2025-06-01T20:30:00Z', '2025-06-02'],
    ['America/St_Johns', '2025-06-02T02:30:00Z', '2025-06-02'],
    ['Asia/Kolkata', '2025-06-01T18:30:00Z', '2025-06-02'],
    ['Pacific/Kiritimati', '2025-06-01T10:00:00Z', '2025-06-02'],
    ['America/Los_Angeles', '2025-06-02T07:00:00Z', '2025-06-02']
  ])('of days begin at midnight on its clock: %s', (zone, start, day) => {
    const noon = at(start) + 12 * HOUR

    expect(shown(iso(noon) ?? '', iso(noon + HOUR) ?? '', 'day', calendar(zone))).toEqual([
      `${start} ${day}`
    ])
  })

  it.each([
    ['Asia/Kathmandu', '2025-06-01T18:15:00Z', '2025-06-02 00:00:00'],
    ['Asia/Tehran', '2025-06-01T20:30:00Z', '2025-06-02 00:00:00'],
    ['America/St_Johns', '2025-06-02T02:30:00Z', '2025-06-02 00:00:00']
  ])('of hours begin at full hours on its clock: %s', (zone, start, hour) => {
    expect(
      shown(iso(at(start) + 10 * MINUTE) ?? '', iso(at(start) + HOUR) ?? '', 'hour', calendar(zone))
    ).toEqual([`${start} ${hour}`])
  })

  it.each<[string, string, string, number]>([
    ['Europe/Berlin, spring', 'Europe/Berlin', '2025-03-29T23:00:00Z', 23],
    ['Europe/Berlin, autumn', 'Europe/Berlin', '2025-10-25T22:00:00Z', 25],
    ['America/St_Johns, spring', 'America/St_Johns', '2025-03-09T03:30:00Z', 23],
    ['America/St_Johns, autumn', 'America/St_Johns', '2025-11-02T02:30:00Z', 25],
    ['Asia/Tehran, spring: no midnight', 'Asia/Tehran', '2022-03-21T20:30:00Z', 23],
    ['Asia/Tehran, autumn: 23 o’clock twice', 'Asia/Tehran', '2022-09-20T19:30:00Z', 25],
    ['America/Havana, autumn: midnight twice', 'America/Havana', '2025-11-02T04:00:00Z', 25],
    ['Asia/Kathmandu: no change', 'Asia/Kathmandu', '2025-03-29T18:15:00Z', 24]
  ])('of days last as long as the day: %s', (_, zone, start, hours) => {
    const [bucket] = bucketsOf(
      { from: at(start), until: at(start) + 30 * HOUR },
      'day',
      calendar(zone)
    )

    expect(iso(bucket?.from)).toBe(start)
    expect(((bucket?.until ?? 0) - (bucket?.from ?? 0)) / HOUR).toBe(hours)
    const hourly = bucketsOf(
      { from: bucket?.from ?? 0, until: bucket?.until ?? 0 },
      'hour',
      calendar(zone)
    )
    expect(hourly).toHaveLength(hours)
  })

  it('of hours show a repeated hour twice', () => {
    expect(
      shown('2025-10-25T23:00:00Z', '2025-10-26T03:00:00Z', 'hour', calendar('Europe/Berlin'))
    ).toEqual([
      '2025-10-25T23:00:00Z 2025-10-26 01:00:00',
      '2025-10-26T00:00:00Z 2025-10-26 02:00:00',
      '2025-10-26T01:00:00Z 2025-10-26 02:00:00',
      '2025-10-26T02:00:00Z 2025-10-26 03:00:00'
    ])
  })

  it('of hours leave out the hour that the clock skips', () => {
    expect(
      shown('2025-03-30T00:00:00Z', '2025-03-30T02:00:00Z', 'hour', calendar('Europe/Berlin'))
    ).toEqual([
      '2025-03-30T00:00:00Z 2025-03-30 01:00:00',
      '2025-03-30T01:00:00Z 2025-03-30 03:00:00'
    ])
  })

  it('of hours follow a clock that moves by half an hour', () => {
    const lordHowe = calendar('Australia/Lord_Howe')

    expect(shown('2025-10-04T14:30:00Z', '2025-10-04T17:00:00Z', 'hour', lordHowe)).toEqual([
      '2025-10-04T14:30:00Z 2025-10-05 01:00:00',
      '2025-10-04T15:30:00Z 2025-10-05 02:00:00',
      '2025-10-04T16:00:00Z 2025-10-05 03:00:00'
    ])
    expect(shown('2025-04-05T14:00:00Z', '2025-04-05T16:30:00Z', 'hour', lordHowe)).toEqual([
      '2025-04-05T14:00:00Z 2025-04-06 01:00:00',
      '2025-04-05T15:30:00Z 2025-04-06 02:00:00'
    ])
  })

  it.each<[string, Interval, string, string, string, string[]]>([
    [
      'half an hour long, because the clock skips the first half',
      'hour',
      'Australia/Lord_Howe',
      '2025-10-04T15:40:00Z',
      '2025-10-04T17:00:00Z',
      ['2025-10-04T15:30:00Z 2025-10-05 02:00:00', '2025-10-04T16:00:00Z 2025-10-05 03:00:00']
    ],
    [
      'half an hour long, because the clock skips the second half',
      'hour',
      'America/Caracas',
      '2016-05-01T06:45:00Z',
      '2016-05-01T07:30:00Z',
      ['2016-05-01T06:30:00Z 2016-05-01 02:00:00', '2016-05-01T07:00:00Z 2016-05-01 03:00:00']
    ],
    [
      'an hour and a half long, because the clock shows its second half twice',
      'hour',
      'Australia/Lord_Howe',
      '2025-04-05T15:10:00Z',
      '2025-04-05T16:00:00Z',
      ['2025-04-05T14:00:00Z 2025-04-06 01:00:00', '2025-04-05T15:30:00Z 2025-04-06 02:00:00']
    ],
    [
      'a minute long, because the clock is set back by an hour just after midnight',
      'hour',
      'America/St_Johns',
      '2010-11-07T02:00:00Z',
      '2010-11-07T04:00:00Z',
      [
        '2010-11-07T01:30:00Z 2010-11-06 23:00:00',
        '2010-11-07T02:30:00Z 2010-11-07 00:00:00',
        '2010-11-07T02:31:00Z 2010-11-06 23:00:00',
        '2010-11-07T03:30:00Z 2010-11-07 00:00:00'
      ]
    ],
    [
      'one of two with the same label',
      'minute',
      'Australia/Lord_Howe',
      '2025-04-05T14:59:30Z',
      '2025-04-05T15:02:00Z',
      [
        '2025-04-05T14:59:00Z 2025-04-06 01:59:00',
        '2025-04-05T15:00:00Z 2025-04-06 01:30:00',
        '2025-04-05T15:01:00Z 2025-04-06 01:31:00'
      ]
    ]
  ])(
    'begin with a wall-clock hour or minute that is %s',
    (_, interval, zone, from, until, days) => {
      expect(shown(from, until, interval, calendar(zone))).toEqual(days)
    }
  )

  it('of days leave out the day that Samoa skipped', () => {
    expect(
      shown('2011-12-29T12:00:00Z', '2011-12-31T12:00:00Z', 'day', calendar('Pacific/Apia'))
    ).toEqual([
      '2011-12-29T10:00:00Z 2011-12-29',
      '2011-12-30T10:00:00Z 2011-12-31',
      '2011-12-31T10:00:00Z 2012-01-01'
    ])
  })

  /** Returns the start of the hour or the day that a zone's clock shows at a moment. */
  const beginOf = (time: number, interval: Interval, zone: string): number => {
    const clock = toClock(time, zone)
    return clock - (clock % (interval === 'hour' ? HOUR : DAY))
  }

  it('cover their range without gaps, and are the hours and days of the clock', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PLACES),
        fc.constantFrom(...INTERVALS.filter((interval) => interval !== 'minute')),
        // Half of the ranges begin within three hours of the change.
        fc.oneof(...[3 * HOUR, 1000 * DAY].map((max) => fc.integer({ min: -max, max }))),
        fc.integer({ min: 1, max: 40 * 24 }),
        ([zone, around], interval, distance, hours) => {
          const from = at(around) + distance
          const range = { from, until: from + hours * HOUR }
          const buckets = bucketsOf(range, interval, calendar(zone, 1))
          expect(buckets[0]?.from).toBeLessThanOrEqual(range.from)
          expect(buckets.at(-1)?.until).toBe(range.until)
          for (const [i, bucket] of buckets.entries()) {
            if (i > 0) {
              expect(bucket.from).toBe(buckets[i - 1]?.until)
            }
            expect(beginOf(bucket.from, interval, zone)).toBe(bucket.clock)
            if (interval === 'hour') {
              expect(beginOf(bucket.until - 1, interval, zone)).toBe(bucket.clock)
            }
            if (interval === 'day') {
              const format = new Intl.DateTimeFormat('sv', { timeZone: zone })
              expect(format.format(bucket.from)).toBe(dayOf(bucket, 'day'))
              expect(format.format(bucket.until - 1)).toBe(dayOf(bucket, 'day'))
            }
          }
        }
      ),
      deep(200)
    )
  })
})

describe('the buckets before', () => {
  const before = (from: string, until: string, interval: Interval, zone: Calendar) =>
    bucketsBefore(bucketsOf({ from: at(from), until: at(until) }, interval, zone), interval, zone)

  it.each<[Interval, string, string, string, string[]]>([
    ['day', 'UTC', '2025-06-03T00:00:00Z', '2025-06-05T00:00:00Z', ['2025-06-01', '2025-06-02']],
    [
      'day',
      'Europe/Berlin',
      '2025-03-30T22:00:00Z',
      '2025-04-01T22:00:00Z',
      ['2025-03-29', '2025-03-30']
    ],
    // Samoa had no December 30, 2011.
    [
      'day',
      'Pacific/Apia',
      '2011-12-31T10:00:00Z',
      '2012-01-03T10:00:00Z',
      ['2011-12-28', '2011-12-29', '2011-12-31']
    ],
    [
      'day',
      'Pacific/Apia',
      '2011-12-30T10:00:00Z',
      '2012-01-01T10:00:00Z',
      ['2011-12-28', '2011-12-29']
    ],
    ['week', 'UTC', '2025-06-08T00:00:00Z', '2025-06-17T00:00:00Z', ['2025-05-25', '2025-06-01']],
    ['month', 'UTC', '2025-03-01T00:00:00Z', '2025-04-02T00:00:00Z', ['2025-01-01', '2025-02-01']],
    [
      'hour',
      'UTC',
      '2025-06-01T01:00:00Z',
      '2025-06-01T03:00:00Z',
      ['2025-05-31 23:00:00', '2025-06-01 00:00:00']
    ]
  ])(
    'are as many as the buckets after them, by the %s in %s',
    (interval, zone, from, until, days) => {
      const buckets = before(from, until, interval, calendar(zone))

      expect(buckets.map((bucket) => dayOf(bucket, interval))).toEqual(days)
      expect(iso(buckets.at(-1)?.until)).toBe(from)
    }
  )
})

it('lists buckets from the bucket that contains a moment', () => {
  const buckets = bucketsFrom(at('2025-05-25T10:00:00Z'), 2, 'week', calendar('UTC'))

  expect(buckets.map((bucket) => dayOf(bucket, 'week'))).toEqual(['2025-05-25', '2025-06-01'])
})

describe('seven days before the end of a bucket', () => {
  it.each([
    ['at midnight, across a change', 'Europe/Berlin', '2025-04-01T22:00', '2025-03-25T23:00'],
    ['before the skipped hour', 'Europe/Berlin', '2025-03-30T01:00', '2025-03-23T01:00'],
    ['after the skipped hour', 'Europe/Berlin', '2025-03-30T02:00', '2025-03-23T03:00'],
    ['a week after the skipped hour', 'Europe/Berlin', '2025-04-06T00:30', '2025-03-30T01:00'],
    ['before the repeated hour', 'Europe/Berlin', '2026-10-25T00:00', '2026-10-18T00:00'],
    ['in the repeated hour, at first', 'Europe/Berlin', '2026-10-25T00:30', '2026-10-18T00:30'],
    ['after its first time', 'Europe/Berlin', '2026-10-25T01:00', '2026-10-18T01:00'],
    ['in the repeated hour, again', 'Europe/Berlin', '2026-10-25T01:30', '2026-10-18T01:00'],
    ['after its second time', 'Europe/Berlin', '2026-10-25T02:00', '2026-10-18T01:00'],
    ['after the repeated hour', 'Europe/Berlin', '2026-10-25T02:30', '2026-10-18T01:30'],
    ['a week after the repeated hour', 'Europe/Berlin', '2026-11-01T01:00', '2026-10-25T00:00'],
    ['at a midnight that is skipped', 'Asia/Tehran', '2022-03-21T20:30', '2022-03-14T20:30'],
    ['before a cut hour', 'Australia/Lord_Howe', '2025-10-04T15:30', '2025-09-27T15:30'],
    ['after a cut hour', 'Australia/Lord_Howe', '2025-10-04T16:00', '2025-09-27T16:30'],
    ['after a long hour', 'Australia/Lord_Howe', '2025-04-05T15:30', '2025-03-29T15:00']
  ])('is the same time on the clock: %s', (_, zone, end, expected) => {
    expect(iso(daysBefore(at(`${end}:00Z`), 7, zone))).toBe(`${expected}:00Z`)
  })

  it.each(PLACES)('is never earlier than that of a minute before: %s around %s', (zone, around) => {
    for (const day of [0, 7]) {
      const middle = at(around) + day * DAY
      const begins = Array.from({ length: 6 * 60 }, (_, i) =>
        daysBefore(middle - 3 * HOUR + i * MINUTE, 7, zone)
      )
      expect(begins).toEqual(begins.toSorted((a, b) => a - b))
    }
  })
})

describe('the dates of a query, on Tuesday 2025-06-17 14:25:36 UTC', () => {
  const now = new Date('2025-06-17T14:25:36.789Z')

  it.each([
    ['-7d', 'UTC', '2025-06-10T00:00:00Z'],
    ['7d', 'UTC', '2025-06-10T00:00:00Z'],
    ['d', 'UTC', '2025-06-17T00:00:00Z'],
    ['-0d', 'UTC', '2025-06-17T00:00:00Z'],
    ['dStart', 'UTC', '2025-06-17T00:00:00Z'],
    ['-1dStart', 'UTC', '2025-06-16T00:00:00Z'],
    ['-24h', 'UTC', '2025-06-16T14:00:00Z'],
    ['hStart', 'UTC', '2025-06-17T14:00:00Z'],
    ['-90M', 'UTC', '2025-06-17T12:55:00Z'],
    ['-30s', 'UTC', '2025-06-17T14:25:06Z'],
    ['-2w', 'UTC', '2025-06-03T00:00:00Z'],
    ['-1m', 'UTC', '2025-05-17T00:00:00Z'],
    ['-1q', 'UTC', '2025-03-18T00:00:00Z'],
    ['-1y', 'UTC', '2024-06-17T00:00:00Z'],
    ['mStart', 'UTC', '2025-06-01T00:00:00Z'],
    ['-1mStart', 'UTC', '2025-05-01T00:00:00Z'],
    ['-1mEnd', 'UTC', '2025-05-31T00:00:00Z'],
    ['yStart', 'UTC', '2025-01-01T00:00:00Z'],
    ['-7d', 'Asia/Kathmandu', '2025-06-09T18:15:00Z'],
    ['mStart', 'America/St_Johns', '2025-06-01T02:30:00Z'],
    ['2025-06-01', 'UTC', '2025-06-01T00:00:00Z'],
    ['2025-6-1', 'Asia/Tehran', '2025-05-31T20:30:00Z'],
    ['2025-06-01T10:00:00', 'Asia/Kathmandu', '2025-06-01T04:15:00Z'],
    ['2025-06-01T10:00:00+02:00', 'Asia/Kathmandu', '2025-06-01T08:00:00Z'],
    ['soon', 'UTC', undefined],
    ['-7x', 'UTC', undefined],
    ['-1wStart', 'UTC', '2025-06-08T00:00:00Z'],
    ['wEnd', 'UTC', '2025-06-21T00:00:00Z'],
    ['-1qStart', 'UTC', undefined],
    ['2025-02-30', 'UTC', undefined],
    ['June 3, 2025', 'UTC', undefined],
    ['maybe 2025', 'UTC', undefined],
    ['1748944800', 'UTC', undefined],
    ['', 'UTC', undefined]
  ])('reads the start %s in %s', (text, zone, expected) => {
    expect(iso(readFrom(text, calendar(zone), now))).toBe(expected)
  })

  it.each<[string | undefined, Interval, string, string | undefined]>([
    [undefined, 'day', 'UTC', '2025-06-18T00:00:00Z'],
    [undefined, 'month', 'UTC', '2025-06-18T00:00:00Z'],
    [undefined, 'hour', 'UTC', '2025-06-17T15:00:00Z'],
    [undefined, 'minute', 'UTC', '2025-06-17T14:26:00Z'],
    [undefined, 'day', 'Asia/Kathmandu', '2025-06-17T18:15:00Z'],
    ['-1d', 'day', 'UTC', '2025-06-17T00:00:00Z'],
    ['-1d', 'hour', 'UTC', '2025-06-16T15:00:00Z'],
    ['-1h', 'hour', 'UTC', '2025-06-17T14:00:00Z'],
    ['dStart', 'hour', 'UTC', '2025-06-17T01:00:00Z'],
    ['-1dEnd', 'hour', 'UTC', '2025-06-17T00:00:00Z'],
    ['-1wEnd', 'day', 'UTC', '2025-06-15T00:00:00Z'],
    ['-1wEnd', 'hour', 'Asia/Kathmandu', '2025-06-14T18:15:00Z'],
    ['-1mEnd', 'day', 'UTC', '2025-06-01T00:00:00Z'],
    ['-1mEnd', 'hour', 'UTC', '2025-06-01T00:00:00Z'],
    ['hEnd', 'hour', 'UTC', '2025-06-17T15:00:00Z'],
    ['yEnd', 'day', 'UTC', '2026-01-01T00:00:00Z'],
    ['2025-06-03', 'day', 'UTC', '2025-06-04T00:00:00Z'],
    ['2025-06-03', 'hour', 'UTC', '2025-06-04T00:00:00Z'],
    ['2025-06-03', 'day', 'Europe/Berlin', '2025-06-03T22:00:00Z'],
    ['2025-06-03T10:00:00', 'day', 'UTC', '2025-06-04T00:00:00Z'],
    ['2025-06-03T10:30:00Z', 'hour', 'UTC', '2025-06-03T10:30:00.001Z'],
    ['2025-06-03T10:30:00Z', 'hour', 'Asia/Tehran', '2025-06-03T10:30:00.001Z'],
    ['never', 'day', 'UTC', undefined],
    ['Feb 31 2025', 'day', 'UTC', undefined]
  ])('reads the end %s, by the %s in %s', (text, interval, zone, expected) => {
    expect(iso(readUntil(text, interval, calendar(zone), now))).toBe(expected)
  })
})

describe('the hour of now, in Lord Howe Island, where the clock moves by half an hour', () => {
  const lordHowe = calendar('Australia/Lord_Howe')

  it.each([
    [
      'in the hour that is cut',
      '2025-10-04T15:40:00Z',
      '2025-10-04T15:30:00Z',
      '2025-10-04T16:00:00Z'
    ],
    [
      'in the first half of the long hour',
      '2025-04-05T14:10:00Z',
      '2025-04-05T14:00:00Z',
      '2025-04-05T15:30:00Z'
    ],
    [
      'in the repeated half of the long hour',
      '2025-04-05T15:10:00Z',
      '2025-04-05T14:00:00Z',
      '2025-04-05T15:30:00Z'
    ]
  ])('contains it: %s', (_, now, from, until) => {
    expect(iso(readFrom('hStart', lordHowe, new Date(now)))).toBe(from)
    expect(iso(readUntil(undefined, 'hour', lordHowe, new Date(now)))).toBe(until)
  })
})
