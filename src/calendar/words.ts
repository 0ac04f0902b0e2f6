import type { Range } from './buckets.ts'
import { toClock } from './clock.ts'
import { DAY } from './units.ts'

/**
 * Describes a range `[from, until)`, ms UTC, by its dates in a time zone: `1 – 7 Jun 2025`,
 * `7 Jun 2025` for a single day, or `until 7 Jun 2025` if `from` is `all`.
 */
export function describeRange(from: number | 'all', until: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric'
  })
  return from === 'all'
    ? `until ${format.format(until - 1)}`
    : withPlainSpaces(format.formatRange(from, until - 1))
}

/**
 * Describes an interval, ms UTC, in a time zone: `24 Nov 2026` if it begins and ends at midnight, or
 * else `24 Nov 2026, 13:00–14:00`.
 */
export function describeInterval({ from, until }: Range, timeZone: string): string {
  const isOfDays = [from, until].every((time) => toClock(time, timeZone) % DAY === 0)
  if (isOfDays) {
    return describeRange(from, until, timeZone)
  }
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'medium',
    timeStyle: 'short'
  })
  return withPlainSpaces(format.formatRange(from, until))
}

/** Describes a moment, ms UTC, in a time zone: `Fri 7 Nov 2025, 13:46 UTC`. */
export function describeMoment(time: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short'
  })
  return withPlainSpaces(format.format(time)).replace(',', '')
}

/** Replaces the non-ASCII spaces that some runtimes put into dates with plain spaces. */
const withPlainSpaces = (text: string): string => text.replaceAll(/\s/g, ' ')
