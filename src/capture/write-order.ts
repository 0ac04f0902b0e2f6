import type { CapturedEvent } from './event.ts'

/** Sorts events into the order in which they are applied to their persons. */
export const inOrder = <Event extends CapturedEvent>(events: Event[]): Event[] =>
  events.toSorted((a, b) => orderOf(a) - orderOf(b))

/** Returns the time that orders an event's writes to its person, ms UTC. */
export const orderOf = ({ written_at, timestamp }: CapturedEvent): number => written_at ?? timestamp
