import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromClock } from '../../../src/calendar/clock.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { FREQUENCIES, WEEKDAYS, type Weekday } from '../../../src/db/schema.ts'
import {
  daysInPeriod,
  nextOccurrence,
  nextOccurrences,
  type Schedule,
  summarize
} from '../../../src/subscriptions/schedule.ts'
import { deep, share } from '../../support/depth.ts'
import { occurrencesUntil } from '../../support/recurrence.ts'
import { anySchedule } from '../../support/schedules.ts'

/** Returns a schedule whose start and end are local to its time zone. */
function schedule(
  rule: Partial<Omit<Schedule, 'startDate' | 'untilDate'>> & { start: string; until?: string }
): Schedule {
  const { start, until, timezone = 'UTC', ...more } = rule
  const at = (text: string) => fromClock(Date.parse(`${text}Z`), timezone)
  return {
    frequency: 'daily',
    interval: 1,
    byweekday: null,
    bysetpos: null,
    count: null,
    startClock: null,
    timezone,
    ...more,
    startDate: at(start),
    untilDate: until === undefined ? null : at(until)
  }
}

async function next(rule: Schedule, n: number, after = rule.startDate - 1): Promise<string[]> {
  const times = await nextOccurrences(rule, after, n)
  return times.map((time) => new Date(time).toISOString().replace(':00.000', ''))
}

const [MONDAY, FRIDAY, SATURDAY, SUNDAY] = ['monday', 'friday', 'saturday', 'sunday'] as const
const WORKDAYS = WEEKDAYS.slice(0, 5)

