import { HOUR } from '../calendar/units.ts'

/** How far ahead of the server an event's time may be, ms; the limit is PostHog's. */
const MAX_FUTURE = 23 * HOUR

type Sent = {
  /** The time by the client's clock, ms UTC. */
  timestamp: number | undefined
  /** Time from the event to the sending of the request, ms; wins over `timestamp`. */
  offset: unknown
  /** The client's clock at sending, ms UTC. */
  sentAt: number | undefined
  ignoreSentAt: boolean
}

/**
 * Returns when an event happened by the server's clock, in ms UTC with fraction. `sentAt` minus
 * `now` is the client's skew: an event of 12:00 sent at 12:01 and received at 11:01 happened at
 * 11:00. A time more than 23 hours ahead becomes now, and a time before the year 0 becomes 1970.
 * Same rules as PostHog's `rust/common/types/src/timestamp.rs`.
 */
export function eventTime({ timestamp, offset, sentAt, ignoreSentAt }: Sent, now: number): number {
  let time = now
  if (typeof offset === 'number' && Number.isFinite(offset)) {
    time = now - Math.trunc(offset)
  } else if (timestamp !== undefined) {
    time = sentAt === undefined || ignoreSentAt ? timestamp : timestamp - (sentAt - now)
  }
  if (time > now + MAX_FUTURE) {
    return now
  }
  const year = new Date(time).getUTCFullYear()
  return year >= 0 && year <= 9999 ? time : 0
}

/**
 * Largest difference between the clocks that counts as the request's travel time and not as skew,
 * ms.
 */
const MAX_ON_THE_WAY = 5_000

/**
 * Returns the time that orders an event's writes to its person: `eventTime`, but without a
 * correction for the request's travel time. With it, two events of a client could swap because one
 * request took longer than the other.
 */
export function writeTime(sent: Sent, now: number): number {
  const isOnTheWay = sent.sentAt !== undefined && Math.abs(sent.sentAt - now) <= MAX_ON_THE_WAY
  return eventTime(sent, isOnTheWay ? (sent.sentAt ?? now) : now)
}
