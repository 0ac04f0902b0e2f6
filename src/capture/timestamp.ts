import { parseTimestamp } from '../calendar/clock.ts'

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
 * When an event happened by the server's clock, in ms (with their fraction): the client's skew is what its `sent_at`
 * differs from `now`. More than 23 hours ahead counts as now; a year outside 0…9999 as 1970.
 * As in PostHog's `rust/common/types/src/timestamp.rs`.
 */
export function eventTime({ timestamp, offset, sentAt, ignoreSentAt }: Sent, now: number): number {
  let time = now
  const parsed = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (typeof offset === 'number' && Number.isFinite(offset)) {
    time = now - Math.trunc(offset)
  } else if (parsed !== undefined) {
    time = sentAt === undefined || ignoreSentAt ? parsed : parsed - (sentAt - now)
  }
  if (time > now + MAX_FUTURE) {
    return now
  }
  const year = new Date(time).getUTCFullYear()
  return year >= 0 && year <= 9999 ? time : 0
}

/** A client's clock that differs by less is not wrong: the difference is its request's time on the way. */
const MAX_ON_THE_WAY = 5_000

/**
 * The time that orders what an event writes to its person. Like `eventTime`, but time on the way is no skew: what one
 * client did would be ordered by how long each of its requests took.
 */
export function writeTime(sent: Sent, now: number): number {
  const isOnTheWay = sent.sentAt !== undefined && Math.abs(sent.sentAt - now) <= MAX_ON_THE_WAY
  return eventTime(sent, isOnTheWay ? (sent.sentAt ?? now) : now)
}
