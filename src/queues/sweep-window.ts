import { MINUTE } from '../calendar/units.ts'

/**
 * Age at which an unprocessed message counts as lost for the first time, ms. It counts as lost
 * again each time its age has doubled.
 */
const FIRST_MS = 15 * MINUTE

/** The time range of a sweep: after `since`, up to `until`; ms UTC. */
export type Window = { since: number; until: number }

/**
 * Whether a sweep sends the message of a waiting object again: at the age of 15, 30, 60… minutes,
 * and once after the queues have lost all messages from before `queuesSince`: those of earlier
 * objects, and of objects with a time after the window, which were written before the clock was set
 * back. The windows of sweeps do not overlap, so each of these moments is in one.
 */
export function isDue(uploadedAt: number, { since, until }: Window, queuesSince: number): boolean {
  const isFirst = since < queuesSince && queuesSince <= until
  const isLost = isFirst && (uploadedAt < queuesSince || uploadedAt > until)
  const age = until - uploadedAt
  if (isLost) {
    return true
  }
  if (age < FIRST_MS) {
    return false
  }
  const doublings = Math.floor(Math.log2(age / FIRST_MS))
  return uploadedAt + FIRST_MS * 2 ** doublings > since
}

/**
 * Reads `QUEUES_SINCE`, ms UTC: messages from before this time are lost, because the queues of a
 * local service are in memory and start empty. 0, or an empty text, means that no message was ever
 * lost.
 * @throws for any other text
 */
export function readQueuesSince(text: string): number {
  if (!/^\d{0,15}$/.test(text)) {
    throw new Error(`QUEUES_SINCE must be empty or a time in milliseconds; got "${text}".`)
  }
  return Number(text)
}
