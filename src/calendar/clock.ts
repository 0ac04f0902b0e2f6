import { DAY, HOUR, MINUTE } from './units.ts'

/** A date, or a date-time with or without seconds, a fraction and an offset. */
const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i

/**
 * A date with a month name and a four-digit year. `Date.parse` alone would also read texts such as
 * `plan 9` as dates.
 */
const NAMED =
  /^(?:(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*,?\s+)?(?:\d{1,2}\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?:\d{1,2},?\s+)?\d{4}\b/i

/**
 * Reads an ISO 8601 date or date-time, a date with a month name, such as in RFC 2822, or a Unix
 * time in seconds (9–11 digits), ms (12–14) or µs (15–16). Without an offset, an ISO date-time is
 * local to the time zone, and a date with a month name is local to the runtime (UTC in a Worker).
 * @returns ms with their fraction, or undefined
 */
export function parseTimestamp(text: string, timezone = 'UTC'): number | undefined {
  const trimmed = text.trim()
  if (/^-?\d{9,11}(\.\d+)?$/.test(trimmed)) {
    return Number(trimmed) * 1000
  }
  if (/^-?\d{12,14}$/.test(trimmed)) {
    return Number(trimmed)
  }
  if (/^-?\d{15,16}$/.test(trimmed)) {
    return Number(trimmed.slice(0, -3))
  }
  return NAMED.test(trimmed) ? orUndefined(Date.parse(trimmed)) : parseIso(trimmed, timezone)
}

/** Reads an ISO 8601 date or date-time, local if it has no offset. @returns ms, or undefined */
export function parseIso(text: string, timezone = 'UTC'): number | undefined {
  const read = readIso(text)
  if (!read) {
    return undefined
  }
  const { clock, zone } = read
  return zone === undefined ? fromClock(clock, timezone) : clock - readOffset(zone)
}

/**
 * Reads an ISO 8601 date or date-time without an offset as a wall-clock time, encoded as if it were
 * UTC. @returns ms; undefined for any other text
 */
export function parseClock(text: string): number | undefined {
  const read = readIso(text)
  return read?.zone === undefined ? read?.clock : undefined
}

/**
 * Reads the wall-clock time of an ISO 8601 date or date-time, ms, and its offset, if it has one.
 */
function readIso(text: string): { clock: number; zone: string | undefined } | undefined {
  const iso = ISO.exec(text.trim())
  if (!iso) {
    return undefined
  }

  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = iso
  const date = new Date(0)
  const time = date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (!exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
    return undefined
  }
  // A leap second counts as the second before it.
  const sinceMidnight =
    Number(hour) * HOUR + Number(minute) * MINUTE + Math.min(Number(second), 59) * 1000
  return { clock: time + sinceMidnight + Number(`0.${fraction || 0}`) * 1000, zone }
}

const UNITS: Record<string, { ms: number } | { days: number } | { months: number }> = {
  s: { ms: 1_000 },
  M: { ms: MINUTE },
  h: { ms: HOUR },
  d: { days: 1 },
  w: { days: 7 },
  m: { months: 1 },
  q: { days: 91 },
  y: { months: 12 }
}

/** Reads a relative date: `-7d` and `7d` are seven days before `now`. @returns ms, or undefined */
function parseRelative(text: string, timezone: string, now: Date): number | undefined {
  const [, amount, unit] = /^-?(\d{1,5})([sMhdwmqy])$/.exec(text) ?? []
  return unit === undefined ? undefined : goBack(now.getTime(), Number(amount), unit, timezone)
}

/**
 * Returns the moment `amount` units before another: `s` seconds, `M` minutes, `h` hours, `d` days,
 * `w` weeks, `m` months, `q` 13 weeks, `y` years. Days and longer units keep the wall-clock time;
 * March 31 minus a month is the last of February.
 */
export function goBack(time: number, amount: number, letter: string, timezone: string): number {
  const unit = UNITS[letter]
  if (!unit) {
    throw new Error(`${letter} is not a unit of time`)
  }
  if ('ms' in unit) {
    return time - amount * unit.ms
  }

  const clock = new Date(toClock(time, timezone))
  if ('days' in unit) {
    clock.setUTCDate(clock.getUTCDate() - amount * unit.days)
  } else {
    const day = clock.getUTCDate()
    clock.setUTCDate(1)
    clock.setUTCMonth(clock.getUTCMonth() - amount * unit.months)
    const lastDay = new Date(
      midnight(clock.getUTCFullYear(), clock.getUTCMonth() + 1, 0)
    ).getUTCDate()
    clock.setUTCDate(Math.min(day, lastDay))
  }
  return fromClock(clock.getTime(), timezone)
}

/** Reads a relative date, or one for `parseTimestamp`. @returns ms, or undefined */
export const parseDate = (text: string, timezone: string, now: Date): number | undefined =>
  parseRelative(text, timezone, now) ?? parseTimestamp(text, timezone)

/** Returns a day's start in UTC, ms; `month` is from 0. Unlike in `Date.UTC`, year 26 is 26. */
export const midnight = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month, day)

