const DAY = 86_400_000
const MAX_FUTURE = 23 * 3_600_000

type Sent = {
  timestamp: unknown
  /** Milliseconds before sending; wins over `timestamp`. */
  offset: unknown
  /** The client's clock when it sent, ms. */
  sentAt: number | undefined
  ignoreSentAt: boolean
}

/**
 * When an event happened by the server's clock, in ms (with their fraction, which orders a person's writes): the client's skew is what its `sent_at` differs from `now`.
 * More than 23 hours ahead, or unreadable, counts as now; a year outside 0…9999 as 1970.
 * As in PostHog's `rust/common/types/src/timestamp.rs`.
 */
export function eventTime({ timestamp, offset, sentAt, ignoreSentAt }: Sent, now: number): number {
  let time = now
  const parsed = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (typeof offset === 'number' && Number.isFinite(offset)) time = now - Math.trunc(offset)
  else if (parsed !== undefined) time = sentAt === undefined || ignoreSentAt ? parsed : parsed - (sentAt - now)
  if (time > now + MAX_FUTURE) return now
  const year = new Date(time).getUTCFullYear()
  return year >= 0 && year <= 9999 ? time : 0
}

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i

/** Reads ISO 8601 (a naive time is UTC), a bare date, RFC 2822, or epoch digits; ms with their fraction, or undefined. */
export function parseTimestamp(text: string): number | undefined {
  const trimmed = text.trim()
  if (/^-?\d{9,11}(\.\d+)?$/.test(trimmed)) return Number(trimmed) * 1000
  if (/^-?\d{12,16}$/.test(trimmed)) return Number(trimmed.length > 14 ? trimmed.slice(0, -3) : trimmed)
  const iso = ISO.exec(trimmed)
  if (!iso) return /[a-z]{3}/i.test(trimmed) ? orUndefined(Date.parse(trimmed)) : undefined

  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = iso
  const date = Date.UTC(
    2000,
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Math.min(Number(second), 59)
  )
  const time = new Date(date).setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const result = new Date(time)
  const exists = result.getUTCMonth() === Number(month) - 1 && result.getUTCDate() === Number(day)
  if (!exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  return time + Number(`0.${fraction || 0}`) * 1000 - zoneOffset(zone)
}

function zoneOffset(zone: string): number {
  if (/^z$/i.test(zone)) return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.replace(':', '').slice(3, 5) || 0)]
  const offset = (hours * 60 + minutes) * 60_000
  return Math.abs(offset) > DAY ? 0 : zone.startsWith('-') ? -offset : offset
}

const orUndefined = (time: number): number | undefined => (Number.isNaN(time) ? undefined : time)