describe('the occurrences of a rule', () => {
  it.each<[string, Schedule, string[]]>([
    [
      'every day',
      schedule({ start: '2026-02-27T09:00' }),
      ['2026-02-27T09:00Z', '2026-02-28T09:00Z', '2026-03-01T09:00Z']
    ],
    [
      'every third day',
      schedule({ start: '2026-02-27T09:00', interval: 3 }),
      ['2026-02-27T09:00Z', '2026-03-02T09:00Z']
    ],
    [
      'every workday',
      schedule({ start: '2026-11-20T09:00', byweekday: WORKDAYS }),
      ['2026-11-20T09:00Z', '2026-11-23T09:00Z', '2026-11-24T09:00Z']
    ],
    [
      'the weekday of the start',
      schedule({ start: '2026-11-19T09:00', frequency: 'weekly' }),
      ['2026-11-19T09:00Z', '2026-11-26T09:00Z']
    ],
    [
      'the start only if it matches',
      schedule({ start: '2026-11-19T09:00', frequency: 'weekly', byweekday: [MONDAY] }),
      ['2026-11-23T09:00Z', '2026-11-30T09:00Z']
    ],
    [
      'every second week, which begins on Monday',
      schedule({
        start: '2026-11-19T09:00',
        frequency: 'weekly',
        interval: 2,
        byweekday: [MONDAY, SUNDAY]
      }),
      ['2026-11-22T09:00Z', '2026-11-30T09:00Z', '2026-12-06T09:00Z', '2026-12-14T09:00Z']
    ],
    [
      'the last of two days of a week',
      schedule({
        start: '2026-11-16T09:00',
        frequency: 'weekly',
        byweekday: [MONDAY, FRIDAY],
        bysetpos: -1
      }),
      ['2026-11-20T09:00Z', '2026-11-27T09:00Z']
    ],
    [
      'the 31st, in months that have it',
      schedule({ start: '2026-01-31T09:00', frequency: 'monthly' }),
      ['2026-01-31T09:00Z', '2026-03-31T09:00Z', '2026-05-31T09:00Z', '2026-07-31T09:00Z']
    ],
    [
      'the 30th, not in February',
      schedule({ start: '2026-01-30T09:00', frequency: 'monthly' }),
      ['2026-01-30T09:00Z', '2026-03-30T09:00Z', '2026-04-30T09:00Z']
    ],
    [
      'every Monday of each second month',
      schedule({
        start: '2026-11-01T09:00',
        frequency: 'monthly',
        interval: 2,
        byweekday: [MONDAY]
      }),
      [2, 9, 16, 23, 30]
        .map((day) => `2026-11-${String(day).padStart(2, '0')}T09:00Z`)
        .concat('2027-01-04T09:00Z')
    ],
    [
      'the last Friday of a month',
      schedule({
        start: '2026-01-01T09:00',
        frequency: 'monthly',
        byweekday: [FRIDAY],
        bysetpos: -1
      }),
      ['2026-01-30T09:00Z', '2026-02-27T09:00Z', '2026-03-27T09:00Z', '2026-04-24T09:00Z']
    ],
    [
      'the last workday of a month',
      schedule({
        start: '2026-01-01T09:00',
        frequency: 'monthly',
        byweekday: WORKDAYS,
        bysetpos: -1
      }),
      ['2026-01-30T09:00Z', '2026-02-27T09:00Z', '2026-03-31T09:00Z']
    ],
    [
      'the fifth Monday, in months that have one',
      schedule({
        start: '2026-01-01T09:00',
        frequency: 'monthly',
        byweekday: [MONDAY],
        bysetpos: 5
      }),
      ['2026-03-30T09:00Z', '2026-06-29T09:00Z', '2026-08-31T09:00Z']
    ],
    [
      '29 February',
      schedule({ start: '2024-02-29T09:00', frequency: 'yearly' }),
      ['2024-02-29T09:00Z', '2028-02-29T09:00Z', '2032-02-29T09:00Z']
    ],
    [
      '29 February every third year',
      schedule({ start: '2024-02-29T09:00', frequency: 'yearly', interval: 3 }),
      ['2024-02-29T09:00Z', '2036-02-29T09:00Z', '2048-02-29T09:00Z']
    ],
    [
      '29 February across 2100',
      schedule({ start: '2096-02-29T09:00', frequency: 'yearly' }),
      ['2096-02-29T09:00Z', '2104-02-29T09:00Z']
    ],
    [
      'the last Sunday of a year',
      schedule({
        start: '2026-05-01T09:00',
        frequency: 'yearly',
        byweekday: [SUNDAY],
        bysetpos: -1
      }),
      ['2026-12-27T09:00Z', '2027-12-26T09:00Z']
    ],
    [
      'the day of the start if a set position has no weekdays',
      schedule({ start: '2026-01-15T09:00', frequency: 'monthly', byweekday: [], bysetpos: 2 }),
      ['2026-01-15T09:00Z', '2026-02-15T09:00Z']
    ]
  ])('are %s', async (_, rule, expected) => {
    expect(await next(rule, expected.length)).toEqual(expected)
  })

  it('keep the second of the start, without its fraction', async () => {
    const startDate = Date.parse('2026-11-20T09:30:07.250Z')

    expect(
      await nextOccurrences(
        { ...schedule({ start: '2026-01-01T00:00' }), startDate },
        startDate - 1000,
        2
      )
    ).toEqual([Date.parse('2026-11-20T09:30:07Z'), Date.parse('2026-11-21T09:30:07Z')])
  })

  it('are later than the given time, never at it', async () => {
    const rule = schedule({ start: '2026-11-20T09:00' })

    expect(await next(rule, 1, Date.parse('2026-11-23T08:59:59.999Z'))).toEqual([
      '2026-11-23T09:00Z'
    ])
    expect(await next(rule, 1, Date.parse('2026-11-23T09:00:00Z'))).toEqual(['2026-11-24T09:00Z'])
  })

  it.each([
    [{ count: 3 }, '2026-11-22T09:00Z'],
    [{ until: '2026-11-22T09:00' }, '2026-11-22T09:00Z'],
    [{ until: '2026-11-22T08:59' }, '2026-11-21T09:00Z'],
    [{ count: 3, until: '2026-11-21T09:00' }, '2026-11-21T09:00Z'],
    [{ count: 2, until: '2026-11-24T09:00' }, '2026-11-21T09:00Z']
  ])('end with the first of count and end: %j', async (end, last) => {
    const rule = schedule({ start: '2026-11-20T09:00', ...end })

    expect((await next(rule, 10)).at(-1)).toBe(last)
    expect(await nextOccurrence(rule, Date.parse(last))).toBeNull()
    expect(await nextOccurrence(rule, Date.parse('2030-01-01'))).toBeNull()
  })

  it('are counted from the start, whatever the given time', async () => {
    const rule = schedule({ start: '2020-01-01T09:00', frequency: 'monthly', count: 80 })

    expect(await next(rule, 1, Date.parse('2026-07-15'))).toEqual(['2026-08-01T09:00Z'])
    expect(await next(rule, 1, Date.parse('2026-08-02'))).toEqual([])
  })

  it('are no more than the count, however many are requested', async () => {
    const rule = schedule({ start: '2024-01-05T09:00', count: 800 })

    expect(await next(rule, 365, Date.parse('2026-01-01'))).toHaveLength(73)
    expect(await next(rule, 5_000)).toHaveLength(800)
  })

  it.each(FREQUENCIES)('%s: may lie further apart than the calendar is long', async (frequency) => {
    const rule = schedule({ start: '2026-01-31T09:00', frequency, interval: 2_147_483_647 })

    expect(await next(rule, 2)).toEqual(['2026-01-31T09:00Z'])
  })

  it('are found however long ago the start is, and however large the count', async () => {
    const rule = schedule({ start: '2000-01-01T09:00', count: 2_147_483_647 })
    expect(await next(rule, 3, Date.parse('2099-05-01'))).toHaveLength(3)
  })

  it('are found although the count is larger than the number of months', async () => {
    const rule = schedule({ start: '2000-01-31T09:00', frequency: 'monthly', count: 9_000 })
    expect(await next(rule, 1, Date.parse('2026-11-21'))).toEqual(['2026-12-31T09:00Z'])
  })

  it.each<[string, Partial<Schedule>]>([
    [
      'the 366th day of each second year, from an odd one',
      { interval: 2, byweekday: [...WEEKDAYS], bysetpos: 366 }
    ],
    [
      'the 31st day of April',
      { frequency: 'monthly', interval: 12, byweekday: [...WEEKDAYS], bysetpos: 31 }
    ],
    [
      'a Monday among every seventh Friday',
      { frequency: 'daily', interval: 7, byweekday: [MONDAY] }
    ]
  ])('do not exist: %s', async (_, rule) => {
    expect(
      await next(schedule({ start: '2027-04-30T09:00', frequency: 'yearly', ...rule }), 1)
    ).toEqual([])
  })

  it.each<[Weekday[], number, number]>([
    [[MONDAY], 5, 53],
    [[SATURDAY, SUNDAY], 10, 106],
    [['tuesday', 'wednesday', SATURDAY, SUNDAY], 18, 210],
    [[...WEEKDAYS], 31, 366]
  ])('of %j are at most %i a month and %i a year', async (byweekday, month, year) => {
    expect([daysInPeriod('monthly', byweekday), daysInPeriod('yearly', byweekday)]).toEqual([
      month,
      year
    ])
    for (const [frequency, most] of [
      ['monthly', month],
      ['yearly', year]
    ] as const) {
      const rule = schedule({ start: '2026-01-01T09:00', frequency, byweekday, bysetpos: most })
      expect([
        await nextOccurrence(rule, rule.startDate),
        await nextOccurrence({ ...rule, bysetpos: most + 1 }, rule.startDate)
      ]).toEqual([expect.any(Number), null])
    }
  })
})

