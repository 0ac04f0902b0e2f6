import { parseTimestamp } from '../time.ts'

const MAX_FUTURE = 23 * 3_600_000

/** Up to so much a client's clock may differ that is not wrong: it is the request's time on the way, each another. */
const MAX_ON_THE_WAY = 5_000

type Sent = {
  timestamp: unknown
  /** Milliseconds before sending; wins over `timestamp`. */
  offset: unknown
  /** The client's clock when it sent, ms. */
  sentAt: number | undefined
  ignoreSentAt: boolean
}

/**
 * When an event happened by the server's clock, in ms (with their fraction, which orders a person's writes). A client's
 * `sent_at` tells how far its clock is off; a few seconds are left as they are, because correcting them would order what
 * one client did by how long each of its requests took.
 * More than 23 hours ahead, or unreadable, counts as now; a year outside 0…9999 as 1970.
 * Otherwise as in PostHog's `rust/common/types/src/timestamp.rs`.
 */
export function eventTime({ timestamp, offset, sentAt, ignoreSentAt }: Sent, now: number): number {
  /** The server's time at which the request was sent, as near as it can be known. */
  const sent = sentAt !== undefined && Math.abs(sentAt - now) <= MAX_ON_THE_WAY ? sentAt : now
  let time = now
  const parsed = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (typeof offset === 'number' && Number.isFinite(offset)) time = sent - Math.trunc(offset)
  else if (parsed !== undefined) time = sentAt === undefined || ignoreSentAt ? parsed : parsed - (sentAt - sent)
  if (time > now + MAX_FUTURE) return now
  const year = new Date(time).getUTCFullYear()
  return year >= 0 && year <= 9999 ? time : 0
}
