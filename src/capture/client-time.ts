import { parseIso, parseTimestamp } from '../calendar/clock.ts'

/** A date with the year first, with the month first, or without separators. */
const DATE = String.raw`(?:(?<year>\d{4})[-/.](?<month>\d{1,2}|[a-z]{3})[-/.](?<day>\d{1,2})|(?<firstMonth>\d{1,2})[/.](?<nextDay>\d{1,2})[/.](?<lastYear>\d{4}|\d{2})|(?<whole>\d{8}))`
const TIME = String.raw`(?<hour>\d{1,2}):?(?<minute>\d{2})(?::?(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?:\s*(?<half>[ap])m)?`
const ZONE = String.raw`(?<zone>z|[a-z]{3}|[+-]\d{2}(?::?\d{2})?)?`
const SPELLING = new RegExp(String.raw`^${DATE}(?:(?:t|,?\s+)${TIME})?\s*${ZONE}$`, 'i')

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const OFFSETS: Record<string, string> = {
  z: 'Z',
  utc: 'Z',
  gmt: 'Z',
  est: '-05',
  edt: '-04',
  cst: '-06',
  cdt: '-05',
  mst: '-07',
  mdt: '-06',
  pst: '-08',
  pdt: '-07'
}

/**
 * Reads the time of an event as clients spell it: what `parseTimestamp` reads, and the other
 * spellings that PostHog's capture service takes, such as `2026-11-27 03:04:05 UTC`,
 * `11/27/2026 3:04 PM` (the month first), `20261127T030405Z`, or nanoseconds since 1970. Without a
 * zone, the time is in UTC.
 * @returns ms with their fraction, or undefined
 */
export function parseClientTime(text: string): number | undefined {
  const trimmed = text.trim().replace(/,?\s+at\s+/i, ' ')
  if (/^\d{17,19}$/.test(trimmed)) {
    return Number(trimmed.slice(0, -6))
  }
  return parseTimestamp(trimmed) ?? parseSpelling(trimmed)
}

function parseSpelling(text: string): number | undefined {
  const found = SPELLING.exec(text)?.groups
  const date = found && dateOf(found)
  const time = found && timeOf(found)
  const zone = found?.zone?.toLowerCase() ?? 'z'
  const offset = /^[+-]/.test(zone) ? zone : OFFSETS[zone]
  const isComplete = date !== undefined && time !== undefined && offset !== undefined
  return isComplete ? parseIso(`${date}T${time}${offset}`) : undefined
}

type Groups = Record<string, string | undefined>

/** Returns a date as in ISO 8601: `11/27/26` → `2026-11-27`, `2026-Nov-27` → `2026-11-27`. */
function dateOf({ whole, year, month, day, ...found }: Groups): string | undefined {
  if (whole !== undefined) {
    return whole.replace(/^(....)(..)(..)$/, '$1-$2-$3')
  }
  const named = MONTHS.indexOf(month?.toLowerCase() ?? '') + 1
  const number = named || month || found.firstMonth
  const full = year ?? fullYear(found.lastYear ?? '')
  return /\D/.test(String(number)) ? undefined : `${full}-${number}-${day ?? found.nextDay}`
}

/** Completes a year of two digits, as PostHog does: from 1970 to 2069. */
function fullYear(year: string): string {
  if (year.length > 2) {
    return year
  }
  return Number(year) < 70 ? `20${year}` : `19${year}`
}

/** Returns a time as in ISO 8601: `3:04 PM` → `15:04:00.0`. */
function timeOf({ hour = '0', minute = '00', second = '00', fraction = '0', half }: Groups) {
  const isOnClock = half === undefined || (Number(hour) >= 1 && Number(hour) <= 12)
  const shift = half?.toLowerCase() === 'p' ? 12 : 0
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + shift
  return isOnClock ? `${hours}:${minute}:${second}.${fraction}` : undefined
}