/**
 * Clock changes, each with a time that it skips or repeats, and the occurrences at that time on the
 * day before, on the day of the change and on the day after.
 */
const CHANGES: [
  zone: string,
  kind: string,
  start: string,
  at: string,
  shown: [string, string, string]
][] = [
  [
    'Europe/Berlin',
    'gap',
    '2026-03-28',
    '02:30',
    ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z']
  ],
  [
    'Europe/Berlin',
    'repeat',
    '2026-10-24',
    '02:30',
    ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z']
  ],
  [
    'America/New_York',
    'gap',
    '2026-03-07',
    '02:30',
    ['2026-03-07T07:30Z', '2026-03-08T07:00Z', '2026-03-09T06:30Z']
  ],
  [
    'America/New_York',
    'repeat',
    '2026-10-31',
    '01:30',
    ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z']
  ],
  [
    'Australia/Lord_Howe',
    'gap',
    '2026-10-03',
    '02:15',
    ['2026-10-02T15:45Z', '2026-10-03T15:30Z', '2026-10-04T15:15Z']
  ],
  [
    'Australia/Lord_Howe',
    'repeat',
    '2026-04-04',
    '01:45',
    ['2026-04-03T14:45Z', '2026-04-04T14:45Z', '2026-04-05T15:15Z']
  ],
  [
    'Asia/Kolkata',
    'no change',
    '2026-03-28',
    '02:30',
    ['2026-03-27T21:00Z', '2026-03-28T21:00Z', '2026-03-29T21:00Z']
  ]
]

const daysAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)

describe.each(CHANGES)('in %s, %s', (timezone, _, date, at, [before, on, later]) => {
  const dayOn = daysAfter(date, 1)
  const weekdayOn = WEEKDAYS[(new Date(dayOn).getUTCDay() + 6) % 7] ?? MONDAY

  it('a daily rule keeps its local time', async () => {
    expect(await next(schedule({ start: `${date}T${at}`, timezone }), 3)).toEqual([
      before,
      on,
      later
    ])
  })

  it('nine o’clock stays nine o’clock', async () => {
    const rule = schedule({ start: `${date}T09:00`, timezone })
    const shown = (await nextOccurrences(rule, rule.startDate - 1, 4)).map((time) =>
      new Date(time).toLocaleTimeString('en-GB', { timeZone: timezone })
    )

    expect(shown).toEqual(Array(4).fill('09:00:00'))
  })

  it.each<[string, Partial<Schedule>, string]>([
    ['every second week', { frequency: 'weekly', interval: 2 }, daysAfter(dayOn, -14)],
    [
      'every second week on that weekday',
      { frequency: 'weekly', interval: 2, byweekday: [weekdayOn] },
      daysAfter(dayOn, -14)
    ],
    ['the same day of the month', { frequency: 'monthly' }, dayOn.replace(/-\d\d-/, '-01-')],
    ['the same day of the year', { frequency: 'yearly' }, dayOn.replace('2026', '2024')],
    [
      'every day that is that weekday',
      { frequency: 'daily', byweekday: [weekdayOn] },
      daysAfter(dayOn, -7)
    ],
    [
      'every day, with a count and an end',
      { count: 9, untilDate: Date.parse(`${dayOn}T23:59Z`) },
      daysAfter(dayOn, -5)
    ]
  ])('%s meets the change', async (_, rule, start) => {
    const met = await nextOccurrence(
      { ...schedule({ start: `${start}T${at}`, timezone }), ...rule },
      Date.parse(before) + 1
    )

    expect(new Date(met ?? 0).toISOString().replace(':00.000', '')).toBe(on)
  })

  it('an end at an occurrence includes it, an earlier end does not, and the first of count and end counts', async () => {
    const rule = schedule({ start: `${date}T${at}`, timezone })

    expect(await next({ ...rule, untilDate: Date.parse(on) }, 9)).toEqual([before, on])
    expect(await next({ ...rule, untilDate: Date.parse(on) - 1 }, 9)).toEqual([before])
    expect(await next({ ...rule, count: 3, untilDate: Date.parse(later) - 1 }, 9)).toEqual([
      before,
      on
    ])
    expect(await next({ ...rule, count: 2, untilDate: Date.parse(later) }, 9)).toEqual([before, on])
  })

  it('the next occurrence after the change is on the next day, at any minute of the change', async () => {
    const rule = schedule({ start: `${date}T${at}`, timezone })

    for (const minutes of [0, 1, 15, 30, 45, 59, 60, 90]) {
      expect(await next(rule, 1, Date.parse(on) + minutes * 60_000)).toEqual([later])
    }
  })
})

