import { compareStamps, type Stamp, stampAt } from '../persons/last-write.ts'
import type { Incoming } from './changes.ts'

/** Sorts events into the order in which they are applied to their persons. */
export const inOrder = (events: readonly Incoming[]): Incoming[] =>
  events
    .map((event) => ({ event, stamp: stampOf(event) }))
    .sort((a, b) => compareStamps(a.stamp, b.stamp))
    .map(({ event }) => event)

/** Returns the stamp of an event's writes to its person, to whom nothing happens in the future. */
export const stampOf = ({
  uuid,
  timestamp,
  written_at: writtenAt = timestamp,
  received_at: receivedAt,
  position
}: Incoming): Stamp => stampAt(Math.min(writtenAt, receivedAt), { receivedAt, position, uuid })