/**
 * Returns the wall-clock time of a moment, encoded as if it were UTC, ms: in Berlin, noon UTC
 * becomes 13:00 or 14:00 UTC.
 */
export function toClock(time: number, timezone: string): number {
  if (timezone === 'UTC' || !Number.isFinite(time)) {
    return time
  }
  // `6/3/2025 AD, 14:05:09`; `formatToParts` takes three times as long.
  const text = formatOf(timezone).format(time)
  const numbers = text.match(/\d+/g) ?? []
  const [month = 0, day = 0, yearOfEra = 0, hour = 0, minute = 0, second = 0] = numbers.map(Number)
  const year = text.includes('BC') ? 1 - yearOfEra : yearOfEra
  const sinceMidnight = hour * HOUR + minute * MINUTE + second * 1000
  const milliseconds = time - Math.floor(time / 1000) * 1000
  return midnight(year, month - 1, day) + sinceMidnight + milliseconds
}

/**
 * Returns the moment of a wall-clock time: the inverse of `toClock`. Of a time that the clock shows
 * twice, returns the first moment. A time that the clock skips counts as if the clock had not been
 * set forward.
 */
export function fromClock(clock: number, timezone: string): number {
  if (timezone === 'UTC') {
    return clock
  }
  const before = clock - offsetAt(clock - DAY, timezone)
  const after = clock - offsetAt(clock + DAY, timezone)
  if (before === after) {
    return before
  }
  const matches = [before, after].filter((time) => toClock(time, timezone) === clock)
  return matches.length > 0 ? Math.min(...matches) : before
}

/**
 * Returns the first moment at which the clock shows this time or, if the clock skips it, a later
 * one: in Berlin, where 2:00 to 3:00 is skipped on March 29, 2026, the moment of 2:30 is that of
 * 3:00.
 */
export function momentOf(clock: number, timezone: string): number {
  const time = fromClock(clock, timezone)
  const ahead = toClock(time, timezone) - clock
  return ahead === 0 ? time : changeBetween(time - ahead, time, timezone)
}

/** Finds the moment, up to `until`, at which the clock is set. The offsets differ. */
export function changeBetween(from: number, until: number, timezone: string): number {
  const offset = offsetAt(from, timezone)
  let before = from
  let after = until
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle, timezone) === offset) {
      before = middle
    } else {
      after = middle
    }
  }
  return after
}

/** Returns how far the clock of a time zone is ahead of UTC at a moment, ms. */
const offsetAt = (time: number, timezone: string): number => toClock(time, timezone) - time

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known) {
    return known
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric'
  })
  formats.set(timezone, format)
  return format
}

/** Reads the offset of a date-time: `Z` → 0, `+05:30` → 19,800,000 ms. */
function readOffset(zone: string): number {
  if (/^z$/i.test(zone)) {
    return 0
  }
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.replace(':', '').slice(3, 5) || 0)
  const offset = hours * HOUR + minutes * MINUTE
  return zone.startsWith('-') ? -offset : offset
}

/** Formats ms as ISO 8601 in UTC, with milliseconds if there are any: `2025-06-03T14:00:00Z`. */
export const toIso = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z')

/**
 * Formats ms as ISO 8601 in a time zone, to the second: `2025-06-03T16:00:00+02:00`, or
 * `2025-06-03T14:00:00Z` in UTC.
 */
export function toIsoIn(time: number, timezone: string): string {
  const clock = toClock(time, timezone)
  const offset = Math.round((clock - time) / MINUTE)
  const text = new Date(clock).toISOString().slice(0, -5)
  if (offset === 0) {
    return `${text}Z`
  }
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  return `${text}${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`
}

const orUndefined = (time: number): number | undefined => (Number.isNaN(time) ? undefined : time)
