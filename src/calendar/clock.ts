const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i
/** A date with the name of its month and all digits of its year: without them anything that ends in a number is one. */
const NAMED =
  /^(?:(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*,?\s+)?(?:\d{1,2}\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?:\d{1,2},?\s+)?\d{4}\b/i

/**
 * Reads ISO 8601 (without an offset it is a time on the zone's clock), a bare date, RFC 2822, or epoch digits.
 * @returns ms with their fraction, or undefined
 */
export function parseTimestamp(text: string, timezone = 'UTC'): number | undefined {
  const trimmed = text.trim()
  if (/^-?\d{9,11}(\.\d+)?$/.test(trimmed)) {
    return Number(trimmed) * 1000
  }
  if (/^-?\d{12,16}$/.test(trimmed)) {
    return Number(trimmed.length > 14 ? trimmed.slice(0, -3) : trimmed)
  }
  return NAMED.test(trimmed) ? orUndefined(Date.parse(trimmed)) : parseIso(trimmed, timezone)
}

/** Reads a date or a date-time of ISO 8601, which without an offset is on the zone's clock. @returns ms, or undefined */
export function parseIso(text: string, timezone = 'UTC'): number | undefined {
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
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Math.min(Number(second), 59)
  const clock = time + seconds * 1000 + Number(`0.${fraction || 0}`) * 1000
  return zone === undefined ? fromClock(clock, timezone) : clock - offsetOf(zone)
}

const UNITS: Record<string, { ms: number } | { days: number } | { months: number }> = {
  s: { ms: 1_000 },
  M: { ms: 60_000 },
  h: { ms: 3_600_000 },
  d: { days: 1 },
  w: { days: 7 },
  m: { months: 1 },
  q: { days: 91 },
  y: { months: 12 }
}

/** Reads `-7d`, `3h`, `-1m`…: so long before `now`. @returns ms, or undefined */
function parseRelative(text: string, timezone: string, now: Date): number | undefined {
  const [, amount, unit] = /^-?(\d{1,5})([sMhdwmqy])$/.exec(text) ?? []
  return unit === undefined ? undefined : goBack(now.getTime(), Number(amount), unit, timezone)
}

/** So many of `s`, `M` (minutes), `h`, `d`, `w`, `m` (months), `q` (13 weeks) or `y` earlier, days and longer on the zone's clock. */
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

/** A date as a query names it: relative to `now`, or a date-time, which without an offset is on the zone's clock. */
export const parseDate = (text: string, timezone: string, now: Date): number | undefined =>
  parseRelative(text, timezone, now) ?? parseTimestamp(text, timezone)

/** The beginning of a day in UTC, ms. To `Date.UTC` the year 26 is 1926. */
export const midnight = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month, day)

/** What a clock in the zone shows at this moment, as if it were UTC; ms. */
export function toClock(time: number, timezone: string): number {
  if (timezone === 'UTC' || !Number.isFinite(time)) {
    return time
  }
  const parts = formatOf(timezone).formatToParts(time)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const year = parts.some(({ value }) => value === 'BC') ? 1 - of('year') : of('year')
  const seconds = (of('hour') * 60 + of('minute')) * 60 + of('second')
  return (
    midnight(year, of('month') - 1, of('day')) +
    seconds * 1000 +
    (time - Math.floor(time / 1000) * 1000)
  )
}

/** The moment at which the zone's clock shows this: the first of two, and after a gap as if the clock had not jumped. */
export function fromClock(clock: number, timezone: string): number {
  if (timezone === 'UTC') {
    return clock
  }
  const before = clock - (toClock(clock - 86_400_000, timezone) - (clock - 86_400_000))
  const after = clock - (toClock(clock + 86_400_000, timezone) - (clock + 86_400_000))
  const matches = [before, after].filter((time) => toClock(time, timezone) === clock)
  return matches.length > 0 ? Math.min(...matches) : before
}

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

function offsetOf(zone: string): number {
  if (/^z$/i.test(zone)) {
    return 0
  }
  const [hours, minutes] = [
    Number(zone.slice(1, 3)),
    Number(zone.replace(':', '').slice(3, 5) || 0)
  ]
  const offset = (hours * 60 + minutes) * 60_000
  return zone.startsWith('-') ? -offset : offset
}

/** A time in ms as the API writes it: ISO 8601 in UTC, with milliseconds only where there are any. */
export const toIso = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z')

const orUndefined = (time: number): number | undefined => (Number.isNaN(time) ? undefined : time)
