import { describe, expect, it } from 'vitest'
import {
  fromClock,
  momentOf,
  parseDate,
  parseTimestamp,
  toClock
} from '../../src/calendar/clock.ts'
import { parseClientTime } from '../../src/capture/client-time.ts'
import { eventTime, writeTime } from '../../src/capture/timestamp.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const iso = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toISOString()

describe('the time of an event, as clients spell it', () => {
  it.each([
    ['2026-11-27 03:04:05 UTC', '2026-11-27T03:04:05.000Z'],
    ['2026-11-27 03:04:05 GMT', '2026-11-27T03:04:05.000Z'],
    ['2026-11-27 03:04 PST', '2026-11-27T11:04:00.000Z'],
    ['2026-11-27 03:04:05 +0800', '2026-11-26T19:04:05.000Z'],
    ['2026-11-27 03:04:05 PM', '2026-11-27T15:04:05.000Z'],
    ['2026-11-27 12:04:05 am', '2026-11-27T00:04:05.000Z'],
    ['2026-11-27 UTC', '2026-11-27T00:00:00.000Z'],
    ['2026-11-27T03:04:05.123456789Z', '2026-11-27T03:04:05.123Z'],
    ['2026-11-27 03:04:05.1234567 UTC', '2026-11-27T03:04:05.123Z'],
    ['20261127T030405Z', '2026-11-27T03:04:05.000Z'],
    ['20261127T030405.123+0100', '2026-11-27T02:04:05.123Z'],
    ['20261127', '2026-11-27T00:00:00.000Z'],
    ['11/27/2026 03:04:05', '2026-11-27T03:04:05.000Z'],
    ['11/27/2026, 3:04:05 PM', '2026-11-27T15:04:05.000Z'],
    ['1/2/2026', '2026-01-02T00:00:00.000Z'],
    ['11/27/26 3:04', '2026-11-27T03:04:00.000Z'],
    ['08/21/71', '1971-08-21T00:00:00.000Z'],
    ['11.27.2026', '2026-11-27T00:00:00.000Z'],
    ['2026/11/27 03:04:05', '2026-11-27T03:04:05.000Z'],
    ['2026.11.27', '2026-11-27T00:00:00.000Z'],
    ['2026-Nov-27', '2026-11-27T00:00:00.000Z'],
    ['Nov 27, 2026 3:04:05 PM', '2026-11-27T15:04:05.000Z'],
    ['November 27, 2026 at 3:04 PM UTC', '2026-11-27T15:04:00.000Z'],
    ['27 Nov 2026, 19:17', '2026-11-27T19:17:00.000Z'],
    ['1795748645123456789', '2026-11-27T03:04:05.123Z'],
    ['1795748645', '2026-11-27T03:04:05.000Z'],
    ['27/11/2026', undefined],
    ['11/31/2026', undefined],
    ['2026-Foo-27', undefined],
    ['2026-11-27 13:04 PM', undefined],
    ['2026-11-27 03:04 XYZ', undefined],
    ['03:04:05', undefined],
    ['tomorrow', undefined]
  ])('%s is %s', (text, expected) => {
    expect(iso(parseClientTime(text))).toBe(expected)
  })
})