describe('unusual clock changes', () => {
  it('the last Sunday of October is at the first of the repeated hours', async () => {
    const rule = schedule({
      start: '2025-01-01T02:30',
      frequency: 'monthly',
      interval: 3,
      byweekday: [SUNDAY],
      bysetpos: -1,
      timezone: 'Europe/Berlin'
    })

    expect(await next(rule, 5, Date.parse('2026-01-01'))).toEqual([
      '2026-01-25T01:30Z',
      '2026-04-26T00:30Z',
      '2026-07-26T00:30Z',
      '2026-10-25T00:30Z',
      '2027-01-31T01:30Z'
    ])
  })

  it('a day that the zone skipped becomes the moment after it, once', async () => {
    const at = (time: string) => schedule({ start: `2011-12-29T${time}`, timezone: 'Pacific/Apia' })

    expect(await next(at('09:00'), 3)).toEqual([
      '2011-12-29T19:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T19:00Z'
    ])
    expect(await next(at('00:00'), 3)).toEqual([
      '2011-12-29T10:00Z',
      '2011-12-30T10:00Z',
      '2011-12-31T10:00Z'
    ])
  })

  it('a start in the second of two repeated hours is an occurrence', async () => {
    const startDate = Date.parse('2026-10-25T01:30:00Z')
    const rule = {
      ...schedule({ start: '2026-01-01T00:00', timezone: 'Europe/Berlin' }),
      startDate
    }

    expect(await next(rule, 2)).toEqual(['2026-10-25T01:30Z', '2026-10-26T01:30Z'])
  })
})

describe('the summary', () => {
  it.each<[Partial<Schedule>, string]>([
    [{}, 'sent every day'],
    [{ interval: 3 }, 'sent every 3 days'],
    [{ frequency: 'weekly' }, 'sent every week'],
    [{ frequency: 'monthly', interval: 2 }, 'sent every 2 months'],
    [{ frequency: 'yearly', byweekday: [] }, 'sent every year'],
    [{ frequency: 'weekly', byweekday: [FRIDAY, MONDAY] }, 'sent every week on Monday and Friday'],
    [{ frequency: 'weekly', interval: 2, byweekday: [MONDAY] }, 'sent every 2 weeks on Monday'],
    [
      { frequency: 'monthly', byweekday: [MONDAY, FRIDAY] },
      'sent every month on every Monday and Friday'
    ],
    [
      { frequency: 'yearly', interval: 2, byweekday: [MONDAY] },
      'sent every 2 years on every Monday'
    ],
    [
      { frequency: 'monthly', byweekday: [FRIDAY], bysetpos: -1 },
      'sent every month on the last Friday'
    ],
    [
      { frequency: 'monthly', byweekday: [MONDAY], bysetpos: 1 },
      'sent every month on the first Monday'
    ],
    [
      { frequency: 'monthly', byweekday: WORKDAYS, bysetpos: -2 },
      'sent every month on the second to last weekday'
    ],
    [
      { frequency: 'monthly', byweekday: [SATURDAY, SUNDAY], bysetpos: 3 },
      'sent every month on the third weekend day'
    ],
    [
      { frequency: 'yearly', byweekday: [...WEEKDAYS], bysetpos: 100 },
      'sent every year on the 100th day'
    ],
    [
      { frequency: 'yearly', byweekday: [...WEEKDAYS], bysetpos: 13 },
      'sent every year on the 13th day'
    ],
    [
      { frequency: 'yearly', byweekday: [MONDAY, SUNDAY], bysetpos: 22 },
      'sent every year on the 22nd Monday or Sunday'
    ]
  ])('%j is %s', (rule, words) => {
    expect(summarize({ ...schedule({ start: '2026-01-01T00:00' }), ...rule })).toBe(words)
  })
})

it('agrees for a year with an independent implementation of the rules', async () => {
  const [from, until] = [Date.UTC(2026, 0), Date.UTC(2027, 0)]
  let total = 0
  await fc.assert(
    fc.asyncProperty(anySchedule, async (rule) => {
      const expected = occurrencesUntil(rule, until).filter((time) => time > from)
      const found = (await nextOccurrences(rule, from, expected.length + 1)).filter(
        (time) => time <= until
      )
      total += expected.length
      expect(found.map((time) => new Date(time).toISOString())).toEqual(
        expected.map((time) => new Date(time).toISOString())
      )
    }),
    deep(1_000)
  )
  expect(total).toBeGreaterThan(20_000 * share)
})
