/** A message that was not processed for so long may be lost, ms. Then its object waits twice as long each time. */
const FIRST_MS = 15 * 60_000

/** The time that a sweep answers for: after `since`, up to `until`; ms UTC. */
export type Window = { since: number; until: number }

/**
 * Whether an object that still waits gets another message: at the age of 15, 30, 60… minutes, and when the queues have
 * lost all messages from before `queuesSince`. Each of these moments lies in the window of one sweep. An object of the
 * future is from before the clock was set back.
 */
export function isDue(uploadedAt: number, { since, until }: Window, queuesSince: number): boolean {
  const isFirst = since < queuesSince && queuesSince <= until
  const isLost = isFirst && (uploadedAt < queuesSince || uploadedAt > until)
  const age = until - uploadedAt
  if (isLost || age < FIRST_MS) {
    return isLost
  }
  const doublings = Math.floor(Math.log2(age / FIRST_MS))
  return uploadedAt + FIRST_MS * 2 ** doublings > since
}

/**
 * Since when the queues have kept their messages, ms UTC: a local service's are in memory and start empty. 0 for queues
 * that lose none. @throws for anything but milliseconds
 */
export function readQueuesSince(text: string): number {
  if (!/^\d{0,15}$/.test(text)) {
    throw new Error(`QUEUES_SINCE must be empty or a time in milliseconds; got "${text}".`)
  }
  return Number(text)
}