describe('a timestamp', () => {
  it.each([
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T10:00:00.5Z', '2026-11-21T10:00:00.500Z'],
    ['2026-11-21T10:00:00.123456+00:00', '2026-11-21T10:00:00.123Z'],
    ['2026-11-21t10:00:00z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21 10:00:00+03', '2026-11-21T07:00:00.000Z'],
    ['2026-11-21T10:00:00-0330', '2026-11-21T13:30:00.000Z'],
    ['2026-11-21T10:00:00', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T10:00', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-1-2', '2026-01-02T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['Sat, 21 Nov 2026 10:00:00 GMT', '2026-11-21T10:00:00.000Z'],
    ['1795254000', '2026-11-21T09:40:00.000Z'],
    ['1795254000123', '2026-11-21T09:40:00.123Z'],
    ['1795254000123456', '2026-11-21T09:40:00.123Z'],
    ['-10000000000000', '1653-02-10T06:13:20.000Z'],
    ['-99999999999999', '-001199-02-15T14:13:20.001Z'],
    ['-1795254000123456', '1913-02-10T14:19:59.877Z'],
    ['Sat Nov 21 2026 11:00:00 GMT+0100 (CET)', '2026-11-21T10:00:00.000Z'],
    ['2023-02-29', undefined],
    ['2026-11-21T10:00:00+99:00', undefined],
    ['2026-11-21T10:00:00+01:60', undefined],
    ['last 7', undefined],
    ['march 1', undefined],
    ['2026-13-01', undefined],
    ['2026-11-21T25:00:00Z', undefined],
    ['yesterday-ish', undefined],
    ['', undefined]
  ])('%s is %s', (text, expected) => {
    expect(iso(parseTimestamp(text))).toBe(expected)
  })

  it('keeps fractions of a millisecond, which order a person’s writes', () => {
    const [first, second] = ['2026-11-21T10:00:00.123456Z', '2026-11-21T10:00:00.123457Z'].map(
      (text) => parseTimestamp(text)
    )

    expect(second).toBeGreaterThan(first ?? 0)
  })

  it('without an offset is local to the time zone', () => {
    expect(iso(parseTimestamp('2026-07-01T10:00:00', 'Europe/Berlin'))).toBe(
      '2026-07-01T08:00:00.000Z'
    )
    expect(iso(parseTimestamp('2026-07-01', 'Asia/Kathmandu'))).toBe('2026-06-30T18:15:00.000Z')
  })
})

describe('the time of an event', () => {
  const at = (text: string) => Date.parse(`2026-11-21T${text}Z`)
  const sent = { timestamp: undefined, offset: undefined, sentAt: undefined, ignoreSentAt: false }

  it.each([
    ['is now if the event has no time', sent, '12:00:00'],
    [
      'is the timestamp if nothing else is given',
      { ...sent, timestamp: Date.parse('2026-11-21T11:00:00Z') },
      '11:00:00'
    ],
    [
      'is set back if the client’s clock is 10 s ahead',
      { ...sent, timestamp: Date.parse('2026-11-21T11:00:00Z'), sentAt: at('12:00:10') },
      '10:59:50'
    ],
    [
      'is not set back if the event asks for that',
      {
        ...sent,
        timestamp: Date.parse('2026-11-21T11:00:00Z'),
        sentAt: at('12:00:10'),
        ignoreSentAt: true
      },
      '11:00:00'
    ],
    ['is the offset before now', { ...sent, offset: 5_000 }, '11:59:55'],
    [
      'is the offset before now even with a timestamp',
      {
        ...sent,
        timestamp: Date.parse('2026-11-21T11:00:00Z'),
        sentAt: at('12:00:10'),
        offset: 1_000
      },
      '11:59:59'
    ],
    [
      'is now if the timestamp is more than 23 hours ahead',
      { ...sent, timestamp: Date.parse('2026-11-22T11:00:01Z') },
      '12:00:00'
    ]
  ])('%s', (_, event, expected) => {
    expect(iso(eventTime(event, NOW))).toBe(`2026-11-21T${expected}.000Z`)
  })

  it('orders the writes of one client, however long each request takes', () => {
    const at = Date.parse('2026-11-21T11:59:57.000Z')
    const slow = writeTime(
      { ...sent, timestamp: Date.parse('2026-11-21T11:59:57.000Z'), sentAt: at },
      at + 900
    )
    const quick = writeTime(
      { ...sent, timestamp: Date.parse('2026-11-21T11:59:57.002Z'), sentAt: at + 3_000 },
      at + 3_010
    )
    const older = writeTime({ ...sent, offset: 2_996, sentAt: at + 3_000 }, at + 3_010)

    expect([slow, quick, older]).toEqual([at, at + 2, at + 4])
  })

  it('may be 23 hours ahead', () => {
    expect(iso(eventTime({ ...sent, timestamp: Date.parse('2026-11-22T11:00:00Z') }, NOW))).toBe(
      '2026-11-22T11:00:00.000Z'
    )
  })

  it('outside the years 0 to 9999 is 1970', () => {
    expect(eventTime({ ...sent, offset: 1e14 }, NOW)).toBe(0)
    expect(eventTime({ ...sent, offset: 1e300 }, NOW)).toBe(0)
  })
})

describe('a date of a query', () => {
  const now = new Date('2026-03-31T12:00:00Z')

  it.each([
    ['-7d', 'UTC', '2026-03-24T12:00:00.000Z'],
    ['7d', 'UTC', '2026-03-24T12:00:00.000Z'],
    ['-1m', 'UTC', '2026-02-28T12:00:00.000Z'],
    ['-1y', 'UTC', '2025-03-31T12:00:00.000Z'],
    ['-1q', 'UTC', '2025-12-30T12:00:00.000Z'],
    ['-2w', 'UTC', '2026-03-17T12:00:00.000Z'],
    ['-90M', 'UTC', '2026-03-31T10:30:00.000Z'],
    ['-3h', 'UTC', '2026-03-31T09:00:00.000Z'],
    // Berlin's clocks went forward on 29 March: noon UTC is 14:00 there, which was 13:00 UTC a week earlier.
    ['-7d', 'Europe/Berlin', '2026-03-24T13:00:00.000Z'],
    ['2026-03-01', 'Europe/Berlin', '2026-02-28T23:00:00.000Z'],
    ['-7x', 'UTC', undefined]
  ])('%s in %s is %s', (text, timezone, expected) => {
    expect(iso(parseDate(text, timezone, now))).toBe(expected)
  })
})

describe('a clock time in a zone', () => {
  it.each([
    ['2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z', 'skipped, as if the clock had not jumped'],
    [
      '2026-10-25T02:30:00',
      '2026-10-25T00:30:00.000Z',
      'in the repeated hour, read as the first time'
    ],
    ['2026-10-25T03:00:00', '2026-10-25T02:00:00.000Z', 'after the repeated hour']
  ])('%s in Berlin is %s: %s', (clock, expected) => {
    expect(iso(fromClock(Date.parse(`${clock}Z`), 'Europe/Berlin'))).toBe(expected)
  })

  it('is read back as the same moment in five zones', () => {
    for (const zone of [
      'UTC',
      'Asia/Tehran',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Pacific/Apia'
    ]) {
      expect(fromClock(toClock(NOW + 123, zone), zone), zone).toBe(NOW + 123)
    }
  })
})

describe('the first moment of a clock time', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:00:00.000Z', 'skipped'],
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z', 'shown twice'],
    ['Australia/Lord_Howe', '2025-10-05T02:10:00', '2025-10-04T15:30:00.000Z', 'skipped'],
    ['Australia/Lord_Howe', '2025-04-06T01:40:00', '2025-04-05T14:40:00.000Z', 'shown twice'],
    ['Pacific/Apia', '2011-12-30T12:00:00', '2011-12-30T10:00:00.000Z', 'on a skipped day']
  ])('in %s, %s, is %s: %s', (zone, clock, expected) => {
    expect(iso(momentOf(Date.parse(`${clock}Z`), zone))).toBe(expected)
  })
})
